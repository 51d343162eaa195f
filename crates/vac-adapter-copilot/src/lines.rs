//! Implements the first pass over the lines of a log, and detects the agent that wrote them.

use std::collections::{HashMap, HashSet};

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, git, parse_time, text};
use vac_adapter::{Adapter, Confidence, Fit, Parent, Report, Share};
use vac_record::Entry;
use vac_record::annotations::{Relation, Usage};
use vac_value::{IntoOwned, Kind, Node};

use crate::tools::TOOLS;
use crate::usage::Totals;
use crate::{event, line};

/// The name of Copilot Chat in records. Its transcripts state its version as `copilotVersion`.
const CHAT: &str = "copilot-chat";

/// Types that are signs of the agent even on a line without an id.
const SIGNS: &[&str] = &[
    "assistant.message",
    "assistant.turn_end",
    "assistant.turn_start",
    "session.shutdown",
    "session.start",
    "tool.execution_complete",
    "tool.execution_start",
    "user.message",
];

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    facts: LineFacts,
    is_vscode: bool,
    /// The name of the session's folder, which is the session's id.
    folder: Option<String>,
    /// Whether the file is next to the folders of sessions, as until early 2026.
    is_flat: bool,
    /// The calls that messages request.
    pub requested: HashSet<String>,
    /// The calls that the user made.
    pub of_user: HashSet<String>,
    /// The calls that run commands.
    pub shell_calls: HashSet<String>,
    /// The calls that started subagents.
    pub delegations: HashSet<String>,
    /// The requests for permission.
    pub requests: HashMap<String, PermissionRequest>,
    /// The tokens that each model used, by the line of the shutdown.
    pub shutdowns: HashMap<u64, Vec<Usage<'static>>>,
    totals: Totals,
    /// The line at which a compaction started.
    compacting: Option<u64>,
}

/// A request for permission.
#[derive(Debug)]
pub(crate) struct PermissionRequest {
    /// The subject of the request.
    pub what: Option<String>,
    pub call_id: Option<String>,
}

impl Lines {
    fn call(&mut self, id: Option<Node<'_, '_>>, name: Option<Node<'_, '_>>) {
        if let (Some(id), Some(name)) = (text(id), text(name))
            && TOOLS.is_shell(&name)
        {
            self.shell_calls.insert(id);
        }
    }

    /// Sets the working directory and the repository. The last ones in the log count.
    fn context(&mut self, context: Option<Node<'_, '_>>) {
        let Some(context) = context.filter(|context| context.kind() == Kind::Map) else { return };
        let of = |key: &str| text(context.member(key)).filter(|text| !text.is_empty());
        let repository = of("repository").map(|name| match of("repositoryHost") {
            Some(host) => format!("https://{host}/{name}"),
            None => name,
        });
        if let Some(cwd) = of("cwd") {
            self.facts.cwd = Some(cwd);
            self.facts.vcs = git(of("headCommit"), of("branch"), repository);
        }
    }

    fn model(&mut self, model: Option<Node<'_, '_>>) {
        if let Some(model) = text(model) {
            self.facts.models.add(&model, 0);
        }
    }
}

