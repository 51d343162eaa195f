//! Detects lines of Claude Code logs, and previews their sessions.

use vac_adapter::verdict::UNKNOWN_SHAPE;
use vac_adapter::{Confidence, Fit, Memory, Preview, Sample, Share, Verdict, ids};
use vac_value::Node;

use crate::first_pass::Facts;
use crate::known;
use crate::line_members::LineMembers;
use crate::lines::{LineContent, damaged_lines, exported};

/// Maximum number of lines of a web export that are compared.
const MAX_LINES: usize = 64;

/// Returns whether the type of a line is known.
fn is_known(line: Node<'_, '_>) -> bool {
    line.member("type").and_then(Node::text).is_some_and(|kind| known::line(&kind))
}

/// Returns the verdict on the documents of a sample.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    if verdict != Verdict::default() {
        return verdict;
    }
    // Compare the complete lines of a truncated or damaged web export.
    let mut seen = Confidence::No;
    for line in damaged_lines(sample.text()) {
        let is_known = is_known(line.root());
        seen = seen.max(if is_known { Confidence::Likely } else { Confidence::Possible });
    }
    Verdict::from_confidence(seen)
}

/// Returns the verdict on one document.
fn fit(document: Node<'_, '_>) -> Fit {
    let Some(lines) = exported(document) else { return fit_line(document) };
    let mut verdict = Verdict::default();
    lines.elements().take(MAX_LINES).for_each(|line| verdict.add(fit_line(line)));
    match lines.elements().next() {
        Some(_) if verdict.refusal("claude").is_some() => contradiction(&verdict),
        Some(line) if is_known(line) => Fit::Fits(Confidence::Certain),
        _ => Fit::Fits(Confidence::Possible),
    }
}

fn contradiction(verdict: &Verdict) -> Fit {
    Fit::Contradicts(verdict.reason.unwrap_or(UNKNOWN_SHAPE))
}

/// Returns the verdict on one line.
fn fit_line(line: Node<'_, '_>) -> Fit {
    LineMembers::read(line).fit(line)
}

/// Returns the facts that the beginning of a log states about its session.
pub(crate) fn preview(sample: &Sample<'_>) -> Preview {
    let mut facts = Facts::new(&Memory { name: sample.name, bytes: &[] });
    for document in &sample.documents {
        let root = document.root();
        match exported(root) {
            Some(lines) => {
                facts.add_beginning(LineContent::Wrapper(root));
                lines.elements().for_each(|line| facts.add_beginning(LineContent::Value(line)));
            }
            None => facts.add_beginning(LineContent::Value(root)),
        }
    }
    if sample.documents.is_empty() {
        for line in damaged_lines(sample.text()) {
            facts.exports = 1;
            facts.add_beginning(LineContent::Value(line.root()));
        }
    }
    // Ignore whether the lines are a session.
    let _ = facts.end();
    let stem = || ids::stem(sample.name).map(str::to_owned);
    Preview {
        variant: facts.variant(false),
        parent: facts.parent(),
        share: if facts.agent.is_some() { Share::Subagent } else { Share::Whole },
        session_id: facts.defaults.session_id.or_else(stem),
        start: facts.span.first(),
        project: facts.defaults.cwd,
        version: facts.defaults.version,
    }
}
