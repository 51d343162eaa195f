//! Reads the objects of a store from any container: separate documents, an export, a shared
//! session, or the lines of a capture.

use std::collections::HashMap;

use vac_adapter::damaged::{Piece, Pieces};
use vac_adapter::frame::{Content, Frame, Place, Raw};
use vac_adapter::redact::Redactor;
use vac_record::annotations::{Author, Ending};
use vac_value::{Document, Kind, Node, Text};

use crate::classify::{Class, Facts, array, is_a, is_flat, is_shared};
use crate::damaged_export;
use crate::message::role;
use crate::message_2025::{self, MessageFacts};
use crate::names::{Names, Number};
use crate::object::{Model, Notes, Redaction, RowPlace, StoredObject, Words};
use crate::{outcome, prompt_rules, secret, session_message, tool};

/// All objects of an input, in its order, and the names that they share.
#[derive(Debug, Default)]
pub(crate) struct Objects<'a> {
    /// The objects.
    pub all: Vec<StoredObject<'a>>,
    /// The ids of sessions.
    pub sessions: Names<'a>,
    /// The ids of messages.
    pub messages: Names<'a>,
    /// The names of unknown members of exports.
    pub members: Names<'a>,
    /// The directories of messages.
    pub directories: Names<'a>,
    /// The models of messages.
    pub models: Vec<Model<'a>>,
    model_numbers: HashMap<Model<'a>, Number>,
    /// The containers in which they were found.
    pub form: Form,
}

/// The containers in which objects were found. If there are several, the last one in this list is
/// the variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Objects as separate documents.
    #[default]
    Objects,
    /// Messages that contain their parts.
    Early,
    /// Rows of a database.
    Rows,
    /// A capture.
    Capture,
    /// A shared session.
    Share,
    /// An export.
    Export,
}

/// The facts that a container states about its objects.
#[derive(Clone, Copy, Default)]
struct Around {
    session: Option<Number>,
    message: Option<Number>,
    /// Whether the container decides what its objects belong to, and not their ids.
    is_nested: bool,
}

impl<'a> Objects<'a> {
    /// Adds the objects of a frame. `keep` returns the part of a text that is kept: the text
    /// itself, if the frame stays in memory. `redactor` has read all frames before it.
    pub fn add<'f>(
        &mut self,
        frame: &Frame<'f>,
        redactor: &mut Redactor,
        keep: fn(Text<'f>) -> Text<'a>,
    ) {
        redactor.enter(frame.place);
        let mut adding = Adding { objects: self, place: frame.place, part: 0, redactor, keep };
        match &frame.content {
            Content::Raw(raw) => adding.bad(raw, frame),
            Content::Document(document) => {
                let is_redacted = adding.redactor.is_redacted(frame);
                adding.document(document.root());
                // A value that is neither object nor array is one object.
                if let (true, Some(stored)) = (is_redacted, self.all.last_mut()) {
                    stored.redaction = Redaction::Whole;
                }
            }
        }
    }

    /// Returns the number of a model.
    fn model(&mut self, model: Model<'a>) -> Option<Number> {
        if let Some(number) = self.model_numbers.get(&model) {
            return Some(*number);
        }
        let number = Number::try_from(self.models.len()).ok()?;
        self.model_numbers.insert(model.clone(), number);
        self.models.push(model);
        Some(number)
    }
}

/// Adds the objects of one frame.
struct Adding<'u, 'a, 'f> {
    objects: &'u mut Objects<'a>,
    place: Place,
    /// The number of objects that have been added of a frame with several objects.
    part: u64,
    redactor: &'u mut Redactor,
    keep: fn(Text<'f>) -> Text<'a>,
}

impl<'f> Adding<'_, '_, 'f> {
    fn document(&mut self, root: Node<'_, 'f>) {
        let facts = Facts::new(root);
        if let Some((info, messages)) = facts.export() {
            self.export(root, info, messages);
        } else if root.kind() == Kind::Array && is_shared(root) {
            self.shared(root);
        } else {
            let class = if root.kind() == Kind::Array { array(root) } else { facts.class() };
            self.seen(match class {
                Class::Captured => Form::Capture,
                Class::Message2025 => Form::Early,
                _ if facts.row_time.is_some() => Form::Rows,
                _ => Form::Objects,
            });
            self.add(root, &facts, class, Around::default());
        }
    }

