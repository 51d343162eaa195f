//! Which documents are lines of a Claude Code log, and what the first of them say about the session.

use vac_adapter::foreign;
use vac_adapter::verdict::UNKNOWN_SHAPE;
use vac_adapter::{Confidence, Fit, Glimpse, Memory, Sample, Share, Verdict, ids};
use vac_value::{Kind, Node};

use crate::first_pass::Facts;
use crate::known;
use crate::lines::{LineContent, damaged_lines, exported};

/// Maximum number of lines of a web export that are compared.
const MAX_LINES: usize = 64;

/// Whether the type of a line is known.
fn is_known(line: Node<'_, '_>) -> bool {
    line.member("type").and_then(Node::text).is_some_and(|kind| known::line(&kind))
}

/// How the documents of a sample fit.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    if verdict != Verdict::default() {
        return verdict;
    }
    // A web export that is cut short or damaged is read as far as it is there.
    let mut seen = Confidence::No;
    for line in damaged_lines(sample.text()) {
        let is_known = is_known(line.root());
        seen = seen.max(if is_known { Confidence::Likely } else { Confidence::Possible });
    }
    Verdict::from_confidence(seen)
}

/// How one document fits.
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

/// What the keys of a line say about the program that wrote it.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is whether the line has a key")]
struct LineKeys<'d, 'a> {
    kind: Option<Node<'d, 'a>>,
    message: Option<Node<'d, 'a>>,
    session: Option<Node<'d, 'a>>,
    /// Whether it has a key that only lines of a session's log have.
    is_logged: bool,
    has_agent: bool,
    has_stream_session: bool,
    has_stream_key: bool,
    has_timestamp: bool,
    /// Whether it has a key that only Qwen Code writes.
    is_qwen: bool,
}

impl<'d, 'a> LineKeys<'d, 'a> {
    /// Reads the keys in one pass: the first pass over a log asks for every line.
    fn read(line: Node<'d, 'a>) -> Self {
        let mut keys = Self::default();
        for (key, value) in line.members() {
            let Some(key) = key.text() else { continue };
            match &*key {
                "type" => keys.kind = Some(value),
                "message" => keys.message = Some(value).filter(|it| it.kind() == Kind::Map),
                "sessionId" => {
                    keys.session = Some(value);
                    keys.is_logged = true;
                }
                "parentUuid" | "leafUuid" | "isSnapshotUpdate" => keys.is_logged = true,
                "agentId" => keys.has_agent = true,
                "session_id" => keys.has_stream_session = true,
                "parent_tool_use_id" | "claude_code_version" => keys.has_stream_key = true,
                "timestamp" => keys.has_timestamp = true,
                "systemPayload" | "toolCallResult" | "usageMetadata" => keys.is_qwen = true,
                _ => {}
            }
        }
        keys
    }

    /// Why a line with the envelope of Claude Code is one of a fork's with another content.
    fn contradiction(&self) -> Option<&'static str> {
        // Qwen Code has the parts of Gemini CLI.
        if self.message.is_some_and(|message| message.member("parts").is_some()) {
            return Some("message-parts");
        }
        if self.is_qwen {
            return Some("qwen-member");
        }
        // iFlow CLI writes `session-` before the UUID.
        let session = self.session.and_then(Node::text);
        session.is_some_and(|id| foreign::is_iflow_session(&id)).then_some("session-id")
    }
}

/// How one line fits.
pub(crate) fn fit_line(line: Node<'_, '_>) -> Fit {
    if line.kind() != Kind::Map {
        return Fit::unknown(line);
    }
    let keys = LineKeys::read(line);
    if let Some(reason) = keys.contradiction() {
        return Fit::Contradicts(reason);
    }
    let kind = keys.kind.and_then(Node::text);
    if !kind.is_some_and(|kind| known::line(&kind)) {
        // New types appear with every release. Lines of a journal name only their agent.
        let is_named = keys.is_logged || keys.has_stream_session || keys.has_agent;
        return if is_named && keys.kind.is_some() { Fit::Neutral } else { Fit::unknown(line) };
    }
    let is_message = keys.message.is_some_and(|message| message.member("content").is_some());
    // Others capture their streams in almost the same words.
    if keys.is_logged || keys.has_stream_session && keys.has_stream_key {
        Fit::Fits(Confidence::Certain)
    } else if is_message && keys.has_timestamp {
        Fit::Fits(Confidence::Likely)
    } else if is_message {
        Fit::Fits(Confidence::Possible)
    } else {
        Fit::unknown(line)
    }
}

/// Returns what the beginning of a log says about its session.
pub(crate) fn glimpse(sample: &Sample<'_>) -> Glimpse {
    let mut facts = Facts::new(&Memory { name: sample.name, bytes: &[] });
    for document in &sample.documents {
        let root = document.root();
        match exported(root) {
            Some(lines) => {
                facts.preview(LineContent::Wrapper(root));
                lines.elements().for_each(|line| facts.preview(LineContent::Value(line)));
            }
            None => facts.preview(LineContent::Value(root)),
        }
    }
    if sample.documents.is_empty() {
        for line in damaged_lines(sample.text()) {
            facts.exports = 1;
            facts.preview(LineContent::Value(line.root()));
        }
    }
    // It does not matter here whether that is a session.
    let _ = facts.end();
    let stem = || ids::stem(sample.name).map(str::to_owned);
    Glimpse {
        variant: facts.variant(false),
        parent: facts.parent(),
        share: if facts.agent.is_some() { Share::Subagent } else { Share::Whole },
        session_id: facts.defaults.session_id.or_else(stem),
        start: facts.span.first(),
        project: facts.defaults.cwd,
        version: facts.defaults.version,
    }
}
