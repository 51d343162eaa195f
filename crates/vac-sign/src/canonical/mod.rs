//! Canonical JSON: one text for one value.
//!
//! ```
//! use vac_sign::canonical::{Form, canonical};
//! use vac_value::Document;
//!
//! let document = Document::json(br#"{"b": 1.50, "a": "\u0041"}"#)?;
//! assert_eq!(canonical(&document, Form::Rfc8785)?, br#"{"a":"A","b":1.5}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No value is changed silently: a value that a form cannot represent is an error with its path.

mod number;

use std::borrow::Cow;
use std::fmt;

use vac_value::{Document, EncodeError, Encoder, Encoding, Kind, Layout, Node, path, printable};

pub use number::double_as_text;

/// A canonical form of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// RFC 8785: keys in the order of their UTF-16 code units, numbers as
    /// JavaScript writes doubles.
    Rfc8785,
    /// The form that the tool of the draft's authors signs: keys in the order of their
    /// characters, floats as Python writes them, integers unchanged. A float that is not in its
    /// shortest form is an error: its text would be replaced, and the signature has to cover
    /// the text of the record.
    Sorted,
}

/// The reason why a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanonicalError {
    /// A number that the form would change.
    Number {
        /// The path of the value.
        path: String,
        /// The token of the number.
        token: String,
        /// The reason for which it has no canonical form.
        why: &'static str,
    },
    /// Text with a surrogate that is not part of a pair.
    LoneSurrogate {
        /// The path of the value.
        path: String,
    },
    /// A duplicate key.
    DuplicateKey {
        /// The path of its value.
        path: String,
    },
    /// A value of CBOR that JSON cannot represent.
    NotJson(EncodeError),
}

impl fmt::Display for CanonicalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { path, token, why } => {
                write!(f, "{path}: {} has no canonical form: {why}", printable(token, 40))
            }
            Self::LoneSurrogate { path } => {
                write!(f, "{path}: text with a lone surrogate has no canonical form")
            }
            Self::DuplicateKey { path } => write!(f, "{path}: duplicate key"),
            Self::NotJson(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CanonicalError {}

/// Returns the canonical JSON of a document. CBOR is converted to JSON first.
///
/// # Panics
/// Never: JSON that was just written can be read.
pub fn canonical(document: &Document<'_>, form: Form) -> Result<Vec<u8>, CanonicalError> {
    if let Some(path) = crate::record::duplicate_key(document) {
        return Err(CanonicalError::DuplicateKey { path });
    }
    if document.encoding() == Encoding::Json {
        return write(document, form);
    }
    let mut encoder = Encoder::json(Layout::Compact);
    vac_value::transcode(document, &mut encoder).map_err(CanonicalError::NotJson)?;
    let json = encoder.finish();
    let document = Document::json(&json).expect("an encoder writes well-formed JSON");
    write(&document, form)
}

fn write(document: &Document<'_>, form: Form) -> Result<Vec<u8>, CanonicalError> {
    let root = document.root();
    let mut writer = Writer {
        out: Vec::with_capacity(root.raw().len()),
        text: Encoder::json(Layout::Compact),
        form,
    };
    writer.value(root)?;
    Ok(writer.out)
}

struct Writer {
    out: Vec<u8>,
    /// Escapes text.
    text: Encoder<'static>,
    form: Form,
}

impl Writer {
    /// Recursion is bounded by the depth of a document.
    fn value(&mut self, node: Node<'_, '_>) -> Result<(), CanonicalError> {
        match node.kind() {
            Kind::Map => self.map(node),
            Kind::Array => {
                self.out.push(b'[');
                for (at, element) in node.elements().enumerate() {
                    self.comma(at);
                    self.value(element)?;
                }
                self.out.push(b']');
                Ok(())
            }
            Kind::Text => self.text(node),
            Kind::Integer | Kind::BigInteger | Kind::Float => {
                let number = number::canonical(node, self.form).map_err(|why| {
                    let token = String::from_utf8_lossy(node.raw()).into_owned();
                    CanonicalError::Number { path: format_path(node), token, why }
                })?;
                self.out.extend_from_slice(number.as_bytes());
                Ok(())
            }
            // true, false and null
            _ => {
                self.out.extend_from_slice(node.raw());
                Ok(())
            }
        }
    }

    fn map(&mut self, map: Node<'_, '_>) -> Result<(), CanonicalError> {
        let mut members = Vec::new();
        for (key, value) in map.members() {
            members.push((unicode(key)?, key, value));
        }
        match self.form {
            Form::Rfc8785 => {
                members.sort_by(|one, other| one.0.encode_utf16().cmp(other.0.encode_utf16()));
            }
            Form::Sorted => members.sort_by(|one, other| one.0.cmp(&other.0)),
        }
        self.out.push(b'{');
        for (at, (_, key, value)) in members.into_iter().enumerate() {
            self.comma(at);
            self.text(key)?;
            self.out.push(b':');
            self.value(value)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn text(&mut self, node: Node<'_, '_>) -> Result<(), CanonicalError> {
        // Text without escapes is canonical already.
        if !node.raw().contains(&b'\\') {
            self.out.extend_from_slice(node.raw());
            return Ok(());
        }
        let text = unicode(node)?;
        self.text.clear();
        self.text.text(&text);
        self.out.extend_from_slice(self.text.written());
        Ok(())
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.out.push(b',');
        }
    }
}

fn unicode<'a>(node: Node<'_, 'a>) -> Result<Cow<'a, str>, CanonicalError> {
    node.text().ok_or_else(|| CanonicalError::LoneSurrogate { path: format_path(node) })
}

fn format_path(node: Node<'_, '_>) -> String {
    let path = path::pointer(node);
    if path.is_empty() { "/".to_owned() } else { path }
}
