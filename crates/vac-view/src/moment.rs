//! When an event happened: as the log says, in UTC, or derived to keep the order.
//!
//! Only events have derived times. A record never has.

use vac_adapter::time::instant;
use vac_record::AbstractTimestamp;

/// How far an event without a time is put behind the one before it. Logs count
/// milliseconds: so many events have room before the next time that is stated.
const STEP: i128 = 1_000;
const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400;

/// Where a time comes from that the log does not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// From the minute in the name of the file.
    FileName,
    /// From the event before, so that the order is kept.
    Order,
}

impl Derived {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::FileName => "file-name",
            Self::Order => "order",
        }
    }
}

/// A time as events tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// RFC 3339 in UTC; a number that no such text can say stays a number.
    pub shown: Shown,
    /// Where it comes from, if the log does not state it.
    pub derived: Option<Derived>,
}

/// What is shown of a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// RFC 3339 in UTC.
    Text(String),
    /// What stands in the log.
    Number(u64),
}

/// Follows the time of a session.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    last: Option<i128>,
}

impl Clock {
    /// A time that the log states.
    pub fn stated(&mut self, timestamp: &AbstractTimestamp<'_>) -> Moment {
        self.last = instant(timestamp).or(self.last);
        Moment { shown: shown(timestamp), derived: None }
    }

    /// The end of a session: as the log states it, unless the event before comes after that.
    pub fn end(&mut self, stated: Option<&AbstractTimestamp<'_>>) -> Option<Moment> {
        let is_overtaken = |end: &AbstractTimestamp<'_>| instant(end) < self.last;
        match stated {
            Some(end) if !is_overtaken(end) => Some(self.stated(end)),
            _ => self.derived(),
        }
    }

    /// A time that it does not; `None` if it has not stated any before.
    pub fn derived(&mut self) -> Option<Moment> {
        let next = self.last? + STEP;
        self.last = Some(next);
        Some(Moment { shown: Shown::Text(utc(next)?), derived: Some(Derived::Order) })
    }
}

/// A time as it is shown: text that says UTC as it is, any other in UTC.
pub fn shown(timestamp: &AbstractTimestamp<'_>) -> Shown {
    match timestamp {
        AbstractTimestamp::Text(text) if text.ends_with('Z') => Shown::Text(text.to_string()),
        AbstractTimestamp::Text(text) => {
            let utc = instant(timestamp).and_then(utc);
            Shown::Text(utc.unwrap_or_else(|| text.to_string()))
        }
        AbstractTimestamp::Uint(number) => {
            instant(timestamp).and_then(utc).map_or(Shown::Number(*number), Shown::Text)
        }
    }
}

/// Nanoseconds since 1970 as RFC 3339 text in UTC, with as many digits as there are but at
/// least milliseconds; `None` beyond the years 0 to 9999.
///
/// ```
/// use vac_view::moment::utc;
///
/// assert_eq!(utc(1_767_225_600_500_000_000).as_deref(), Some("2026-01-01T00:00:00.500Z"));
/// assert_eq!(utc(1_000).as_deref(), Some("1970-01-01T00:00:00.000001Z"));
/// ```
pub fn utc(nanoseconds: i128) -> Option<String> {
    let (seconds, fraction) = (nanoseconds.div_euclid(SECOND), nanoseconds.rem_euclid(SECOND));
    let (year, month, day) = date(seconds.div_euclid(DAY));
    if !(0..=9999).contains(&year) {
        return None;
    }
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let fraction = match fraction {
        whole if whole % 1_000_000 == 0 => format!("{:03}", whole / 1_000_000),
        micro if micro % 1_000 == 0 => format!("{:06}", micro / 1_000),
        nano => format!("{nano:09}"),
    };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction}Z"))
}

/// The date of the Gregorian calendar so many days from 1970-01-01.
fn date(days: i128) -> (i128, i128, i128) {
    // Years that begin in March, so that the leap day is the last.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i128::from(month <= 2), month, day)
}

