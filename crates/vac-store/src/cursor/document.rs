//! Rows as JSON documents, one a line.
//!
//! A row is an object that names it, and holds what it has in one of these members:
//!
//! | member | what the row has |
//! |---|---|
//! | `value` | JSON, as the row writes it; null, or a number |
//! | `text` | text that is no JSON |
//! | `base64` | bytes that are not text, or long text that is mostly control characters |

use rusqlite::types::{Value, ValueRef};
use vac_value::{Document, Limits, Scanner};

use crate::json_text::{is_shorter_in_base64, push_base64, push_text};

/// A value may be this deep: less than a record can carry.
const MOST_LEVELS: usize = 200;

/// Documents, one behind the other.
#[derive(Debug)]
pub(super) struct Documents {
    bytes: Vec<u8>,
}

impl Documents {
    pub fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Begins a document with the name of its row.
    pub fn begin(&mut self, table: &str, key: &str) {
        self.bytes.push(b'{');
        self.member(table);
        push_text(key, &mut self.bytes);
    }

    /// Marks it.
    pub fn mark(&mut self, mark: &str) {
        self.bytes.push(b',');
        self.member(mark);
        self.bytes.extend_from_slice(b"true");
    }

    /// Says something about it.
    pub fn text(&mut self, key: &str, text: &str) {
        self.bytes.push(b',');
        self.member(key);
        push_text(text, &mut self.bytes);
    }

    /// Says how often it has been here, this time among them.
    pub fn count(&mut self, key: &str, count: u64) {
        self.bytes.push(b',');
        self.member(key);
        self.bytes.extend_from_slice(count.to_string().as_bytes());
    }

    /// Adds what the row has.
    pub fn value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.raw(b"null"),
            ValueRef::Integer(number) => self.raw(number.to_string().as_bytes()),
            ValueRef::Real(number) if number.is_finite() => {
                self.raw(format!("{number:?}").as_bytes());
            }
            ValueRef::Real(number) => self.text("text", &number.to_string()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => self.content(bytes),
        }
    }

    /// Adds bytes, as what they are.
    pub fn content(&mut self, bytes: &[u8]) {
        if json(bytes).is_some() {
            return self.raw(bytes.trim_ascii());
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if !is_shorter_in_base64(text) => self.text("text", text),
            _ => {
                self.bytes.push(b',');
                self.member("base64");
                push_base64(bytes, &mut self.bytes);
            }
        }
    }

    /// Ends the document.
    pub fn end(&mut self) {
        self.bytes.extend_from_slice(b"}\n");
    }

    /// All of them.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn raw(&mut self, json: &[u8]) {
        self.bytes.extend_from_slice(b",\"value\":");
        self.bytes.extend_from_slice(json);
    }

    fn member(&mut self, key: &str) {
        push_text(key, &mut self.bytes);
        self.bytes.push(b':');
    }
}

/// A value to keep. Text is kept as bytes: what a row claims to be text need not be any.
pub(super) fn owned(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// JSON that a record can carry.
pub(super) fn json(bytes: &[u8]) -> Option<Document<'_>> {
    let limits = Limits { depth: MOST_LEVELS, ..Limits::default() };
    Scanner::new(limits).json(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_the_row_has() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        let deep_text = format!(r#"{{"key":"k","text":"{deep}"}}"#);
        let cases: &[(ValueRef<'_>, &str)] = &[
            (ValueRef::Null, r#"{"key":"k","value":null}"#),
            (ValueRef::Integer(-7), r#"{"key":"k","value":-7}"#),
            (ValueRef::Real(0.5), r#"{"key":"k","value":0.5}"#),
            (ValueRef::Real(1e300), r#"{"key":"k","value":1e300}"#),
            (ValueRef::Real(f64::INFINITY), r#"{"key":"k","text":"inf"}"#),
            (ValueRef::Text(b" {\"n\": 1.0}\n"), r#"{"key":"k","value":{"n": 1.0}}"#),
            (ValueRef::Blob(br#"["\ud800"]"#), r#"{"key":"k","value":["\ud800"]}"#),
            (ValueRef::Text(b"so \"so\"\n"), r#"{"key":"k","text":"so \"so\"\n"}"#),
            (ValueRef::Text(b"{\"n\":"), r#"{"key":"k","text":"{\"n\":"}"#),
            (ValueRef::Text(b""), r#"{"key":"k","text":""}"#),
            (ValueRef::Blob(b"\xff\0"), r#"{"key":"k","base64":"/wA="}"#),
            (ValueRef::Text(deep.as_bytes()), &deep_text),
        ];
        for (value, expected) in cases {
            let mut documents = Documents::new();
            documents.begin("key", "k");
            documents.value(*value);
            documents.end();
            assert_eq!(String::from_utf8_lossy(&documents.finish()), format!("{expected}\n"));
        }
    }
}
