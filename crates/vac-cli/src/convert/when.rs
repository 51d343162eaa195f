//! Times that the user gives: RFC 3339, or a day.

use vac_record::AbstractTimestamp;
use vac_record::time::{instant, utc};

const DAY: i128 = 86_400 * 1_000_000_000;

/// The first nanosecond that is meant.
pub fn since(text: &str) -> Result<i128, String> {
    Ok(moment(text)?.0)
}

/// The last nanosecond that is meant: of a day, its last.
pub fn until(text: &str) -> Result<i128, String> {
    let (first, length) = moment(text)?;
    Ok(first + length)
}

/// A moment, and how much longer what the text says lasts.
fn moment(text: &str) -> Result<(i128, i128), String> {
    let (text, length) = match text.len() {
        10 => (format!("{text}T00:00:00Z"), DAY - 1),
        _ => (text.to_ascii_uppercase(), 0),
    };
    let wrong = || "expected a day (2026-03-01) or a time (2026-03-01T09:30:00Z)".to_owned();
    let at = |text: &str| instant(&AbstractTimestamp::try_from(text).ok()?);
    // Not every month has a day 31.
    let day = text.get(..10).unwrap_or_default();
    let is_day =
        at(&format!("{day}T00:00:00Z")).and_then(utc).is_some_and(|it| it.starts_with(day));
    match at(&text) {
        Some(moment) if is_day => Ok((moment, length)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i128 {
        instant(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_day_is_all_of_it() {
        assert_eq!(since("2026-03-01"), Ok(at("2026-03-01T00:00:00Z")));
        assert_eq!(until("2026-03-01"), Ok(at("2026-03-02T00:00:00Z") - 1));
        assert_eq!(since("2026-03-01t09:30:00+02:00"), Ok(at("2026-03-01T07:30:00Z")));
        assert_eq!(until("2026-03-01T09:30:00Z"), Ok(at("2026-03-01T09:30:00Z")));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let wrong = [
            "",
            "yesterday",
            "2026-3-1",
            "2026-13-01",
            "2026-02-30",
            "2026-02-30T00:00:00Z",
            "2026-03-01T09:30",
            "2026-03-01 09:30:00Z",
            "2026-03-01T09:30:00",
            "20260301",
            "\"",
            "1767225600",
            "2026-03-0\u{e9}",
        ];
        for text in wrong {
            assert!(since(text).is_err(), "{text}");
            assert!(until(text).is_err(), "{text}");
        }
    }
}
