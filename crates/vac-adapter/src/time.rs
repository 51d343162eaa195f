//! The time span of a session.

use vac_record::AbstractTimestamp;
pub use vac_record::time::instant;

/// The earliest and the latest of many timestamps, as they were written.
#[derive(Clone, Debug, Default)]
pub struct Span {
    first: Option<(i128, AbstractTimestamp<'static>)>,
    last: Option<(i128, AbstractTimestamp<'static>)>,
}

impl Span {
    /// Adds a timestamp.
    pub fn add(&mut self, timestamp: &AbstractTimestamp<'_>) {
        use vac_value::IntoOwned;
        let Some(instant) = instant(timestamp) else { return };
        if self.first.as_ref().is_none_or(|(first, _)| instant < *first) {
            self.first = Some((instant, timestamp.clone().into_owned()));
        }
        if self.last.as_ref().is_none_or(|(last, _)| instant > *last) {
            self.last = Some((instant, timestamp.clone().into_owned()));
        }
    }

    /// The earliest.
    pub fn first(&self) -> Option<AbstractTimestamp<'static>> {
        self.first.as_ref().map(|(_, timestamp)| timestamp.clone())
    }

    /// The latest.
    pub fn last(&self) -> Option<AbstractTimestamp<'static>> {
        self.last.as_ref().map(|(_, timestamp)| timestamp.clone())
    }
}
