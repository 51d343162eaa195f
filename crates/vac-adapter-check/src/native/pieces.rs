//! Splits a log into documents, by the rules in the documentation of `vac_adapter::frame` but
//! without its code.

use super::read::{ValuePart, read, skip_space};

/// A document, or bytes that are not a document.
#[derive(Clone, Copy, Debug)]
pub struct NativePiece<'a> {
    /// The bytes of the piece, without white space around them.
    pub bytes: &'a [u8],
    /// The number of the line on which the piece begins, from 1.
    pub line: usize,
    /// The kind of the piece.
    pub kind: PieceKind,
}

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A document.
    Document,
    /// A document with duplicate keys.
    Ambiguous,
    /// Bytes that are not a document, or a document that nests deeper than a record allows.
    Bad,
    /// NUL bytes.
    Nul,
}

/// Maximum number of levels of a document: the 256 of a record, less the levels around the document
/// in a record.
const MAX_LEVELS: usize = 240;

/// Splits a log into pieces, which contain all of it except white space and byte-order marks.
pub fn pieces(log: &[u8]) -> Vec<NativePiece<'_>> {
    let mut found: Vec<NativePiece<'_>> = Vec::new();
    let (mut at, mut line) = (0, 1);
    loop {
        let start = skip_marks(log, at);
        line += line_ends(&log[at..start]);
        let rest = &log[start..];
        if rest.is_empty() {
            return found;
        }
        let (length, kind) = piece(rest);
        let bytes = rest[..length].trim_ascii_end();
        found.push(NativePiece { bytes, line, kind });
        line += line_ends(&rest[..length]);
        at = start + length;
    }
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

fn skip_marks(log: &[u8], at: usize) -> usize {
    let mut at = skip_space(log, at);
    while log[at..].starts_with(b"\xef\xbb\xbf") {
        at = skip_space(log, at + 3);
    }
    at
}

fn piece(rest: &[u8]) -> (usize, PieceKind) {
    let nul = rest.iter().take_while(|byte| **byte == 0).count();
    if nul > 0 {
        return (nul, PieceKind::Nul);
    }
    let (mut depth, mut deepest, mut is_ambiguous) = (0_usize, 0, false);
    let end = read(rest, &mut |_, event| match event {
        ValuePart::Begin { .. } => {
            depth += 1;
            deepest = deepest.max(depth);
        }
        ValuePart::End { keys } => {
            depth -= 1;
            is_ambiguous |= has_duplicates(keys);
        }
        ValuePart::Leaf(_) => {}
    });
    match end {
        Some(end) if is_alone_on_line(rest, end) && deepest <= MAX_LEVELS => {
            (end, if is_ambiguous { PieceKind::Ambiguous } else { PieceKind::Document })
        }
        _ => (end_of_bad(rest), PieceKind::Bad),
    }
}

fn has_duplicates(keys: &[u64]) -> bool {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns whether a value can be a document: an object, an array, or a scalar that is alone on its
/// line.
fn is_alone_on_line(rest: &[u8], end: usize) -> bool {
    let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
    let after = rest[end..].iter().find(|byte| !is_space(byte));
    matches!(rest[0], b'{' | b'[') || matches!(after, None | Some(b'\n'))
}

/// Returns where a malformed document ends: at the end of the line. A pretty-printed one ends
/// after the first line that closes it or is not UTF-8, or before the first that is not indented.
fn end_of_bad(rest: &[u8]) -> usize {
    let line_end = |from: usize| {
        let length = rest[from..].iter().position(|byte| matches!(byte, b'\n' | 0));
        length.map_or(rest.len(), |length| from + length)
    };
    let mut end = line_end(1);
    if !matches!(rest[..end].trim_ascii_end(), b"{" | b"[") {
        return end;
    }
    while rest.get(end) == Some(&b'\n') {
        let closes = match rest.get(end + 1) {
            Some(b' ' | b'\t') => false,
            Some(b'}' | b']') => true,
            _ => break,
        };
        let line = end + 1..line_end(end + 1);
        end = line.end;
        if closes || std::str::from_utf8(&rest[line]).is_err() {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{PieceKind, pieces};

    #[test]
    fn log_is_split_into_documents_and_other_bytes() {
        let log =
            b"\xef\xbb\xbf{\"a\": 1}{\"a\": 2}\r\n{\"a\": \n[1, {\"k\": 1, \"k\": 2}]\n\0\0\n\
            what? {}\n7\n{\n  \"x\": ?\n}\n{\"cut\": \"";
        let found: Vec<_> =
            pieces(log).iter().map(|piece| (piece.line, piece.kind, piece.bytes.len())).collect();
        let expected = [
            (1, PieceKind::Document, 8),
            (1, PieceKind::Document, 8),
            (2, PieceKind::Bad, 5),
            (3, PieceKind::Ambiguous, 21),
            (4, PieceKind::Nul, 2),
            (5, PieceKind::Bad, 8),
            (6, PieceKind::Document, 1),
            (7, PieceKind::Bad, 12),
            (10, PieceKind::Bad, 9),
        ];
        assert_eq!(found, expected);
    }
}
