//! What one document says about its session as a whole.

use std::borrow::Cow;

use vac_adapter::cursor::{Rest, keys};
use vac_adapter::time::Span;
use vac_record::AbstractTimestamp;
use vac_value::{Decode, Document, IntoOwned, Node};

use crate::part::{Piece, Wrapper};

/// What one document says.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// `sessionId`.
    pub session_id: Option<String>,
    /// `startTime`.
    pub start: Option<AbstractTimestamp<'static>>,
    /// `lastUpdated`.
    pub end: Option<AbstractTimestamp<'static>>,
    /// The first of `directories`.
    pub working_dir: Option<String>,
    /// The members around the list that have no canonical name.
    pub rest: Rest<'static>,
    /// Whether the members around the list have to be an entry.
    pub wrapper_is_raw: bool,
    /// Whether later documents are counted in.
    is_joined: bool,
    /// The timestamps of the messages.
    pub span: Span,
    /// Models in the order of their appearance, and how many messages each wrote.
    pub models: Vec<(String, u64)>,
    /// How many elements and raw pieces there are.
    pub pieces: u64,
}

impl Facts {
    /// Counts a piece in.
    pub fn piece(&mut self, piece: &Piece<'_, '_, '_>) {
        match piece {
            Piece::Wrapper(wrapper) => return self.wrapper(wrapper),
            Piece::Element(node) => self.element(*node),
            Piece::Other(_) | Piece::Raw(_) => {}
        }
        self.pieces += 1;
    }

    fn wrapper(&mut self, wrapper: &Wrapper<'_, '_>) {
        let text = |node: Node<'_, '_>| node.text().map(Cow::into_owned);
        let time = |node: Node<'_, '_>| Some(AbstractTimestamp::decode(node).ok()?.into_owned());
        let directories = wrapper.member("directories");
        self.working_dir = directories.and_then(|list| list.elements().next()).and_then(text);
        if wrapper.raw.is_some() {
            self.wrapper_is_raw = true;
            self.session_id = wrapper.member("sessionId").and_then(text);
            self.start = wrapper.member("startTime").and_then(time);
            self.end = wrapper.member("lastUpdated").and_then(time);
        } else if let Some(mut cursor) = wrapper.cursor() {
            self.session_id = cursor.take_if("sessionId", text);
            self.start = cursor.take_if("startTime", time);
            self.end = cursor.take_if("lastUpdated", time);
            self.rest = cursor.rest(keys::SESSION).into_owned();
        }
        self.session_id.take_if(|id| id.is_empty());
    }

    fn element(&mut self, message: Node<'_, '_>) {
        if let Some(timestamp) = message.member("timestamp")
            && let Ok(timestamp) = AbstractTimestamp::decode(timestamp)
        {
            self.span.add(&timestamp);
        }
        let model = message.member("model").and_then(Node::text);
        if let Some(model) = model.filter(|model| !model.is_empty()) {
            self.model(&model, 1);
        }
    }

    /// Counts messages of a model in.
    pub fn model(&mut self, model: &str, messages: u64) {
        match self.models.iter_mut().find(|(known, _)| known == model) {
            Some((_, count)) => *count += messages,
            None => self.models.push((model.to_owned(), messages)),
        }
    }

    /// Counts in what a later document of the same session says. What its wrapper
    /// says is an entry.
    pub fn continued(&mut self, later: Self) {
        // The head names one end only, and the first document has no entry to say
        // its own in.
        if let Some(end) = self.end.as_ref().filter(|_| !self.is_joined && !self.wrapper_is_raw) {
            vac_adapter::raw::push(&mut self.rest, "lastUpdated", end);
        }
        self.is_joined = true;
        self.end = later.end.or(self.end.take());
        for timestamp in [later.span.first(), later.span.last()].into_iter().flatten() {
            self.span.add(&timestamp);
        }
        for (model, messages) in later.models {
            self.model(&model, messages);
        }
        self.pieces += later.pieces + 1;
    }
}

/// The minute in the name of a session's file: `session-2026-01-05T09-30-...`.
pub(crate) fn start_in_name(name: &str) -> Option<AbstractTimestamp<'static>> {
    let minute = name.strip_prefix("session-")?.get(..16)?;
    let (day, time) = minute.split_once('T')?;
    let (hour, minute) = time.split_once('-')?;
    let text = format!("\"{day}T{hour}:{minute}:00Z\"");
    let document = Document::json(text.as_bytes()).ok()?;
    Some(AbstractTimestamp::decode(document.root()).ok()?.into_owned())
}