    fn seen(&mut self, form: Form) {
        self.objects.form = self.objects.form.max(form);
    }

    fn export(&mut self, root: Node<'_, 'f>, info: Node<'_, 'f>, messages: Node<'_, 'f>) {
        self.seen(Form::Export);
        let facts = Facts::new(info);
        let session = self.session(facts.id);
        let around = Around { session, message: None, is_nested: true };
        self.next(info, &facts, Class::Session, around);
        for message in messages.elements() {
            self.exported(message, around);
        }
        for (key, value) in root.members() {
            if key.is_text("todos") && value.kind() == Kind::Array {
                self.next(value, &Facts::default(), Class::Todos, around);
            } else if !key.is_text("info") && !key.is_text("messages") {
                self.member(name(key), value, around);
            }
        }
    }

    /// Adds an element of the messages of an export.
    fn exported(&mut self, message: Node<'_, 'f>, around: Around) {
        if message.kind() != Kind::Map {
            return self.next(message, &Facts::default(), Class::Other, around);
        }
        if is_flat(message) {
            return self.flat_message(message, around);
        }
        let info = message.member("info").filter(|info| info.kind() == Kind::Map);
        let id = info.and_then(|info| info.member("id"));
        let inside = Around { message: Some(self.nested_message(id)), ..around };
        for (key, value) in message.members() {
            if key.is_text("parts") && value.kind() == Kind::Array {
                value.elements().for_each(|part| self.part(part, inside));
            } else if key.is_text("info") && value.kind() == Kind::Map {
                self.info(value, inside);
            } else {
                self.member(name(key), value, around);
            }
        }
    }

    /// Adds a message of an export of version 2, which contains its parts.
    fn flat_message(&mut self, message: Node<'_, 'f>, around: Around) {
        let facts = Facts::new(message);
        if facts.is_session_message() {
            let number = self.nested_message(facts.id);
            let inside = Around { message: Some(number), ..around };
            self.next(message, &facts, Class::SessionMessage, inside);
        } else {
            self.next(message, &facts, Class::Other, around);
        }
    }

    /// Adds the members of a message of an export.
    fn info(&mut self, info: Node<'_, 'f>, inside: Around) {
        let facts = Facts::new(info);
        let class = facts.class();
        let is_message =
            matches!(class, Class::Message | Class::Message2025 | Class::SessionMessage);
        let message = inside.message.filter(|_| is_message);
        self.next(info, &facts, class, Around { message, ..inside });
    }

    /// Adds a part of an exported message, which belongs to that message even if it names another
    /// one.
    fn part(&mut self, part: Node<'_, 'f>, around: Around) {
        let facts = Facts::new(part);
        if is_a(facts.kind, Kind::Text) && around.message.is_some() {
            self.next(part, &facts, Class::Part, around);
        } else {
            self.next(part, &facts, facts.class(), Around { message: None, ..around });
        }
    }

    fn member(&mut self, name: Text<'f>, value: Node<'_, 'f>, around: Around) {
        if value.kind() == Kind::Null {
            return;
        }
        let share = (name == secret::SHARE).then_some(value);
        let name = self.objects.members.number(name, self.keep);
        self.next(value, &Facts { share, ..Facts::default() }, Class::Member(name), around);
    }

    fn shared(&mut self, root: Node<'_, 'f>) {
        self.seen(Form::Share);
        let mut around = Around::default();
        root.elements().for_each(|element| self.shared_element(element, &mut around));
    }

