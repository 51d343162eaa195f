//! Collects the facts that a log states about its session.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::members::Rest;
use vac_adapter::models::Models;
use vac_adapter::time::{Span, instant};
use vac_record::{AbstractTimestamp, Decode, SessionTrace};
use vac_value::{Any, Document, Encoding, IntoOwned, Kind, Node};

use crate::message_content;
use crate::walk::Around;

/// The members of a session's head that `$set` may change.
const CHANGED: &[&str] = &["summary", "directories", "memoryScratchpad", "kind", "projectHash"];

/// The start of the document or file that states a value. It decides which value is the newest.
pub(crate) type Moment = i128;

/// The facts about a session.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The head with the earliest start.
    head: Option<Head>,
    /// The latest `lastUpdated`.
    end: Option<(Moment, AbstractTimestamp<'static>)>,
    /// The last values of `$set`.
    changed: Rest<'static>,
    /// The first `sessionId` of a `$set`: the id of a session without a head.
    pub set_id: Option<String>,
    /// The folder that the session context states.
    workspace: Option<String>,
    /// The time span of the messages, while no head states the start and the end.
    span: Span,
    /// The models in the order of their appearance, with the number of their messages.
    models: Models,
}

/// The head of one document or file.
#[derive(Debug)]
struct Head {
    moment: Moment,
    start: Option<AbstractTimestamp<'static>>,
    end: Option<AbstractTimestamp<'static>>,
    rest: Rest<'static>,
    /// Whether the head is an entry, because the record's head cannot contain all of it.
    is_raw: bool,
}

/// The facts of a session for the head of its record.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// `startTime`, otherwise the earliest time in the log.
    pub start: Option<AbstractTimestamp<'static>>,
    /// `lastUpdated`, otherwise the latest time in the log.
    pub end: Option<AbstractTimestamp<'static>>,
    /// The members without a canonical name.
    pub rest: Rest<'static>,
    /// The values of the first head that `$set` has replaced; an entry, unless it is empty.
    pub replaced: Rest<'static>,
    /// Whether the first head is part of the record's head and no entry.
    pub is_hoisted: bool,
    /// The folders in which the session may have run, the most likely first.
    pub folders: Vec<String>,
    /// `projectHash`.
    pub project_hash: Option<String>,
    /// The models in the order of their appearance.
    pub models: Vec<String>,
}

impl Facts {
    /// Adds a head.
    pub fn head(&mut self, around: &Around<'_, '_>, moment: Moment) {
        let mut head =
            Head { moment, start: None, end: None, rest: Rest::default(), is_raw: false };
        if around.raw.is_some() {
            head.is_raw = true;
            head.start = around.member("startTime").and_then(owned_time);
            head.end = around.member("lastUpdated").and_then(owned_time);
        } else {
            // The second pass reports unknown members.
            let read = around.head(&SessionTrace::KEYS, true, &mut Report::default());
            head.start = read.start.map(IntoOwned::into_owned);
            head.end = read.end.map(IntoOwned::into_owned);
            head.rest = read.rest.into_owned();
        }
        if let Some(end) = &head.end {
            self.end(moment, end.clone());
        }
        if self.head.as_ref().is_none_or(|first| moment < first.moment) {
            self.head = Some(head);
        }
    }

    /// Adds a change (`$set`).
    pub fn set(&mut self, around: &Around<'_, '_>, moment: Moment) {
        if let Some(end) = around.member("lastUpdated").and_then(owned_time) {
            self.end(moment, end);
        }
        if self.set_id.is_none() {
            self.set_id = around.member("sessionId").and_then(session_id);
        }
        for key in CHANGED {
            let value = around.member(key).filter(|value| value.kind() != Kind::Null);
            // A value that one encoding cannot express does not fit into the head of a record.
            if let Some(value) = value.map(Node::carry)
                && Any::from_value(&value, Encoding::Cbor).is_ok()
            {
                self.changed.retain(|known, _| known != key);
                self.changed.push((Cow::Borrowed(key), value.into_owned()));
            }
        }
    }

    fn end(&mut self, moment: Moment, end: AbstractTimestamp<'static>) {
        if self.end.as_ref().is_none_or(|(newest, _)| moment >= *newest) {
            self.end = Some((moment, end));
        }
    }

