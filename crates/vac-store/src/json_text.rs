//! Text and bytes as JSON strings, written where they are needed without a copy.

use data_encoding::BASE64;
use vac_value::{Encoder, Layout};

/// Text is written in pieces of at most this many bytes.
const PIECE: usize = 1 << 16;

/// Shorter text is never written in base64.
const MIN_BASE64: usize = 1 << 20;

/// Appends text as a JSON string.
pub(crate) fn push_text(text: &str, to: &mut Vec<u8>) {
    to.reserve(text.len() + 2);
    to.push(b'"');
    let mut encoder = Encoder::json(Layout::Compact);
    let mut rest = text;
    while !rest.is_empty() {
        let end = (0..=rest.len().min(PIECE)).rev().find(|end| rest.is_char_boundary(*end));
        let (piece, after) = rest.split_at(end.expect("a text has a beginning"));
        encoder.clear();
        encoder.text(piece);
        let written = encoder.written();
        to.extend_from_slice(&written[1..written.len() - 1]);
        rest = after;
    }
    to.push(b'"');
}

/// Appends bytes as a JSON string in base64.
pub(crate) fn push_base64(bytes: &[u8], to: &mut Vec<u8>) {
    to.push(b'"');
    let from = to.len();
    to.resize(from + BASE64.encode_len(bytes.len()), 0);
    BASE64.encode_mut(bytes, &mut to[from..]);
    to.push(b'"');
}

/// Returns whether long text is shorter in base64 than with its escapes: a NUL character
/// takes six bytes, in base64 less than two.
pub(crate) fn is_shorter_in_base64(text: &str) -> bool {
    if text.len() < MIN_BASE64 {
        return false;
    }
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        0..0x20 => 5,
        _ => 0,
    });
    escapes.sum::<usize>() > text.len() / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_written_as_in_one_piece() {
        for text in ["", "plain", "\"\\\n\0\u{7f}é\u{10ffff}", &"é\"".repeat(PIECE)] {
            let mut encoder = Encoder::json(Layout::Compact);
            encoder.text(text);
            let mut written = b"before".to_vec();
            push_text(text, &mut written);
            assert!(written.strip_prefix(b"before") == Some(encoder.written()));
        }
    }

    #[test]
    fn base64_is_for_long_text_of_escapes() {
        assert!(is_shorter_in_base64(&"\0".repeat(MIN_BASE64)));
        assert!(!is_shorter_in_base64(&"\0".repeat(MIN_BASE64 - 1)));
        assert!(!is_shorter_in_base64(&"ab\"c".repeat(MIN_BASE64)));
        let mut written = Vec::new();
        push_base64(b"\xff\0", &mut written);
        assert_eq!(written, b"\"/wA=\"");
    }
}
