//! Reads the metadata of a session: the first `session_meta`, the header of a log without
//! envelopes, `session` of the TypeScript CLI, or `thread.started`.

use vac_adapter::members::Rest;
use vac_adapter::time::instant;
use vac_adapter::{Parent, Report, mapping};
use vac_record::annotations::Relation;
use vac_record::{AbstractTimestamp, VcsContext};
use vac_value::{IntoOwned, Kind, Map, Node};

use crate::clock;
use crate::prompt_rules::Prompter;
use crate::shape::owned;

mapping! {
    /// What a log states about its session: the payload of the first `session_meta`, the header of
    /// a log without envelopes, or `session` of the TypeScript CLI. Its event keeps all of it.
    pub(crate) struct SessionMeta<'a>("session_meta"; key, value) {
        "id" => "the session's `id`", note id: Node<'a, 'a> = Some(value);
        "timestamp" => "`session-start`",
            note timestamp: AbstractTimestamp<'a> = clock::timestamp(value);
        "cwd" => "`environment.working-dir`",
            note working_dir: Node<'a, 'a> = Some(value);
        "cli_version" => "`cli-version`", note cli_version: Node<'a, 'a> = Some(value);
        "model_provider" => "`model-provider`",
            note model_provider: Node<'a, 'a> = Some(value);
        "git" => "`environment.vcs`: `commit_hash`, `branch`, `repository_url`",
            note git: Node<'a, 'a> = Some(value);
        "source" => "`format`, `vac.parent`, `vac.author` of prompts; a member of the session",
            note source: Node<'a, 'a> = Some(value);
        "thread_source" => "`vac.author` of prompts; a member of the session",
            note thread_source: Node<'a, 'a> = Some(value);
        "session_id" => "`vac.parent` of a subagent; a member of the session",
            note session_id: Node<'a, 'a> = Some(value);
        "parent_thread_id" => "`vac.parent`, `vac.relation`; a member of the session",
            note parent_thread_id: Node<'a, 'a> = Some(value);
        "forked_from_id" => "`vac.parent`, `vac.relation`; a member of the session",
            note forked_from_id: Node<'a, 'a> = Some(value);
        "history_base" => "`vac.parent`, `vac.relation`; a member of the session",
            note history_base: Node<'a, 'a> = Some(value);
        "history_mode" => "the variant; a member of the session",
            note history_mode: Node<'a, 'a> = Some(value);
        "subagent_history_start_ordinal" => "`vac.inherited` of lines before it",
            note history_start_ordinal: u64 = ordinal(value);
        "forked_from_ordinal_exclusive" | "originator" | "agent_nickname" | "agent_role"
        | "agent_path" => "a member of the session", keep;
        _ => keep;
    }
}

/// Members that state the origin of the session and who started it, in their order in the session.
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

/// The metadata that a session states.
#[derive(Default)]
pub(crate) struct Meta {
    /// The index of the frame that states it.
    pub index: u64,
    /// The session's id.
    pub id: Option<String>,
    /// The time at which the session began.
    pub timestamp: Option<AbstractTimestamp<'static>>,
    /// The folder that it worked in.
    pub working_dir: Option<String>,
    /// The version of the CLI.
    pub cli_version: Option<String>,
    /// The provider of the models.
    pub model_provider: Option<String>,
    /// The format of the session: `interactive` or `autonomous`.
    pub format: Option<&'static str>,
    /// The repository.
    pub vcs: Option<VcsContext<'static>>,
    /// The members about the session that this one came from.
    pub lineage: Rest<'static>,
    /// Whether its history may be in more than one file.
    pub is_paginated: bool,
    /// The ordinal of its first own line.
    pub history_start_ordinal: Option<u64>,
    /// The prompter of its turns.
    pub prompter: Prompter,
    /// The sessions that it came from.
    parents: Vec<Parent>,
}