    fn shared_element(&mut self, element: Node<'_, 'f>, around: &mut Around) {
        let facts = Facts::new(element);
        let inside = facts.data.map(Facts::new).unwrap_or_default();
        let class = shared_class(&facts, facts.data, &inside);
        let Some((data, class)) = facts.data.zip(class) else {
            return self.next(element, &facts, Class::Other, *around);
        };
        if class == Class::Session {
            around.session = self.session(inside.id);
        }
        self.next(data, &inside, class, *around);
        for (key, value) in element.members() {
            if !key.is_text("type") && !key.is_text("data") {
                self.member(name(key), value, *around);
            }
        }
    }

    /// Adds the next object of a frame that contains several.
    fn next(&mut self, node: Node<'_, 'f>, facts: &Facts<'_, 'f>, class: Class, around: Around) {
        self.part += 1;
        self.place.part = self.part;
        self.add(node, facts, class, around);
    }

    fn add(&mut self, node: Node<'_, 'f>, facts: &Facts<'_, 'f>, class: Class, around: Around) {
        let inner = facts.part.filter(|_| class == Class::Captured).map(Facts::new);
        let of = inner.as_ref().unwrap_or(facts);
        let is_early = class == Class::Message2025;
        let early = if is_early { MessageFacts::new(facts) } else { MessageFacts::default() };
        let is_message =
            matches!(class, Class::Message | Class::Message2025 | Class::SessionMessage);
        let session = match class {
            Class::Session | Class::Share => self.session(facts.id),
            Class::Project => None,
            Class::Message2025 => self.session(early.session),
            _ => self.session(facts.session),
        };
        let session = match around.session {
            Some(outer) if around.is_nested => Some(outer),
            outer => session.or(outer),
        };
        let nested = around.message.filter(|_| around.is_nested);
        let time = if is_early { early.time } else { facts.time };
        let path = if is_early { early.path } else { facts.path };
        let sequence = facts.sequence.and_then(Node::uint);
        let is_row = class == Class::SessionMessage
            || (class == Class::Other && facts.session.is_some() && facts.row_time.is_some());
        let stored = StoredObject {
            class,
            place: self.place,
            node: node.index(),
            size: node.raw().len(),
            session,
            message: match nested {
                Some(message) => Some(message),
                None if is_message => self.message(facts.id),
                None => self.message(of.message).or(around.message),
            },
            is_nested: nested.is_some() || (class == Class::SessionMessage && sequence.is_some()),
            id: of.id.and_then(Node::text).map(self.keep),
            created: match class {
                Class::Captured => facts.timestamp.and_then(Node::uint),
                Class::SessionMessage if time.is_none() => facts.row_time.and_then(Node::uint),
                _ => time.and_then(|time| time.member("created")?.uint()),
            },
            is_user: match class {
                Class::SessionMessage => facts.is_kind("user") || facts.is_kind("synthetic"),
                _ => is_message && facts.role.is_some_and(|node| role(node) == "user"),
            },
            model: if is_message { self.model(facts, &early) } else { None },
            directory: self.directory(path.filter(|_| is_message)),
            entries: match class {
                Class::Part | Class::Captured if tool::is_split(of) => 2,
                Class::Message2025 => early.entries,
                Class::SessionMessage => session_message::count(facts),
                _ => 1,
            },
            counts_usage: is_message,
            redaction: if secret::is_in(node, facts, class) {
                Redaction::Member
            } else {
                Redaction::Nothing
            },
            row: match sequence.filter(|_| is_row) {
                Some(number) => RowPlace::Sequence(number),
                None if class == Class::SessionMessage && facts.delivery.is_some() => {
                    RowPlace::Queue
                }
                None => RowPlace::None,
            },
            words: words(of, class),
            notes: Notes { ends: turn_end(facts, class), ..Notes::default() },
            text: None,
            reason: None,
        };
        self.objects.all.push(stored);
    }

