//! Checks that no value is lost: every scalar of a log is in its records.
//!
//! Scalars are compared as a multiset of values. Text that a record keeps unparsed counts
//! as the scalars that can be read in it. Values that the converter adds do not count: the `type`
//! of entries, and places that repeat others ([`AgentRules::copies`]).
//!
//! Members that are null may be missing from a record; elements that are null may not.

mod found;

use std::collections::BTreeMap;
use std::fmt;

use vac_adapter::redact::Redactor;

use crate::agents::{AgentRules, When};
use crate::native::read::ValuePart;
use crate::native::{
    Leaf, NativePiece, PathPattern, PathStep, PieceKind, fragments, path_text, pieces, read,
};

use found::Found;

/// The result of comparing the scalars of a log with those of its records.
#[derive(Clone, Debug, Default)]
pub struct NoDropOutcome {
    /// The number of scalars in the log.
    pub leaves: usize,
    /// The number of scalars that are not in the records and need not be, by reason.
    pub excepted: BTreeMap<&'static str, usize>,
    /// The number of pieces of the log that are kept unparsed.
    pub unparsed: usize,
    /// The lost scalars, each as line, path and value.
    pub missing: Vec<String>,
}

/// The place where the scalars of a document have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Anywhere in the records.
    Anywhere,
    /// In the entry that was made from the document: the first entry from the first document, and
    /// so on.
    InItsEntry,
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anywhere => "in the records",
            Self::InItsEntry => "in the entry made from their document",
        })
    }
}

/// Compares the documents of a log with its records, which have to be JSON in the full profile. An
/// element of `documents` may be a whole file, which is split into documents.
pub fn compare<D: AsRef<[u8]>>(
    agent: &AgentRules,
    documents: impl IntoIterator<Item = D>,
    records: &[&[u8]],
    place: Where,
) -> NoDropOutcome {
    let exceptions = compiled(agent);
    let mut comparison = Comparison {
        found: Found::new(agent, records, place),
        exceptions: &exceptions,
        agent,
        deferred: Vec::new(),
        redactors: Vec::new(),
        outcome: NoDropOutcome::default(),
    };
    let mut number = 0;
    for document in documents {
        comparison.redactors = redactors(&exceptions);
        for piece in pieces(document.as_ref()) {
            let group = match place {
                Where::Anywhere => 0,
                Where::InItsEntry => number,
            };
            comparison.piece(&piece, group);
            number += 1;
        }
    }
    if place == Where::InItsEntry && number != comparison.found.groups.len() {
        let entries = comparison.found.groups.len();
        comparison.outcome.missing.push(format!("{number} documents, {entries} entries"));
    }
    comparison.end()
}

/// An exception with its patterns parsed.
struct Compiled {
    paths: Vec<PathPattern>,
    when: When,
    reason: &'static str,
}

fn compiled(agent: &AgentRules) -> Vec<Compiled> {
    let compile = |exception: &crate::agents::Exception| Compiled {
        paths: exception.paths.iter().map(|path| PathPattern::new(path)).collect(),
        when: exception.when,
        reason: exception.reason,
    };
    agent.exceptions.iter().map(compile).collect()
}

fn redactors(exceptions: &[Compiled]) -> Vec<(Redactor, &'static str)> {
    let redactor = |exception: &Compiled| match exception.when {
        When::Redacted(secrets) => Some((Redactor::new(secrets), exception.reason)),
        _ => None,
    };
    exceptions.iter().filter_map(redactor).collect()
}

