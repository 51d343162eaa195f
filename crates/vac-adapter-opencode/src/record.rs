//! Builds the record around the entries of a session.

use vac_adapter::bare_record::{BareRecord, agent_meta};
use vac_adapter::members::{Rest, keys, object};
use vac_adapter::time::Span;
use vac_adapter::{Parent, Report, mapping};
use vac_record::annotations::Relation;
use vac_record::{
    AbstractTimestamp, AgentMeta, Environment, SessionTrace, VcsContext, VerifiableAgentRecord,
};
use vac_value::{Any, Encode, EncodeError, Encoder, Encoding, IntoOwned, Kind, Map, Node, Text};

use crate::annotate::SessionOrigin;
use crate::classify::{Class, Facts};
use crate::container::Objects;
use crate::models::SessionModels;
use crate::object::{Model, StoredObject, as_map, push, text};
use crate::secret::{self, Share};
use crate::time::{self, TimeKeys};

/// The keys that this adapter adds to the native keys of a session.
const OURS: &[&str] = &["session_diff", "todo", "session_share", "session_model"];

/// The keys of a session that have a canonical meaning.
const NAMED: &[&str] =
    &keys::with::<{ SessionTrace::KEYS.len() + OURS.len() }>(&SessionTrace::KEYS, OURS);

mapping! {
    /// The object of a session. The members that are kept are in `session`.
    pub(crate) struct SessionObject<'a>("session"; key, value, id: &str) {
        "id" => "`id`, `session-id`; kept if it is another", stated = value.is_text(id);
        "version" => "`cli-version`", take version: Text<'a> = value.text();
        "directory" => "`working-dir`", take directory: Text<'a> = value.text();
        "location" => "its `directory` is `working-dir` where `directory` is absent",
            note location: String = text(value, "directory");
        "time" => "its `created` is `session-start`, its `updated` is `session-end`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "share" => "without its secret",
            take share: Node<'a, 'a> = secret::is_redacted(value).then_some(value);
        "projectID" => "the project that is in `environment`",
            note project_id: Text<'a> = value.text();
        "model" => "`models`", note model: Model<'static> = read_model(value);
        "title" => "`vac.inherited` of entries, if it is that of a fork",
            note title: Text<'a> = value.text();
        "revert" => "`vac.superseded` of entries",
            note reverted_to: (String, Option<String>) = read_revert(value);
        "parentID" | "forkSessionID" | "fork" => "`vac.parent` of the session, `vac.author` of prompts",
            keep;
        "slug" | "path" | "agent" | "summary" | "cost" | "tokens" | "permission" | "metadata"
        | "workspaceID" | "forkBoundary" | "resume_attempts" => "", keep;
    }
}

mapping! {
    /// A project. What is kept is in `environment.project`.
    pub(crate) struct Project<'a>("project"; key, value) {
        "worktree" => "`working-dir`, if the session states none",
            note worktree: Text<'a> = value.text();
        "vcs" => "`vcs.type`", take vcs: Text<'a> = value.text();
        "sandboxes" => "`sandboxes`", take sandboxes: Vec<String> = read_sandboxes(value);
        "id" | "time" | "name" | "icon" | "commands" | "vcsDir" => "", keep;
    }
}

/// Returns the model that `model` of a session names.
fn read_model(model: Node<'_, '_>) -> Option<Model<'static>> {
    let name = text(model, "id").or_else(|| text(model, "modelID"))?;
    let provider = text(model, "providerID").map(Into::into);
    Some(Model { name: name.into(), provider })
}

/// Returns the message, and the part of it, that `revert` of a session names.
fn read_revert(revert: Node<'_, '_>) -> Option<(String, Option<String>)> {
    Some((text(revert, "messageID")?, text(revert, "partID")))
}

/// Returns the paths of an array, if all of its elements are texts.
fn read_sandboxes(sandboxes: Node<'_, '_>) -> Option<Vec<String>> {
    if sandboxes.kind() != Kind::Array {
        return None;
    }
    sandboxes.elements().map(|path| path.text().map(Into::into)).collect()
}

