//! Parts of a message.

use std::borrow::Cow;

use vac_adapter::members::{null, object, put, sift};
use vac_adapter::{Report, annotation};
use vac_record::annotations::{Author, Decider, Decision, End, EntryAnnotations, Permission};
use vac_record::{AbstractTimestamp, Entry, EventEntry, MessageEntry, ReasoningEntry};
use vac_value::{Any, Encoding, Kind, Map, Node, Text};

use crate::message::{Moment, Usage, push, speaker, text};
use crate::object::StoredObject;
use crate::{outcome, prompt_rules, tool};

/// Known types of parts that are events.
const EVENTS: &[&str] = &[
    "file",
    "step-start",
    "step-finish",
    "snapshot",
    "patch",
    "agent",
    "retry",
    "compaction",
    "subtask",
    "source-url",
];

/// The key of reasoning that only the provider can read.
const ENCRYPTED: &str = "reasoningEncryptedContent";

/// The entries of a part: one, or a tool's call and its result.
pub(crate) type Entries<'a> = (Entry<'a>, Option<Entry<'a>>);

/// What is known about an object that entries are made of.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'k> {
    /// The object, as the survey found it.
    pub stored: &'k StoredObject<'k>,
    /// The session's id.
    pub session: &'k str,
    /// The variant of the log.
    pub variant: &'static str,
    /// The session that this one was forked from.
    pub fork_of: Option<&'k str>,
    /// The number of a part in the message that it is inside of, from 1.
    pub number: Option<u64>,
}

impl Scope<'_> {
    /// The annotations that all entries of the object have.
    pub fn annotations(self) -> EntryAnnotations<'static> {
        self.stored.notes.annotations(self.fork_of)
    }

    /// Returns the annotations of a text.
    fn text_annotations(self, part: Node<'_, '_>) -> EntryAnnotations<'static> {
        let author = if !self.stored.is_user {
            is_flagged(part).then_some(Author::Program)
        } else if self.number.is_none() {
            self.stored.notes.author
        } else {
            match (text_author(part), self.stored.notes.author) {
                (Author::User | Author::Unknown, Some(Author::OtherAgent)) => {
                    Some(Author::OtherAgent)
                }
                (author, _) => Some(author),
            }
        };
        EntryAnnotations { author, ends: self.end(), ..self.annotations() }
    }

    /// The end of the turn, unless the object is more than one part.
    pub fn end(self) -> Option<End> {
        self.stored.notes.end().filter(|_| self.number.is_none())
    }

    /// The id to give it if it has none.
    pub fn id(self) -> Text<'static> {
        match (self.number, self.stored.id.as_deref()) {
            (None, _) => self.stored.place_id(),
            (Some(number), Some(message)) => format!("{message}:{number}").into(),
            (Some(number), None) => format!("{}:{number}", self.stored.place.id()).into(),
        }
    }
}

/// The entries of a part.
pub(crate) fn entries<'a>(
    node: Node<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let kind = node.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("unknown"));
    match &*kind {
        "tool" => tool::entries(node, scope),
        "text" => (said(node, scope), None),
        "reasoning" => (reasoning(node, scope), None),
        other => {
            if !EVENTS.contains(&other) {
                report.unknown(&format!("part {other}"));
            }
            (event(node, scope, kind), None)
        }
    }
}

/// Whether the program says that a text is its own.
fn is_flagged(part: Node<'_, '_>) -> bool {
    let is_true = |key: &str| part.member(key).and_then(Node::bool) == Some(true);
    is_true("synthetic") || is_true("ignored")
}

/// Returns whose words a text in the user's name is.
pub(crate) fn text_author(part: Node<'_, '_>) -> Author {
    if is_flagged(part) {
        return Author::Program;
    }
    let text = part.member("text").and_then(Node::text).unwrap_or_default();
    prompt_rules::text_author(&text)
}

