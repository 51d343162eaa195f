//! The first pass over the rows or lines of a session, and which agent wrote them.

use vac_adapter::container::row_of;
use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, text};
use vac_adapter::time::from_sql;
use vac_adapter::{Adapter, Confidence, Fit, Report, Share};
use vac_record::Entry;
use vac_record::annotations::{Author, Superseded, SupersededHow};
use vac_value::{Kind, Node};

use crate::line;

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    kind: Option<String>,
    is_database: bool,
    /// Whether requests state their tokens. Otherwise those of the session count.
    pub has_ledger: bool,
    /// The summaries that only the model sees: their lines and ids.
    summaries: Vec<(u64, String)>,
}

/// The kind of a document.
#[derive(Clone, Copy)]
pub(crate) enum Document<'d, 'a> {
    Session(Node<'d, 'a>),
    Message(Node<'d, 'a>),
    Request(Node<'d, 'a>),
    Other,
}

impl<'d, 'a> Document<'d, 'a> {
    pub fn parse(document: Node<'d, 'a>) -> Self {
        let is = |key: &str, kind| document.member(key).is_some_and(|it| it.kind() == kind);
        if let Some(row) = row_of(document, "sessions") {
            Self::Session(row)
        } else if let Some(row) = row_of(document, "messages") {
            Self::Message(row)
        } else if let Some(row) = row_of(document, "usage_ledger") {
            Self::Request(row)
        } else if is("role", Kind::Text) && is("content", Kind::Array) {
            Self::Message(document)
        } else if is("working_dir", Kind::Text) && document.member("role").is_none() {
            Self::Session(document)
        } else {
            Self::Other
        }
    }
}

impl Lines {
    /// Returns the way in which a message that the model does not see any more was replaced.
    pub fn superseded(&self, row: Node<'_, '_>, at: LineAt) -> Option<Superseded<'_>> {
        let visible = line::visibility(row);
        let is_left = visible.agent == Some(false) && visible.user != Some(false);
        let next = self.summaries.partition_point(|(index, _)| *index <= at.index);
        let (_, by) = self.summaries.get(next).filter(|_| is_left)?;
        Some(Superseded { how: SupersededHow::Compacted, by: Some(by.as_str().into()) })
    }

    /// Returns the author of a message in the user's name.
    pub fn author(&self, row: Node<'_, '_>) -> Author {
        match self.kind.as_deref() {
            _ if line::visibility(row).user == Some(false) => Author::Program,
            Some("sub_agent") => Author::OtherAgent,
            Some("scheduled") => Author::Program,
            _ => Author::User,
        }
    }
}

impl LineFormat for Lines {
    const ID: &'static str = "id";
    const PARENT: &'static str = "";
    const TABLES: &'static [&'static str] = &["sessions", "messages", "usage_ledger"];

    fn adapter() -> &'static dyn Adapter {
        &crate::Goose
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let has = |key: &str| document.member(key).is_some();
        let parsed = Document::parse(document);
        match parsed {
            Document::Session(row) | Document::Message(row) | Document::Request(row)
                if row.index() != document.index() =>
            {
                let is_ours = ["extension_data", "content_json", "is_compaction"];
                let is_ours = is_ours.iter().any(|key| row.member(key).is_some());
                if is_ours { Fit::Fits(Confidence::Certain) } else { Fit::Neutral }
            }
            Document::Session(_) if has("message_count") || has("accumulated_total_tokens") => {
                Fit::Fits(Confidence::Certain)
            }
            Document::Message(message) => {
                let blocks = || message.member("content").into_iter().flat_map(Node::elements);
                let is_kind = |block: Node<'_, '_>, kinds: &[&str]| {
                    let kind = block.member("type");
                    kinds.iter().any(|name| kind.is_some_and(|kind| kind.is_text(name)))
                };
                let own = ["toolRequest", "toolResponse", "toolConfirmationRequest"];
                if blocks().any(|block| is_kind(block, &["tool_use", "tool_result", "toolCall"])) {
                    Fit::Contradicts("tool-blocks")
                } else if blocks().any(|block| is_kind(block, &own)) {
                    Fit::Fits(Confidence::Certain)
                } else if message.member("created").is_some_and(|it| it.uint().is_some()) {
                    Fit::Fits(Confidence::Possible)
                } else {
                    Fit::unknown(document)
                }
            }
            _ => Fit::unknown(document),
        }
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        let parsed = Document::parse(line);
        match parsed {
            Document::Session(row) => {
                let member = |key: &str| row.member(key);
                self.is_database |= row.index() != line.index();
                fill(&mut self.facts.session_id, member("id"));
                fill(&mut self.facts.cwd, member("working_dir"));
                fill(&mut self.facts.provider, member("provider_name"));
                fill(&mut self.kind, member("session_type"));
                let start = text(member("created_at")).and_then(|time| from_sql(&time));
                self.facts.start = self.facts.start.take().or(start);
                let config = member("model_config_json");
                let model = text(config.and_then(|config| config.member("model_name")));
                self.facts.models.add(&model.unwrap_or_default(), 0);
            }
            Document::Message(row) => {
                self.is_database |= row.index() != line.index();
                self.facts.time(row.member("created_timestamp").or_else(|| row.member("created")));
                fill(&mut self.facts.session_id, row.member("session_id"));
                self.facts.models.add(&line::model(row).unwrap_or_default(), 1);
                let visible = line::visibility(row);
                if visible.user == Some(false) && visible.agent != Some(false) {
                    self.summaries.push((at.index, line::message_id(row, at)));
                }
            }
            Document::Request(row) => {
                self.is_database = true;
                self.has_ledger = true;
                self.facts.models.add(&text(row.member("model")).unwrap_or_default(), 0);
            }
            Document::Other => {}
        }
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_database { "database" } else { "jsonl" }
    }

    /// Files that were imported into the database are kept.
    fn share(&self) -> Share {
        if self.is_database { Share::Whole } else { Share::Older }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}
