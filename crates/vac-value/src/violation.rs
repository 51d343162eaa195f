//! Violations: descriptions of where and how a document does not match a schema.

use std::fmt;

use crate::SyntaxError;
use crate::node::{Node, Value};
use crate::path::Locator;
use crate::printable::printable;
use crate::secrets::contains_secret;

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
        Self {
            kind: ViolationKind::DuplicateKey,
            path,
            expected: "every key once".to_owned(),
            found: format!("duplicate {}", found_key(key)),
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

/// Longer texts are not shown.
const MAX_TEXT: usize = 24;
/// The number of characters of a key that are shown.
const MAX_KEY: usize = 40;

/// Describes a node in a few words: its kind, and the value of a short scalar. The content of a
/// container is never shown.
///
/// Of a text, a name, a number or a time is shown, which helps to correct it, and nothing else of
/// what a session contains: not the beginning of a longer text, which can be that of a secret or
/// of a prompt, no [likely secret](contains_secret), and no long word of mixed characters, which
/// can be a part of a secret or one whose format is not known.
pub fn found(node: Node<'_, '_>) -> String {
    match node.value() {
        Value::LoneSurrogate(_) => "text with a lone surrogate".to_owned(),
        Value::Text(text) => found_text(&text),
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

/// Describes a text: quotes it if it may be shown, see [`found`], and counts its characters
/// otherwise.
pub fn found_text(text: &str) -> String {
    let is_short = text.chars().nth(MAX_TEXT).is_none();
    if is_short && !has_mixed_word(text) && !contains_secret(text) {
        format!("text \"{}\"", printable(text, MAX_TEXT))
    } else {
        format!("text of {} characters", text.chars().count())
    }
}

/// Describes a key. A key that contains a [likely secret](contains_secret) is not shown.
pub fn found_key(key: Node<'_, '_>) -> String {
    match (key.text(), key.integer()) {
        (Some(text), _) if contains_secret(&text) => "key (redacted)".to_owned(),
        (Some(text), _) => format!("key \"{}\"", printable(&text, MAX_KEY)),
        (_, Some(label)) => format!("key {label}"),
        _ => format!("key {}", found(key)),
    }
}

/// Returns whether a text has a long word with digits or capitals among other characters, as
/// tokens, keys and hashes are. Names in small letters and numbers are not.
fn has_mixed_word(text: &str) -> bool {
    const MIN_WORD: usize = 16;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let is_mixed = |word: &[u8]| {
        let is_number = word.iter().all(u8::is_ascii_digit);
        let has_capital = word.iter().any(u8::is_ascii_uppercase);
        word.len() >= MIN_WORD && !is_number && (has_capital || word.iter().any(u8::is_ascii_digit))
    };
    text.as_bytes().split(|byte| !is_word(byte)).any(is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    /// Secrets in many formats, joined from pieces so that scanners do not report this file.
    fn secrets() -> Vec<String> {
        let pieces = [
            ["https://ada:Xk", "29d@h.d"],
            ["AKIA", "QYLPMN5HHHFPZAM2"],
            ["ASIA", "QYLPMNZHHHFPZAMQ"],
            ["ghp_16C7e42F292c", "6912E7710c838347Ae178B4a"],
            ["glpat-Z7qrb3nX-", "k9LwTmAVp2s"],
            ["hvs.wKk3mFUiEsVc", "HBWAbTm3mdQZ"],
            ["SG.ngeVfQFYQlKU0", "ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"],
            ["110201543:AAHdqT", "cvCH1vGWJxfSeofSAs0K5PALDsaw8"],
            ["-----BEGIN PRIVATE ", "KEY-----\nMC4CAQAwBQYDK2VwBCIEIGn3bXq4vJ8s0Zk7Q2pW"],
            ["redis://:8fJ2kd", "9x@10.0.0.5"],
        ];
        pieces.iter().map(|pieces| pieces.concat()).collect()
    }

    fn quoted(text: &str) -> String {
        serde_json::to_string(text).expect("text is JSON")
    }

    fn described(text: &str) -> String {
        let json = quoted(text);
        found(Document::json(json.as_bytes()).expect("JSON").root())
    }

    #[test]
    fn no_part_of_a_secret_is_shown() {
        for secret in secrets() {
            assert!(contains_secret(&secret), "{secret}");
            for text in [
                secret.clone(),
                format!("x {secret}"),
                format!("{secret}.21012345678901234567890"),
                format!("a text that ends with {secret}"),
                // Cut off by someone else.
                secret[..secret.len() - 1].to_owned(),
            ] {
                let (head, shown) = (&secret[..6], described(&text));
                let is_url = secret.contains("://") && !contains_secret(&text);
                assert!(is_url || !shown.contains(head), "{text}: {shown}");
            }
        }
    }

    #[test]
    fn names_numbers_and_times_are_shown() {
        for text in [
            "",
            "tool-cull",
            "verifiable-agent-record",
            "2026-11-17T12:30:59Z",
            "12345678901234567890",
            "1.2.3-beta.4",
            "What is that?",
            "ftp://example.org",
            "a@b.dev",
        ] {
            assert_eq!(described(text), format!("text \"{text}\""));
        }
        assert_eq!(described("The kettle logs twice. Why"), "text of 26 characters");
        assert_eq!(described("Grün, Blau, Gelb und Rot"), "text \"Grün, Blau, Gelb und Rot\"");
        assert_eq!(described("d41d8cd98f00b204"), "text of 16 characters");
    }

    #[test]
    fn keys_that_are_secrets_are_not_shown() {
        for secret in secrets() {
            let key = quoted(&secret);
            let json = format!("{{{key}: 1, {key}: {{\"a\": 2}}}}");
            let document = Document::json(json.as_bytes()).expect("JSON");
            let violations = Violation::duplicate_keys(document.root(), 9);
            assert_eq!(violations[0].to_string(), "/(redacted): duplicate key (redacted)");
        }
        let document = Document::json(br#"{"a": 1, "a": 2}"#).expect("JSON");
        let violations = Violation::duplicate_keys(document.root(), 9);
        assert_eq!(violations[0].to_string(), "/a: duplicate key \"a\"");
    }
}