impl Meta {
    /// Reads the payload of this frame.
    pub fn parse(payload: Node<'_, '_>, index: u64) -> Self {
        let meta = SessionMeta::read(payload, &[], &mut Report::default());
        let prompter = prompter(&meta);
        Self {
            index,
            id: owned(meta.id),
            working_dir: owned(meta.working_dir),
            cli_version: owned(meta.cli_version),
            model_provider: owned(meta.model_provider),
            format: meta.source.and_then(format),
            vcs: meta.git.and_then(vcs),
            lineage: lineage(&meta.rest),
            is_paginated: meta.history_mode.is_some_and(|mode| mode.is_text("paginated")),
            history_start_ordinal: meta.history_start_ordinal,
            prompter,
            parents: parents(&meta, prompter),
            timestamp: meta.timestamp.map(IntoOwned::into_owned),
        }
    }

    /// Returns the session of a thread of `codex exec`.
    pub fn from_thread(id: Option<String>, index: u64) -> Self {
        Self { index, id, format: Some("autonomous"), ..Self::default() }
    }

    /// Returns the session of a run of `codex exec` that prints its configuration first.
    pub fn from_setup(setup: Node<'_, '_>, index: u64) -> Self {
        Self {
            working_dir: owned(setup.member("workdir")),
            model_provider: owned(setup.member("provider")),
            ..Self::from_thread(None, index)
        }
    }

    /// Returns whether the session comes from the one with this id.
    pub fn comes_from(&self, id: &str) -> bool {
        self.is_another(id) && self.parents.iter().any(|parent| parent.session_id == id)
    }

    /// Returns the session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        self.parents.iter().find(|parent| self.is_another(&parent.session_id)).cloned()
    }

    /// Returns whether this is not the session's id.
    pub fn is_another(&self, id: &str) -> bool {
        self.id.as_deref() != Some(id)
    }

    /// Returns whether the session began before the one with this metadata, and does not come from
    /// it.
    pub fn is_older_than(&self, other: Node<'_, '_>) -> bool {
        let other = other.member("timestamp").and_then(clock::timestamp);
        let began = self.timestamp.as_ref().and_then(instant);
        began.is_some_and(|began| other.as_ref().and_then(instant) > Some(began))
    }

    /// Returns whether the session is older than the object with this id. Both ids begin with their
    /// times, if they are UUIDs of version 7.
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

/// Returns an ordinal, which some builds write as text.
fn ordinal(node: Node<'_, '_>) -> Option<u64> {
    node.uint().or_else(|| node.text()?.parse().ok())
}

fn lineage(members: &Rest<'_>) -> Rest<'static> {
    let member =
        |key: &&'static str| Some(((*key).into(), members.get(*key)?.clone().into_owned()));
    LINEAGE.iter().filter_map(member).collect()
}

/// Returns who starts the turns of a session.
fn prompter(meta: &SessionMeta<'_>) -> Prompter {
    let source = |key: &str| meta.source.and_then(|source| source.member(key));
    let is_source = |name: &str| meta.thread_source.is_some_and(|source| source.is_text(name));
    if source("subagent").is_some() || is_source("subagent") {
        Prompter::OtherAgent
    } else if source("internal").is_some() || is_source("memory_consolidation") {
        Prompter::Program
    } else {
        Prompter::User
    }
}

/// Returns the sessions that a session names as its origin, most specific first. `session_id` is
/// that of the session which started all others.
fn parents(meta: &SessionMeta<'_>, prompter: Prompter) -> Vec<Parent> {
    let is_subagent = prompter == Prompter::OtherAgent;
    let spawn = meta.source.and_then(|source| source.member("subagent")?.member("thread_spawn"));
    let fork = if is_subagent { Relation::Subagent } else { Relation::Fork };
    [
        (spawn.and_then(|spawn| spawn.member("parent_thread_id")), Relation::Subagent),
        (meta.parent_thread_id, fork),
        (meta.forked_from_id, fork),
        (meta.history_base.and_then(|base| base.member("thread_id")), fork),
        (meta.session_id.filter(|_| is_subagent), Relation::Subagent),
    ]
    .into_iter()
    .filter_map(|(id, relation)| Some(Parent { session_id: owned(id)?, relation }))
    .collect()
}
