//! The time span of a session.

use std::cmp::Ordering;

use vac_record::AbstractTimestamp;
pub use vac_record::time::instant;
use vac_value::IntoOwned;

/// The earliest and the latest of many timestamps, as they were written.
#[derive(Clone, Debug, Default)]
pub struct Span {
    /// Both are points in time: they have an [`instant`].
    ends: Option<(AbstractTimestamp<'static>, AbstractTimestamp<'static>)>,
}

impl Span {
    /// Adds a timestamp. One that is not a point in time is ignored.
    pub fn add(&mut self, timestamp: &AbstractTimestamp<'_>) {
        match &mut self.ends {
            Some((first, last)) => {
                if compare(timestamp, first) == Some(Ordering::Less) {
                    *first = timestamp.clone().into_owned();
                }
                if compare(timestamp, last) == Some(Ordering::Greater) {
                    *last = timestamp.clone().into_owned();
                }
            }
            None if instant(timestamp).is_some() => {
                let timestamp = timestamp.clone().into_owned();
                self.ends = Some((timestamp.clone(), timestamp));
            }
            None => {}
        }
    }

    /// Returns the earliest.
    pub fn first(&self) -> Option<AbstractTimestamp<'static>> {
        self.ends.as_ref().map(|(first, _)| first.clone())
    }

    /// Returns the latest.
    pub fn last(&self) -> Option<AbstractTimestamp<'static>> {
        self.ends.as_ref().map(|(_, last)| last.clone())
    }
}

/// Compares two points in time. `None` if one of them is not a point in time.
fn compare(one: &AbstractTimestamp<'_>, other: &AbstractTimestamp<'_>) -> Option<Ordering> {
    // Logs have a timestamp in every line, nearly all of them in one form: parsing them takes ten
    // times as long as comparing their texts.
    if let (AbstractTimestamp::Text(one), AbstractTimestamp::Text(other)) = (one, other)
        && one.len() == other.len()
        && is_ordered_as_text(one)
        && is_ordered_as_text(other)
    {
        return Some((**one).cmp(&**other));
    }
    Some(instant(one)?.cmp(&instant(other)?))
}

/// Returns whether texts of this form and length have the order of their times: UTC, a day that
/// every month has, not a leap second, and not more digits than [`instant`] compares.
fn is_ordered_as_text(text: &str) -> bool {
    const NANOSECONDS: usize = "2026-01-01T00:00:00.123456789Z".len();
    text.len() <= NANOSECONDS
        && text.ends_with('Z')
        && text.get(8..10).is_some_and(|day| day <= "28")
        && text.get(17..19).is_some_and(|second| second < "60")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timestamp(text: &str) -> AbstractTimestamp<'_> {
        text.try_into().expect("a timestamp")
    }

    #[test]
    fn timestamps_are_compared_as_points_in_time() {
        let texts = [
            "2026-01-01T00:00:00.000Z",
            "2026-01-01T00:00:00.001Z",
            "2026-01-01T00:00:01Z",
            "2026-01-01T00:00:01.0Z",
            "2026-01-01T02:00:00+02:00",
            "2026-01-28T00:00:00.000Z",
            "2026-01-29T00:00:00.000Z",
            "2026-02-30T00:00:00.000Z",
            "2026-02-28T23:59:60.000Z",
            "2026-02-28T23:59:59.999Z",
            "2026-01-01T00:00:00.0000000001Z",
            "2026-01-01T00:00:00.0000000002Z",
        ];
        for one in texts.map(timestamp) {
            for other in texts.map(timestamp) {
                let instants = instant(&one).zip(instant(&other));
                let by_instant = instants.map(|(one, other)| one.cmp(&other));
                assert_eq!(compare(&one, &other), by_instant, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn span_ignores_days_that_do_not_exist() {
        let mut span = Span::default();
        assert_eq!(span.first(), None);
        let texts = [
            "2026-02-30T00:00:00Z",
            "2026-01-02T00:00:00Z",
            "2026-02-31T00:00:00Z",
            "2026-01-01T00:00:00Z",
        ];
        for text in texts {
            span.add(&timestamp(text));
        }
        assert_eq!(span.first(), Some(timestamp(texts[3])));
        assert_eq!(span.last(), Some(timestamp(texts[1])));
    }
}
