//! Implements the second pass: converts one session to entries.

use std::collections::HashSet;
use std::rc::Rc;

use vac_adapter::adapter::Parent;
use vac_adapter::bare_record::BareRecord;
use vac_adapter::frame::{Content, Frame, Place, Raw};
use vac_adapter::provider::provider;
use vac_adapter::raw::push;
use vac_adapter::{Error, Input, Log, Origin, Session, Sink};
use vac_record::annotations::Relation;
use vac_record::{AgentMeta, Entry, Environment, VerifiableAgentRecord};
use vac_value::{Map, Node};

use crate::attachment::{Attachments, Links, is_hash_of};
use crate::content::Calls;
use crate::facts::Summary;
use crate::message::{Entries, Maker};
use crate::message_content::message_type;
use crate::message_versions::{Key, MessageVersions, State, Version};
use crate::native::Form;
use crate::session_builder::{Segment, SessionBuilder};
use crate::user_message_kind::Position;
use crate::walk::{self, Around, Piece, Role, Shape, Slot};
use crate::{event, message};

/// A session, and the facts about it.
pub(crate) struct Surveyed<'i> {
    id: String,
    form: Form,
    log: Rc<Log<'i>>,
    segments: Vec<Segment>,
    summary: Summary,
    model: String,
    working_dir: Option<String>,
    /// The id of the session that started this one.
    parent: Option<String>,
    /// Whether another agent wrote the prompts.
    is_subagent: bool,
    /// Whether the log states another hash of the project than that of the stated folder.
    is_elsewhere: bool,
    versions: MessageVersions,
    answered: HashSet<Key>,
    attachments: Attachments<'i>,
    /// The number of files of the log.
    parts: usize,
    links: Option<Links>,
    /// The number of entries of the log.
    entries: u64,
}

impl<'i> Surveyed<'i> {
    /// Creates a session from the result of a survey.
    pub fn new(
        id: String,
        mut builder: SessionBuilder,
        input: &'i dyn Input,
        log: &Rc<Log<'i>>,
        attachments: Attachments<'i>,
    ) -> Self {
        let mut summary = builder.facts.summary(input.name());
        let form = builder.variant();
        let entries = builder.entries - u64::from(summary.is_hoisted);
        let root = attachments.project_root.clone();
        let hash = summary.project_hash.clone();
        let is_verified =
            |folder: &String| hash.as_deref().is_some_and(|hash| is_hash_of(hash, folder));
        let folders: Vec<_> = root.iter().chain(&summary.folders).collect();
        let verified = folders.iter().find(|folder| is_verified(folder));
        let working_dir = verified.or(folders.first()).map(|folder| (*folder).clone());
        let is_elsewhere = root.as_ref().is_some_and(|root| hash.is_some() && !is_verified(root));
        if let Some(root) = root.filter(|root| Some(root) != working_dir.as_ref()) {
            push(&mut summary.rest, "project-root", root.as_str());
        }
        let text = |key: &str| {
            let document = summary.rest.get(key)?.document().ok()?;
            document.root().text().map(std::borrow::Cow::into_owned)
        };
        let parent = text("parentSessionId").or_else(|| parent(input.folder()).map(str::to_owned));
        let is_subagent = parent.is_some() || text("kind").is_some_and(|kind| kind == "subagent");
        Self {
            id,
            form,
            log: Rc::clone(log),
            segments: builder.segments,
            summary,
            model: builder.facts.model().to_owned(),
            working_dir,
            parent,
            is_subagent,
            is_elsewhere,
            versions: builder.versions,
            answered: builder.answered,
            attachments,
            parts: input.parts().len().max(1),
            links: builder.links,
            entries,
        }
    }
}

/// Returns the session that started the subagent of a file, whose folder is `chats/<id>`.
pub(crate) fn parent(folder: &str) -> Option<&str> {
    let (before, parent) = folder.trim_end_matches('/').rsplit_once('/')?;
    let above = before.rsplit('/').next();
    (above == Some("chats") && !parent.is_empty()).then_some(parent)
}

