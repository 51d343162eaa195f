//! Implements the first pass over the lines of a log, and detects the agent that wrote them.

use std::collections::HashMap;

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, parse_time, text};
use vac_adapter::time::instant;
use vac_adapter::{Adapter, Confidence, Fit, Parent, Report, Sample};
use vac_record::annotations::{
    EntryAnnotations, EntryAnnotationsInherited, Relation, Superseded, SupersededHow,
};
use vac_record::{AbstractTimestamp, Entry};
use vac_value::{IntoOwned, Kind, Node};

use crate::tree::Tree;
use crate::{event, line, store};

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    tree: Tree,
    /// The compactions: their line, the first line that each of them keeps, and their ids.
    compactions: Vec<(u64, u64, String)>,
    /// The edits of the context: their line, the line that each of them replaces, and their ids.
    edits: Vec<(u64, u64, String)>,
    /// The id of the edit that replaces a line for the model.
    edited: HashMap<u64, String>,
    /// The providers of models.
    providers: HashMap<String, String>,
    /// The session that this one was forked from.
    fork: Option<String>,
    /// The session whose folder the file is in.
    folder: Option<String>,
    /// Whether it is the session of a subagent.
    pub is_subagent: bool,
    is_capture: bool,
    is_database: bool,
    /// The session that the window of a database came from.
    window: Option<Parent>,
}

impl Lines {
    /// Returns the annotations that lines of all types can have.
    pub fn annotations(
        &self,
        time: Option<&AbstractTimestamp<'_>>,
        at: LineAt,
    ) -> EntryAnnotations<'_> {
        let rewound = self.tree.replaced_by(at.index).map(|by| Superseded {
            how: SupersededHow::Rewound,
            by: (!by.is_empty()).then(|| by.into()),
        });
        let edited = self
            .edited
            .get(&at.index)
            .map(|by| Superseded { how: SupersededHow::Compacted, by: Some(by.as_str().into()) });
        let inherited = self.fork.as_deref().filter(|_| self.is_inherited(time));
        EntryAnnotations {
            superseded: rewound.or(edited),
            inherited: inherited.map(|id| EntryAnnotationsInherited::Text(id.into())),
            ..EntryAnnotations::default()
        }
    }

    /// Returns whether a line was copied from the session that this one was forked from, because it
    /// is older than the session.
    fn is_inherited(&self, time: Option<&AbstractTimestamp<'_>>) -> bool {
        let start = self.facts.start.as_ref().and_then(instant);
        start.zip(time.and_then(instant)).is_some_and(|(start, time)| time < start)
    }
}

/// Returns the id of a session in the name of its file: `<time>_<id>.jsonl`. An id may be any text.
fn id_in_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    let is_time = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let id = stem.split_once('_').filter(|(time, _)| is_time(time)).map_or(stem, |(_, id)| id);
    (!id.is_empty()).then(|| id.to_owned())
}

/// Returns the time of a line: its own, or (in a capture) that of its message.
pub(crate) fn time<'d, 'a>(line: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    line.member("timestamp").or_else(|| line.member("message")?.member("timestamp"))
}

