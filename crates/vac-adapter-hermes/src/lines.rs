//! Implements the first pass over the rows of a session, and detects the agent that wrote them.

use std::collections::HashSet;

use vac_adapter::container::row_of;
use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, git, text};
use vac_adapter::time::from_seconds;
use vac_adapter::{Adapter, Confidence, Fit, Parent, Report};
use vac_record::annotations::Relation;
use vac_record::{AbstractTimestamp, Entry};
use vac_value::{Kind, Node};

use crate::line;
use crate::tools::TOOLS;

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    /// Whether models state their tokens. Otherwise those of the session count.
    pub has_usage: bool,
    /// The calls that run commands.
    pub shell_calls: HashSet<String>,
}

/// The tables, and the types of events that their rows become.
const TABLES: &[(&str, &str)] = &[
    ("sessions", "session"),
    ("system_prompts", "system_prompt"),
    ("messages", "message"),
    ("session_model_usage", "model_usage"),
];

/// Returns the type of event that a row becomes, and the row.
pub(crate) fn row<'d, 'a>(document: Node<'d, 'a>) -> Option<(&'static str, Node<'d, 'a>)> {
    TABLES.iter().find_map(|(table, event)| Some((*event, row_of(document, table)?)))
}

/// Returns a time in a column.
pub(crate) fn time(column: Option<Node<'_, '_>>) -> Option<AbstractTimestamp<'static>> {
    from_seconds(column?.number()?.to_f64())
}

/// Returns the relation of a session to its parent. Without a marker, the session continues its
/// parent after a compression.
pub(crate) fn relation(config: Option<Node<'_, '_>>) -> Relation {
    let has = |key: &str| {
        let marker = config.and_then(|config| config.member(key));
        marker.is_some_and(|it| it.kind() != Kind::Null)
    };
    if has("_delegate_from") {
        Relation::Subagent
    } else if has("_branched_from") {
        Relation::Fork
    } else {
        Relation::Continued
    }
}

impl LineFormat for Lines {
    const ID: &'static str = "id";
    const PARENT: &'static str = "";
    const TABLES: &'static [&'static str] =
        &["sessions", "system_prompts", "messages", "session_model_usage"];

    fn adapter() -> &'static dyn Adapter {
        &crate::Hermes
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let Some((event, row)) = row(document) else { return Fit::unknown(document) };
        let has = |key: &str| row.member(key).is_some();
        match event {
            "session" if has("started_at") && has("source") => Fit::Fits(Confidence::Certain),
            "message" if has("content_json") => Fit::Contradicts("content-json"),
            "message" if has("role") && (has("active") || has("timestamp")) => {
                Fit::Fits(Confidence::Likely)
            }
            "session" | "message" => Fit::unknown(document),
            _ => Fit::Neutral,
        }
    }

    fn add(&mut self, line: Node<'_, '_>, _: LineAt) {
        let Some((event, row)) = row(line) else { return };
        let member = |key: &str| row.member(key);
        match event {
            "session" => {
                fill(&mut self.facts.session_id, member("id"));
                fill(&mut self.facts.cwd, member("cwd"));
                fill(&mut self.facts.provider, member("billing_provider"));
                self.facts.models.add(&text(member("model")).unwrap_or_default(), 0);
                self.facts.start = self.facts.start.take().or_else(|| time(member("started_at")));
                self.facts.vcs = git(None, text(member("git_branch")), None);
                let parent = text(member("parent_session_id")).filter(|id| !id.is_empty());
                self.facts.parent = parent.map(|session_id| Parent {
                    session_id,
                    relation: relation(member("model_config")),
                });
                if let Some(end) = time(member("ended_at")) {
                    self.facts.span.add(&end);
                }
            }
            "message" => {
                fill(&mut self.facts.session_id, member("session_id"));
                if let Some(time) = time(member("timestamp")) {
                    self.facts.span.add(&time);
                }
                for call in member("tool_calls").into_iter().flat_map(Node::elements) {
                    if line::tool_name(call).is_some_and(|name| TOOLS.is_shell(&name)) {
                        self.shell_calls.extend(text(call.member("id")));
                    }
                }
            }
            "model_usage" => {
                self.has_usage = true;
                self.facts.models.add(&text(member("model")).unwrap_or_default(), 1);
            }
            _ => {}
        }
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        "database"
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}