impl Session for Surveyed<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::Gemini)
    }

    fn variant(&self) -> &'static str {
        self.form.name()
    }

    fn parent(&self) -> Option<Parent> {
        let session_id = self.parent.clone()?;
        Some(Parent { session_id, relation: Relation::Subagent })
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let Summary { start, end, rest, models, .. } = &self.summary;
        let models: Vec<_> = models.iter().map(|model| model.clone().into()).collect();
        let agent_meta = AgentMeta {
            model_id: self.model.clone().into(),
            model_provider: provider(&self.model).into(),
            models: (!models.is_empty()).then_some(models),
            cli_name: Some(crate::CLI_NAME.into()),
            cli_version: None,
            extensions: Map::default(),
        };
        let environment = self.working_dir.clone().map(|working_dir| Environment {
            working_dir: working_dir.into(),
            vcs: None,
            sandboxes: None,
            extensions: Map::default(),
        });
        BareRecord {
            id: &self.id,
            format: None,
            start: start.clone(),
            end: end.clone(),
            agent_meta,
            environment,
            vcs: None,
            extensions: rest.clone(),
        }
        .record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        if self.is_elsewhere {
            sink.report().warn("projectHash is not the hash of the folder in .project_root");
        }
        let calls = Calls::new(&self.answered);
        let mut reader = Reader {
            session: self,
            calls,
            messages: 0,
            is_turn_open: true,
            has_head: false,
            lines: Lines::default(),
        };
        for segment in &self.segments {
            self.log.range(segment.file, segment.frames.clone(), |frame| {
                sink.report().frames += 1;
                let mut show =
                    |number, piece: Piece<'_, '_, '_>| reader.piece(frame, number, &piece, sink);
                if segment.picked.is_empty() {
                    Shape::new(frame).each(frame, &mut show)
                } else {
                    walk::picked(frame, &segment.picked, &mut show)
                }
            })?;
        }
        self.attachments.entries(self.parts, self.links.as_ref(), sink)
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.entries + self.attachments.count()?)
    }
}

/// Reads entries.
struct Reader<'s> {
    session: &'s Surveyed<'s>,
    calls: Calls<'s>,
    /// The number of messages so far.
    messages: usize,
    /// Whether a turn began whose end the log has not stated.
    is_turn_open: bool,
    /// Whether the head of the session has been seen.
    has_head: bool,
    lines: Lines,
}

impl<'s> Reader<'s> {
    fn piece(
        &mut self,
        frame: &Frame<'_>,
        number: u64,
        piece: &Piece<'_, '_, '_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let place = frame.place;
        match piece {
            Piece::Around(around) => self.around(around, place, sink),
            Piece::Element(slot, node, is_summary) => {
                let position = Position { is_summary: *is_summary, ..self.position() };
                self.element(*slot, *node, place, number, position, sink)
            }
            Piece::Raw(slot, raw) => {
                let version = self.version(*slot)?;
                let original = self.original(*slot);
                let place = self.lines.place(frame, raw.bytes);
                let id = || piece_id(frame.place, number);
                let report = sink.report();
                let position = self.position();
                let calls = &mut self.calls;
                let mut maker = Maker { place_id: &id, version, original, position, calls, report };
                let entry = event::raw(raw, place, &mut maker);
                sink.entry(entry, Origin { place, bytes: raw.bytes })
            }
        }
    }

    fn version(&mut self, slot: Slot) -> Result<Version, Error> {
        if slot != Slot::Message {
            return Ok(Version::default());
        }
        self.messages += 1;
        let version = self.session.versions.version(self.messages - 1);
        version.ok_or(Error::Changed { file: None })
    }

    /// Opens a turn at a message of the user or the model, and closes it at its stated end.
    fn follow_turn(&mut self, message: Node<'_, '_>, version: Version) {
        let kind = message.member("type").and_then(Node::text);
        let end = kind.and_then(|kind| event::turn_end(&kind, message.member("content")));
        if end.is_some() {
            self.is_turn_open = false;
        } else if version.state != State::Repeated && message_type(message).is_some() {
            self.is_turn_open = true;
        }
    }

    fn position(&self) -> Position {
        Position {
            is_summary: false,
            is_subagent: self.session.is_subagent,
            is_turn_open: self.is_turn_open,
        }
    }

