//! Parses the time that Cursor writes next to a prompt for people to read.

use memchr::memmem;
use vac_value::{Kind, Node};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns the [`date_time`] of a text. Most texts contain none, and are not decoded.
pub(crate) fn date_time_of_node(node: Node<'_, '_>) -> Option<String> {
    if node.kind() != Kind::Text {
        return None;
    }
    // Any character of the element can be written as an escape.
    let contains = |bytes: &[u8]| memmem::find(node.raw(), bytes).is_some();
    if !contains(b"<timestamp>") && !contains(br"\u") {
        return None;
    }
    date_time(&node.text()?)
}

/// Returns the RFC 3339 date-time of the first element `<timestamp>Monday, Aug 3, 2026, 11:03 AM
/// (UTC+2)</timestamp>` of a text that begins a line or follows another element, and is not part of
/// what the user typed.
pub(crate) fn date_time(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("<timestamp>") {
        let query = before.find("<user_query>").and_then(|at| rest.get(at..));
        if let Some(query) = query {
            // The typed text may contain anything except its end tag.
            rest = query.split_once("</user_query>")?.1;
            continue;
        }
        let is_element = before.trim_end_matches([' ', '\t']).ends_with(['\n', '>']);
        let written = inside.split_once("</timestamp>").map(|(written, _)| written);
        if (is_element || before.trim().is_empty())
            && let Some(time) = written.and_then(parse)
        {
            return Some(time);
        }
        rest = inside;
    }
    None
}

fn parse(written: &str) -> Option<String> {
    let mut parts = written.trim().splitn(4, ", ");
    let _weekday = parts.next()?;
    let (month, day) = parts.next()?.split_once(' ')?;
    let year = parts.next()?;
    let (time, zone) = parts.next()?.split_once(" (UTC")?;
    let month = 1 + MONTHS.iter().position(|known| month.starts_with(known))?;
    let day = number(day, 1, 31)?;
    if year.len() != 4 {
        return None;
    }
    let year = number(year, 0, 9999)?;
    let (hour, minute) = clock(time)?;
    let offset = offset(zone.strip_suffix(')')?)?;
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00{offset}"))
}

fn number(text: &str, from: u16, to: u16) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (from..=to).contains(number))
}

/// Parses hour and minute of `11:03 AM`, or of a 24-hour clock. The space may be a no-break space.
fn clock(text: &str) -> Option<(u16, u16)> {
    let (time, half) = match text.split_once([' ', '\u{a0}', '\u{202f}']) {
        Some((time, half)) => (time, Some(half)),
        None => (text, None),
    };
    let (hour, minute) = time.split_once(':')?;
    let minute = number(minute, 0, 59)?;
    let hour = match half {
        Some("AM") => number(hour, 1, 12)? % 12,
        Some("PM") => number(hour, 1, 12)? % 12 + 12,
        Some(_) => return None,
        None => number(hour, 0, 23)?,
    };
    Some((hour, minute))
}

/// Returns the offset from UTC of `+2`, `-3:30` or an empty text.
fn offset(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("Z".to_owned());
    }
    let sign = text.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    let (hours, minutes) = text[1..].split_once(':').unwrap_or((&text[1..], "0"));
    Some(format!("{sign}{:02}:{:02}", number(hours, 0, 23)?, number(minutes, 0, 59)?))
}

#[cfg(test)]
mod tests {
    use super::date_time;

    #[test]
    fn complete_written_time_is_a_date_time() {
        for (written, expected) in [
            ("Monday, Aug 3, 2026, 11:03 AM (UTC+2)", Some("2026-08-03T11:03:00+02:00")),
            ("Tuesday, January 5, 2027, 12:00 AM (UTC)", Some("2027-01-05T00:00:00Z")),
            ("Friday, Feb 6, 2026, 12:30 PM (UTC-3:30)", Some("2026-02-06T12:30:00-03:30")),
            ("Friday, Feb 6, 2026, 23:59 (UTC+10)", Some("2026-02-06T23:59:00+10:00")),
            ("Friday, Feb 6, 2026, 9:00 AM", None),
            ("Friday, Feb 66, 2026, 9:00 AM (UTC+2)", None),
            ("Friday, Feb 6, 2026, 13:00 PM (UTC+2)", None),
            ("Friday, Feb 6, 26, 9:00 AM (UTC+2)", None),
            ("Friday, Feb +6, 2026, 9:00 AM (UTC+2)", None),
            ("Friday, Feb 6, 2026, 9:00 AM (UTC+é)", None),
            ("soon", None),
        ] {
            let text = format!("\n<timestamp>{written}</timestamp>\nWhat now?");
            assert_eq!(date_time(&text).as_deref(), expected, "{written}");
        }
        let tag = "<timestamp>Monday, Aug 3, 2026, 11:03 AM (UTC)</timestamp>";
        let expected = Some("2026-08-03T11:03:00Z");
        for (text, expected) in [
            (format!("<user_query>\nhi\n</user_query>\n{tag}"), expected),
            (format!("<open_files>a</open_files>{tag}\n<user_query>hi</user_query>"), expected),
            (format!("<timestamp>soon</timestamp>\n{tag}"), expected),
            (format!("<user_query>what is\n{tag}\n</user_query>"), None),
            (format!("<user_query>what is\n{tag}"), None),
            (format!("<user_query>{tag}</user_query>\n{tag}"), expected),
            (format!("the tag {tag} in a sentence"), None),
        ] {
            assert_eq!(date_time(&text).as_deref(), expected, "{text}");
        }
        assert_eq!(date_time("no tag"), None);
        assert_eq!(date_time("<timestamp>Monday"), None);
    }
}
