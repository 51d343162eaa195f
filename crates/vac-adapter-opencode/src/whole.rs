//! Messages of a table `session_message`, which have all they say inside: a prompt its
//! text, an answer its texts, thoughts and calls in `content`.

use vac_adapter::members::{Rest, null, object, put, sift};
use vac_adapter::{Error, Origin, Sink};
use vac_record::{
    AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
};
use vac_value::{Any, Kind, Node};

use crate::early::lone;
use crate::message::{Moment, Usage, push, speaker, text};
use crate::part::{self, Entries, Known};
use crate::tool::{self, Called, State};
use crate::unit::Unit;

/// How many entries a message makes, with this content.
pub(crate) fn count(content: Option<Node<'_, '_>>) -> u64 {
    let parts = content.into_iter().flat_map(Node::elements);
    1 + parts.map(|part| if has_result(part) { 2 } else { 1 }).sum::<u64>()
}

fn is_kind(part: Node<'_, '_>, kind: &str) -> bool {
    part.member("type").is_some_and(|of| of.is_text(kind))
}

fn has_result(part: Node<'_, '_>) -> bool {
    is_kind(part, "tool") && part.member("state").is_some_and(tool::has_result)
}

/// Gives the entries of a message and of what is inside.
pub(crate) fn entries(
    node: Node<'_, '_>,
    unit: &Unit<'_>,
    session: &str,
    origin: Origin<'_>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    sink.entry(said(node, unit, session), origin)?;
    let content = node.member("content").filter(|_| !unit.is_user);
    let parts = content.into_iter().flat_map(Node::elements);
    for (number, part) in (1..).zip(parts) {
        let known = Known { unit, session, number: Some(number) };
        let (entry, result) = if part.kind() != Kind::Map {
            (lone(part, known), None)
        } else if is_kind(part, "text") {
            (words(part, known), None)
        } else if is_kind(part, "reasoning") {
            (reasoning(part, known), None)
        } else if is_kind(part, "tool") {
            call(part, known)
        } else {
            part::entries(part, known, sink.report())
        };
        sink.entry(entry, origin)?;
        if let Some(result) = result {
            sink.entry(result, origin)?;
        }
    }
    Ok(())
}

/// The entry of the message itself.
fn said<'a>(node: Node<'a, '_>, unit: &Unit<'_>, session: &str) -> Entry<'a> {
    let mut id = None;
    let mut content = None;
    let mut model_id = None;
    let mut model = None;
    let mut moment = Moment::default();
    let mut usage = Usage::default();
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "type" => true,
        "sessionID" => value.is_text(session),
        "id" => text(value, &mut id),
        "text" if unit.is_user => put(&mut content, Some(value.carry())),
        "content" if !unit.is_user => true,
        "model" if value.kind() == Kind::Map => {
            model =
                object(sift(value, &[], |key, value| key == "id" && text(value, &mut model_id)));
            true
        }
        "time" => moment.take(value, "created"),
        "cost" | "tokens" if unit.counts_usage => usage.take(key, value),
        _ => false,
    });
    push(&mut extensions, "model", model);
    // A prompt that waits has the time of its row alone, which stays there as well.
    let of_row = || AbstractTimestamp::from_node(node.member("time_created")?).ok();
    let timestamp = moment.timestamp.take().or_else(of_row);
    extensions.extend(moment.left());
    Entry::Message(MessageEntry {
        kind: speaker(unit),
        content,
        timestamp,
        id: Some(id.unwrap_or_else(|| unit.place_id())),
        model_id,
        parent_id: None,
        token_usage: usage.made(),
        children: None,
        extensions,
    })
}

/// The content and the rest of a text or a thought. Its id is its provider's, and not the
/// only one of that name.
fn told<'a>(part: Node<'a, '_>, kind: &str, named: &[&str]) -> (Option<Any<'a>>, Rest<'a>) {
    let mut content = None;
    let rest = sift(part, named, |key, value| match key {
        "type" => value.is_text(kind),
        "text" => put(&mut content, Some(value.carry())),
        _ => false,
    });
    (content, rest)
}

fn words<'a>(part: Node<'a, '_>, known: Known<'_>) -> Entry<'a> {
    let (content, extensions) = told(part, "text", &MessageEntry::KEYS);
    Entry::Message(MessageEntry {
        kind: MessageEntryType::Assistant,
        content,
        timestamp: None,
        id: Some(known.id()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

fn reasoning<'a>(part: Node<'a, '_>, known: Known<'_>) -> Entry<'a> {
    let (content, extensions) = told(part, "reasoning", &ReasoningEntry::KEYS);
    let metadata = part.member("providerMetadata").map(part::decrypted);
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        // It stays where it is, too.
        encrypted: metadata.and_then(|(encrypted, _)| encrypted),
        subject: None,
        timestamp: None,
        id: Some(known.id()),
        children: None,
        extensions,
    })
}

/// A tool's call, and its result if there is one.
fn call<'a>(part: Node<'a, '_>, known: Known<'_>) -> Entries<'a> {
    let mut name = None;
    let mut call_id = None;
    let mut state = State::default();
    let mut time = None;
    // It was `callID` at first.
    let id_key = if part.member("callID").is_some() { "callID" } else { "id" };
    let mut extensions = sift(part, &ToolCallEntry::KEYS, |key, value| match key {
        "type" => value.is_text("tool"),
        "name" => text(value, &mut name),
        "state" if value.kind() == Kind::Map => {
            state = State::of(value);
            true
        }
        "time" if value.kind() == Kind::Map => put(&mut time, Some(value)),
        _ => key == id_key && text(value, &mut call_id),
    });
    let began =
        time.and_then(|time| ["ran", "created"].into_iter().find(|key| time.member(key).is_some()));
    let time = time.map(|time| {
        sift(time, &[], |key, value| {
            let place = if Some(key) == began {
                &mut state.start
            } else if key == "completed" && state.is_error.is_some() {
                &mut state.end
            } else {
                return false;
            };
            put(place, AbstractTimestamp::from_node(value).ok())
        })
    });
    push(&mut extensions, "time", time.and_then(object));
    state.entries(Called { name, call_id, id: known.id() }, extensions, Rest::default())
}
