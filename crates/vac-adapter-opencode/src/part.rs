//! Converts the parts of a message.

use std::borrow::Cow;

use vac_adapter::members::{Rest, all, object};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, Decider, Decision, End, EntryAnnotations, Permission};
use vac_record::{AbstractTimestamp, Entry, MessageEntry, ReasoningEntry};
use vac_value::{Any, Encoding, Kind, Node, Number, Text};

use crate::message::speaker;
use crate::object::{StoredObject, as_map, push};
use crate::{entry, outcome, prompt_rules, time, tool, usage};

/// The known types of parts that are events.
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

/// The key of encrypted reasoning, which only the provider can read.
const ENCRYPTED: &str = "reasoningEncryptedContent";

mapping! {
    /// A part of type `text`: a message with the role of its message.
    pub(crate) struct TextPart<'a>("text"; key, value, session: &str) {
        "type" => "the entry's type", stated = value.is_text("text");
        "sessionID" => "the session's `id`; kept if it is another", stated = value.is_text(session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "text" => "`content`", take content: Node<'a, 'a> = Some(value);
        "time" => "its `start` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "synthetic" | "ignored" => "`vac.author`",
            note is_flagged: bool = value.bool().filter(|is_flagged| *is_flagged);
        "messageID" | "metadata" | "time_created" | "time_updated" => "", keep;
    }
}

mapping! {
    /// A part of type `reasoning`.
    pub(crate) struct ReasoningPart<'a>("reasoning"; key, value, session: &str) {
        "type" => "the entry's type", stated = value.is_text("reasoning");
        "sessionID" => "the session's `id`; kept if it is another", stated = value.is_text(session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "text" => "`content`", take content: Any<'a> = Some(value.carry());
        "metadata" => "`encrypted` of the first provider that has it; the rest is kept",
            take metadata: Node<'a, 'a> = encrypting_provider(value).map(|_| value);
        "time" => "its `start` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "messageID" | "providerMetadata" | "time_created" | "time_updated" => "", keep;
    }
}

mapping! {
    /// What a provider adds to reasoning: a member of `metadata`.
    pub(crate) struct ProviderMetadata<'a>("reasoning.metadata"; key, value) {
        "reasoningEncryptedContent" => "`encrypted`", take encrypted: Text<'a> = value.text();
        _ => keep;
    }
}

/// The context for reading a part that is an event.
#[derive(Clone, Copy)]
pub(crate) struct EventContext<'c> {
    /// The type of the part.
    kind: &'c str,
    /// The session's id.
    session: &'c str,
    /// Whether no message states its usage.
    counts_usage: bool,
}

mapping! {
    /// A part of another type: an event. One of an unknown type may have any other key.
    pub(crate) struct EventPart<'a>("part"; key, value, context: EventContext<'_>) {
        "type" => "`event-type`", stated = value.is_text(context.kind);
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(context.session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "time" => "its `start`, else its `created`, is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "cost" => "of a `step-finish` without its message, `token-usage.cost`; else kept",
            take cost: Number<'a> = usage::cost(value).filter(|_| context.counts_usage);
        "tokens" => "of a `step-finish` without its message, `token-usage` and `vac.usage`; else kept",
            take tokens: Node<'a, 'a> = as_map(value).filter(|_| context.counts_usage);
        "auto" | "overflow" => "of a `compaction`, `vac.author` of its message", keep;
        "messageID" | "metadata" | "snapshot" | "reason" | "hash" | "files" | "mime"
        | "mediaType" | "filename" | "url" | "source" | "sourceId" | "title" | "name" | "attempt"
        | "error" | "prompt" | "description" | "agent" | "model" | "command" | "tail_start_id"
        | "providerMetadata" | "time_created" | "time_updated" => "", keep;
        _ => keep if !EVENTS.contains(&context.kind);
    }
}

/// The entries of a part: one entry, or a tool call and its result.
pub(crate) type Entries<'a> = (Entry<'a>, Option<Entry<'a>>);

/// The context for building the entries of an object.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'k> {
    /// The facts that the survey found about the object.
    pub stored: &'k StoredObject<'k>,
    /// The session's id.
    pub session: &'k str,
    /// The variant of the log.
    pub variant: &'static str,
    /// The session that this one was forked from.
    pub fork_of: Option<&'k str>,
    /// The number of a part in the message that contains it, from 1.
    pub number: Option<u64>,
}

impl Scope<'_> {
    /// Returns the annotations that all entries of the object have.
    pub fn annotations(self) -> EntryAnnotations<'static> {
        self.stored.notes.annotations(self.fork_of)
    }

    /// Returns the annotations of a text. The program may have flagged the text as its own.
    fn text_annotations(
        self,
        is_flagged: bool,
        text: Option<Node<'_, '_>>,
    ) -> EntryAnnotations<'static> {
        let author = if !self.stored.is_user {
            is_flagged.then_some(Author::Program)
        } else if self.number.is_none() {
            self.stored.notes.author
        } else {
            match (author(is_flagged, text), self.stored.notes.author) {
                (Author::User | Author::Unknown, Some(Author::OtherAgent)) => {
                    Some(Author::OtherAgent)
                }
                (author, _) => Some(author),
            }
        };
        EntryAnnotations { author, ends: self.end(), ..self.annotations() }
    }

    /// Returns the end of the turn, unless the object is more than one part.
    pub fn end(self) -> Option<End> {
        self.stored.notes.end().filter(|_| self.number.is_none())
    }

    /// Returns an id for the object if it has none.
    pub fn id(self) -> Text<'static> {
        match (self.number, self.stored.id.as_deref()) {
            (None, _) => self.stored.place_id(),
            (Some(number), Some(message)) => format!("{message}:{number}").into(),
            (Some(number), None) => format!("{}:{number}", self.stored.place.id()).into(),
        }
    }
}