fn said<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let mut id = None;
    let mut content = None;
    let mut moment = Moment::default();
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "type" => value.is_text("text"),
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "text" => put(&mut content, Some(value.carry())),
        "time" => moment.take(value, "start"),
        _ => false,
    });
    extensions.extend(moment.left());
    annotation::attach(&mut extensions, &scope.text_annotations(node));
    Entry::Message(MessageEntry {
        kind: speaker(scope.stored),
        content,
        timestamp: moment.timestamp.or_else(|| one_moment(scope.stored)),
        id: Some(id.unwrap_or_else(|| scope.id())),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

fn reasoning<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let mut id = None;
    let mut content = None;
    let mut encrypted = None;
    let mut metadata = None;
    let mut moment = Moment::default();
    let mut extensions = sift(node, &ReasoningEntry::KEYS, |key, value| match key {
        "type" => value.is_text("reasoning"),
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "text" => put(&mut content, Some(value.carry())),
        "metadata" => {
            let (found, left) = decrypted(value);
            let is_taken = found.is_some();
            (encrypted, metadata) = (found, left);
            is_taken
        }
        "time" => moment.take(value, "start"),
        _ => false,
    });
    push(&mut extensions, "metadata", metadata);
    extensions.extend(moment.left());
    let annotations = EntryAnnotations { ends: scope.end(), ..scope.annotations() };
    annotation::attach(&mut extensions, &annotations);
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject: None,
        timestamp: moment.timestamp,
        id: Some(id.unwrap_or_else(|| scope.id())),
        children: None,
        extensions,
    })
}

/// The first reasoning that a provider encrypted, out of a part's metadata, and what is
/// left of these then.
pub(crate) fn decrypted<'a>(metadata: Node<'a, '_>) -> (Option<Text<'a>>, Option<Any<'a>>) {
    let mut encrypted = None;
    let mut left = None;
    let mut rest = sift(metadata, &[], |provider, of| {
        if encrypted.is_some() || of.kind() != Kind::Map {
            return false;
        }
        let rest = sift(of, &[], |key, value| key == ENCRYPTED && text(value, &mut encrypted));
        if encrypted.is_some() {
            left = object(rest).map(|rest| (provider.to_owned().into(), rest));
        }
        encrypted.is_some()
    });
    if encrypted.is_none() {
        return (None, None);
    }
    rest.extend(left);
    (encrypted, object(rest))
}

fn event<'a>(node: Node<'a, '_>, scope: Scope<'_>, kind: Text<'a>) -> Entry<'a> {
    let mut id = None;
    let mut moment = Moment::default();
    let mut usage = Usage::default();
    let counts = scope.stored.counts_usage && kind == "step-finish";
    let began = node.member("time").is_some_and(|time| time.member("start").is_some());
    let mut data = sift(node, &[], |key, value| match key {
        "type" => value.is_text(&kind),
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "time" => moment.take(value, if began { "start" } else { "created" }),
        "cost" | "tokens" if counts => usage.take(key, value),
        _ => false,
    });
    data.extend(moment.left());
    let mut extensions = Map::default();
    let annotations = EntryAnnotations {
        usage: usage.buckets(),
        permission: permission(node, &kind),
        ends: scope.end(),
        ..scope.annotations()
    };
    let usage = usage.made().and_then(|usage| Any::from_value(&usage, Encoding::Json).ok());
    push(&mut extensions, "token-usage", usage);
    annotation::attach(&mut extensions, &annotations);
    Entry::Event(EventEntry {
        event_type: kind,
        data: Some(data),
        timestamp: moment.timestamp.or_else(|| one_moment(scope.stored)),
        id: Some(id.unwrap_or_else(|| scope.id())),
        children: None,
        extensions,
    })
}

/// Returns the decision about a permission that an object of this type states.
pub(crate) fn permission(node: Node<'_, '_>, kind: &str) -> Option<Permission<'static>> {
    let action = kind.strip_prefix("permission")?;
    let inside = node.member("properties").unwrap_or(node);
    let says = |keys: &[&str]| keys.iter().find_map(|key| inside.member(key)?.text());
    let reply = says(&["reply", "response", "decision", "action", "status"]);
    let stated = reply.as_deref().and_then(outcome::decision);
    let decision = stated.or_else(|| outcome::decision(action.trim_start_matches(['.', '_', '-'])));
    let decision = decision.unwrap_or(Decision::Unknown);
    Some(Permission {
        decision,
        by: (stated.is_some() && decision != Decision::Asked).then_some(Decider::User),
        what: says(&["permission", "tool", "title", "type"])
            .filter(|what| what != kind)
            .map(|what| what.into_owned().into()),
        call_id: says(&["callID"]).map(|id| id.into_owned().into()),
    })
}

/// The one moment of a user's message.
fn one_moment<'a>(stored: &StoredObject<'_>) -> Option<AbstractTimestamp<'a>> {
    stored.created.filter(|_| stored.is_user).map(AbstractTimestamp::Uint)
}
