//! Writes the documents of a session, one after the other.
//!
//! `vac-value`'s encoder writes every token that is not in the container. JSON from the container
//! is copied unchanged, because duplicate keys and the spelling of numbers are evidence.

use std::io;

use data_encoding::BASE64;
use vac_value::{Document, Encoder, Layout, Node};

use super::bad_data;
use super::row::{Cell, json};
use super::trouble::{RowProblem, Trouble};

/// The maximum number of bytes of text that are encoded at a time, so that no second copy of the
/// whole text is made.
const PIECE: usize = 1 << 16;

/// The minimum number of bytes of text that can be written in base64.
const MIN_BASE64: usize = 1 << 20;

/// The documents of a session, and their troubles.
#[derive(Debug, Default)]
pub struct Documents {
    bytes: Vec<u8>,
    troubles: Vec<Trouble>,
}

impl Documents {
    /// Creates documents without troubles from their bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, troubles: Vec::new() }
    }

    /// Adds a document unchanged, as it is in a file.
    pub fn file(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.bytes.push(b'\n');
    }

    /// Adds an object.
    pub fn object(&mut self, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        ValueWriter(&mut self.bytes).object(write);
        self.bytes.push(b'\n');
    }

    /// Adds an array of objects, one for each item.
    pub fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(T, &mut ObjectWriter<'_>),
    ) {
        self.bytes.push(b'[');
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                self.bytes.push(b',');
            }
            ValueWriter(&mut self.bytes).object(|members| write(item, members));
        }
        self.bytes.extend_from_slice(b"]\n");
    }

    /// Adds a trouble of the document that is added next.
    pub fn note(&mut self, problem: RowProblem) {
        self.troubles.push(Trouble { offset: self.bytes.len() as u64, problem });
    }

    /// Adds the trouble that a table or file could not be read.
    pub fn unreadable(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.note(RowProblem::Unreadable { what: what.into(), reason: reason.into() });
    }

    /// Returns whether there are neither documents nor troubles.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.troubles.is_empty()
    }

    /// Returns the documents of the session with this key.
    ///
    /// # Errors
    /// If there are neither documents nor troubles, because the container has no such session.
    pub fn of_session(self, key: &str, container: &str) -> io::Result<Self> {
        if self.is_empty() {
            return Err(bad_data(format!("no session `{key}` in the {container}")));
        }
        Ok(self)
    }

    /// Returns the documents and the troubles, in the order of the documents.
    pub fn finish(self) -> (Vec<u8>, Vec<Trouble>) {
        (self.bytes, self.troubles)
    }
}

/// Writes the members of an object.
pub struct ObjectWriter<'d> {
    bytes: &'d mut Vec<u8>,
    is_empty: bool,
}

impl ObjectWriter<'_> {
    /// Adds a member whose value is written next.
    pub fn member(&mut self, key: &str) -> ValueWriter<'_> {
        self.separate();
        push_text(key, self.bytes);
        self.bytes.push(b':');
        ValueWriter(self.bytes)
    }

    /// Adds a member that is text.
    pub fn text(&mut self, key: &str, text: &str) {
        self.member(key).text(text);
    }

    /// Copies the members of another object, unchanged.
    pub fn members(&mut self, object: Node<'_, '_>) {
        let inside = object.raw();
        let inside = inside.get(1..inside.len().saturating_sub(1)).unwrap_or_default();
        let inside = inside.trim_ascii();
        if !inside.is_empty() {
            self.separate();
            self.bytes.extend_from_slice(inside);
        }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.bytes.push(b',');
        }
    }
}

/// Writes one value.
pub struct ValueWriter<'d>(&'d mut Vec<u8>);

