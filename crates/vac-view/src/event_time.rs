//! The times of events: RFC 3339 in UTC, as the log states them, or derived to keep the order.
//!
//! Only events have derived times. A record contains what the log states.

use vac_record::AbstractTimestamp;
use vac_record::time::{instant, utc};

/// The time between an event without a stated time and the event before it, in nanoseconds. Logs
/// state milliseconds, so a thousand events fit before the next stated time.
const STEP: i128 = 1_000;

/// The way in which a time was derived that the log does not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The name of the file, which states the minute.
    FileName,
    /// The time of the event before, so that the order is kept.
    Order,
}

impl Derived {
    /// Returns its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::FileName => "file-name",
            Self::Order => "order",
        }
    }
}

/// The time of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTime {
    /// The time as RFC 3339 in UTC.
    pub text: String,
    /// The way in which the time was derived, if the log does not state it.
    pub derived: Option<Derived>,
}

/// Assigns times to the events of a session.
#[derive(Clone, Debug, Default)]
pub struct SessionClock {
    last: Option<i128>,
}

impl SessionClock {
    /// Returns the time of an event as the log states it. `None` if RFC 3339 cannot express it.
    pub fn stated(&mut self, timestamp: &AbstractTimestamp<'_>) -> Option<EventTime> {
        self.last = instant(timestamp).or(self.last);
        Some(EventTime { text: to_utc(timestamp)?, derived: None })
    }

    /// Returns the end of a session: as the log states it, unless the event before is later.
    pub fn end(&mut self, stated: Option<&AbstractTimestamp<'_>>) -> Option<EventTime> {
        let is_late = |end: &AbstractTimestamp<'_>| instant(end) >= self.last;
        match stated {
            Some(end) if is_late(end) => self.stated(end),
            _ => self.derived(),
        }
    }

    /// Returns a time after that of the event before. `None` if no event before has one.
    pub fn derived(&mut self) -> Option<EventTime> {
        let next = self.last? + STEP;
        self.last = Some(next);
        Some(EventTime { text: utc(next)?, derived: Some(Derived::Order) })
    }
}

/// Returns a time as RFC 3339 in UTC. `None` for a number beyond the year 9999.
pub fn to_utc(timestamp: &AbstractTimestamp<'_>) -> Option<String> {
    match timestamp {
        AbstractTimestamp::Text(text) if text.ends_with('Z') => Some(text.to_string()),
        // A text near the first or last supported year may have no equivalent in UTC. It is RFC
        // 3339, so it is returned unchanged.
        AbstractTimestamp::Text(text) => {
            instant(timestamp).and_then(utc).or_else(|| Some(text.to_string()))
        }
        AbstractTimestamp::Uint(_) => instant(timestamp).and_then(utc),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> AbstractTimestamp<'_> {
        AbstractTimestamp::try_from(text).expect("a time")
    }

    #[test]
    fn times_are_rfc_3339_in_utc() {
        for (timestamp, expected) in [
            (text("2026-01-05T09:30:12.100Z"), "2026-01-05T09:30:12.100Z"),
            (text("2026-01-05T09:30:12Z"), "2026-01-05T09:30:12Z"),
            (text("2026-01-05T00:30:12+02:00"), "2026-01-04T22:30:12.000Z"),
            (AbstractTimestamp::Uint(1_770_000_000_123), "2026-02-02T02:40:00.123Z"),
            (AbstractTimestamp::Uint(1_770_000_000), "2026-02-02T02:40:00.000Z"),
            (AbstractTimestamp::Uint(951_782_400), "2000-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(to_utc(&timestamp).as_deref(), Some(expected));
        }
        assert_eq!(to_utc(&AbstractTimestamp::Uint(u64::MAX)), None);
    }

    #[test]
    fn events_without_a_time_follow_the_one_before() {
        let mut clock = SessionClock::default();
        assert_eq!(clock.derived(), None);
        clock.stated(&text("2026-01-05T09:30:00Z"));
        let mut next = || clock.derived().expect("a time");
        assert_eq!(next().text, "2026-01-05T09:30:00.000001Z");
        assert_eq!(next().text, "2026-01-05T09:30:00.000002Z");
        assert_eq!(next().derived, Some(Derived::Order));
    }

    #[test]
    fn end_is_never_before_the_last_event() {
        let (start, end) = (text("2026-01-05T09:30:00Z"), text("2026-01-05T09:30:00Z"));
        let mut clock = SessionClock::default();
        clock.stated(&start);
        assert_eq!(clock.clone().end(Some(&end)).expect("a time").derived, None);
        clock.derived();
        let time = clock.end(Some(&end)).expect("a time");
        assert_eq!(time.text, "2026-01-05T09:30:00.000002Z");
        assert_eq!(time.derived, Some(Derived::Order));
    }
}
