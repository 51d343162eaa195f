//! Describes one object of a store, in any container.

use vac_adapter::frame::{Place, Reason};
use vac_adapter::members::Rest;
use vac_record::annotations::{
    Author, End, EndOf, Ending, EntryAnnotations, EntryAnnotationsInherited, Superseded,
    SupersededHow,
};
use vac_value::{Any, Kind, Node, Text};

use crate::classify::Class;
use crate::names::Number;
use crate::steps;

/// The extent to which an object is redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redaction {
    /// It contains no secret.
    Nothing,
    /// It contains a secret in a known place.
    Member,
    /// It could not be parsed, and a secret may be anywhere in it.
    Whole,
}

impl Redaction {
    /// Returns the redaction of bytes that could not be parsed.
    pub fn of_unparsed(is_redacted: bool) -> Self {
        if is_redacted { Self::Whole } else { Self::Nothing }
    }
}

/// The facts about an object on which the order and the record of a session depend. They do not
/// contain the object itself.
#[derive(Clone, Debug)]
pub(crate) struct StoredObject<'a> {
    /// The class of the object.
    pub class: Class,
    /// The place of its frame.
    pub place: Place,
    /// The number of the object in that frame.
    pub node: u32,
    /// The size of the object in bytes.
    pub size: usize,
    /// The session that it names.
    pub session: Option<Number>,
    /// The message that it is or belongs to.
    pub message: Option<Number>,
    /// Whether the container nests the object in its message, so that its place there decides the
    /// order, and not its id.
    pub is_nested: bool,
    /// The id of the object.
    pub id: Option<Text<'a>>,
    /// The time at which it was created.
    pub created: Option<u64>,
    /// Whether it is a message of the user or belongs to one.
    pub is_user: bool,
    /// The model that a message names.
    pub model: Option<Number>,
    /// The working directory of a message.
    pub directory: Option<Number>,
    /// The number of its entries: two for a tool call with a result, none for data of the session.
    pub entries: u64,
    /// Whether its usage is counted, because it is a message, or a step whose message is missing.
    pub counts_usage: bool,
    /// The extent to which it is redacted.
    pub redaction: Redaction,
    /// The place of a row of `session_message` or of a queue.
    pub row: RowPlace,
    /// The facts that a part states about the author of its message.
    pub words: Words,
    /// The annotations of the object.
    pub notes: Notes,
    /// The text of the object, if it is not read from its frame: because the export is damaged, or
    /// because it is data of a session whose input is not in memory.
    pub text: Option<Box<[u8]>>,
    /// The reason why that text could not be parsed.
    pub reason: Option<Box<Reason>>,
}

impl StoredObject<'_> {
    /// Returns the object of bytes that are not a document.
    pub fn raw(place: Place, size: usize) -> Self {
        Self {
            class: Class::Raw,
            place,
            node: 0,
            size,
            session: None,
            message: None,
            is_nested: false,
            id: None,
            created: None,
            is_user: false,
            model: None,
            directory: None,
            entries: 1,
            counts_usage: false,
            redaction: Redaction::Nothing,
            row: RowPlace::None,
            words: Words::None,
            notes: Notes::default(),
            text: None,
            reason: None,
        }
    }

    /// Returns the place of a row in its session.
    pub fn sequence(&self) -> Option<u64> {
        match self.row {
            RowPlace::Sequence(number) => Some(number),
            RowPlace::None | RowPlace::Queue => None,
        }
    }

    /// Returns whether the object is a prompt that waits in a queue.
    pub fn is_queued(&self) -> bool {
        self.row == RowPlace::Queue
    }

    /// Returns whether the object is a message.
    pub fn is_message(&self) -> bool {
        matches!(self.class, Class::Message | Class::Message2025 | Class::SessionMessage)
    }

    /// Returns the id of an entry whose object has no id.
    pub fn place_id(&self) -> Text<'static> {
        self.place.id().into()
    }
}

/// The place of a row among the messages of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowPlace {
    /// The object is not a row of a table of whole messages.
    None,
    /// The number of the row in its session.
    Sequence(u64),
    /// The row waits to be delivered.
    Queue,
}

/// The facts that a part of a message states about the author of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Words {
    /// No facts: it is not part of a prompt.
    #[default]
    None,
    /// It is a text by this author.
    Text(Author),
    /// It is a file, an agent or a task that the user named.
    Attached,
    /// It is the program's note before a command that the user ran.
    UserCommand,
    /// It is the request to compact the session. `is_replayed` is whether the program then repeats
    /// the last prompt.
    Compaction { is_replayed: bool },
}

/// The annotations of an object. Its entries state them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The author.
    pub author: Option<Author>,
    /// The end of the turn. The last entry of the object states it.
    pub ends: Option<Ending>,
    /// Whether the user ran the command in the object.
    pub is_user_command: bool,
    /// The way in which it stopped being part of the conversation.
    pub superseded: Option<SupersededHow>,
    /// The id of the object that this one repeats.
    pub duplicate_of: Option<Box<str>>,
    /// Whether the object was copied from the session that this one was forked from.
    pub is_inherited: bool,
}

impl Notes {
    /// Returns the end of the turn.
    pub fn end(&self) -> Option<End> {
        self.ends.map(|how| End { of: EndOf::Turn, how: Some(how) })
    }

    /// Returns the annotations that all entries of the object have. `fork_of` is the session
    /// that this one was forked from.
    pub fn annotations(&self, fork_of: Option<&str>) -> EntryAnnotations<'static> {
        let inherited = || match fork_of {
            Some(id) => EntryAnnotationsInherited::Text(id.to_owned().into()),
            None => EntryAnnotationsInherited::True(true),
        };
        EntryAnnotations {
            superseded: self.superseded.map(Superseded::new),
            duplicate_of: self.duplicate_of.as_deref().map(|id| id.to_owned().into()),
            inherited: self.is_inherited.then(inherited),
            ..EntryAnnotations::default()
        }
    }
}

/// A model that messages name.
#[derive(Clone, Debug, Eq, Hash)]
pub(crate) struct Model<'a> {
    /// The name of the model.
    pub name: Text<'a>,
    /// The provider of the model.
    pub provider: Option<Text<'a>>,
}

impl PartialEq for Model<'_> {
    fn eq(&self, other: &Self) -> bool {
        steps::step();
        self.name == other.name && self.provider == other.provider
    }
}

/// Returns a member that is text.
pub(crate) fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    Some(node.member(key)?.text()?.into_owned())
}

/// Returns the value, if it is an object.
pub(crate) fn as_map<'d, 'a>(value: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    (value.kind() == Kind::Map).then_some(value)
}

/// Adds a member, if there is one.
pub(crate) fn push<'a>(members: &mut Rest<'a>, name: &'static str, value: Option<Any<'a>>) {
    members.extend(value.map(|value| (name.into(), value)));
}
