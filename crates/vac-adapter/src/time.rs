//! Computes the time span of a session, and parses times of other formats.

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

    /// Returns the earliest timestamp.
    pub fn first(&self) -> Option<AbstractTimestamp<'static>> {
        self.ends.as_ref().map(|(first, _)| first.clone())
    }

    /// Returns the latest timestamp.
    pub fn last(&self) -> Option<AbstractTimestamp<'static>> {
        self.ends.as_ref().map(|(_, last)| last.clone())
    }
}

/// Parses a time in the format of `SQLite`, which is UTC: `2026-05-20 08:00:00`.
///
/// ```
/// use vac_adapter::time::from_sql;
///
/// let time = from_sql("2026-05-20 08:00:00.5");
/// assert_eq!(time, "2026-05-20T08:00:00.5Z".try_into().ok());
/// assert_eq!(from_sql("today"), None);
/// ```
pub fn from_sql(text: &str) -> Option<AbstractTimestamp<'static>> {
    let (day, time) = text.split_once([' ', 'T'])?;
    let zone = if time.ends_with('Z') { "" } else { "Z" };
    let text = format!("{day}T{time}{zone}");
    AbstractTimestamp::try_from(text.as_str()).ok().map(IntoOwned::into_owned)
}

/// Converts a time in seconds since 1970, which can have a fraction, to a timestamp in
/// milliseconds.
///
/// ```
/// use vac_adapter::time::from_seconds;
/// use vac_record::AbstractTimestamp;
///
/// assert_eq!(from_seconds(1785707674.25), Some(AbstractTimestamp::Uint(1_785_707_674_250)));
/// assert_eq!(from_seconds(5e246), None);
/// ```
pub fn from_seconds(seconds: f64) -> Option<AbstractTimestamp<'static>> {
    // The first day that is more than 10^11 milliseconds after 1970, and the year 9999.
    let is_time = (100_000_000.0..253_402_300_800.0).contains(&seconds);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // compared first
    is_time.then_some(AbstractTimestamp::Uint((seconds * 1000.0) as u64))
}

/// Compares two points in time. `None` if one of them is not a point in time.
fn compare(one: &AbstractTimestamp<'_>, other: &AbstractTimestamp<'_>) -> Option<Ordering> {
    // Logs have a timestamp in every line, nearly all of them in the same format. Parsing them
    // takes ten times as long as comparing their texts.
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
