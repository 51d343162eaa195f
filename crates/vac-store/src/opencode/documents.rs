//! Documents as `OpenCode` keeps them, written one behind the other.

use rusqlite::types::{Value, ValueRef};
use vac_value::{Document, Kind, Limits, Node, Scanner};

use crate::json_text::{is_shorter_in_base64, push_base64, push_text};

/// A value may be this deep: less than a record can carry.
const MOST_LEVELS: usize = 200;

/// Documents, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Documents {
    bytes: Vec<u8>,
}

impl Documents {
    /// Adds a document as it stands in a file.
    pub fn file(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.bytes.push(b'\n');
    }

    /// Says that something could not be read: in the record, rather than beside it.
    pub fn unreadable(&mut self, session: Option<&str>, file: &str, reason: &str) {
        let mut object = self.object();
        object.text("type", "unreadable");
        if let Some(session) = session {
            object.text("sessionID", session);
        }
        object.text("file", file);
        object.text("reason", reason);
        object.end();
    }

    /// Begins an object.
    pub fn object(&mut self) -> Object<'_> {
        self.bytes.push(b'{');
        Object { bytes: &mut self.bytes, is_empty: true, ending: b"}\n" }
    }

    /// Begins an array of objects.
    pub fn array(&mut self) -> Array<'_> {
        self.bytes.push(b'[');
        Array { bytes: &mut self.bytes, is_empty: true }
    }

    /// All of them.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// An array while it is written.
pub(super) struct Array<'d> {
    bytes: &'d mut Vec<u8>,
    is_empty: bool,
}

impl Array<'_> {
    /// Begins the next object in it.
    pub fn object(&mut self) -> Object<'_> {
        if !std::mem::take(&mut self.is_empty) {
            self.bytes.push(b',');
        }
        self.bytes.push(b'{');
        Object { bytes: self.bytes, is_empty: true, ending: b"}" }
    }

    pub fn end(self) {
        self.bytes.extend_from_slice(b"]\n");
    }
}

/// An object while it is written.
pub(super) struct Object<'d> {
    bytes: &'d mut Vec<u8>,
    is_empty: bool,
    ending: &'static [u8],
}

impl Object<'_> {
    /// Adds a member that is text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        push_text(text, self.bytes);
    }

    /// Adds what a column has; nothing for NULL.
    pub fn value(&mut self, name: &str, value: &Column) {
        if !value.is_null() {
            self.name(name);
            value.write(self.bytes);
        }
    }

    /// Adds what a column has that holds JSON, as JSON.
    pub fn json(&mut self, name: &str, value: &Column) {
        match value.json() {
            Some(document) => {
                self.name(name);
                self.bytes.extend_from_slice(document.root().raw());
            }
            None => self.value(name, value),
        }
    }

    /// Adds the members of an object as they are written there.
    pub fn members(&mut self, object: Node<'_, '_>) {
        let inside = object.raw();
        let inside = inside.get(1..inside.len().saturating_sub(1)).unwrap_or_default();
        let inside = inside.trim_ascii();
        if !inside.is_empty() {
            self.next();
            self.bytes.extend_from_slice(inside);
        }
    }

    /// Begins an object inside.
    pub fn object(&mut self, name: &str) -> Object<'_> {
        self.name(name);
        self.bytes.push(b'{');
        Object { bytes: self.bytes, is_empty: true, ending: b"}" }
    }

    pub fn end(self) {
        self.bytes.extend_from_slice(self.ending);
    }

    fn name(&mut self, name: &str) {
        self.next();
        push_text(name, self.bytes);
        self.bytes.push(b':');
    }

    fn next(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.bytes.push(b',');
        }
    }
}

/// Appends content as text, or in an object as base64.
fn push_content(content: &[u8], to: &mut Vec<u8>) {
    match std::str::from_utf8(content) {
        Ok(text) if !is_shorter_in_base64(text) => push_text(text, to),
        _ => {
            to.extend_from_slice(b"{\"base64\":");
            push_base64(content, to);
            to.push(b'}');
        }
    }
}

/// What a row has in a column. What claims to be text and is none is bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column(pub Value);

impl Column {
    /// What is in a column.
    pub fn of(value: ValueRef<'_>) -> Self {
        Self(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Integer(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Value::Text(text.to_owned()),
                Err(_) => Value::Blob(bytes.to_vec()),
            },
        })
    }

    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        self.0 == Value::Null
    }

    /// How many bytes of text or blob it has.
    pub fn size(&self) -> usize {
        match &self.0 {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// The JSON that it holds, if a record can carry it.
    pub fn json(&self) -> Option<Document<'_>> {
        let bytes = match &self.0 {
            Value::Text(text) => text.as_bytes(),
            Value::Blob(bytes) => bytes,
            _ => return None,
        };
        let limits = Limits { depth: MOST_LEVELS, ..Limits::default() };
        Scanner::new(limits).json(bytes).ok()
    }

    /// The same if it is an object.
    pub fn json_object(&self) -> Option<Document<'_>> {
        self.json().filter(|document| document.root().kind() == Kind::Map)
    }

    /// The text that it is, or what stands for it.
    pub fn text(&self) -> String {
        match &self.0 {
            Value::Null => String::new(),
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        match &self.0 {
            Value::Null => bytes.extend_from_slice(b"null"),
            Value::Integer(number) => bytes.extend_from_slice(number.to_string().as_bytes()),
            // A column of floats has 0 as 0.0; its writer had not.
            Value::Real(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                bytes.extend_from_slice(format!("{number:.0}").as_bytes());
            }
            Value::Real(number) if number.is_finite() => {
                bytes.extend_from_slice(format!("{number:?}").as_bytes());
            }
            Value::Real(number) => push_text(&number.to_string(), bytes),
            Value::Text(text) => push_content(text.as_bytes(), bytes),
            Value::Blob(content) => push_content(content, bytes),
        }
    }
}
