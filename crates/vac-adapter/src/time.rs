//! Comparing timestamps, never making them.

use vac_record::AbstractTimestamp;

/// Below this an unsigned timestamp counts seconds, from here on milliseconds.
/// The draft says both; 10^11 is the year 5138 in seconds and 1973 in
/// milliseconds.
const MILLISECONDS_FROM: u64 = 100_000_000_000;

/// Nanoseconds since 1970 to compare by; `None` if the text is no RFC 3339
/// date-time.
///
/// ```
/// use vac_adapter::time::instant;
/// use vac_record::AbstractTimestamp;
///
/// let utc = AbstractTimestamp::try_from("2026-01-01T00:00:00.5Z")?;
/// let east = AbstractTimestamp::try_from("2026-01-01T02:00:00.500+02:00")?;
/// let number = AbstractTimestamp::Uint(1_767_225_600_500);
/// assert_eq!(instant(&utc), instant(&east));
/// assert_eq!(instant(&utc), instant(&number));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn instant(timestamp: &AbstractTimestamp<'_>) -> Option<i128> {
    match timestamp {
        AbstractTimestamp::Uint(seconds) if *seconds < MILLISECONDS_FROM => {
            Some(i128::from(*seconds) * 1_000_000_000)
        }
        AbstractTimestamp::Uint(milliseconds) => Some(i128::from(*milliseconds) * 1_000_000),
        AbstractTimestamp::Text(text) => of_text(text),
    }
}

fn of_text(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let days = days(number(bytes, 0, 4)?, number(bytes, 5, 7)?, number(bytes, 8, 10)?);
    let (hour, minute) = (number(bytes, 11, 13)?, number(bytes, 14, 16)?);
    let mut seconds = days * 86_400 + hour * 3600 + minute * 60 + number(bytes, 17, 19)?;
    let rest = bytes.get(19..)?;
    let zone = rest.iter().position(|byte| matches!(byte, b'Z' | b'+' | b'-'))?;
    let (fraction, zone) = rest.split_at(zone);
    let mut nanoseconds = 0;
    for place in 1..=9 {
        let digit = fraction.get(place).map_or(0, |digit| i64::from(digit & 15));
        nanoseconds = nanoseconds * 10 + digit;
    }
    if zone != b"Z" {
        let offset = number(zone, 1, 3)? * 3600 + number(zone, 4, 6)? * 60;
        seconds -= if zone.starts_with(b"-") { -offset } else { offset };
    }
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds))
}

/// The number that these digits are.
fn number(bytes: &[u8], from: usize, to: usize) -> Option<i64> {
    let digits = bytes.get(from..to)?;
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March, so that the leap day is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The earliest and the latest of many timestamps, as they were written.
#[derive(Clone, Debug, Default)]
pub struct Span {
    first: Option<(i128, AbstractTimestamp<'static>)>,
    last: Option<(i128, AbstractTimestamp<'static>)>,
}

impl Span {
    /// Counts one in.
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