    /// Adds the objects of bytes that are not a document.
    fn bad(&mut self, raw: &Raw<'f>, frame: &Frame<'f>) {
        if let Some(form) = damaged_export::form(raw.bytes) {
            self.seen(form);
            let mut around = Around { is_nested: form == Form::Export, ..Around::default() };
            let pieces = Pieces::from_frame(raw, damaged_export::LISTS);
            return pieces.for_each(|piece| self.piece(piece, &mut around));
        }
        let root = raw.document.as_ref().map(Document::root);
        let facts = root.map(Facts::new).unwrap_or_default();
        let is_message = facts.class() == Class::Message;
        let stored = StoredObject {
            session: self.session(facts.session),
            message: self.message(if is_message { facts.id } else { facts.message }),
            id: facts.id.and_then(Node::text).map(self.keep),
            redaction: Redaction::of_unparsed(self.redactor.is_redacted(frame)),
            ..StoredObject::raw(self.place, raw.bytes.len())
        };
        self.objects.all.push(stored);
    }

    /// Adds the objects of a piece of a damaged export or shared session, and keeps their text.
    fn piece(&mut self, piece: Piece<'f>, around: &mut Around) {
        let from = self.objects.all.len();
        let (key, document) = match piece {
            Piece::List { .. } => return,
            Piece::Object { .. } => {
                // The following objects do not belong to the previous message.
                around.message = None;
                return;
            }
            Piece::Raw { raw, .. } => return self.unparsed(raw, *around),
            Piece::Member { of, key, value } => {
                self.damaged_member(of, key.root(), value.root(), around);
                (Some(key), value)
            }
            Piece::Element { of, value, .. } => {
                let root = value.root();
                match of {
                    damaged_export::MESSAGES => {
                        self.exported(root, Around { message: None, ..*around });
                    }
                    damaged_export::PARTS => self.part(root, *around),
                    _ => self.shared_element(root, around),
                }
                (None, value)
            }
        };
        let is_redacted = self.is_redacted(key.as_ref(), &document);
        for stored in &mut self.objects.all[from..] {
            stored.text = Some(document.node(stored.node).raw().into());
            stored.node = 0;
            if is_redacted {
                stored.redaction = Redaction::Whole;
            }
        }
    }

    /// Adds a member of a damaged export, or of a damaged message in it.
    fn damaged_member(
        &mut self,
        of: &str,
        key: Node<'_, 'f>,
        value: Node<'_, 'f>,
        around: &mut Around,
    ) {
        let is_info = key.is_text("info") && value.kind() == Kind::Map;
        if is_info && of.is_empty() {
            let facts = Facts::new(value);
            *around = Around { session: self.session(facts.id), message: None, ..*around };
            self.next(value, &facts, Class::Session, *around);
        } else if is_info {
            around.message = Some(self.nested_message(value.member("id")));
            self.info(value, *around);
        } else if of.is_empty() && key.is_text("todos") && value.kind() == Kind::Array {
            let around = Around { message: None, ..*around };
            self.next(value, &Facts::default(), Class::Todos, around);
        } else {
            self.member(name(key), value, Around { message: None, ..*around });
        }
    }

    /// Returns whether a value of a damaged document must be redacted: one that is neither object
    /// nor array and may be the value of a secret whose name is before it.
    fn is_redacted(&mut self, key: Option<&Document<'_>>, value: &Document<'_>) -> bool {
        if matches!(value.root().kind(), Kind::Map | Kind::Array) {
            self.redactor.end();
            return false;
        }
        if let Some(key) = key {
            self.redactor.add(key.root().raw());
        }
        self.redactor.add(value.root().raw())
    }

    /// Adds bytes of a damaged export or shared session that could not be parsed.
    fn unparsed(&mut self, raw: Raw<'_>, around: Around) {
        self.part += 1;
        self.place.part = self.part;
        self.objects.all.push(StoredObject {
            text: Some(raw.bytes.into()),
            reason: Some(Box::new(raw.reason)),
            session: around.session,
            redaction: Redaction::of_unparsed(self.redactor.add(raw.bytes)),
            ..StoredObject::raw(self.place, raw.bytes.len())
        });
    }

    fn session(&mut self, id: Option<Node<'_, 'f>>) -> Option<Number> {
        Some(self.objects.sessions.number(id?.text()?, self.keep))
    }

    fn message(&mut self, id: Option<Node<'_, 'f>>) -> Option<Number> {
        Some(self.objects.messages.number(id?.text()?, self.keep))
    }