/// Returns the entries of a part.
pub(crate) fn entries<'a>(
    node: Node<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let kind = node.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("unknown"));
    match &*kind {
        "tool" => tool::entries(node, scope, report),
        "text" => (said(node, scope, report), None),
        "reasoning" => (reasoning(node, scope, report), None),
        other => {
            if !EVENTS.contains(&other) {
                report.unknown(&format!("part {other}"));
            }
            (event(node, scope, kind, report), None)
        }
    }
}

/// Returns whether the program flags a text as its own.
fn is_flagged(part: Node<'_, '_>) -> bool {
    let is_true = |key: &str| part.member(key).and_then(Node::bool) == Some(true);
    is_true("synthetic") || is_true("ignored")
}

/// Returns the author of a text in the user's name.
pub(crate) fn text_author(part: Node<'_, '_>) -> Author {
    author(is_flagged(part), part.member("text"))
}

fn author(is_flagged: bool, text: Option<Node<'_, '_>>) -> Author {
    if is_flagged {
        return Author::Program;
    }
    prompt_rules::text_author(&text.and_then(Node::text).unwrap_or_default())
}

fn said<'a>(node: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let TextPart { id, content, time, is_flagged, rest: mut extensions } =
        TextPart::read(node, &MessageEntry::KEYS, scope.session, report);
    let timestamp = time::read(time, time::STARTED, &mut extensions, report).start;
    let annotations = scope.text_annotations(is_flagged.is_some(), content);
    let timestamp = timestamp.or_else(|| one_moment(scope.stored));
    let (kind, id) = (speaker(scope.stored), id.unwrap_or_else(|| scope.id()));
    Entry::Message(MessageEntry {
        content: content.map(Node::carry),
        ..entry::message(kind, id, timestamp, extensions, &annotations)
    })
}

fn reasoning<'a>(node: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let ReasoningPart { id, content, metadata, time, rest: mut extensions } =
        ReasoningPart::read(node, &ReasoningEntry::KEYS, scope.session, report);
    let encrypted = metadata.and_then(|metadata| {
        let (provider, about) = encrypting_provider(metadata)?;
        let ProviderMetadata { encrypted, rest: left } = ProviderMetadata::read(about, &[], report);
        // The rest contains the members of the metadata that are not null.
        let mut members = metadata.members().filter(|(_, value)| value.kind() != Kind::Null);
        let mut rest = all(metadata, &[]);
        rest.retain(|_, _| members.next().is_none_or(|(key, _)| key.index() != provider.index()));
        rest.extend(provider.text().zip(object(left)));
        push(&mut extensions, "metadata", object(rest));
        encrypted
    });
    let timestamp = time::read(time, time::STARTED, &mut extensions, report).start;
    let annotations = EntryAnnotations { ends: scope.end(), ..scope.annotations() };
    let id = id.unwrap_or_else(|| scope.id());
    entry::reasoning(content, encrypted, id, timestamp, extensions, &annotations)
}

/// Returns the first member of a part's metadata that contains encrypted reasoning.
fn encrypting_provider<'d, 'a>(metadata: Node<'d, 'a>) -> Option<(Node<'d, 'a>, Node<'d, 'a>)> {
    metadata.members().find(|(provider, about)| {
        provider.text().is_some() && about.member(ENCRYPTED).and_then(Node::text).is_some()
    })
}

/// Returns the encrypted reasoning in a part's metadata, which only the provider can read.
pub(crate) fn encrypted<'a>(metadata: Node<'a, '_>) -> Option<Text<'a>> {
    encrypting_provider(metadata)?.1.member(ENCRYPTED)?.text()
}

fn event<'a>(
    node: Node<'a, '_>,
    scope: Scope<'_>,
    kind: Text<'a>,
    report: &mut Report,
) -> Entry<'a> {
    let context = EventContext {
        kind: &kind,
        session: scope.session,
        counts_usage: scope.stored.counts_usage && kind == "step-finish",
    };
    let EventPart { id, time, cost, tokens, rest: mut data } =
        EventPart::read(node, &[], context, report);
    let has_start = time.is_some_and(|time| time.member("start").is_some());
    let keys = if has_start { time::STARTED } else { time::CREATED };
    let timestamp = time::read(time, keys, &mut data, report).start;
    let (token_usage, usage) = usage::read(cost, tokens, report);
    let annotations = EntryAnnotations {
        usage,
        permission: permission(node, &kind),
        ends: scope.end(),
        ..scope.annotations()
    };
    let mut extensions = Rest::default();
    let usage = token_usage.and_then(|usage| Any::from_value(&usage, Encoding::Json).ok());
    push(&mut extensions, "token-usage", usage);
    let timestamp = timestamp.or_else(|| one_moment(scope.stored));
    let id = id.unwrap_or_else(|| scope.id());
    entry::event(kind, data, id, timestamp, extensions, &annotations)
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

/// Returns the only time of a user's message.
fn one_moment<'a>(stored: &StoredObject<'_>) -> Option<AbstractTimestamp<'a>> {
    stored.created.filter(|_| stored.is_user).map(AbstractTimestamp::Uint)
}