struct Comparison<'c> {
    found: Found,
    exceptions: &'c [Compiled],
    agent: &'c AgentRules,
    /// The scalars that may be missing. They are matched after all others.
    deferred: Vec<(usize, u64, &'static str)>,
    /// The redactors of the document, each with its reason.
    redactors: Vec<(Redactor, &'static str)>,
    outcome: NoDropOutcome,
}

impl Comparison<'_> {
    fn piece(&mut self, piece: &NativePiece<'_>, group: usize) {
        if piece.kind != PieceKind::Document {
            self.outcome.unparsed += 1;
        }
        if let Some(reason) = self.redaction_reason(piece) {
            *self.outcome.excepted.entry(reason).or_default() += 1;
            return;
        }
        match piece.kind {
            PieceKind::Nul => self.want(piece, group, &[], &Leaf::count(piece.bytes.len())),
            PieceKind::Bad => fragments(piece.bytes, &mut |key, leaf| {
                // The valid parts of a damaged document are compared like any document, if the
                // adapter reads them.
                let key = key.filter(|_| (self.agent.reads_damaged)(piece.bytes));
                let is_it = |path: &PathPattern| key.is_some_and(|key| path.ends_with_key(key));
                if leaf != Leaf::Null && !self.defer_if_excepted(group, &leaf, is_it) {
                    self.want(piece, group, &[], &leaf);
                }
            }),
            PieceKind::Document | PieceKind::Ambiguous => {
                read(piece.bytes, &mut |path, event| {
                    if let ValuePart::Leaf(leaf) = event {
                        self.leaf(piece, group, path, &leaf);
                    }
                });
            }
        }
        let is_raw = matches!(piece.kind, PieceKind::Bad | PieceKind::Ambiguous);
        let is_whole = is_raw && !(self.agent.reads_damaged)(piece.bytes);
        if is_whole && !self.found.take_raw(piece.bytes) {
            let text = Leaf::Garbage(piece.bytes).excerpt();
            self.outcome.missing.push(format!("line {}: raw text {text}", piece.line));
        }
    }

    /// Returns the reason for which a piece is redacted; `None` if it is not redacted.
    fn redaction_reason(&mut self, piece: &NativePiece<'_>) -> Option<&'static str> {
        let is_whole = match piece.kind {
            PieceKind::Document => matches!(piece.bytes.first(), Some(b'{' | b'[')),
            PieceKind::Ambiguous => true,
            PieceKind::Bad => false,
            PieceKind::Nul => return None,
        };
        let mut found = None;
        for (redactor, reason) in &mut self.redactors {
            if is_whole {
                redactor.end();
            }
            let is_known = is_whole && piece.kind == PieceKind::Document;
            if !is_known && redactor.add(piece.bytes) {
                found = Some(*reason);
            }
            if is_whole {
                redactor.end();
            }
        }
        found
    }

    fn leaf(
        &mut self,
        piece: &NativePiece<'_>,
        group: usize,
        path: &[PathStep<'_>],
        leaf: &Leaf<'_>,
    ) {
        if *leaf == Leaf::Null && !matches!(path.last(), Some(PathStep::Element(_))) {
            return;
        }
        if !self.defer_if_excepted(group, leaf, |pattern| pattern.matches(path)) {
            self.want(piece, group, path, leaf);
        }
    }

    /// Returns whether a scalar may be missing. Such a scalar is matched at the end.
    fn defer_if_excepted(
        &mut self,
        group: usize,
        leaf: &Leaf<'_>,
        is_it: impl Fn(&PathPattern) -> bool,
    ) -> bool {
        let excepted = self.exceptions.iter().find(|exception| {
            exception.paths.iter().any(&is_it) && self.may_be_missing(exception, leaf)
        });
        let Some(exception) = excepted else { return false };
        self.outcome.leaves += 1;
        self.deferred.push((group, leaf.digest(), exception.reason));
        true
    }

    fn may_be_missing(&self, exception: &Compiled, leaf: &Leaf<'_>) -> bool {
        match &exception.when {
            When::Always => true,
            When::Is(words) => match leaf {
                Leaf::Text(text) => words.iter().any(|word| word.as_bytes() == &**text),
                _ => false,
            },
            When::Equals(place) => self.found.has_at(place, leaf.digest()),
            When::Redacted(_) => false,
        }
    }

    fn want(
        &mut self,
        piece: &NativePiece<'_>,
        group: usize,
        path: &[PathStep<'_>],
        leaf: &Leaf<'_>,
    ) {
        self.outcome.leaves += 1;
        if !self.found.take(group, leaf.digest()) {
            let (line, path) = (piece.line, path_text(path));
            self.outcome.missing.push(format!("line {line}: {path} {}", leaf.excerpt()));
        }
    }

    fn end(mut self) -> NoDropOutcome {
        for (group, digest, reason) in std::mem::take(&mut self.deferred) {
            if !self.found.take(group, digest) {
                *self.outcome.excepted.entry(reason).or_default() += 1;
            }
        }
        self.outcome
    }
}

#[cfg(test)]
mod tests {
    use super::{NoDropOutcome, Where, compare};
    use crate::agents::{AgentRules, SAMPLE};

    /// Compares a log with a record of these entries.
    fn compare_with(agent: &AgentRules, log: &[u8], entries: &str, place: Where) -> NoDropOutcome {
        let record =
            format!(r#"{{"id": "s1", "session": {{"session-id": "s1", "entries": [{entries}]}}}}"#);
        compare(agent, [log], &[record.as_bytes()], place)
    }

    fn missing(log: &str, entries: &str) -> Vec<String> {
        compare_with(&SAMPLE, log.as_bytes(), entries, Where::Anywhere).missing
    }

    #[test]
    fn lost_values_are_named_by_path() {
        let log = r#"{"a": [1, {"b": "x"}], "n": null, "list": [null], "sessionId": "s1"}"#;
        assert_eq!(
            missing(log, r#"{"type": "user", "c": 1.0}"#),
            ["line 1: a[1].b \"x\"", "line 1: list[0] null"],
        );
        let kept = r#"{"type": "user", "c": 1, "d": ["x", [null]]}"#;
        assert_eq!(missing(log, kept), [""; 0]);
    }

    #[test]
    fn repeated_values_are_counted() {
        let log = "{\"a\": true}\n{\"a\": true}";
        assert_eq!(missing(log, r#"{"a": true}"#), ["line 2: a true"]);
        let both = r#"{"a": true, "b": true}"#;
        assert_eq!(missing(log, both), [""; 0]);
        let outcome = compare_with(&SAMPLE, log.as_bytes(), both, Where::InItsEntry);
        assert_eq!(outcome.missing, ["line 2: a true", "2 documents, 1 entries"]);
    }

    #[test]
    fn annotations_do_not_count() {
        let log = r#"{"who": "user", "code": 7}"#;
        let entry = r#"{"vac": {"author": "user"}, "children": [{"vac": {"exit-code": 7}}]}"#;
        assert_eq!(missing(log, entry), ["line 1: who \"user\"", "line 1: code 7"]);
        let agent = AgentRules { copies: &[], ..SAMPLE };
        let found = compare_with(&agent, log.as_bytes(), entry, Where::Anywhere).missing;
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn types_and_copies_of_the_converter_do_not_count() {
        let entry = r#"{"type": "user", "children": [{"type": "tool-call", "name": "Read"}]}"#;
        let log = r#"{"kind": "user", "tool": "Read"}"#;
        assert_eq!(missing(log, entry), ["line 1: kind \"user\"", "line 1: tool \"Read\""]);
    }

    #[test]
    fn exceptions_apply_if_their_condition_holds() {
        let log = r#"{"type": "user", "sessionId": "s1"}"#;
        let outcome = compare_with(&SAMPLE, log.as_bytes(), "{}", Where::InItsEntry);
        assert_eq!((outcome.leaves, outcome.missing.len()), (2, 0));
        assert_eq!(outcome.excepted.values().sum::<usize>(), 2);
        let log = r#"{"type": "summary", "sessionId": "s2"}"#;
        let found = missing(log, "{}");
        assert_eq!(found, ["line 1: type \"summary\"", "line 1: sessionId \"s2\""]);
    }

    #[test]
    fn unparsed_text_must_be_complete_and_in_its_place() {
        let log = r#"{"a": "x", "b": 7"#;
        let raw = r#"{"event-type": "unparsed", "data": {"raw": "{\"a\": \"x\", \"b\": 7"}}"#;
        assert_eq!(missing(log, raw), [""; 0]);
        assert_eq!(missing(log, &raw.replace("unparsed", "other")).len(), 3);
        let shorter = raw.replace(r#", \"b\": 7"#, "");
        let found = missing(log, &shorter);
        assert_eq!(found, ["line 1:  7", "line 1: raw text {\"a\": \"x\", \"b\": 7"]);
        let elsewhere = r#"{"event-type": "unparsed", "data": {"raw": "x 7"}}"#;
        assert_eq!(missing(log, elsewhere).len(), 2, "words, but not the text");
        assert_eq!(
            compare_with(
                &AgentRules { reads_damaged: |_| true, ..SAMPLE },
                log.as_bytes(),
                "{\"x\": \"x\", \"y\": 7}",
                Where::Anywhere
            )
            .missing,
            [""; 0]
        );
    }

    #[test]
    fn invalid_text_is_expected_in_base64_and_nul_as_a_count() {
        let log = b"{\"a\": \"\xff\"}\n\0\0\0";
        let entry = |base64: &str, nul: u8| {
            format!(
                r#"{{"event-type": "unparsed", "data": {{"raw-base64": "{base64}"}}}}, {{"event-type": "unparsed", "data": {{"nul-bytes": {nul}}}}}"#
            )
        };
        let missing =
            |entries: &str| compare_with(&SAMPLE, log, entries, Where::InItsEntry).missing.len();
        assert_eq!(missing(&entry("eyJhIjogIv8ifQ==", 3)), 0);
        assert_eq!(missing(&entry("eyJhIjogIv4ifQ==", 2)), 3);
    }
}