/// The data of a session other than its entries.
#[derive(Default)]
pub(crate) struct SessionData {
    start: Option<AbstractTimestamp<'static>>,
    end: Option<AbstractTimestamp<'static>>,
    version: Option<String>,
    directory: Option<String>,
    worktree: Option<String>,
    vcs: Option<String>,
    sandboxes: Option<Vec<String>>,
    /// The other members of the project.
    project: Rest<'static>,
    /// The other members of the session.
    session: Rest<'static>,
    /// The project that the session names.
    pub project_id: Option<String>,
    /// The model that the session names, with its provider.
    model: Option<Model<'static>>,
    /// The session that this one came from.
    parent: Option<Parent>,
    /// Whether its title states that it is a fork.
    is_called_fork: bool,
    /// The message, and the part of it, to which the user went back.
    reverted_to: Option<(String, Option<String>)>,
    taken: Vec<Class>,
    /// The report on the objects of the session's data.
    pub report: Report,
}

impl SessionData {
    /// Adds an object, if it is the first of its class and has the expected form.
    pub fn take(&mut self, class: Class, node: Node<'_, '_>, id: &str) -> bool {
        // There are at most two empty arrays, and they are equal.
        let is_second = class == Class::Diffs && self.taken.contains(&class);
        let is_empty = node.elements().next().is_none();
        let class = if is_second && is_empty { Class::Todos } else { class };
        if !class.is_session_data() || self.taken.contains(&class) || !fits(node) {
            return false;
        }
        match class {
            Class::Diffs => self.session.push(("session_diff".into(), tidy(node))),
            Class::Todos => self.session.push(("todo".into(), tidy(node))),
            Class::Models => self.session.push(("session_model".into(), tidy(node))),
            _ => {
                if node.kind() != Kind::Map {
                    return false;
                }
                match class {
                    Class::Session => self.session(node, id),
                    Class::Project => self.project(node),
                    _ => self.share(node, id),
                }
            }
        }
        self.taken.push(class);
        true
    }

    fn session(&mut self, node: Node<'_, '_>, id: &str) {
        self.parent = Facts::new(node).session_parent();
        let session = SessionObject::read(node, NAMED, id, &mut self.report);
        self.project_id = session.project_id.map(Into::into);
        self.model = session.model;
        self.is_called_fork = session.title.is_some_and(|title| is_fork_title(&title));
        self.reverted_to = session.reverted_to;
        self.version = session.version.map(Into::into);
        self.directory = session.directory.map(Into::into).or(session.location);
        let mut members = session.rest;
        let keys = TimeKeys { start: "created", end: Some("updated") };
        let time = time::read(session.time, keys, &mut members, &mut self.report);
        self.start = time.start.map(IntoOwned::into_owned);
        self.end = time.end.map(IntoOwned::into_owned);
        let share = session.share.and_then(|share| secret::kept(share, &mut self.report));
        push(&mut members, "share", share);
        let before = std::mem::replace(&mut self.session, members.into_owned());
        self.session.extend(before);
    }

    fn project(&mut self, node: Node<'_, '_>) {
        let Project { worktree, vcs, sandboxes, rest } = Project::read(node, &[], &mut self.report);
        self.worktree = worktree.map(Into::into);
        self.vcs = vcs.map(Into::into);
        self.sandboxes = sandboxes;
        self.project = rest.into_owned();
    }

    fn share(&mut self, node: Node<'_, '_>, id: &str) {
        let share = Share::read(node, &[], Some(id), &mut self.report).rest;
        push(&mut self.session, "session_share", object(share.into_owned()));
    }

