//! Violations: descriptions of where and how a document does not match a schema.

use std::fmt;

use crate::SyntaxError;
use crate::node::{Node, Value};
use crate::path::Locator;
use crate::printable::printable;

/// One place where a document does not match its schema.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// The kind of violation.
    pub kind: ViolationKind,
    /// The JSON pointer of the value. Integer labels are followed by their names in the schema.
    pub path: String,
    /// A description of what the schema expects there.
    pub expected: String,
    /// A short description of what the document contains.
    pub found: String,
    /// The violated rule; empty if the violation does not belong to a rule.
    pub rule: String,
    /// For a choice, the reasons why the other alternatives failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// The kind of a [`Violation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationKind {
    /// A value that a type does not accept.
    Mismatch,
    /// A required key that a map does not have.
    MissingKey,
    /// A key that a map may not have.
    UnexpectedKey,
    /// A key that equals an earlier key of the same map.
    DuplicateKey,
    /// An array or a map with too few or too many elements.
    Length,
    /// A byte string that does not contain a well-formed document.
    Embedded,
    /// Validation was stopped because it took too much work.
    Stopped,
}

impl Violation {
    /// Creates the violation of a byte string that does not contain CBOR.
    pub fn embedded(error: &SyntaxError) -> Self {
        Self {
            kind: ViolationKind::Embedded,
            path: String::new(),
            expected: "bytes that contain one CBOR item".to_owned(),
            found: format!("bytes that do not ({error})"),
            rule: ".cbor".to_owned(),
            others: Vec::new(),
        }
    }

    /// Creates the violation of a duplicate key.
    pub fn duplicate_key(path: String, key: Node<'_, '_>) -> Self {
        let name = match (key.text(), key.integer()) {
            (Some(text), _) => format!("\"{}\"", printable(&text, 40)),
            (_, Some(label)) => label.to_string(),
            _ => found(key),
        };
        Self {
            kind: ViolationKind::DuplicateKey,
            path,
            expected: "every key once".to_owned(),
            found: format!("duplicate key {name}"),
            rule: String::new(),
            others: Vec::new(),
        }
    }

    /// Returns the violations of at most `max` duplicate keys at any depth inside a node, each with
    /// the path of its value. No schema allows duplicate keys. A schema is matched against the
    /// first of them.
    pub fn duplicate_keys(node: Node<'_, '_>, max: usize) -> Vec<Self> {
        let mut locator = Locator::default();
        let keys = node.duplicate_keys().take(max);
        keys.map(|key| {
            let value = node.document().node(key.after());
            Self::duplicate_key(locator.pointer(value), key)
        })
        .collect()
    }
}

impl fmt::Display for Violation {
    /// Formats one line; `{:#}` adds the other alternatives below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        let Self { expected, found, .. } = self;
        match self.kind {
            ViolationKind::MissingKey => write!(f, "{path}: missing {expected}")?,
            ViolationKind::UnexpectedKey => write!(f, "{path}: unexpected {found}")?,
            ViolationKind::DuplicateKey => write!(f, "{path}: {found}")?,
            _ => write!(f, "{path}: expected {expected}, found {found}")?,
        }
        if !self.rule.is_empty() {
            write!(f, " (rule {})", self.rule)?;
        }
        if f.alternate() {
            for other in &self.others {
                write!(f, "\n  or: {other}")?;
            }
        }
        Ok(())
    }
}

/// Describes a node in a few words: its kind, and the beginning of a scalar. The content of a
/// container is never included.
pub fn found(node: Node<'_, '_>) -> String {
    match node.value() {
        Value::LoneSurrogate(_) => "text with a lone surrogate".to_owned(),
        Value::Text(text) => format!("text \"{}\"", printable(&text, 24)),
        Value::Integer(integer) => format!("integer {integer}"),
        Value::Float(number) => format!("float {}", printable(&number.to_string(), 24)),
        Value::Bool(value) => format!("bool {value}"),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Array(elements) => format!("array of {}", elements.count()),
        Value::Map(members) => format!("map of {}", members.count()),
        Value::Tag(number, content) => format!("tag {number} on {}", content.kind().name()),
        Value::Simple(number) => format!("simple value {number}"),
        Value::Null | Value::Undefined | Value::BigInteger(_) => node.kind().name().to_owned(),
    }
}