impl ValueWriter<'_> {
    /// Writes null.
    pub fn null(self) {
        self.0.extend_from_slice(b"null");
    }

    /// Writes text.
    pub fn text(self, text: &str) {
        push_text(text, self.0);
    }

    /// Writes bytes as text in base64.
    pub fn base64(self, bytes: &[u8]) {
        let length = BASE64.encode_len(bytes.len());
        reserve(self.0, length);
        self.0.push(b'"');
        let from = self.0.len();
        self.0.resize(from + length, 0);
        BASE64.encode_mut(bytes, &mut self.0[from..]);
        self.0.push(b'"');
    }

    /// Writes an object.
    pub fn object(self, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.0.push(b'{');
        write(&mut ObjectWriter { bytes: self.0, is_empty: true });
        self.0.push(b'}');
    }

    /// Writes JSON as it is.
    pub fn json(self, document: &Document<'_>) {
        self.0.extend_from_slice(document.root().raw());
    }

    /// Writes a number. Whole numbers are written without a fraction, because a column of floats
    /// changes 0 to 0.0.
    fn number(self, number: f64) {
        let mut encoder = Encoder::json(Layout::Compact);
        #[allow(clippy::cast_possible_truncation)] // compared first
        if number.fract() == 0.0 && number.abs() < 1e15 {
            encoder.integer(number as i128);
        } else if encoder.float(number).is_err() {
            return push_text(&number.to_string(), self.0);
        }
        self.0.extend_from_slice(encoder.written());
    }

    /// Writes a cell: text as text, and bytes that are not text, or long text that is
    /// mostly control characters, as `{"base64": ...}`.
    pub fn cell(self, cell: &Cell) {
        match cell {
            Cell::Null => self.null(),
            Cell::Integer(number) => {
                let mut encoder = Encoder::json(Layout::Compact);
                encoder.integer((*number).into());
                self.0.extend_from_slice(encoder.written());
            }
            Cell::Real(number) => self.number(*number),
            Cell::Text(_) | Cell::Blob(_) => {
                let bytes = cell.bytes().unwrap_or_default();
                match text(bytes) {
                    Some(text) => self.text(text),
                    None => self.object(|it| it.member("base64").base64(bytes)),
                }
            }
        }
    }
}

impl ObjectWriter<'_> {
    /// Adds a cell as one of three members: `value` for JSON, which is copied, for null
    /// and for numbers; `text` for text that is not JSON; `base64` for other bytes. Returns
    /// whether it is a `value`.
    pub fn content(&mut self, cell: &Cell) -> bool {
        let Some(bytes) = cell.bytes() else {
            let is_finite = !matches!(cell, Cell::Real(number) if !number.is_finite());
            self.member(if is_finite { "value" } else { "text" }).cell(cell);
            return is_finite;
        };
        if let Some(document) = json(bytes) {
            self.member("value").json(&document);
            return true;
        }
        match text(bytes) {
            Some(text) => self.text("text", text),
            None => self.member("base64").base64(bytes),
        }
        false
    }
}

/// Reserves memory for a text. A long one gets exactly what it needs, with the end of the document:
/// growing by doubling would take the memory of another copy.
fn reserve(bytes: &mut Vec<u8>, length: usize) {
    const CLOSING: usize = 64;
    if length < MIN_BASE64 {
        bytes.reserve(length + CLOSING);
    } else {
        bytes.reserve_exact(length + CLOSING);
    }
}

/// Appends text as a JSON string.
fn push_text(text: &str, to: &mut Vec<u8>) {
    reserve(to, text.len());
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

/// Returns bytes as text, if that is shorter than base64: in JSON, a NUL character takes six bytes,
/// and in base64 less than two.
fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let escapes = || {
        let escapes = text.bytes().map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
            0..0x20 => 5,
            _ => 0,
        });
        escapes.sum::<usize>()
    };
    (text.len() < MIN_BASE64 || escapes() <= text.len() / 3).then_some(text)
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
    fn long_text_of_escapes_is_written_in_base64() {
        assert!(text("\0".repeat(MIN_BASE64).as_bytes()).is_none());
        assert!(text("\0".repeat(MIN_BASE64 - 1).as_bytes()).is_some());
        assert!(text("ab\"c".repeat(MIN_BASE64).as_bytes()).is_some());
    }

    #[test]
    fn content_is_value_text_or_base64() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        let deep_text = format!(r#"{{"text":"{deep}"}}"#);
        let text = |text: &str| Cell::Text(text.to_owned());
        let cases = [
            (Cell::Null, r#"{"value":null}"#),
            (Cell::Integer(-7), r#"{"value":-7}"#),
            (Cell::Real(0.5), r#"{"value":0.5}"#),
            (Cell::Real(1e300), r#"{"value":1e+300}"#),
            (Cell::Real(0.0), r#"{"value":0}"#),
            (Cell::Real(f64::INFINITY), r#"{"text":"inf"}"#),
            (text(" {\"n\": 1.0}\n"), r#"{"value":{"n": 1.0}}"#),
            (Cell::Blob(br#"["\ud800"]"#.to_vec()), r#"{"value":["\ud800"]}"#),
            (text("so \"so\"\n"), r#"{"text":"so \"so\"\n"}"#),
            (text("{\"n\":"), r#"{"text":"{\"n\":"}"#),
            (text(""), r#"{"text":""}"#),
            (Cell::Blob(b"\xff\0".to_vec()), r#"{"base64":"/wA="}"#),
            (text(&deep), &deep_text),
        ];
        for (cell, expected) in cases {
            let mut documents = Documents::default();
            documents.object(|it| {
                it.content(&cell);
            });
            assert_eq!(String::from_utf8_lossy(&documents.finish().0), format!("{expected}\n"));
        }
    }
}