impl LineFormat for Lines {
    const ID: &'static str = "id";
    const PARENT: &'static str = "parentId";
    const TABLES: &'static [&'static str] = &[
        "session_windows",
        "session_nodes",
        "session_transcript_cold_archives",
        "transcript_events",
    ];

    fn adapter() -> &'static dyn Adapter {
        &crate::Pi
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let has_text = |key: &str| document.member(key).is_some_and(|it| it.kind() == Kind::Text);
        let has = |key: &str| document.member(key).is_some();
        match store::row(document) {
            // For a session whose events are in an archive, the only document other than that of
            // the archive.
            Some(("session_windows", _)) => return Fit::Fits(Confidence::Likely),
            Some(_) => return Fit::Neutral,
            None => {}
        }
        let kind = document.member("type").and_then(Node::text);
        let is_likely = |is_it: bool| {
            if is_it { Fit::Fits(Confidence::Likely) } else { Fit::unknown(document) }
        };
        match kind.as_deref() {
            Some("session") if has_text("id") && has_text("timestamp") => {
                // The version of the format. Logs of other programs state that of the program.
                let version = document.member("version");
                let has_number = version.is_some_and(|version| version.uint().is_some());
                if has_text("cwd") && (version.is_none() || has_number) {
                    Fit::Fits(Confidence::Certain)
                } else {
                    is_likely(has_number)
                }
            }
            Some("title") => is_likely(has("pad")),
            Some("message") => fit_message(document),
            Some(kind) if event::CAPTURED.contains(&kind) => Fit::Neutral,
            Some(kind) if event::LINES.contains(&kind) => {
                is_likely(has_text("id") && has("parentId"))
            }
            _ => Fit::unknown(document),
        }
    }

    fn session(line: Node<'_, '_>) -> Option<String> {
        let is_header = line.member("type").is_some_and(|it| it.is_text("session"));
        text(line.member("id").filter(|_| is_header))
    }

    fn begin(&mut self, _: &str, folder: &str) {
        let folder = folder.rsplit('/').next().filter(|folder| folder.contains('_'));
        self.folder = folder.and_then(id_in_name);
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        let member = |key: &str| line.member(key);
        if let Some((table, row)) = store::row(line) {
            self.is_database = true;
            if table == "session_windows" {
                fill(&mut self.facts.session_id, row.member("session_id"));
                self.model(row.member("model"), row.member("model_provider"), 0);
                let reason = row.member("reason").and_then(Node::text);
                self.window =
                    store::parent(text(row.member("previous_session_id")), reason.as_deref());
            }
            return;
        }
        self.facts.time(time(line));
        let Some(kind) = member("type").and_then(Node::text) else { return };
        match &*kind {
            "session" => {
                fill(&mut self.facts.session_id, member("id"));
                fill(&mut self.facts.cwd, member("cwd"));
                let start = member("timestamp").and_then(parse_time).map(IntoOwned::into_owned);
                self.facts.start = self.facts.start.take().or(start);
                let origin = member("parentSession").or_else(|| member("branchedFrom"));
                let origin = text(origin).and_then(|path| id_in_name(&path));
                self.fork = self.fork.take().or(origin);
                return;
            }
            "session_init" => self.is_subagent = true,
            "model_change" => match member("modelId") {
                Some(model) => self.model(Some(model), member("provider"), 0),
                // Oh My Pi: `provider/model`.
                None => self.named_model(member("model")),
            },
            "message" | "message_end" => {
                self.is_capture |= kind == "message_end";
                let message = member("message");
                let of = |key: &str| message.and_then(|message| message.member(key));
                if of("role").is_some_and(|role| role.is_text("assistant")) {
                    self.model(of("model"), of("provider"), 1);
                }
            }
            _ => {}
        }
        let id = text(member("id"));
        if [event::COMPACTION, event::RESET].contains(&&*kind) {
            // If the first line to keep does not exist, all lines are replaced.
            let named = text(member("firstKeptEntryId")).and_then(|id| self.tree.index(&id));
            // Version 1 counts lines.
            let counted = member("firstKeptEntryIndex").and_then(Node::uint);
            let kept = named.or(counted.filter(|kept| *kept < at.index)).unwrap_or(at.index);
            let by = id.clone().unwrap_or_else(|| at.place.id());
            self.compactions.push((at.index, kept, by));
        }
        if kind == event::CONTEXT_EDIT
            && let Some(target) = text(member("targetId")).and_then(|id| self.tree.index(&id))
        {
            let by = id.clone().unwrap_or_else(|| at.place.id());
            self.edits.push((at.index, target, by));
        }
        if let Some(id) = id {
            self.tree.add(&id, member("parentId"), at.index);
        }
    }

    fn finish(&mut self) {
        self.tree.finish();
        for (index, kept, by) in std::mem::take(&mut self.compactions) {
            // A summary on an abandoned branch replaces nothing.
            if self.tree.replaced_by(index).is_none() {
                self.facts.compactions.add(kept, by);
            }
        }
        for (index, target, by) in std::mem::take(&mut self.edits) {
            if self.tree.replaced_by(index).is_none() {
                self.edited.insert(target, by);
            }
        }
        let main = self.facts.models.main();
        self.facts.provider = main.and_then(|main| self.providers.remove(main));
        let from =
            |id: Option<String>, relation| id.map(|session_id| Parent { session_id, relation });
        let starter = self.folder.clone().filter(|_| self.is_subagent);
        let starter = from(starter, Relation::Subagent);
        let fork = from(self.fork.clone(), Relation::Fork);
        self.facts.parent = starter.or(fork).or_else(|| self.window.clone());
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        match (self.is_database, self.is_capture) {
            (true, _) => "database",
            (false, true) => "capture",
            (false, false) => "jsonl",
        }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}

