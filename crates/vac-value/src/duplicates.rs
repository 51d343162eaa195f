//! Finds duplicate keys of a map when the scanner closes it.

use std::borrow::Cow;

use crate::document::{DUPLICATE, Document, ESCAPED, Entry, Kind, LOOSE, Source};
use crate::transcode::deterministic;
use crate::{cbor, json};

/// Maps with at most this many keys are checked pairwise.
const FEW: usize = 16;

/// Marks every key of the map that equals an earlier one. Also marks a CBOR map
/// as loose when its keys are not in bytewise order.
pub(crate) fn find(document: &mut Document<'_>, map: u32) {
    let all_differ = match document.source {
        Source::Json(text) => differ_by_marks(&document.entries, map, text.as_bytes()),
        Source::Cbor(bytes) => {
            let (sorted, plain) = order(&document.entries, map, bytes);
            if !sorted {
                document.entries[map as usize].flags |= LOOSE;
            }
            // Keys in strictly ascending order are all different.
            sorted && plain
        }
    };
    if !all_differ {
        compare(document, map);
    }
}

/// Returns true if the map has few keys without escapes, and their [marks](mark) show that all
/// differ.
fn differ_by_marks(entries: &[Entry], map: u32, text: &[u8]) -> bool {
    let mut marks = [0; FEW];
    let mut count = 0;
    let mut flags = 0;
    for key in keys(entries, map) {
        if count == FEW {
            return false;
        }
        flags |= key.flags;
        marks[count] = mark(token(key, text));
        count += 1;
    }
    flags & ESCAPED == 0 && distinct(&marks[..count])
}

/// Returns whether the keys of a CBOR map are in strictly ascending order, and whether all of them
/// are equal exactly when their tokens are.
fn order(entries: &[Entry], map: u32, bytes: &[u8]) -> (bool, bool) {
    let (mut sorted, mut plain) = (true, true);
    let mut last: Option<&[u8]> = None;
    for key in keys(entries, map) {
        let token = token(key, bytes);
        sorted &= last.is_none_or(|last| last < token);
        plain &= is_plain(key);
        last = Some(token);
    }
    (sorted, plain)
}

/// Returns the keys of a map.
#[inline]
fn keys(entries: &[Entry], map: u32) -> impl Iterator<Item = &Entry> {
    let end = entries[map as usize].next;
    let mut at = map + 1;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let key = &entries[at as usize];
            at = entries[key.next as usize].next;
            key
        })
    })
}

/// Returns whether a key equals another key only if their tokens are equal.
fn is_plain(key: &Entry) -> bool {
    key.flags & (ESCAPED | LOOSE) == 0
        && !matches!(key.kind, Kind::Array | Kind::Map | Kind::Tag | Kind::Float)
}

#[inline]
fn token<'a>(entry: &Entry, source: &'a [u8]) -> &'a [u8] {
    &source[entry.start as usize..entry.end as usize]
}

/// Returns a hash of a token: equal tokens have equal marks, different ones nearly always differ.
#[inline]
pub(crate) fn mark(token: &[u8]) -> u64 {
    let length = (token.len() as u64) << 56;
    if let (Some(first), Some(last)) = (token.first_chunk(), token.last_chunk()) {
        return u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(29) ^ length;
    }
    if let (Some(first), Some(last)) = (token.first_chunk(), token.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) ^ u64::from(last).rotate_left(29) ^ length;
    }
    token.iter().fold(1, |mark, byte| mark << 8 | u64::from(*byte))
}

#[inline]
fn distinct(marks: &[u64]) -> bool {
    marks.iter().enumerate().all(|(at, mark)| !marks[..at].contains(mark))
}

/// Finds duplicates by sorting the keys by value.
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
            document.entries[pair[1].1 as usize].flags |= DUPLICATE;
            // The map cannot be copied without a check.
            document.entries[map as usize].flags |= LOOSE;
        }
    }
}

/// Returns bytes that are equal for keys of equal value.
fn value_of<'a>(document: &Document<'a>, key: u32) -> Cow<'a, [u8]> {
    let source = document.source;
    let entry = &document.entries[key as usize];
    let token = token(entry, source.bytes());
    match source {
        Source::Json(_) if entry.flags & ESCAPED == 0 => Cow::Borrowed(&token[1..token.len() - 1]),
        Source::Json(text) => {
            let inner = &text[entry.start as usize + 1..entry.end as usize - 1];
            Cow::Owned(json::unescape(inner))
        }
        Source::Cbor(_) if is_plain(entry) => Cow::Borrowed(token),
        Source::Cbor(_) if entry.kind == Kind::Float => {
            // Zeros are equal keys, and so are NaNs with one payload (RFC 8949 section 5.6.1).
            let value = document.node(key).float().expect("the key is a float");
            let sign = if value == 0.0 || value.is_nan() { 1 << 63 } else { 0 };
            let mut bytes = Vec::new();
            cbor::push_float(f64::from_bits(value.to_bits() & !sign), &mut bytes);
            Cow::Owned(bytes)
        }
        Source::Cbor(_) => Cow::Owned(deterministic(document.node(key))),
    }
}
