//! Finds likely secrets in the strings of a document: access tokens, private keys, and passwords
//! in URLs.
//!
//! A secret is reported by its kind and its place, never by its value. Strings that are
//! obviously placeholders (`ghp_xxxx...`, `user:password@host`) are not reported.
//!
//! # Decisions
//!
//! * **Published formats only.** A token has a prefix that names its issuer, and a rest of a known
//!   length and alphabet. A hash, a UUID or a blob of base64 has no such prefix at the start of a
//!   word, so that it is not reported. Secrets without a format (most passwords) are not found.
//! * **Linear time, and most bytes are skipped.** A token has a word of at least 20 characters, so
//!   the search moves on by 20 bytes at a time where words are shorter. Passwords in URLs are
//!   found by their `@`, private keys by their first line. Candidates are compared up to a fixed
//!   length, without backtracking.
//! * **JSON is searched without decoding it.** No token contains a character that has to be
//!   escaped, and a backslash ends a token. JSON inside of a string, whose quotes are escaped,
//!   needs no decoding either. Only strings in which letters, digits or punctuation are escaped
//!   (`\u0067hp_...`) are decoded.

mod formats;
mod placeholder;
mod search;
#[cfg(test)]
mod tests;
mod url;

use vac_value::path::{Locator, Step};
use vac_value::{Document, Encoding, Kind, Node};

use super::{Finding, Findings};
use search::{has_needless_escape, search};

/// The code of the lint.
pub(super) const CODE: &str = "likely-secret";

/// The minimum number of bytes of a string that is searched. Shorter strings contain no secret: an
/// AWS access key id, the shortest of them, has 20 bytes, and a URL with a password about as many.
const MIN_LENGTH: usize = 14;

/// Likely secrets of one kind in one string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The kind, for example `github-token`; see [`SECRET_KINDS`].
    pub kind: &'static str,
    /// The JSON pointer of the string. A key that is itself a secret is replaced by `(redacted)`.
    pub path: String,
    /// The number of secrets of this kind in the string.
    pub count: usize,
}

/// All kinds of secrets that are found, in alphabetical order.
pub const SECRET_KINDS: &[&str] = formats::KINDS;

/// Finds likely secrets in the strings of a document, including its keys and byte strings, in
/// document order.
///
/// ```
/// use vac_validate::{Document, lint};
///
/// let json = br#"{"remote": "https://ada:correct-horse@git.example.dev/loom"}"#;
/// let secrets = lint::secrets(&Document::json(json)?);
/// assert_eq!((secrets[0].kind, &*secrets[0].path), ("url-password", "/remote"));
/// # Ok::<(), vac_validate::SyntaxError>(())
/// ```
pub fn secrets(document: &Document<'_>) -> Vec<Secret> {
    located(document).into_iter().map(|(_, secret)| secret).collect()
}

/// Finds likely secrets in bytes that are not a document. Their paths are empty.
pub fn secrets_in_bytes(bytes: &[u8]) -> Vec<Secret> {
    let mut found = Kinds::default();
    search(bytes, |kind| found.add(kind));
    found.0.iter().map(|&(kind, count)| Secret { kind, path: String::new(), count }).collect()
}

/// Returns whether the bytes of a document can contain a likely secret. If it returns false, they
/// contain no secret; if it returns true, [`secrets()`] decides. Needs no index, so that it can run
/// while the document is scanned.
pub fn may_contain_secrets(bytes: &[u8], encoding: Encoding) -> bool {
    // In CBOR, the head of a string looks like a part of its first word.
    let mut is_possible = encoding == Encoding::Cbor || has_needless_escape(bytes);
    if !is_possible {
        search(bytes, |_| is_possible = true);
    }
    is_possible
}

pub(super) fn lint(document: &Document<'_>, findings: &mut Findings) {
    for (at, Secret { kind, path, count }) in located(document) {
        let message = match count {
            1 => format!("likely secret: {kind}"),
            _ => format!("{count} likely secrets: {kind}"),
        };
        findings.0.push((at, Finding { code: CODE, path, message, kind: Some(kind) }));
    }
}

/// Returns whether a text contains a likely secret.
pub(super) fn is_in(text: &str) -> bool {
    let mut is_found = false;
    search(text.as_bytes(), |_| is_found = true);
    is_found
}

/// Finds likely secrets, each with the index of its node.
fn located(document: &Document<'_>) -> Vec<(u32, Secret)> {
    let mut locator = Locator::default();
    let mut all = Vec::new();
    let mut found = Kinds::default();
    for node in (0..document.root().after()).map(|index| document.node(index)) {
        if node.raw().len() < MIN_LENGTH || !matches!(node.kind(), Kind::Text | Kind::Bytes) {
            continue;
        }
        in_string(node, &mut found);
        if found.0.is_empty() {
            continue;
        }
        let path = pointer(&mut locator, node);
        let secret = |&(kind, count)| (node.index(), Secret { kind, path: path.clone(), count });
        all.extend(found.0.iter().map(secret));
        found.0.clear();
    }
    all
}

/// Finds the secrets in a string.
fn in_string(node: Node<'_, '_>, found: &mut Kinds) {
    if let Some(text) = node.text_bytes() {
        search(text, |kind| found.add(kind));
    } else if node.encoding() == Encoding::Json {
        if has_needless_escape(node.raw())
            && let Some(text) = node.text()
        {
            search(text.as_bytes(), |kind| found.add(kind));
        } else {
            search(node.raw(), |kind| found.add(kind));
        }
    } else if let Some(bytes) = node.bytes() {
        search(&bytes, |kind| found.add(kind));
    } else if let Some(text) = node.text() {
        search(text.as_bytes(), |kind| found.add(kind));
    }
}

/// Returns the JSON pointer of a node, without the text of keys that are secrets.
fn pointer(locator: &mut Locator, node: Node<'_, '_>) -> String {
    let mut pointer = String::new();
    for (step, _) in locator.steps(node) {
        pointer.push('/');
        match &step {
            Step::Key(key) if is_in(key) => pointer.push_str("(redacted)"),
            step => pointer.push_str(&step.to_string()),
        }
    }
    pointer
}

/// The kinds of the secrets in a string, each with its number.
#[derive(Default)]
struct Kinds(Vec<(&'static str, usize)>);

impl Kinds {
    fn add(&mut self, kind: &'static str) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.0.push((kind, 1)),
        }
    }
}