/// Whether a session's start is nothing but the minute in the name of its file
/// (`session-2026-01-05T09-30-...`).
pub fn is_from_file_name(start: &AbstractTimestamp<'_>, name: &str) -> bool {
    let minute = name.strip_prefix("session-").and_then(|name| name.get(..16));
    let (Some(minute), AbstractTimestamp::Text(start)) = (minute, start) else { return false };
    let same = |(written, named): (u8, u8)| written == named || (written == b':' && named == b'-');
    start.len() == 20
        && start.ends_with(":00Z")
        && start.bytes().take(16).zip(minute.bytes()).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> AbstractTimestamp<'_> {
        AbstractTimestamp::try_from(text).expect("a time")
    }

    #[test]
    fn every_form_of_a_time_is_shown_in_utc() {
        for (timestamp, expected) in [
            (text("2026-01-05T09:30:12.100Z"), "2026-01-05T09:30:12.100Z"),
            (text("2026-01-05T09:30:12Z"), "2026-01-05T09:30:12Z"),
            (text("2026-01-05T00:30:12+02:00"), "2026-01-04T22:30:12.000Z"),
            (AbstractTimestamp::Uint(1_770_000_000_123), "2026-02-02T02:40:00.123Z"),
            (AbstractTimestamp::Uint(1_770_000_000), "2026-02-02T02:40:00.000Z"),
            (AbstractTimestamp::Uint(951_782_400), "2000-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(shown(&timestamp), Shown::Text(expected.to_owned()));
        }
        assert_eq!(shown(&AbstractTimestamp::Uint(u64::MAX)), Shown::Number(u64::MAX));
    }

    #[test]
    fn a_text_comes_back_from_its_instant() {
        for written in
            ["1969-12-31T23:59:59.999Z", "2000-02-29T12:00:00.000Z", "9999-12-31T23:59:59.999Z"]
        {
            assert_eq!(instant(&text(written)).and_then(utc).as_deref(), Some(written));
        }
    }

    #[test]
    fn events_without_a_time_follow_the_one_before() {
        let mut clock = Clock::default();
        assert_eq!(clock.derived(), None);
        clock.stated(&text("2026-01-05T09:30:00Z"));
        let mut next = || clock.derived().expect("a time");
        assert_eq!(next().shown, Shown::Text("2026-01-05T09:30:00.000001Z".to_owned()));
        assert_eq!(next().shown, Shown::Text("2026-01-05T09:30:00.000002Z".to_owned()));
        assert_eq!(next().derived, Some(Derived::Order));
    }

    #[test]
    fn an_end_that_other_times_have_overtaken_comes_behind_them() {
        let (start, end) = (text("2026-01-05T09:30:00Z"), text("2026-01-05T09:30:00Z"));
        let mut clock = Clock::default();
        clock.stated(&start);
        assert_eq!(clock.clone().end(Some(&end)).expect("a time").derived, None);
        clock.derived();
        let moment = clock.end(Some(&end)).expect("a time");
        assert_eq!(moment.shown, Shown::Text("2026-01-05T09:30:00.000002Z".to_owned()));
        assert_eq!(moment.derived, Some(Derived::Order));
    }

    #[test]
    fn a_start_can_be_the_minute_in_a_file_name() {
        let name = "session-2026-01-05T09-30-5f0c1d2e.json";
        assert!(is_from_file_name(&text("2026-01-05T09:30:00Z"), name));
        assert!(!is_from_file_name(&text("2026-01-05T09:30:00.000Z"), name));
        assert!(!is_from_file_name(&text("2026-01-05T09:31:00Z"), name));
        assert!(!is_from_file_name(&text("2026-01-05T09:30:00Z"), "session.json"));
        assert!(!is_from_file_name(&AbstractTimestamp::Uint(1), name));
    }
}
