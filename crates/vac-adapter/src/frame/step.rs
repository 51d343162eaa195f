//! Parses the beginning of the text of a frame.

use vac_value::{Document, Kind, Limits, Problem, Scanner, SyntaxError};

use super::{Content, Frame, Place, Raw, Reason};

/// The maximum number of levels around a native value in a record, with a margin. A document with
/// so much less depth than the limit can be read inside its record.
const LEVELS_AROUND: usize = 16;

/// Returns a scanner for native documents, which refuses documents that are nested too deep for a
/// record.
pub fn scanner() -> Scanner {
    scanner_within(Limits::default().nodes)
}

/// Returns such a scanner with a limit on the nodes of a document.
pub(super) fn scanner_within(nodes: usize) -> Scanner {
    let limits = Limits::default();
    Scanner::new(Limits { depth: limits.depth - LEVELS_AROUND, nodes, ..limits })
}

/// The input that follows the text in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Possibly more text.
    Open,
    /// A byte that is not UTF-8.
    InvalidByte,
    /// The end of the input.
    Input,
}

/// The beginning of the text.
pub(super) enum Step<'t> {
    /// A document, and where it ends.
    Document(Document<'t>, usize),
    /// NUL bytes.
    Nul,
    /// Bytes that are not a document.
    Invalid(Reason),
    /// More text is needed to decide.
    More,
}

/// Parses the beginning of text that does not begin with space.
pub(super) fn step<'t>(text: &'t str, end: End, scanner: &mut Scanner) -> Step<'t> {
    if text.starts_with('\0') {
        return Step::Nul;
    }
    match scanner.json_text_prefix(text) {
        Ok((document, length)) => match is_document(&document, &text[length..], end) {
            Some(true) => Step::Document(document, length),
            Some(false) => Step::Invalid(Reason::Stray),
            None => Step::More,
        },
        Err(error) if error.problem == Problem::Truncated => match end {
            End::Open => Step::More,
            End::InvalidByte => Step::Invalid(utf8_at(text.len())),
            End::Input => Step::Invalid(Reason::Syntax(error)),
        },
        // A line that ends inside a text was truncated.
        Err(SyntaxError { offset, problem: Problem::ControlCharacter })
            if text[offset..].starts_with(['\n', '\r']) =>
        {
            Step::Invalid(Reason::Syntax(SyntaxError { offset, problem: Problem::Truncated }))
        }
        Err(error) => Step::Invalid(Reason::Syntax(error)),
    }
}

/// Returns whether a value is a document: an object or an array always is, a scalar only if nothing
/// else is on its line. `None` if that is not known yet.
fn is_document(document: &Document<'_>, after: &str, end: End) -> Option<bool> {
    if matches!(document.root().kind(), Kind::Map | Kind::Array) {
        return Some(true);
    }
    match after.trim_start_matches([' ', '\t', '\r']).chars().next() {
        Some(next) => Some(next == '\n'),
        None => match end {
            End::Open => None,
            End::InvalidByte => Some(false),
            End::Input => Some(true),
        },
    }
}

/// Returns a document as a frame.
pub(super) fn document_frame(place: Place, document: Document<'_>) -> Frame<'_> {
    let content = if document.duplicate_keys().len() == 0 {
        Content::Document(document)
    } else {
        let bytes = document.root().raw();
        Content::Raw(Raw { bytes, reason: Reason::DuplicateKey, document: Some(document) })
    };
    Frame { place, content }
}

/// Returns the reason for bytes that are not UTF-8.
pub(super) fn utf8_at(offset: usize) -> Reason {
    Reason::Syntax(SyntaxError { offset, problem: Problem::Utf8 })
}

/// Returns the end of the invalid document that the text begins with; `None` if more text is
/// needed.
pub(super) fn invalid_end(text: &str, end: End) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_last = end == End::Input;
    let stop = |at: usize| bytes[at..].iter().position(|byte| matches!(byte, b'\n' | 0));
    if bytes.is_empty() {
        return None;
    }
    let Some(mut stopped) = stop(1).map(|length| length + 1) else {
        return is_last.then_some(bytes.len());
    };
    if !matches!(bytes[..stopped].trim_ascii_end(), b"{" | b"[") {
        return Some(stopped);
    }
    // A pretty-printed document ends with the first line that is not indented.
    while bytes[stopped] == b'\n' {
        let closes = match bytes.get(stopped + 1) {
            Some(b' ' | b'\t') => false,
            Some(b'}' | b']') => true,
            Some(_) => break,
            None if is_last => break,
            None => return None,
        };
        match stop(stopped + 1) {
            Some(length) => stopped += 1 + length,
            None => return is_last.then_some(bytes.len()),
        }
        if closes {
            break;
        }
    }
    Some(stopped)
}

/// Returns a line without the carriage return at its end.
pub(super) fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Counts line ends.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Numbers frames, and returns their places.
#[derive(Debug, Default)]
pub(super) struct PlaceCounter {
    pub file: usize,
    index: u64,
    /// The line of the last frame, and its number on the line.
    last: (u64, u64),
}

impl PlaceCounter {
    /// Returns the index of the next frame.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Continues with the frame at a place.
    pub fn skip_to(&mut self, place: Place) {
        self.index = place.index;
        self.last = (place.line, place.part.saturating_sub(1));
    }

    pub fn next(&mut self, line: u64, offset: u64) -> Place {
        self.last = if self.last.0 == line { (line, self.last.1 + 1) } else { (line, 1) };
        self.index += 1;
        Place { file: self.file, index: self.index - 1, line, part: self.last.1, offset }
    }
}
