//! One object of a store, whatever container it is in.

use vac_adapter::frame::Place;
use vac_value::{Node, Text};

use crate::classify::Class;
use crate::names::Number;
use crate::steps;

/// What of a unit is redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redaction {
    /// It has no secret.
    Nothing,
    /// It has one in a known place.
    Member,
    /// It could not be parsed, and a secret may be anywhere in it.
    Whole,
}

impl Redaction {
    /// The redaction of bytes that could not be parsed.
    pub fn of_unparsed(is_redacted: bool) -> Self {
        if is_redacted { Self::Whole } else { Self::Nothing }
    }
}

/// What a session's order and record need to know of one object. The object itself
/// stays where it is.
#[derive(Clone, Debug)]
pub(crate) struct Unit<'a> {
    /// What it is.
    pub class: Class,
    /// Where its frame stands.
    pub place: Place,
    /// Its number in that frame.
    pub node: u32,
    /// How many bytes it has.
    pub size: usize,
    /// The session that it names.
    pub session: Option<Number>,
    /// The message that it is or belongs to.
    pub message: Option<Number>,
    /// Whether the container holds its message around it, so that its place there decides
    /// the order, and not its id.
    pub is_nested: bool,
    /// Its id.
    pub id: Option<Text<'a>>,
    /// When it was created.
    pub created: Option<u64>,
    /// Whether it is or belongs to a message of the user.
    pub is_user: bool,
    /// The model that a message names.
    pub model: Option<Number>,
    /// The directory that a message was made in.
    pub directory: Option<Number>,
    /// How many entries are made of it: two of a tool with a result, none of what
    /// is told beside the entries.
    pub entries: u64,
    /// Whether its usage is counted: that of a message, or that of a step whose message
    /// is missing.
    pub counts_usage: bool,
    /// What of it is redacted.
    pub redaction: Redaction,
    /// Its text, if it is not where its frame is: out of a damaged export, or told
    /// beside the entries while the input is not in memory.
    pub text: Option<Box<[u8]>>,
}

impl Unit<'_> {
    /// The unit of bytes that are no document.
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
            text: None,
        }
    }

    /// Whether it is a message.
    pub fn is_message(&self) -> bool {
        matches!(self.class, Class::Message | Class::Early | Class::Whole)
    }

    /// The id that an entry has whose object has none.
    pub fn place_id(&self) -> Text<'static> {
        self.place.id().into()
    }
}

/// A model that messages name.
#[derive(Clone, Debug, Eq, Hash)]
pub(crate) struct Model<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// Who runs it.
    pub provider: Option<Text<'a>>,
}

impl PartialEq for Model<'_> {
    fn eq(&self, other: &Self) -> bool {
        steps::step();
        self.name == other.name && self.provider == other.provider
    }
}

/// A member that is text.
pub(crate) fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    Some(node.member(key)?.text()?.into_owned())
}