    /// Returns the id of the message that the last one repeats.
    fn original(&self, slot: Slot) -> Option<&'s str> {
        let number = self.messages.checked_sub(1).filter(|_| slot == Slot::Message)?;
        self.session.versions.original_id(number)
    }

    fn element(
        &mut self,
        slot: Slot,
        node: Node<'_, '_>,
        place: Place,
        number: u64,
        position: Position,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let version = self.version(slot)?;
        let original = self.original(slot);
        let id = || piece_id(place, number);
        let origin = Origin { place, bytes: node.raw() };
        let report = sink.report();
        let calls = &mut self.calls;
        let maker = &mut Maker { place_id: &id, version, original, position, calls, report };
        let (first, more) = match slot {
            Slot::Message => message::entries(node, maker),
            Slot::Content => message::content(node, maker),
            Slot::Prompt => one(message::prompt(node, maker, &self.session.id)),
            Slot::Call => one(event::call(node, maker)),
            Slot::Display => one(event::display(node, maker)),
            Slot::Rewind => one(event::rewind(node, maker)),
            Slot::Operation => one(event::operation(node, maker)),
            Slot::Other => one(event::other(node, maker)),
        };
        if slot == Slot::Message {
            self.follow_turn(node, version);
        }
        sink.entry(first, origin)?;
        more.into_iter().try_for_each(|entry| sink.entry(entry, origin))
    }

    /// Returns an entry for the members around lists, unless the record's head contains them.
    fn around(
        &mut self,
        around: &Around<'_, '_>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let is_first = around.role == Role::Head && !std::mem::replace(&mut self.has_head, true);
        if let Some((bytes, reason)) = &around.raw {
            let raw = Raw { bytes, reason: reason.clone(), document: None };
            let id = || place.id();
            let (version, report) = (Version::default(), sink.report());
            let original = None;
            let (position, calls) = (self.position(), &mut self.calls);
            let maker = &mut Maker { place_id: &id, version, original, position, calls, report };
            let entry = event::raw(&raw, place, maker);
            return sink.entry(entry, Origin { place, bytes });
        }
        let bytes = match around.lists().next() {
            None => around.node.raw(),
            Some(_) => &around.text(),
        };
        let entry = match around.role {
            Role::Set => event::set(around, place.id(), sink.report()),
            Role::Head if is_first => {
                // The first pass has read the head and did not report on it.
                around.head(&[], true, sink.report());
                let replaced = &self.session.summary.replaced;
                (!replaced.is_empty()).then(|| event::header(replaced.clone(), place.id()))
            }
            Role::Head => Some(event::continued(around, place.id(), sink.report())),
        };
        match entry {
            Some(entry) => sink.entry(entry, Origin { place, bytes }),
            None => Ok(()),
        }
    }
}

fn one(entry: Entry<'_>) -> Entries<'_> {
    (entry, Vec::new())
}

/// Returns an id for a piece of a frame: the id of the frame and the number of the piece.
fn piece_id(place: Place, number: u64) -> String {
    match number {
        0 => place.id(),
        number => format!("{}#{number}", place.id()),
    }
}

/// Counts the lines of a frame. It continues from the last position, because most pieces are in
/// order.
#[derive(Debug, Default)]
struct Lines {
    frame: Place,
    /// The byte of the frame up to which lines are counted, and their number.
    at: usize,
    count: u64,
}

impl Lines {
    /// Returns the place of bytes of a frame.
    fn place(&mut self, frame: &Frame<'_>, bytes: &[u8]) -> Place {
        let all = match &frame.content {
            Content::Document(document) => document.root().raw(),
            Content::Raw(raw) => raw.bytes,
        };
        let before = (bytes.as_ptr() as usize).saturating_sub(all.as_ptr() as usize);
        // The bytes of a piece that was joined from several are not part of the frame.
        let before = if before <= all.len() { before } else { 0 };
        if frame.place != self.frame || before < self.at {
            *self = Self { frame: frame.place, at: 0, count: 0 };
        }
        self.count +=
            all[self.at..before].iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        self.at = before;
        Place { line: frame.place.line + self.count, ..frame.place }
    }
}
