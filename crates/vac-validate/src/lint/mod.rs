//! Reports values that the schema allows, but that are probably wrong.
//!
//! ```
//! use vac_validate::{Document, lint};
//!
//! let document = Document::json(br#"{"session": {"entries": [
//!     {"type": "tool-call", "name": "ls", "input": {}, "call-id": "c1"}
//! ]}}"#)?;
//! let findings = lint::lint(&document);
//! assert_eq!(findings[0].code, "call-without-result");
//! assert_eq!(findings[0].path, "/session/entries/0/call-id");
//! # Ok::<(), vac_validate::SyntaxError>(())
//! ```
//!
//! # Decisions
//!
//! * A finding is not a violation. It has a code that is documented in [`CODES`].
//! * Documents need not be valid. Lints skip what they cannot interpret.
//! * Every lint visits the document once. Paths are built for findings only.
//! * No finding contains the value of a likely secret ([`secrets()`]).

mod calls;
mod entries;
mod envelope;
mod ids;
mod lines;
mod secrets;
#[cfg(test)]
mod tests;
mod times;

use std::fmt;

use vac_value::secrets::contains_secret;
use vac_value::{Document, Node, printable};

use entries::Entries;
pub use secrets::{SECRET_KINDS, Secret, may_contain_secrets, secrets, secrets_in_bytes};

/// The codes of all lints, each with its meaning.
pub const CODES: &[(&str, &str)] = &[
    ("call-without-result", "a tool call whose call-id no result has"),
    ("dangling-parent", "a parent-id that no entry has for its id"),
    ("duplicate-id", "an entry id that an earlier entry has too"),
    ("end-before-start", "an end that is earlier than its start"),
    ("label-not-cut", "a known header parameter that only passes as an unknown one"),
    (secrets::CODE, "a text in the format of a token, a private key, or a password in a URL"),
    ("line-range", "lines that end before they start, or start at 0"),
    ("result-without-call", "a tool result whose call-id no call has"),
    (
        "seconds-timestamp",
        "a number of milliseconds that looks like one of seconds, unless it is that of a log",
    ),
    ("time-order", "an entry that is older than the one before it"),
];

/// One finding of a lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code of the lint, one of [`CODES`].
    pub code: &'static str,
    /// The JSON pointer of the value that the finding is about.
    pub path: String,
    /// A description of the finding, for display.
    pub message: String,
    /// The kind of a likely secret, one of [`SECRET_KINDS`].
    pub kind: Option<&'static str>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(f, "{path}: {} (lint {})", self.message, self.code)
    }
}

/// Runs all lints on a record, or on a signed record and the record inside it. Findings are in
/// document order.
#[must_use]
pub fn lint(document: &Document<'_>) -> Vec<Finding> {
    let Some(envelope) = crate::signed::envelope(document) else { return record(document) };
    let mut findings = Findings::default();
    envelope::lint(document, &envelope, &mut findings);
    findings.in_order()
}

/// Runs the lints for records.
fn record(document: &Document<'_>) -> Vec<Finding> {
    let mut findings = Findings::default();
    let root = document.root();
    let entries = Entries::new(root);
    calls::lint(&entries, &mut findings);
    ids::lint(&entries, &mut findings);
    times::lint(root, &entries, &mut findings);
    lines::lint(root, &mut findings);
    secrets::lint(document, &mut findings);
    findings.in_order()
}

/// Findings, each with the index of the node that it is about.
#[derive(Default)]
struct Findings(Vec<(u32, Finding)>);

impl Findings {
    fn add(&mut self, at: Node<'_, '_>, code: &'static str, path: String, message: String) {
        debug_assert!(CODES.iter().any(|(known, _)| *known == code), "{code} has no meaning");
        self.0.push((at.index(), Finding { code, path, message, kind: None }));
    }

    /// Adds the findings in an embedded document.
    fn add_inside(&mut self, at: Node<'_, '_>, prefix: &str, inside: Vec<Finding>) {
        self.0.extend(inside.into_iter().map(|finding| {
            (at.index(), Finding { path: format!("{prefix}{}", finding.path), ..finding })
        }));
    }

    fn in_order(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|(at, _)| *at);
        self.0.into_iter().map(|(_, finding)| finding).collect()
    }
}

/// Quotes the beginning of a text, unless it contains a likely secret.
fn quote(text: &str) -> String {
    if contains_secret(text) {
        return "(redacted)".to_owned();
    }
    format!("\"{}\"", printable(text, 40))
}
