//! The record around the entries of a session.

use vac_adapter::Parent;
use vac_adapter::members::{Members, Rest};
use vac_adapter::provider::provider;
use vac_adapter::time::Span;
use vac_record::annotations::Relation;
use vac_record::{
    AbstractTimestamp, AgentMeta, Environment, SessionId, SessionTrace, VcsContext,
    VerifiableAgentRecord,
};
use vac_value::{Any, Encode, EncodeError, Encoder, Encoding, IntoOwned, Kind, Map, Node};

use crate::annotate::SessionOrigin;
use crate::classify::{Class, Facts};
use crate::container::Objects;
use crate::models::SessionModels;
use crate::object::{Model, StoredObject, text};
use crate::secret;

/// Names that this adapter adds to the session's own.
const OURS: &[&str] = &["session_diff", "todo", "session_share", "session_model"];

/// The data of a session that is not entries.
#[derive(Default)]
pub(crate) struct SessionData {
    start: Option<AbstractTimestamp<'static>>,
    end: Option<AbstractTimestamp<'static>>,
    version: Option<String>,
    directory: Option<String>,
    worktree: Option<String>,
    vcs: Option<String>,
    sandboxes: Option<Vec<String>>,
    /// What is left of the project.
    project: Rest<'static>,
    /// What the session says besides.
    session: Rest<'static>,
    /// The project that the session names.
    pub project_id: Option<String>,
    /// The model that the session names, and who runs it.
    model: Option<Model<'static>>,
    /// The session that this one came from.
    parent: Option<Parent>,
    /// Whether its title says that it is a fork.
    is_called_fork: bool,
    /// The message, and the part of it, that the user went back to.
    reverted_to: Option<(String, Option<String>)>,
    taken: Vec<Class>,
}

impl SessionData {
    /// Takes a object in, if it is the first of its class and fits.
    pub fn take(&mut self, class: Class, node: Node<'_, '_>, id: &str) -> bool {
        // Empty arrays look the same, and there are at most two of them.
        let is_second = class == Class::Diffs && self.taken.contains(&class);
        let is_empty = node.elements().next().is_none();
        let class = if is_second && is_empty { Class::Todos } else { class };
        if !class.is_beside() || self.taken.contains(&class) || !fits(node) {
            return false;
        }
        match class {
            Class::Diffs => self.session.push(("session_diff".into(), tidy(node))),
            Class::Todos => self.session.push(("todo".into(), tidy(node))),
            Class::Models => self.session.push(("session_model".into(), tidy(node))),
            _ => {
                let Some(object) = Members::new(node) else { return false };
                match class {
                    Class::Session => {
                        self.parent = Facts::new(node).session_parent();
                        self.session(object, id);
                    }
                    Class::Project => self.project(object),
                    _ => self.share(object, id),
                }
            }
        }
        self.taken.push(class);
        true
    }

    fn session(&mut self, mut session: Members<'_, '_>, id: &str) {
        session.said("id", id);
        self.project_id = session.peek("projectID").and_then(Node::text).map(Into::into);
        self.model = session.peek("model").and_then(|model| {
            let name = text(model, "id").or_else(|| text(model, "modelID"))?;
            let provider = text(model, "providerID").map(Into::into);
            Some(Model { name: name.into(), provider })
        });
        self.is_called_fork =
            session.peek("title").and_then(Node::text).is_some_and(|title| is_fork_title(&title));
        self.reverted_to = session
            .peek("revert")
            .and_then(|revert| Some((text(revert, "messageID")?, text(revert, "partID"))));
        self.version = session.text("version").map(Into::into);
        let location = session.peek("location").and_then(|location| text(location, "directory"));
        self.directory = session.text("directory").map(Into::into).or(location);
        let mut left = None;
        if let Some(mut time) = session.object("time") {
            self.start = time.timestamp("created").map(IntoOwned::into_owned);
            self.end = time.timestamp("updated").map(IntoOwned::into_owned);
            left = time.remainder().map(|time| ("time".into(), time.into_owned()));
        }
        let named: Vec<_> = SessionTrace::KEYS.iter().chain(OURS).copied().collect();
        let share = secret::redact_inside(&mut session);
        let mut members = session.rest(&named).into_owned();
        members.extend(left);
        members.extend(share.map(|(name, share)| (name.into(), share.into_owned())));
        members.extend(std::mem::take(&mut self.session));
        self.session = members;
    }

    fn project(&mut self, mut project: Members<'_, '_>) {
        self.worktree = project.peek("worktree").and_then(Node::text).map(Into::into);
        self.vcs = project.text("vcs").map(Into::into);
        self.sandboxes = project.take_if("sandboxes", |sandboxes| {
            if sandboxes.kind() != Kind::Array {
                return None;
            }
            sandboxes.elements().map(|path| path.text().map(Into::into)).collect()
        });
        self.project = project.rest(&[]).into_owned();
    }

    fn share(&mut self, mut share: Members<'_, '_>, id: &str) {
        share.said("id", id);
        secret::redact(&mut share);
        let share = share.remainder().map(|share| ("session_share".into(), share.into_owned()));
        self.session.extend(share);
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
        if let Some(project) = vac_adapter::members::object(self.project.clone()) {
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
        let model = models.models.main_or_unknown();
        let runs = models.provider();
        AgentMeta {
            model_id: model.to_owned().into(),
            model_provider: runs.map_or_else(|| provider(model).into(), |it| it.to_owned().into()),
            models: models.models.listed(),
            cli_name: Some("opencode".into()),
            cli_version: self.version.clone().map(Into::into),
            extensions: Map::default(),
        }
    }

    /// The record without entries.
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
        VerifiableAgentRecord {
            version: vac_record::SCHEMA_VERSION.into(),
            id: id.to_owned().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(id.to_owned().into()),
                session_start: start.clone(),
                session_end: self.end.clone().or_else(|| span.last()),
                agent_meta: self.agent_meta(objects, all),
                environment: self.environment(objects, all),
                entries: Vec::new(),
                extensions: self.session.clone(),
            },
            created: start,
            file_attribution: None,
            vcs: self.vcs(),
            recording_agent: None,
            extensions: Map::default(),
        }
    }

    /// The session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        self.parent.clone()
    }

    /// What matters for the annotations of the objects.
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

    /// When the session began, to order sessions by.
    pub fn began(&self, objects: &[StoredObject<'_>]) -> u64 {
        match self.start {
            Some(AbstractTimestamp::Uint(start)) => start,
            _ => objects.iter().filter_map(|stored| stored.created).min().unwrap_or(u64::MAX),
        }
    }
}

/// Whether a title is that of a fork: `Fix the door (fork #2)`.
fn is_fork_title(title: &str) -> bool {
    let inside = title.strip_suffix(')').and_then(|title| title.rsplit_once(" (fork #"));
    inside.is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// A value without space between its tokens: it is written more than once.
fn tidy(node: Node<'_, '_>) -> Any<'static> {
    struct Whole<'d, 'a>(Node<'d, 'a>);
    impl Encode for Whole<'_, '_> {
        fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
            to.node(self.0)
        }
    }
    Any::from_value(&Whole(node), Encoding::Json).unwrap_or_else(|_| node.carry().into_owned())
}

/// Whether both encodings have something for all of it.
fn fits(node: Node<'_, '_>) -> bool {
    let mut nodes = node.index()..node.after();
    nodes.all(|index| !node.document().node(index).has_lone_surrogate())
}
