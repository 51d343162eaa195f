//! What lines of all types have around what they say.

use vac_adapter::members::{Rest, put, sift};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Node, Text};

use crate::hoisted::Hoisted;

/// A line, taken apart in one pass.
#[derive(Default)]
pub(crate) struct Envelope<'d, 'a> {
    pub id: Option<Text<'a>>,
    /// The id of the line that it follows: text.
    pub parent: Option<Node<'d, 'a>>,
    pub timestamp: Option<AbstractTimestamp<'a>>,
    /// The member that was asked for.
    pub body: Option<Node<'d, 'a>>,
    /// The line's type, which is among the rest if the entry does not say it.
    pub kind: Option<Node<'d, 'a>>,
    /// What the line says that it is in particular; always among the rest.
    pub particular: Option<Node<'d, 'a>>,
    /// Everything else.
    pub rest: Rest<'a>,
}

/// Which members of a line have a place of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    /// The names that what is left must not be mistaken for.
    pub named: &'w [&'w str],
    /// The type, if the entry says it.
    pub kind: Option<&'w str>,
    /// The member that holds what the line says, if it is wanted alone.
    pub body: Option<&'w str>,
}

impl<'d: 'a, 'a> Envelope<'d, 'a> {
    pub fn of(line: Node<'d, 'a>, wanted: Wanted<'_>, hoisted: &Hoisted) -> Self {
        let mut envelope = Self::default();
        let rest = sift(line, wanted.named, |key, value| match key {
            "uuid" => put(&mut envelope.id, value.text()),
            "parentUuid" => put(&mut envelope.parent, value.text().map(|_| value)),
            "timestamp" => put(&mut envelope.timestamp, AbstractTimestamp::from_node(value).ok()),
            "type" => {
                envelope.kind = Some(value);
                wanted.kind.is_some_and(|kind| value.is_text(kind))
            }
            key if wanted.body == Some(key) => put(&mut envelope.body, Some(value)),
            "subtype" | "operation" => {
                envelope.particular = Some(value);
                false
            }
            "data" | "attachment" => {
                envelope.particular = envelope.particular.or_else(|| value.member("type"));
                false
            }
            key => hoisted.says(key, value),
        });
        envelope.rest = rest;
        envelope
    }
}
