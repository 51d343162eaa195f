//! Converts timestamps to points in time, to compare and to display them.
//!
//! The calendar is that of crate `jiff`. Records keep timestamps as they were written; nothing here
//! changes them.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::AbstractTimestamp;

/// The smallest unsigned timestamp in milliseconds. Smaller ones are in seconds: the draft uses
/// both. 10^11 is the year 5138 in seconds and the year 1973 in milliseconds.
const MIN_MILLISECONDS: u64 = 100_000_000_000;
/// The maximum number of digits of a fraction that are read. Further digits are ignored.
const MAX_FRACTION: usize = 9;

/// Returns whether an unsigned timestamp is in seconds rather than in milliseconds.
pub fn is_in_seconds(number: u64) -> bool {
    number < MIN_MILLISECONDS
}

/// Returns a timestamp as nanoseconds since 1970. `None` for a day that does not exist, and for
/// numbers beyond the year 9999.
///
/// ```
/// use vac_record::AbstractTimestamp;
/// use vac_record::time::instant;
///
/// let utc = AbstractTimestamp::try_from("2026-01-01T00:00:00.5Z")?;
/// let east = AbstractTimestamp::try_from("2026-01-01T02:00:00.500+02:00")?;
/// let number = AbstractTimestamp::Uint(1_767_225_600_500);
/// assert_eq!(instant(&utc), instant(&east));
/// assert_eq!(instant(&utc), instant(&number));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn instant(timestamp: &AbstractTimestamp<'_>) -> Option<i128> {
    let timestamp = match timestamp {
        AbstractTimestamp::Text(text) => with_nanoseconds(text).parse().ok()?,
        AbstractTimestamp::Uint(number) => {
            let count = i64::try_from(*number).ok()?;
            if is_in_seconds(*number) {
                Timestamp::from_second(count).ok()?
            } else {
                Timestamp::from_millisecond(count).ok()?
            }
        }
    };
    Some(timestamp.as_nanosecond())
}

/// Shortens a fraction to the digits that `jiff` reads.
fn with_nanoseconds(text: &str) -> Cow<'_, str> {
    let Some((seconds, rest)) = text.split_once('.') else { return Cow::Borrowed(text) };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits <= MAX_FRACTION {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{seconds}.{}{}", &rest[..MAX_FRACTION], &rest[digits..]))
}

/// Formats nanoseconds since 1970 as RFC 3339 text in UTC, with three, six or nine digits of the
/// fraction. `None` outside of the years 0 to 9999.
///
/// ```
/// use vac_record::time::utc;
///
/// assert_eq!(utc(1_767_225_600_500_000_000).as_deref(), Some("2026-01-01T00:00:00.500Z"));
/// assert_eq!(utc(1_000).as_deref(), Some("1970-01-01T00:00:00.000001Z"));
/// ```
pub fn utc(nanoseconds: i128) -> Option<String> {
    let timestamp = Timestamp::from_nanosecond(nanoseconds).ok()?;
    let digits = match nanoseconds.rem_euclid(1_000_000_000) {
        whole if whole % 1_000_000 == 0 => 3,
        micro if micro % 1_000 == 0 => 6,
        _ => 9,
    };
    let text = format!("{timestamp:.digits$}");
    // RFC 3339 has years of four digits and no sign.
    text.starts_with(|c: char| c.is_ascii_digit()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i128 {
        let timestamp = AbstractTimestamp::try_from(text).expect("a timestamp");
        instant(&timestamp).unwrap_or_else(|| panic!("{text} is a point in time"))
    }

    #[test]
    fn known_times_have_the_right_seconds() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2026-11-16T01:02:03Z", 1_794_790_923),
            ("1969-12-31T23:59:59Z", -1),
            ("0000-03-01T00:00:00Z", -62_162_035_200),
        ] {
            assert_eq!(at(text), seconds * 1_000_000_000, "{text}");
        }
    }

    #[test]
    fn offsets_and_fractions_count() {
        assert_eq!(at("2026-01-01T00:30:00+01:00"), at("2025-12-31T23:30:00.000Z"));
        assert_eq!(at("2025-12-31T20:00:00-03:30"), at("2025-12-31T23:30:00Z"));
        assert!(at("2026-01-01T00:00:00.45Z") < at("2026-01-01T00:00:00.5Z"));
        assert!(at("2026-01-01T00:00:00.9Z") < at("2026-01-01T00:00:01Z"));
        assert_eq!(
            at("2026-01-01T00:00:00.1234567890123+02:00"),
            at("2026-01-01T00:00:00.123456789+02:00")
        );
        assert!(at("2026-06-30T23:59:60Z") > at("2026-06-30T23:59:58.9Z"));
    }

    #[test]
    fn days_and_numbers_beyond_the_calendar_have_no_instant() {
        let text = AbstractTimestamp::try_from("2026-02-30T00:00:00Z");
        assert_eq!(text.ok().and_then(|text| instant(&text)), None);
        assert_eq!(instant(&AbstractTimestamp::Uint(u64::MAX)), None);
        assert_eq!(utc(i128::MAX), None);
        assert_eq!(utc(at("0000-01-01T00:00:00Z") - 1), None);
        assert!(utc(at("9999-12-30T22:00:00Z")).is_some());
    }
}