    /// Returns the number of a message that contains its parts in the container.
    fn nested_message(&mut self, id: Option<Node<'_, 'f>>) -> Number {
        let id = id.and_then(Node::text).map_or_else(Text::default, self.keep);
        self.objects.messages.add(id)
    }

    fn directory(&mut self, path: Option<Node<'_, 'f>>) -> Option<Number> {
        let directory = path?.member("cwd")?.text()?;
        Some(self.objects.directories.number(directory, self.keep))
    }

    /// Returns the model of a message: that of an answer, or the one that a prompt requests.
    fn model(&mut self, facts: &Facts<'_, 'f>, early: &MessageFacts<'_, 'f>) -> Option<Number> {
        let asked = |key: &str| facts.model.and_then(|model| model.member(key));
        let (name, provider) = match (facts.model_id, early.model) {
            (Some(name), _) => (name, facts.provider),
            (None, Some(name)) => (name, early.provider),
            // Only messages in a table of their own name it `id`.
            (None, None) => (asked("modelID").or_else(|| asked("id"))?, asked("providerID")),
        };
        let name = name.text().filter(|name| !name.is_empty())?;
        let provider = provider.and_then(Node::text).map(self.keep);
        self.objects.model(Model { name: (self.keep)(name), provider })
    }
}

/// Returns the facts that an object states about the author of its message.
fn words(facts: &Facts<'_, '_>, class: Class) -> Words {
    let is_flagged =
        [facts.synthetic, facts.ignored].iter().any(|it| it.and_then(Node::bool) == Some(true));
    let is_true = |fact: Option<Node<'_, '_>>| fact.and_then(Node::bool) == Some(true);
    let kind = facts.kind.and_then(Node::text).unwrap_or_default();
    match (class, &*kind) {
        (Class::Part | Class::Captured, "text") | (Class::SessionMessage, "user" | "synthetic") => {
            if facts.text.is_some_and(|text| text.is_text(prompt_rules::USER_COMMAND)) {
                Words::UserCommand
            } else if is_flagged || kind == "synthetic" {
                Words::Text(Author::Program)
            } else {
                let text = facts.text.and_then(Node::text).unwrap_or_default();
                Words::Text(prompt_rules::text_author(&text))
            }
        }
        (Class::Message2025, _) => Words::Text(message_2025::author(facts)),
        (Class::Part, "compaction") => {
            Words::Compaction { is_replayed: is_true(facts.auto) && is_true(facts.overflow) }
        }
        (Class::Part, "file" | "agent" | "subtask") => Words::Attached,
        _ => Words::None,
    }
}

/// Returns the ending of a turn that an answer states.
fn turn_end(facts: &Facts<'_, '_>, class: Class) -> Option<Ending> {
    let is_answer = match class {
        Class::Message => facts.role.is_some_and(|role| role.is_text("assistant")),
        Class::SessionMessage => facts.is_kind("assistant"),
        Class::Captured => facts.is_kind("error"),
        _ => false,
    };
    facts.error.filter(|_| is_answer).and_then(outcome::turn_end)
}

/// Returns the name of a member.
fn name<'f>(key: Node<'_, 'f>) -> Text<'f> {
    key.text().unwrap_or_else(|| String::from_utf8_lossy(key.raw()))
}

/// Returns the class of the content of an element of a shared session, if the content fits the
/// type.
fn shared_class(
    element: &Facts<'_, '_>,
    data: Option<Node<'_, '_>>,
    inside: &Facts<'_, '_>,
) -> Option<Class> {
    let kind = data?.kind();
    let is = |name: &str| element.is_kind(name);
    match inside.class() {
        class @ (Class::Message | Class::Message2025) if is("message") => Some(class),
        Class::Part if is("part") => Some(Class::Part),
        _ if is("session") && kind == Kind::Map => Some(Class::Session),
        _ if is("session_diff") && kind == Kind::Array => Some(Class::Diffs),
        _ if is("model") && kind == Kind::Array => Some(Class::Models),
        _ => None,
    }
}
