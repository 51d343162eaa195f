//! Reads the line that contains a payload: its time, its other members, and the annotations of its
//! entry.

use vac_adapter::members::{keys, object};
use vac_adapter::{Report, annotation, mapping};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, MessageEntry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::clock;
use crate::entries::Common;
use crate::location::Location;
use crate::shape::Envelope;

/// Keys that this adapter adds to entries.
const OURS: &[&str] = &["payload", "msg", "item", "invocation", "token-usage"];

/// The keys of `message-entry`, and those that this adapter adds.
pub(crate) const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
/// The keys of `tool-call-entry`, and those that this adapter adds.
pub(crate) const TOOL_CALL: &[&str] =
    &keys::with::<{ ToolCallEntry::KEYS.len() + OURS.len() }>(&ToolCallEntry::KEYS, OURS);
/// The keys of `tool-result-entry`, and those that this adapter adds.
pub(crate) const TOOL_RESULT: &[&str] =
    &keys::with::<{ ToolResultEntry::KEYS.len() + OURS.len() }>(&ToolResultEntry::KEYS, OURS);
/// The keys of `reasoning-entry`, and those that this adapter adds.
pub(crate) const REASONING: &[&str] =
    &keys::with::<{ ReasoningEntry::KEYS.len() + OURS.len() }>(&ReasoningEntry::KEYS, OURS);
/// The keys of `event-entry`, and those that this adapter adds.
pub(crate) const EVENT: &[&str] =
    &keys::with::<{ keys::EVENT.len() + OURS.len() }>(keys::EVENT, OURS);

mapping! {
    /// A line with a payload: `{timestamp, type, payload}`, or as `codex exec --json` prints it,
    /// `{type, item}` or `{id, msg}`. What is left of the payload is one object under the name that
    /// the payload has in the line.
    pub(crate) struct LineMembers<'a>("line"; key, value, inside: &str) {
        "timestamp" => "`timestamp`; kept if it is not one",
            take timestamp: AbstractTimestamp<'a> = clock::timestamp(value);
        // A printed line may have a member `type` that is not a type.
        "type" => "the entry's type, or the first part of `event-type`",
            stated = value.kind() == Kind::Text;
        "payload" | "msg" | "item" => "the payload", stated = key == inside;
        "ordinal" => "`vac.inherited`, before `subagent_history_start_ordinal` of the session",
            keep;
        "metadata" => "`vac.inherited`, `vac.superseded`", keep;
        "id" => "", keep;
    }
}

/// The parts of an entry other than its payload.
pub(crate) struct LineContext<'a> {
    /// The line that contains the payload; `None` if the line is its own payload.
    line: Option<Line<'a>>,
    /// The location of the payload.
    pub at: Location,
    /// The annotations of the entry.
    pub annotations: EntryAnnotations<'a>,
}

/// A line that contains a payload.
#[derive(Clone, Copy)]
struct Line<'a> {
    node: Node<'a, 'a>,
    /// The member that is the payload.
    inside: &'static str,
    /// The time of the line, if its only members are the time, the type and the payload.
    only: Option<Node<'a, 'a>>,
}

impl<'a> LineContext<'a> {
    /// Creates a line with a payload.
    pub fn envelope(
        line: Node<'a, 'a>,
        envelope: &Envelope<'a>,
        at: Location,
        annotations: EntryAnnotations<'a>,
    ) -> Self {
        let only = envelope.timestamp.filter(|_| !envelope.is_more);
        let line = Some(Line { node: line, inside: envelope.inside, only });
        Self { line, at, annotations }
    }

    /// Creates a line with an item.
    pub fn item(line: Node<'a, 'a>, at: Location, annotations: EntryAnnotations<'a>) -> Self {
        let line = Some(Line { node: line, inside: "item", only: None });
        Self { line, at, annotations }
    }

    /// Creates a line that is its own payload.
    pub fn bare(at: Location, annotations: EntryAnnotations<'a>) -> Self {
        Self { line: None, at, annotations }
    }

    /// Returns whether the line is its own payload.
    pub fn is_bare(&self) -> bool {
        self.line.is_none()
    }

    /// Returns whether the line is part of another session's history.
    pub fn is_inherited(&self) -> bool {
        self.annotations.inherited.is_some()
    }

    /// Returns the name of the payload in its line.
    pub fn payload_name(&self) -> &'static str {
        self.line.map_or("value", |line| line.inside)
    }

    /// Returns the reserved keys for members of the payload. They are `named` if the payload is the
    /// line; otherwise there are none, because the remaining members of a payload become an object
    /// of their own.
    pub fn payload_keys<'k>(&self, named: &'k [&'k str]) -> &'k [&'k str] {
        if self.is_bare() { named } else { &[] }
    }

    /// Joins the members of the payload, the line's own members and the annotations, for an entry
    /// that names these keys.
    pub fn join(self, payload: Common<'a>, named: &[&str], report: &mut Report) -> Common<'a> {
        let Common { mut timestamp, id, mut extensions } = payload;
        if let Some(line) = self.line {
            let left = object(extensions);
            LineMembers { timestamp, rest: extensions } = line.read(named, report);
            extensions.extend(left.map(|left| (line.inside.into(), left)));
        }
        annotation::attach(&mut extensions, &self.annotations);
        Common { timestamp, id: id.or_else(|| Some(self.at.id().into())), extensions }
    }
}

impl<'a> Line<'a> {
    fn read(self, named: &[&str], report: &mut Report) -> LineMembers<'a> {
        match self.only.and_then(clock::timestamp) {
            None => LineMembers::read(self.node, named, self.inside, report),
            timestamp => LineMembers { timestamp, ..LineMembers::default() },
        }
    }
}
