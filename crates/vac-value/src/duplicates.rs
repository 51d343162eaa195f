//! Finds keys that a map has twice, when its scanner closes it.

use std::borrow::Cow;

use crate::document::{Document, ESCAPED, Entry, Kind, LOOSE, Source};
use crate::transcode::deterministic;
use crate::{cbor, json};

/// Up to this many keys each is compared with each.
const FEW: usize = 16;

/// Notes every key of the map that equals an earlier one. Also marks a CBOR map
/// as loose when its keys are not in bytewise order.
pub(crate) fn find(document: &mut Document<'_>, map: u32) {
    let source = document.source;
    let end = document.entries[map as usize].next;
    let mut marks = [0u64; FEW];
    let mut count = 0;
    let mut plain = true;
    let mut sorted = true;
    let mut last: &[u8] = &[];
    let mut at = map + 1;
    while at < end {
        let key = &document.entries[at as usize];
        plain &= is_plain(key);
        let bytes = token(key, source);
        if matches!(source, Source::Cbor(_)) {
            sorted &= count == 0 || last < bytes;
            last = bytes;
        }
        if count < FEW {
            marks[count] = mark(bytes);
        }
        count += 1;
        let value = key.next;
        at = document.entries[value as usize].next;
    }
    if !sorted {
        document.entries[map as usize].flags |= LOOSE;
    }
    // Keys in strictly ascending order are all different.
    let all_different = match source {
        Source::Cbor(_) => plain && sorted,
        Source::Json(_) => plain && count <= FEW && distinct(&marks[..count]),
    };
    if count > 1 && !all_different {
        compare(document, map);
    }
}

/// Keys that are equal exactly when their tokens are.
fn is_plain(key: &Entry) -> bool {
    key.flags & (ESCAPED | LOOSE) == 0
        && !matches!(key.kind, Kind::Array | Kind::Map | Kind::Tag | Kind::Float)
}

fn token<'a>(entry: &Entry, source: Source<'a>) -> &'a [u8] {
    &source.bytes()[entry.start as usize..entry.end as usize]
}

/// Equal tokens have equal marks; different ones nearly always different.
#[inline]
pub(crate) fn mark(token: &[u8]) -> u64 {
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    match (token.first_chunk::<8>(), token.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            word(first) ^ word(last).rotate_left(29) ^ (token.len() as u64) << 56
        }
        _ => token.iter().fold(1, |mark, byte| mark << 8 | u64::from(*byte)),
    }
}

#[inline]
fn distinct(marks: &[u64]) -> bool {
    marks.iter().enumerate().all(|(at, mark)| !marks[..at].contains(mark))
}

/// The slow way: sorts the keys by value.
fn compare(document: &mut Document<'_>, map: u32) {
    let end = document.entries[map as usize].next;
    let mut keys = Vec::new();
    let mut at = map + 1;
    while at < end {
        keys.push((value_of(document, at), at));
        let value = document.entries[at as usize].next;
        at = document.entries[value as usize].next;
    }
    keys.sort_unstable();
    for pair in keys.windows(2) {
        if pair[0].0 == pair[1].0 {
            document.duplicates.push(pair[1].1);
            // Whoever rewrites this must look at it first.
            document.entries[map as usize].flags |= LOOSE;
        }
    }
}

/// Bytes that are the same for keys of the same value.
fn value_of<'a>(document: &Document<'a>, key: u32) -> Cow<'a, [u8]> {
    let source = document.source;
    let entry = &document.entries[key as usize];
    let token = token(entry, source);
    match source {
        // A lone surrogate has no characters: its escape stands for itself.
        Source::Json(_) if entry.flags & ESCAPED == 0 => Cow::Borrowed(&token[1..token.len() - 1]),
        Source::Json(text) => {
            let inner = &text[entry.start as usize + 1..entry.end as usize - 1];
            Cow::Owned(json::unescape(inner))
        }
        Source::Cbor(_) if is_plain(entry) => Cow::Borrowed(token),
        Source::Cbor(_) if entry.kind == Kind::Float => {
            // Zeros are one key, and so are NaNs of one payload (RFC 8949 section 5.6.1).
            let value = document.node(key).float().unwrap_or_default();
            let sign = if value == 0.0 || value.is_nan() { 1 << 63 } else { 0 };
            let mut bytes = Vec::new();
            cbor::push_float(f64::from_bits(value.to_bits() & !sign), &mut bytes);
            Cow::Owned(bytes)
        }
        Source::Cbor(_) => Cow::Owned(deterministic(document.node(key))),
    }
}
