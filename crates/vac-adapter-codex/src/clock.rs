//! Computes the time span of the lines of a log.

use vac_adapter::time::Span;
use vac_record::{AbstractTimestamp, Decode};
use vac_value::Node;

/// A timestamp in the format of the CLI, in quotes. The order of such timestamps as bytes is that
/// of their times.
type Plain = [u8; 26];

/// The format of such a timestamp: `0` is any digit.
const PATTERN: &Plain = br#""0000-00-00T00:00:00.000Z""#;

/// The earliest and the latest timestamp.
#[derive(Default)]
pub(crate) struct Clock {
    plain: Option<(Plain, Plain)>,
    /// The span of timestamps that are written differently.
    others: Span,
}

impl Clock {
    /// Adds a timestamp, if it is one.
    pub fn add(&mut self, timestamp: Node<'_, '_>) {
        if let Some(plain) = plain(timestamp.raw()) {
            let (first, last) = self.plain.get_or_insert((plain, plain));
            // Most timestamps are the latest so far.
            if plain > *last {
                *last = plain;
            } else if plain < *first {
                *first = plain;
            }
        } else if let Ok(other) = AbstractTimestamp::from_node(timestamp) {
            self.others.add(&other);
        }
    }

    /// Returns the earliest timestamp.
    pub fn first(&self) -> Option<AbstractTimestamp<'static>> {
        self.span().first()
    }

    /// Returns the latest timestamp.
    pub fn last(&self) -> Option<AbstractTimestamp<'static>> {
        self.span().last()
    }

    fn span(&self) -> Span {
        let mut span = self.others.clone();
        for plain in self.plain.iter().flat_map(|(first, last)| [first, last]) {
            let text = String::from_utf8_lossy(&plain[1..25]);
            span.add(&AbstractTimestamp::try_from(&*text).expect("its form was checked"));
        }
        span
    }
}

/// Returns the timestamp of a line, if it is one.
pub(crate) fn timestamp<'a>(node: Node<'a, '_>) -> Option<AbstractTimestamp<'a>> {
    AbstractTimestamp::from_node(node).ok()
}

/// Returns the token, if it is a timestamp in the format of the CLI, and the time exists.
fn plain(token: &[u8]) -> Option<Plain> {
    let token: Plain = token.try_into().ok()?;
    let (inside, patterns) = (token[1..25].as_chunks().0, PATTERN[1..25].as_chunks().0);
    let fits = inside.iter().zip(patterns).all(|(bytes, pattern)| fits(*bytes, *pattern));
    let number = |at: usize| (token[at] & 15) * 10 + (token[at + 1] & 15);
    let is_time = matches!(number(6), 1..=12)
        && matches!(number(9), 1..=31)
        && number(12) < 24
        && number(15) < 60
        && number(18) < 60;
    (fits && is_time && token[0] == b'"' && token[25] == b'"').then_some(token)
}

/// Returns whether bytes have a digit wherever the pattern has a zero, and otherwise the bytes of
/// the pattern. Tests eight bytes at once: digits are 0x30 to 0x39, which stay below 0x40 if six is
/// added.
#[inline]
fn fits(bytes: [u8; 8], pattern: [u8; 8]) -> bool {
    const HIGH: u64 = u64::from_ne_bytes([0xf0; 8]);
    const SIX: u64 = u64::from_ne_bytes([0x06; 8]);
    let digits = u64::from_ne_bytes(pattern.map(|byte| if byte == b'0' { 0xff } else { 0 }));
    let (bytes, pattern) = (u64::from_ne_bytes(bytes), u64::from_ne_bytes(pattern));
    let (high, zeros) = (HIGH & digits, pattern & digits);
    bytes & !digits == pattern & !digits
        && bytes & high == zeros
        && ((bytes & digits) + (SIX & digits)) & high == zeros
}
