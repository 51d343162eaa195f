//! Points in time with all digits of their fraction.

use vac_value::Node;

/// Fewer milliseconds than this would be before March 1973: they are seconds.
const MIN_MILLISECONDS: u64 = 100_000_000_000;

/// A point in time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// Seconds since 1970 in UTC.
    seconds: i64,
    /// The digits of the fraction without trailing zeros, which compare like text.
    fraction: String,
}

/// Whether a number of milliseconds is more likely one of seconds.
pub(super) fn looks_like_seconds(number: u64) -> bool {
    number < MIN_MILLISECONDS
}

impl Moment {
    /// Reads a timestamp. `None` if the node is not one.
    pub fn new(node: Node<'_, '_>) -> Option<Self> {
        let Some(number) = node.uint() else { return Self::parse(&node.text()?) };
        let (seconds, milliseconds) =
            if looks_like_seconds(number) { (number, 0) } else { (number / 1000, number % 1000) };
        let fraction = format!("{milliseconds:03}").trim_end_matches('0').to_owned();
        Some(Self { seconds: i64::try_from(seconds).ok()?, fraction })
    }

    /// Parses an RFC 3339 date-time.
    fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once('T')?;
        let (year, rest) = date.split_once('-')?;
        let (month, day) = rest.split_once('-')?;
        let zone = time.find(['Z', '+', '-'])?;
        let (time, zone) = time.split_at(zone);
        let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
        let (hour, rest) = clock.split_once(':')?;
        let (minute, second) = rest.split_once(':')?;
        let days = days_since_1970(digits(year)?, digits(month)?, digits(day)?)?;
        let seconds = days * 86_400 + digits(hour)? * 3600 + digits(minute)? * 60 + digits(second)?;
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0').to_owned();
        Some(Self { seconds: seconds - offset(zone)?, fraction })
    }
}

/// Returns the offset from UTC in seconds.
fn offset(zone: &str) -> Option<i64> {
    let (hour, minute) = match zone.split_at_checked(1)? {
        ("Z", "") => return Some(0),
        (_, offset) => offset.split_once(':')?,
    };
    let ahead = digits(hour)? * 3600 + digits(minute)? * 60;
    Some(if zone.starts_with('-') { -ahead } else { ahead })
}

/// Parses a number of at most four digits.
fn digits(text: &str) -> Option<i64> {
    let fits = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

/// Returns the days since 1970 in the proleptic Gregorian calendar. A day beyond the end of its
/// month belongs to the next month.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last day.
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap_or_else(|| panic!("{text} is a date-time"))
    }

    #[test]
    fn known_times_have_known_seconds() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2026-11-16T01:02:03Z", 1_794_790_923),
            ("1969-12-31T23:59:59Z", -1),
            ("0000-03-01T00:00:00Z", -62_162_035_200),
        ] {
            assert_eq!(at(text).seconds, seconds, "{text}");
        }
    }

    #[test]
    fn offsets_and_fractions_count() {
        assert_eq!(at("2026-01-01T00:30:00+01:00"), at("2025-12-31T23:30:00.000Z"));
        assert_eq!(at("2025-12-31T20:00:00-03:30"), at("2025-12-31T23:30:00Z"));
        assert!(at("2026-01-01T00:00:00.45Z") < at("2026-01-01T00:00:00.5Z"));
        assert!(
            at("2026-01-01T00:00:00.1234567890123Z") < at("2026-01-01T00:00:00.1234567890124Z")
        );
        assert!(at("2026-01-01T00:00:00.9Z") < at("2026-01-01T00:00:01Z"));
        assert_eq!(at("2026-06-30T23:59:60Z"), at("2026-07-01T00:00:00Z"));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in
            ["", "T", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "é-1-1T1:1:1Z"]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
