//! Finds likely secrets in the strings of a document: access tokens, private keys, and passwords
//! in URLs.
//!
//! A secret is reported by its kind and its place, never by its value. Strings that are
//! obviously placeholders (`ghp_xxxx...`, `user:password@host`) are not reported.
//!
//! [`vac_value::secrets`] has the formats, and decides what a text contains. A private key may be
//! split over several strings, as the lines of a patch are; it is reported at the string that
//! contains the most of it.

#[cfg(test)]
mod tests;

use vac_value::path::Locator;
use vac_value::secrets::{PRIVATE_KEY, SplitKey, has_key_header, has_needless_escape, search};
use vac_value::{Document, Encoding, Kind, Node};

pub use vac_value::secrets::SECRET_KINDS;

use super::{Finding, Findings};

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
    /// The JSON pointer of the string. A key that contains a secret itself is `(redacted)`.
    pub path: String,
    /// The number of secrets of this kind in the string.
    pub count: usize,
}

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
    // The key may be in other strings.
    is_possible || has_key_header(bytes)
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

/// Finds likely secrets, each with the index of its node.
fn located(document: &Document<'_>) -> Vec<(u32, Secret)> {
    let mut locator = Locator::default();
    let mut all = Vec::new();
    let mut found = Kinds::default();
    let mut split_key = SplitKey::default();
    for node in (0..document.root().after()).map(|index| document.node(index)) {
        if !matches!(node.kind(), Kind::Text | Kind::Bytes) {
            continue;
        }
        let completes_key = is_split_key(node, &mut split_key);
        if node.raw().len() < MIN_LENGTH {
            continue;
        }
        in_string(node, &mut found);
        if completes_key && !found.contains(PRIVATE_KEY) {
            found.add(PRIVATE_KEY);
        }
        if found.0.is_empty() {
            continue;
        }
        let path = locator.pointer(node);
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

/// Returns whether a string completes a private key that began in an earlier one.
fn is_split_key(node: Node<'_, '_>, key: &mut SplitKey) -> bool {
    if let Some(text) = node.text_bytes() {
        key.next(text)
    } else if let (Encoding::Json, [b'"', text @ .., b'"']) = (node.encoding(), node.raw()) {
        key.next(text)
    } else {
        node.bytes().is_some_and(|bytes| key.next(&bytes))
            || node.text().is_some_and(|text| key.next(text.as_bytes()))
    }
}

/// The kinds of the secrets in a string, each with its number.
#[derive(Default)]
struct Kinds(Vec<(&'static str, usize)>);

impl Kinds {
    fn contains(&self, kind: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == kind)
    }

    fn add(&mut self, kind: &'static str) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.0.push((kind, 1)),
        }
    }
}
