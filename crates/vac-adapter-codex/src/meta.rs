//! What a log states about its session: the first `session_meta`, the header of a log without
//! envelopes, `session` of the TypeScript CLI, or `thread.started`.

use vac_adapter::Parent;
use vac_adapter::members::{Members, Rest};
use vac_adapter::time::instant;
use vac_record::annotations::Relation;
use vac_record::{AbstractTimestamp, VcsContext};
use vac_value::{IntoOwned, Kind, Map, Node};

use crate::clock;
use crate::prompt_rules::Prompter;
use crate::shape::owned;

/// Members that tell where the session comes from and who began it. They are
/// said of the session too; all members are in the entry of their line.
const LINEAGE: &[&str] = &[
    "session_id",
    "forked_from_id",
    "forked_from_ordinal_exclusive",
    "parent_thread_id",
    "history_base",
    "history_mode",
    "originator",
    "source",
    "thread_source",
    "agent_nickname",
    "agent_role",
    "agent_path",
];

/// What a session says about itself.
#[derive(Default)]
pub(crate) struct Meta {
    /// Its frame.
    pub index: u64,
    /// The session's id.
    pub id: Option<String>,
    /// When it began.
    pub timestamp: Option<AbstractTimestamp<'static>>,
    /// Where.
    pub working_dir: Option<String>,
    /// With which CLI.
    pub cli_version: Option<String>,
    /// Who runs the models.
    pub model_provider: Option<String>,
    /// Whether somebody sat before it.
    pub format: Option<&'static str>,
    /// The repository.
    pub vcs: Option<VcsContext<'static>>,
    /// Where the session comes from.
    pub lineage: Rest<'static>,
    /// Whether its history may be in more than one file.
    pub is_paginated: bool,
    /// The ordinal of its first own line.
    pub history_start_ordinal: Option<u64>,
    /// Who starts its turns.
    pub prompter: Prompter,
    /// The sessions that it came from.
    parents: Vec<Parent>,
}

impl Meta {
    /// Reads the payload of this frame.
    pub fn parse(payload: Node<'_, '_>, index: u64) -> Self {
        let text = |key: &str| owned(payload.member(key));
        let timestamp = payload.member("timestamp");
        Self {
            index,
            id: text("id"),
            timestamp: timestamp.and_then(clock::timestamp).map(IntoOwned::into_owned),
            working_dir: text("cwd"),
            cli_version: text("cli_version"),
            model_provider: text("model_provider"),
            format: payload.member("source").and_then(format),
            vcs: payload.member("git").and_then(vcs),
            lineage: lineage(payload),
            is_paginated: text("history_mode").is_some_and(|mode| mode == "paginated"),
            history_start_ordinal: payload
                .member("subagent_history_start_ordinal")
                .and_then(ordinal),
            prompter: prompter(payload),
            parents: parents(payload),
        }
    }

    /// The session of a thread of `codex exec`.
    pub fn from_thread(id: Option<String>, index: u64) -> Self {
        Self { index, id, format: Some("autonomous"), ..Self::default() }
    }

    /// The session of a run of `codex exec` that prints its configuration first.
    pub fn from_setup(setup: Node<'_, '_>, index: u64) -> Self {
        Self {
            working_dir: owned(setup.member("workdir")),
            model_provider: owned(setup.member("provider")),
            ..Self::from_thread(None, index)
        }
    }

    /// Whether the session comes from the one with this id.
    pub fn comes_from(&self, id: &str) -> bool {
        self.is_another(id) && self.parents.iter().any(|parent| parent.session_id == id)
    }

    /// The session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        self.parents.iter().find(|parent| self.is_another(&parent.session_id)).cloned()
    }

    /// Whether this is not the session's id.
    pub fn is_another(&self, id: &str) -> bool {
        self.id.as_deref() != Some(id)
    }

    /// Whether the session began before the one that says this about itself. One that it
    /// comes from did not.
    pub fn is_older_than(&self, other: Node<'_, '_>) -> bool {
        let other = other.member("timestamp").and_then(clock::timestamp);
        let began = self.timestamp.as_ref().and_then(instant);
        began.is_some_and(|began| other.as_ref().and_then(instant) > Some(began))
    }

    /// Whether the session is older than what has this id: both begin with
    /// their time, if they are UUIDs of version 7.
    pub fn is_before(&self, id: &str) -> bool {
        self.id.as_deref().is_some_and(|own| is_uuid_7(own) && is_uuid_7(id) && own < id)
    }
}

fn is_uuid_7(id: &str) -> bool {
    id.len() == 36
        && id.as_bytes()[14] == b'7'
        && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

fn format(source: Node<'_, '_>) -> Option<&'static str> {
    let is = |name: &str| source.is_text(name);
    if is("exec") || source.member("subagent").is_some() {
        Some("autonomous")
    } else if is("cli") || is("vscode") {
        Some("interactive")
    } else {
        None
    }
}

fn vcs(git: Node<'_, '_>) -> Option<VcsContext<'static>> {
    let git = (git.kind() == Kind::Map).then_some(git)?;
    let text = |key: &str| owned(git.member(key)).map(Into::into);
    Some(VcsContext {
        kind: "git".into(),
        revision: text("commit_hash"),
        branch: text("branch"),
        repository: text("repository_url"),
        extensions: Map::default(),
    })
}

/// Some builds write the number as text.
fn ordinal(node: Node<'_, '_>) -> Option<u64> {
    node.uint().or_else(|| node.text()?.parse().ok())
}

fn lineage(payload: Node<'_, '_>) -> Rest<'static> {
    let Some(mut payload) = Members::new(payload) else { return Rest::default() };
    let lineage = LINEAGE
        .iter()
        .filter_map(|key| Some(((*key).into(), payload.any(key)?.into_owned())))
        .collect();
    // The rest is in the entry.
    drop(payload.rest(&[]));
    lineage
}

/// Who starts the turns of a session, by `source` and `thread_source`.
fn prompter(payload: Node<'_, '_>) -> Prompter {
    let source = |key: &str| payload.member("source").and_then(|source| source.member(key));
    let is_source =
        |name: &str| payload.member("thread_source").is_some_and(|source| source.is_text(name));
    if source("subagent").is_some() || is_source("subagent") {
        Prompter::OtherAgent
    } else if source("internal").is_some() || is_source("memory_consolidation") {
        Prompter::Program
    } else {
        Prompter::User
    }
}

/// The sessions that a session states to come from, most specific first. `session_id` is that of
/// the session which started all others.
fn parents(payload: Node<'_, '_>) -> Vec<Parent> {
    let is_subagent = prompter(payload) == Prompter::OtherAgent;
    let spawn = payload
        .member("source")
        .and_then(|source| source.member("subagent")?.member("thread_spawn"));
    let base = payload.member("history_base");
    let root = payload.member("session_id").filter(|_| is_subagent);
    let fork = if is_subagent { Relation::Subagent } else { Relation::Fork };
    [
        (spawn.and_then(|spawn| spawn.member("parent_thread_id")), Relation::Subagent),
        (payload.member("parent_thread_id"), fork),
        (payload.member("forked_from_id"), fork),
        (base.and_then(|base| base.member("thread_id")), fork),
        (root, Relation::Subagent),
    ]
    .into_iter()
    .filter_map(|(id, relation)| Some(Parent { session_id: owned(id)?, relation }))
    .collect()
}