    fn vcs(&self) -> Option<VcsContext<'static>> {
        self.vcs.clone().map(|vcs| VcsContext {
            kind: vcs.into(),
            revision: None,
            branch: None,
            repository: None,
            extensions: Map::default(),
        })
    }

    fn environment(
        &self,
        objects: &[StoredObject<'_>],
        all: &Objects<'_>,
    ) -> Option<Environment<'static>> {
        let of_message = || objects.iter().find_map(|stored| stored.directory);
        let working_dir = self
            .directory
            .clone()
            .or_else(|| self.worktree.clone())
            .or_else(|| of_message().map(|number| all.directories.name(number).to_owned()))?;
        let mut extensions = Map::default();
        if let Some(project) = object(self.project.clone()) {
            extensions.push(("project".into(), project));
        }
        Some(Environment {
            working_dir: working_dir.into(),
            vcs: self.vcs(),
            sandboxes: self
                .sandboxes
                .as_ref()
                .map(|paths| paths.iter().map(|path| path.clone().into()).collect()),
            extensions,
        })
    }

    fn agent_meta(&self, objects: &[StoredObject<'_>], all: &Objects<'_>) -> AgentMeta<'static> {
        let models = SessionModels::new(objects, &all.models, self.model.as_ref());
        let cli_version = self.version.clone().map(Into::into);
        let mut meta = agent_meta(&models.models, Some("opencode".into()), cli_version);
        if let Some(provider) = models.provider() {
            meta.model_provider = provider.to_owned().into();
        }
        meta
    }

    /// Returns the record without entries.
    pub fn record(
        &self,
        id: &str,
        objects: &[StoredObject<'_>],
        all: &Objects<'_>,
    ) -> VerifiableAgentRecord<'static> {
        let mut span = Span::default();
        let has_time =
            |stored: &&StoredObject<'_>| stored.is_message() || stored.class == Class::Captured;
        for stored in objects.iter().filter(has_time) {
            stored.created.iter().for_each(|created| span.add(&AbstractTimestamp::Uint(*created)));
        }
        let start = self.start.clone().or_else(|| span.first());
        let end = self.end.clone().or_else(|| span.last());
        BareRecord {
            id,
            format: None,
            start,
            end,
            agent_meta: self.agent_meta(objects, all),
            environment: self.environment(objects, all),
            vcs: self.vcs(),
            extensions: self.session.clone(),
        }
        .record()
    }

    /// Returns the session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        self.parent.clone()
    }

    /// Returns the facts on which the annotations of the objects depend.
    pub fn origin(&self) -> SessionOrigin<'_> {
        let reverted_to = self.reverted_to.as_ref();
        let relation = self.parent.as_ref().map(|parent| parent.relation);
        SessionOrigin {
            is_subagent: relation == Some(Relation::Subagent),
            is_fork: relation == Some(Relation::Fork) || self.is_called_fork,
            created: match self.start {
                Some(AbstractTimestamp::Uint(start)) => Some(start),
                _ => None,
            },
            reverted_to: reverted_to.map(|(message, part)| (message.as_str(), part.as_deref())),
        }
    }

    /// Returns the time at which the session began. Sessions are ordered by it.
    pub fn began(&self, objects: &[StoredObject<'_>]) -> u64 {
        match self.start {
            Some(AbstractTimestamp::Uint(start)) => start,
            _ => objects.iter().filter_map(|stored| stored.created).min().unwrap_or(u64::MAX),
        }
    }
}

/// Returns whether a title is that of a fork, such as `Fix the door (fork #2)`.
fn is_fork_title(title: &str) -> bool {
    let inside = title.strip_suffix(')').and_then(|title| title.rsplit_once(" (fork #"));
    inside.is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Returns a value without whitespace between its tokens.
fn tidy(node: Node<'_, '_>) -> Any<'static> {
    struct Whole<'d, 'a>(Node<'d, 'a>);
    impl Encode for Whole<'_, '_> {
        fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
            to.node(self.0)
        }
    }
    Any::from_value(&Whole(node), Encoding::Json).unwrap_or_else(|_| node.carry().into_owned())
}

/// Returns whether both encodings can express the value.
fn fits(node: Node<'_, '_>) -> bool {
    let mut nodes = node.index()..node.after();
    nodes.all(|index| !node.document().node(index).has_lone_surrogate())
}
