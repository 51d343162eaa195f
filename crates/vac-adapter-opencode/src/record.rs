//! The record around the entries of a session.

use vac_adapter::cursor::{Cursor, Rest, keys};
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::time::Span;
use vac_record::{
    AbstractTimestamp, AgentMeta, Environment, SessionId, SessionTrace, VcsContext,
    VerifiableAgentRecord,
};
use vac_value::{Any, Encode, EncodeError, Encoder, Encoding, Extensions, IntoOwned, Kind, Node};

use crate::classify::Class;
use crate::secret;
use crate::units::{Unit, text};

/// Names that are ours beside the session's own.
const OURS: &[&str] = &["session_diff", "todo", "session_share"];

/// What is told beside the entries.
#[derive(Default)]
pub(crate) struct Around {
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
    model: Option<(String, Option<String>)>,
    taken: Vec<Class>,
}

impl Around {
    /// Takes a unit in, if it is the first of its class and fits.
    pub fn take(&mut self, class: &Class, node: Node<'_, '_>, id: &str) -> bool {
        let hoists = matches!(
            class,
            Class::Session | Class::Project | Class::Share | Class::Diffs | Class::Todos
        );
        if !hoists || self.taken.contains(class) || !fits(node) {
            return false;
        }
        match class {
            Class::Diffs => self.session.push(("session_diff".into(), tidy(node))),
            Class::Todos => self.session.push(("todo".into(), tidy(node))),
            _ => {
                let Some(object) = Cursor::of(node) else { return false };
                match class {
                    Class::Session => self.session(object, id),
                    Class::Project => self.project(object),
                    _ => self.share(object, id),
                }
            }
        }
        self.taken.push(class.clone());
        true
    }

    fn session(&mut self, mut session: Cursor<'_, '_>, id: &str) {
        session.said("id", id);
        self.project_id = session.peek("projectID").and_then(Node::text).map(Into::into);
        self.model = session.peek("model").and_then(|model| {
            let name = text(model, "id").or_else(|| text(model, "modelID"))?;
            Some((name, text(model, "providerID")))
        });
        self.version = session.text("version").map(Into::into);
        self.directory = session.text("directory").map(Into::into);
        let mut left = None;
        if let Some(mut time) = session.object("time") {
            self.start = time.timestamp("created").map(IntoOwned::into_owned);
            self.end = time.timestamp("updated").map(IntoOwned::into_owned);
            left = time.remainder().map(|time| ("time".into(), time.into_owned()));
        }
        let named: Vec<_> = keys::SESSION.iter().chain(OURS).copied().collect();
        let share = secret::omit_inside(&mut session);
        let mut members = session.rest(&named).into_owned();
        members.extend(left);
        members.extend(share.map(|(name, share)| (name.into(), share.into_owned())));
        members.append(&mut self.session);
        self.session = members;
    }

    fn project(&mut self, mut project: Cursor<'_, '_>) {
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

    fn share(&mut self, mut share: Cursor<'_, '_>, id: &str) {
        share.said("id", id);
        secret::omit(&mut share);
        let share = share.remainder().map(|share| ("session_share".into(), share.into_owned()));
        self.session.extend(share);
    }

    fn vcs(&self) -> Option<VcsContext<'static>> {
        self.vcs.clone().map(|vcs| VcsContext {
            r#type: vcs.into(),
            revision: None,
            branch: None,
            repository: None,
            extensions: Extensions::default(),
        })
    }

    fn environment(&self, units: &[Unit]) -> Option<Environment<'static>> {
        let working_dir = self
            .directory
            .clone()
            .or_else(|| self.worktree.clone())
            .or_else(|| units.iter().find_map(|unit| unit.directory.clone()))?;
        let mut extensions = Extensions::default();
        if let Some(project) = vac_adapter::cursor::object(&self.project) {
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

    fn agent_meta(&self, units: &[Unit]) -> AgentMeta<'static> {
        let models = Models::of(units, self.model.as_ref());
        let (model, runs) = models.main();
        AgentMeta {
            model_id: model.to_owned().into(),
            model_provider: runs.map_or_else(|| provider(model).into(), |it| it.to_owned().into()),
            models: Some(models.0.iter().map(|model| model.name.clone().into()).collect()),
            cli_name: Some("opencode".into()),
            cli_version: self.version.clone().map(Into::into),
            extensions: Extensions::default(),
        }
    }

    /// The record without entries.
    pub fn record(&self, id: &str, units: &[Unit]) -> VerifiableAgentRecord<'static> {
        let mut span = Span::default();
        for unit in units.iter().filter(|unit| unit.class == Class::Message) {
            unit.created.iter().for_each(|created| span.add(&AbstractTimestamp::Uint(*created)));
        }
        let start = self.start.clone().or_else(|| span.first());
        VerifiableAgentRecord {
            version: "3.0.0-draft".into(),
            id: id.to_owned().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(id.to_owned().into()),
                session_start: start.clone(),
                session_end: self.end.clone().or_else(|| span.last()),
                agent_meta: self.agent_meta(units),
                environment: self.environment(units),
                entries: Vec::new(),
                extensions: self.session.clone(),
            },
            created: start,
            file_attribution: None,
            vcs: self.vcs(),
            recording_agent: None,
            extensions: Extensions::default(),
        }
    }

    /// When the session began, to order sessions by.
    pub fn began(&self, units: &[Unit]) -> u64 {
        match self.start {
            Some(AbstractTimestamp::Uint(start)) => start,
            _ => units.iter().filter_map(|unit| unit.created).min().unwrap_or(u64::MAX),
        }
    }
}

/// A value without space between its tokens: it is written more than once.
fn tidy(node: Node<'_, '_>) -> Any<'static> {
    struct Whole<'d, 'a>(Node<'d, 'a>);
    impl Encode for Whole<'_, '_> {
        fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
            to.node(self.0)
        }
    }
    Any::of(&Whole(node), Encoding::Json).unwrap_or_else(|_| node.carry().into_owned())
}

/// Whether both encodings have something for all of it.
fn fits(node: Node<'_, '_>) -> bool {
    let mut nodes = node.index()..node.after();
    nodes.all(|index| !node.document().node(index).has_lone_surrogate())
}

/// The models of a session, in the order of their appearance.
struct Models(Vec<Counted>);

struct Counted {
    name: String,
    provider: Option<String>,
    answers: u64,
}

impl Models {
    fn of(units: &[Unit], named: Option<&(String, Option<String>)>) -> Self {
        let mut models = Self(Vec::new());
        for unit in units {
            if let Some(model) = &unit.model {
                models.add(&model.name, model.provider.as_ref(), u64::from(!unit.is_user));
            }
        }
        if let (true, Some((name, provider))) = (models.0.is_empty(), named) {
            models.add(name, provider.as_ref(), 0);
        }
        models
    }

    fn add(&mut self, name: &str, provider: Option<&String>, answers: u64) {
        match self.0.iter_mut().find(|model| model.name == name) {
            Some(model) => {
                model.answers += answers;
                if model.provider.is_none() {
                    model.provider = provider.cloned();
                }
            }
            None => {
                let (name, provider) = (name.to_owned(), provider.cloned());
                self.0.push(Counted { name, provider, answers });
            }
        }
    }

    /// The model that gave most answers, and who runs it; of equals the first.
    fn main(&self) -> (&str, Option<&str>) {
        let most = self.0.iter().map(|model| model.answers).max();
        let main = self.0.iter().find(|model| Some(model.answers) == most);
        main.map_or((UNKNOWN, None), |model| (&model.name, model.provider.as_deref()))
    }
}