impl LineFormat for Lines {
    const ID: &'static str = "id";
    const PARENT: &'static str = "parentId";
    const COMMON_NAMES: &'static [&'static str] = &["events.jsonl"];

    fn adapter() -> &'static dyn Adapter {
        &crate::Copilot
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let is_kind = |key: &str, kind| document.member(key).is_some_and(|it| it.kind() == kind);
        let kind = document.member("type").and_then(Node::text);
        let Some(kind) = kind.filter(|kind| kind.contains('.') || kind == "abort") else {
            return Fit::unknown(document);
        };
        if !is_kind("data", Kind::Map) {
            return Fit::unknown(document);
        }
        let data = document.member("data");
        let has = |key: &str| data.is_some_and(|data| data.member(key).is_some());
        if kind == "session.start" && (has("copilotVersion") || has("producer")) {
            return Fit::Fits(Confidence::Certain);
        }
        let is_whole = is_kind("id", Kind::Text) && document.member("parentId").is_some();
        match (is_whole, event::is_known(&kind)) {
            (true, true) => Fit::Fits(Confidence::Likely),
            (true, false) => Fit::Neutral,
            (false, _) if SIGNS.contains(&&*kind) => Fit::Fits(Confidence::Possible),
            (false, _) => Fit::unknown(document),
        }
    }

    fn session(line: Node<'_, '_>) -> Option<String> {
        let is_start = line.member("type").is_some_and(|it| it.is_text("session.start"));
        text(line.member("data").filter(|_| is_start)?.member("sessionId"))
    }

    fn begin(&mut self, name: &str, folder: &str) {
        let folder = folder.rsplit('/').next().filter(|folder| !folder.is_empty());
        self.is_flat = folder == Some("session-state");
        self.folder = folder.filter(|_| name == "events.jsonl").map(str::to_owned);
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        self.facts.time(line.member("timestamp"));
        let data = line.member("data").filter(|data| data.kind() == Kind::Map);
        let (Some(kind), Some(data)) = (line.member("type").and_then(Node::text), data) else {
            return;
        };
        let of = |key: &str| data.member(key);
        let is_subagent = line.member("agentId").and_then(Node::text).is_some();
        match &*kind {
            "session.start" => {
                fill(&mut self.facts.session_id, of("sessionId"));
                fill(&mut self.facts.version, of("copilotVersion"));
                if of("vscodeVersion").is_some() {
                    self.is_vscode = true;
                    self.facts.cli_name = Some(CHAT.to_owned());
                }
                let start = of("startTime").and_then(parse_time).map(IntoOwned::into_owned);
                self.facts.start = self.facts.start.take().or(start);
                self.context(of("context"));
                self.model(of("selectedModel"));
                let starter = text(of("detachedFromSpawningParentSessionId"));
                let parent =
                    starter.map(|id| Parent { session_id: id, relation: Relation::Subagent });
                self.facts.parent = self.facts.parent.take().or(parent);
            }
            "session.resume" => {
                self.context(of("context"));
                self.totals.resume();
            }
            "session.context_changed" => {
                self.context(of("context").or(Some(data)));
            }
            "session.model_change" => self.model(of("newModel")),
            "session.auto_mode_resolved" => self.model(of("chosenModel")),
            "assistant.message" => {
                let model = text(of("model")).unwrap_or_default();
                if is_subagent {
                    self.facts.models.add_subagent(&model, 1);
                } else {
                    self.facts.models.add(&model, 1);
                }
                if let Some(output) = of("outputTokens").and_then(Node::uint) {
                    self.totals.message(&model, output);
                }
                for request in of("toolRequests").into_iter().flat_map(Node::elements) {
                    self.requested.extend(text(request.member("toolCallId")));
                    self.call(request.member("toolCallId"), request.member("name"));
                }
            }
            "tool.execution_start" => self.call(of("toolCallId"), of("toolName")),
            "tool.user_requested" => {
                self.of_user.extend(text(of("toolCallId")));
                self.call(of("toolCallId"), of("toolName"));
            }
            "subagent.started" => self.delegations.extend(text(of("toolCallId"))),
            "permission.requested" => {
                let member = |key: &str| text(of("permissionRequest")?.member(key));
                let what = member("toolName").or_else(|| member("kind"));
                let call_id = member("toolCallId").or_else(|| text(of("toolCallId")));
                if let Some(id) = text(of("requestId")) {
                    self.requests.insert(id, PermissionRequest { what, call_id });
                }
            }
            // Earlier entries are not part of the conversation any more.
            event::CLEARED => {
                let by = text(line.member("id")).unwrap_or_else(|| at.place.id());
                self.facts.compactions.add(at.index, by);
            }
            "session.compaction_start" => self.compacting = Some(at.index),
            event::COMPACTION => {
                let before = self.compacting.take().unwrap_or(at.index);
                if of("success").and_then(Node::bool) != Some(false) {
                    let by = text(line.member("id")).unwrap_or_else(|| at.place.id());
                    self.facts.compactions.add(before, by);
                }
            }
            "session.shutdown" => {
                let metrics = of("modelMetrics").filter(|metrics| metrics.kind() == Kind::Map);
                let used = metrics.map(|metrics| self.totals.shutdown(metrics));
                self.shutdowns.extend(used.map(|used| (at.index, used)));
            }
            _ => {}
        }
    }

    fn finish(&mut self) {
        self.totals = Totals::default();
        let id = &mut self.facts.session_id;
        *id = id.take().or(self.folder.take());
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_vscode { "vscode" } else { "events" }
    }

    fn share(&self) -> Share {
        if self.is_flat { Share::Older } else { Share::Whole }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}