impl Lines {
    /// Adds a model whose name begins with its provider.
    fn named_model(&mut self, name: Option<Node<'_, '_>>) {
        let Some(name) = text(name) else { return };
        let (provider, model) = name.split_once('/').unwrap_or(("", &name));
        self.facts.models.add(model, 0);
        if !provider.is_empty() {
            self.providers.entry(model.to_owned()).or_insert(provider.to_owned());
        }
    }

    fn model(&mut self, model: Option<Node<'_, '_>>, provider: Option<Node<'_, '_>>, answers: u64) {
        let Some(model) = text(model) else { return };
        self.facts.models.add(&model, answers);
        if let Some(provider) = text(provider).filter(|provider| !provider.is_empty()) {
            self.providers.entry(model).or_insert(provider);
        }
    }
}

/// Returns the other agent that wrote a log, by the first line that no other one of the family writes.
pub(crate) fn fork(sample: &Sample<'_>) -> Option<&'static str> {
    sample.documents.iter().find_map(|document| {
        let line = document.root();
        let custom = || line.member("customType").and_then(Node::text);
        match line.member("type").and_then(Node::text).as_deref()? {
            "title" if line.member("pad").is_some() => Some("omp"),
            "credential_pin" | "session_init" | "title_change" | "ttsr_injection" => Some("omp"),
            "child_usage_attributed" => Some("prime"),
            event::RESET => Some("openclaw"),
            "custom" | "custom_message" if custom()?.starts_with("openclaw") => Some("openclaw"),
            _ => None,
        }
    })
}

/// Returns how well a line of type `message` fits. Factory Droid writes almost the same lines.
fn fit_message(document: Node<'_, '_>) -> Fit {
    let message = document.member("message").filter(|message| message.kind() == Kind::Map);
    let Some(message) = message else { return Fit::unknown(document) };
    let Some(role) = message.member("role").and_then(Node::text) else {
        return Fit::unknown(document);
    };
    let content = message.member("content");
    let has_block = |kinds: &[&str]| {
        let mut blocks = content.into_iter().flat_map(Node::elements);
        let is_it = |it: Node<'_, '_>| kinds.iter().any(|kind| it.is_text(kind));
        blocks.any(|block| block.member("type").is_some_and(is_it))
    };
    if has_block(&["tool_use", "tool_result"]) {
        return Fit::Contradicts("tool-blocks");
    }
    let is_of_pi = message.member("timestamp").is_some()
        || matches!(&*role, "toolResult" | "bashExecution")
        || has_block(&["toolCall"]);
    match is_of_pi {
        true => Fit::Fits(Confidence::Likely),
        false if document.member("parentId").is_some() => Fit::Neutral,
        false => Fit::unknown(document),
    }
}

#[cfg(test)]
mod tests {
    use super::id_in_name;

    #[test]
    fn names_of_files_contain_the_id() {
        for (path, id) in [
            ("/home/ada/.pi/agent/sessions/--loom--/2026-05-01T00-00-00-000Z_ab-1.jsonl", "ab-1"),
            (r"C:\sessions\2026_x.jsonl", "x"),
            ("2026-05-01T00-00-00-000Z_my_own_id.jsonl", "my_own_id"),
            ("my_own_id", "my_own_id"),
            ("ab-1", "ab-1"),
        ] {
            assert_eq!(id_in_name(path).as_deref(), Some(id), "{path}");
        }
    }
}
