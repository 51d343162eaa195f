//! Recognises private keys in PEM, in one text or split over several strings.

use super::formats::{BASE64, STANDARD_BASE64};
use super::placeholder::is_placeholder;

/// The words by which private keys are searched.
pub(super) const WORDS: &[u8] = b"PRIVATE KEY";

/// PEM headers and line numbers may come before the key.
const WINDOW: usize = 256;
/// Lines of PEM have 64 characters or more, except for the last one, unless they were folded again.
const MIN_LINE: usize = 40;
/// Shorter lines count only together, and only if they look random.
const MIN_FOLDED_LINE: usize = 16;

/// Returns whether the first line of a private key in PEM is before and after the words
/// `PRIVATE KEY`, and a line of base 64 follows. Code that only mentions the first line has none.
pub(super) fn is_private_key(before: &[u8], after: &[u8]) -> bool {
    let Some(after) = after_header(before, after) else { return false };
    let window = &after[..after.len().min(WINDOW)];
    let is_key = |line: &[u8]| line.len() >= MIN_LINE && !is_placeholder(line, BASE64.len());
    window.split(|byte| !BASE64.contains(*byte)).any(is_key) || is_folded(window)
}

/// Returns what follows the first line of a private key, of which the parts before and after the
/// words are given.
fn after_header<'t>(before: &[u8], after: &'t [u8]) -> Option<&'t [u8]> {
    let is_label =
        |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b' ';
    let label = before.iter().rev().take(32).take_while(is_label).count();
    let (dashes, label) = before.split_at(before.len() - label);
    let after = after.strip_prefix(b" BLOCK").unwrap_or(after);
    let after = after.strip_prefix(b"-----")?;
    (dashes.ends_with(b"-----") && label.starts_with(b"BEGIN ")).then_some(after)
}

/// Returns whether a text has lines of base 64 that are shorter than those of PEM, and together as
/// long as one. Names in code are not random enough.
fn is_folded(window: &[u8]) -> bool {
    let lines = window.split(|byte| !STANDARD_BASE64.contains(*byte));
    let length: usize = lines.map(folded_length).sum();
    length >= MIN_LINE
}

/// Returns the length of a line of base 64, or 0 if it is too short or not random.
fn folded_length(line: &[u8]) -> usize {
    let has = |is: fn(&u8) -> bool| line.iter().any(is);
    let is_random = has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !is_placeholder(line, BASE64.len());
    if line.len() >= MIN_FOLDED_LINE && is_random { line.len() } else { 0 }
}

/// Returns whether a text contains the first line of a private key, with or without the key.
pub fn has_key_header(text: &[u8]) -> bool {
    headers(text).next().is_some()
}

/// Returns what follows each first line of a private key.
fn headers(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let finds = memchr::memmem::find_iter(text, WORDS);
    finds.filter_map(|at| after_header(&text[..at], &text[at + WORDS.len()..]))
}

/// Finds a private key whose lines are strings of their own, such as the lines of a patch, or whose
/// first line and content are two members.
#[derive(Debug, Default)]
pub struct SplitKey {
    /// The number of strings that may still contain the key; 0 if none has begun.
    left: usize,
    /// The characters of base 64 so far.
    length: usize,
}

impl SplitKey {
    /// Between the first line and the key are keys of members, PEM headers and empty lines.
    const MAX_STRINGS: usize = 8;
    /// The first line is in the last bytes of a string: only line ends and quotes follow it.
    const TAIL: usize = 128;

    /// Takes the next string of a document, without its quotes. Returns whether it continues a
    /// private key so far that it is one. What a single string contains is for
    /// [`search`](super::search).
    pub fn next(&mut self, text: &[u8]) -> bool {
        if headers(&text[text.len().saturating_sub(Self::TAIL)..]).last().is_some_and(is_blank) {
            *self = Self { left: Self::MAX_STRINGS, length: 0 };
            return false;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let Some(line) = whole_line(text) else { return false };
        let is_line = line.len() >= MIN_LINE && !is_placeholder(line, BASE64.len());
        self.length += folded_length(line);
        let is_key = is_line || self.length >= MIN_LINE;
        if is_key {
            *self = Self::default();
        }
        is_key
    }
}

/// Returns whether nothing but line ends, quotes and the like is in a text.
fn is_blank(text: &[u8]) -> bool {
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return true,
            [b'\\', b'n' | b'r' | b't', rest @ ..]
            | [
                b' ' | b'\n' | b'\r' | b'\t' | b'\\' | b'"' | b'\'' | b'`' | b'+' | b',',
                rest @ ..,
            ] => rest,
            _ => return false,
        };
    }
}

/// Returns the base 64 that a text begins with, if nothing else but the sign of a diff is before it
/// and a line end after it; of several lines, the first.
fn whole_line(text: &[u8]) -> Option<&[u8]> {
    let text = match text {
        // The sign may also be the first character of the line.
        [b' ' | b'-', rest @ ..] => rest,
        text => text,
    };
    let is_base64 = |byte: &&u8| STANDARD_BASE64.contains(**byte);
    let (line, rest) = text.split_at(text.iter().take_while(is_base64).count());
    let is_end = rest.is_empty() || matches!(rest, [b'\n' | b'\r' | b'\\' | b' ' | b'-', ..]);
    (is_end && !line.is_empty()).then_some(line)
}
