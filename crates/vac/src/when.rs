//! Parses times as users write them, in UTC: `2026`, `2026-08`, `2026-08-01`, RFC 3339, `7d`,
//! `today`. They select sessions ([`Search::since`](crate::Search::since),
//! [`Search::until`](crate::Search::until)).
//!
//! ```
//! let august = vac::Search {
//!     since: Some(vac::when::since("2026-08")?),
//!     until: Some(vac::when::until("2026-08")?),
//!     ..vac::Search::default()
//! };
//! # assert_eq!(august.until.zip(august.since).map(|(last, first)| (last - first + 1) / 86_400_000_000_000), Some(31));
//! # Ok::<(), String>(())
//! ```

use std::time::{SystemTime, UNIX_EPOCH};

use vac_record::time::{instant, utc};

use crate::error::{Error, Result};

const SECOND: i128 = 1_000_000_000;
const HOUR: i128 = 3600 * SECOND;
const DAY: i128 = 24 * HOUR;

/// Parses a time and returns its first nanosecond.
///
/// # Errors
/// If the text is not a time.
pub fn since(text: &str) -> Result<i128, String> {
    Ok(parse(text, now()?)?.0)
}

/// Parses a time and returns its last nanosecond: that of a day, a month or a year.
///
/// # Errors
/// If the text is not a time.
pub fn until(text: &str) -> Result<i128, String> {
    Ok(parse(text, now()?)?.1)
}

/// Checks that a span of time does not end before it begins.
///
/// # Errors
/// If both ends are given and the last is earlier.
pub fn check_span(since: Option<i128>, until: Option<i128>) -> Result<()> {
    match (since, until) {
        (Some(since), Some(until)) if until < since => {
            Err(Error::refused("the time ends before it begins, so it has no session"))
        }
        _ => Ok(()),
    }
}

/// Parses a time, or seconds since 1970, and returns seconds since 1970. A day, a month or a year is
/// its beginning. Four digits are a year, and other digits alone are seconds.
///
/// # Errors
/// If the text is not a time.
pub fn at(text: &str) -> Result<u64, String> {
    if text.len() != 4
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(seconds) = text.parse()
    {
        return Ok(seconds);
    }
    let seconds = since(text)?.div_euclid(SECOND);
    u64::try_from(seconds).map_err(|_| "a time before 1970".to_owned())
}

/// Nanoseconds since 1970.
fn now() -> Result<i128, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_err(|_| "the system's clock is before 1970")?;
    i128::try_from(now.as_nanos()).map_err(|error| error.to_string())
}

/// Returns the first and the last nanosecond of a time.
fn parse(text: &str, now: i128) -> Result<(i128, i128), String> {
    let text = text.to_ascii_lowercase();
    let today = now - now.rem_euclid(DAY);
    let found = match text.as_str() {
        "today" => Some((today, today + DAY - 1)),
        "yesterday" => Some((today - DAY, today - 1)),
        text => ago(text, now)
            .or_else(|| point(text))
            .map(|at| (at, at))
            .or_else(|| midnight(text).map(|at| (at, at + DAY - 1)))
            .or_else(|| month(text))
            .or_else(|| year(text)),
    };
    found.ok_or_else(|| {
        "expected 2026, 2026-03, 2026-03-01, 2026-03-01T09:30:00Z, 24h, 7d, 2w, today or yesterday"
            .to_owned()
    })
}

/// Parses a number of hours, days or weeks before now.
fn ago(text: &str, now: i128) -> Option<i128> {
    let unit = match text.bytes().last()? {
        b'h' => HOUR,
        b'd' => DAY,
        b'w' => 7 * DAY,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u32 = digits.parse().ok()?;
    Some(now - i128::from(count) * unit)
}

/// Parses RFC 3339.
fn point(text: &str) -> Option<i128> {
    // Not every month has a day 31.
    midnight(text.get(..10)?)?;
    instant(&text.to_ascii_uppercase().parse().ok()?)
}

/// Parses a day and returns its first nanosecond.
fn midnight(day: &str) -> Option<i128> {
    let at = instant(&format!("{day}T00:00:00Z").parse().ok()?)?;
    utc(at).is_some_and(|text| text.starts_with(day) && day.len() == 10).then_some(at)
}

/// Parses a month and returns its first and its last nanosecond.
fn month(text: &str) -> Option<(i128, i128)> {
    let first = midnight(&format!("{text}-01"))?;
    let days = (1..=31).rev().find_map(|day| midnight(&format!("{text}-{day:02}")))?;
    Some((first, days + DAY - 1))
}

/// Parses a year and returns its first and its last nanosecond.
fn year(text: &str) -> Option<(i128, i128)> {
    Some((month(&format!("{text}-01"))?.0, month(&format!("{text}-12"))?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i128 {
        instant(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn days_months_and_years_are_all_of_them() {
        assert_eq!(since("2026"), Ok(at("2026-01-01T00:00:00Z")));
        assert_eq!(until("2026"), Ok(at("2027-01-01T00:00:00Z") - 1));
        assert_eq!(since("2026-03-01"), Ok(at("2026-03-01T00:00:00Z")));
        assert_eq!(until("2026-03-01"), Ok(at("2026-03-02T00:00:00Z") - 1));
        assert_eq!(since("2026-02"), Ok(at("2026-02-01T00:00:00Z")));
        assert_eq!(until("2026-02"), Ok(at("2026-03-01T00:00:00Z") - 1));
        assert_eq!(until("2024-02"), Ok(at("2024-03-01T00:00:00Z") - 1));
        assert_eq!(until("2026-12"), Ok(at("2027-01-01T00:00:00Z") - 1));
        assert_eq!(since("2026-03-01t09:30:00+02:00"), Ok(at("2026-03-01T07:30:00Z")));
        assert_eq!(until("2026-03-01T09:30:00Z"), Ok(at("2026-03-01T09:30:00Z")));
    }

    #[test]
    fn relative_times_count_from_now_and_days_are_those_of_utc() {
        let now = at("2026-03-01T09:30:00.5Z");
        let midnight = at("2026-03-01T00:00:00Z");
        for (text, first, last) in [
            ("24h", now - DAY, now - DAY),
            ("7d", now - 7 * DAY, now - 7 * DAY),
            ("2W", now - 14 * DAY, now - 14 * DAY),
            ("0h", now, now),
            ("today", midnight, midnight + DAY - 1),
            ("Yesterday", midnight - DAY, midnight - 1),
        ] {
            assert_eq!(parse(text, now), Ok((first, last)), "{text}");
        }
    }

    #[test]
    fn moments_are_seconds_since_1970() {
        assert_eq!(super::at("1795500000"), Ok(1_795_500_000));
        assert_eq!(super::at("2026"), Ok(1_767_225_600));
        assert_eq!(super::at("02026"), Ok(2026));
        assert_eq!(super::at("0"), Ok(0));
        assert_eq!(super::at("1970-01-02"), Ok(86_400));
        assert_eq!(super::at("1970-01-01T00:01:00.9Z"), Ok(60));
        assert!(super::at("1969-12-31").is_err() && super::at("-1").is_err());
        assert!(super::at("99999999999999999999").is_err());
    }

    #[test]
    fn other_texts_are_not_times() {
        let wrong = [
            "",
            "tomorrow",
            "d",
            "-1d",
            "1.5d",
            "7 d",
            "7x",
            "99999999999d",
            "\u{e9}d",
            "26",
            "02026",
            "2026-3",
            "2026-13",
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