    /// Adds a message. `is_new` is whether it is not a later version of another message.
    pub fn message(&mut self, message: Node<'_, '_>, is_new: bool) {
        let is_complete = |head: &Head| head.start.is_some() && head.end.is_some();
        if !self.head.as_ref().is_some_and(is_complete)
            && let Some(timestamp) = message.member("timestamp").and_then(time)
        {
            self.span.add(&timestamp);
        }
        if is_new && let Some(model) = message.member("model").and_then(Node::text) {
            self.models.add(&model, 1);
        }
    }

    /// Adds content that was sent to the model.
    pub fn content(&mut self, content: Node<'_, '_>) {
        if self.workspace.is_none() {
            self.workspace = message_content::workspace(content);
        }
    }

    /// Returns the summary of all facts, for a file of this name.
    pub fn summary(&mut self, name: &str) -> Summary {
        let mut summary = Summary::default();
        let head = self.head.take();
        let end = self.end.take().map(|(_, end)| end);
        let is_value = head.as_ref().is_some_and(|head| !head.is_raw);
        if let Some(head) = head {
            (summary.start, summary.rest) = (head.start, head.rest);
            // A head states only one end.
            if let Some(first) =
                head.end.filter(|first| !head.is_raw && Some(first) != end.as_ref())
            {
                vac_adapter::raw::push(&mut summary.replaced, "lastUpdated", &first);
            }
        }
        for (key, value) in std::mem::take(&mut self.changed) {
            match summary.rest.get_mut(&key) {
                Some(known) if *known == value => {}
                Some(known) => {
                    summary.replaced.push((key, std::mem::replace(known, value)));
                }
                None => summary.rest.push((key, value)),
            }
        }
        summary.is_hoisted = is_value && summary.replaced.is_empty();
        let first = || self.span.first().or_else(|| start_in_name(name));
        summary.start = summary.start.take().or_else(first);
        summary.end = end.or_else(|| self.span.last());
        summary.folders.extend(self.workspace.take());
        summary.folders.extend(texts(&summary.rest, "directories"));
        summary.project_hash = texts(&summary.rest, "projectHash").next();
        summary.models = self.models.names().map(str::to_owned).collect();
        summary
    }

    /// Returns the main model.
    pub fn model(&self) -> &str {
        self.models.main_or_unknown()
    }
}

/// Returns the texts of a member: the member itself, or the elements of a list.
fn texts(rest: &Rest<'_>, key: &str) -> std::vec::IntoIter<String> {
    let document = rest.get(key).and_then(|value| value.document().ok());
    let texts: Vec<String> = document.map_or_else(Vec::new, |document| {
        let root = document.root();
        let own = root.text().into_iter().chain(root.elements().filter_map(Node::text));
        own.filter(|text| !text.is_empty()).map(Cow::into_owned).collect()
    });
    texts.into_iter()
}

/// Returns the id of a session, if the value is one.
pub(crate) fn session_id(node: Node<'_, '_>) -> Option<String> {
    node.text().filter(|id| !id.is_empty()).map(Cow::into_owned)
}

/// Returns a timestamp, if the value is one.
pub(crate) fn time<'a>(node: Node<'_, 'a>) -> Option<AbstractTimestamp<'a>> {
    AbstractTimestamp::from_node(node).ok()
}

/// Returns a timestamp that outlives its document.
pub(crate) fn owned_time(node: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    time(node).map(IntoOwned::into_owned)
}

/// Returns the time at which a document begins, if it states one.
pub(crate) fn moment(start: Node<'_, '_>) -> Option<Moment> {
    instant(&time(start)?)
}

/// Returns the minute in the name of a session's file: `session-2026-01-05T09-30-...`.
pub(crate) fn start_in_name(name: &str) -> Option<AbstractTimestamp<'static>> {
    let minute = name.strip_prefix("session-")?.get(..16)?;
    let (day, time) = minute.split_once('T')?;
    let (hour, minute) = time.split_once('-')?;
    let text = format!("\"{day}T{hour}:{minute}:00Z\"");
    let document = Document::json(text.as_bytes()).ok()?;
    owned_time(document.root())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_can_be_the_minute_in_a_file_name() {
        let start = start_in_name("session-2026-01-05T09-30-5f0c1d2e.json");
        let expected = AbstractTimestamp::try_from("2026-01-05T09:30:00Z").expect("a time");
        assert_eq!(start, Some(expected));
        assert_eq!(start_in_name("session.json"), None);
        assert_eq!(start_in_name("session-2026-01-05T99-30-5f0c1d2e.json"), None);
    }
}
