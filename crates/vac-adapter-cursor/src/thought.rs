//! Joins the lines of a thought in a capture to one reasoning entry.
//!
//! The texts are joined as JSON tokens, so that a character that is split between two lines stays
//! complete. Every line stays in the record as it was, under `deltas`.

use vac_adapter::frame::Place;
use vac_adapter::{Error, Origin, Sink, raw};
use vac_record::{AbstractTimestamp, Entry, EventEntry};
use vac_value::{Any, Kind, Map, Node};

use crate::entry;
use crate::facts::Facts;

/// Maximum length of a thought in bytes. A longer one becomes several entries.
const MAX_LENGTH: usize = 16 << 20;

/// A thought that is being read.
#[derive(Debug)]
pub(crate) struct Thought {
    place: Place,
    timestamp: Option<AbstractTimestamp<'static>>,
    /// The text as JSON, without the last quotation mark.
    text: Vec<u8>,
    /// The lines as a JSON array, without the last bracket.
    deltas: Vec<u8>,
    /// The line that ends it.
    completed: Option<Vec<u8>>,
    /// The lines as they are in the source.
    lines: Vec<u8>,
}

impl Thought {
    pub fn new(place: Place) -> Self {
        Self {
            place,
            timestamp: None,
            text: vec![b'"'],
            deltas: vec![b'['],
            completed: None,
            lines: Vec::new(),
        }
    }

    /// Adds a line. Returns false if the thought is too long for further lines.
    pub fn add(&mut self, line: Node<'_, '_>, facts: &Facts) -> bool {
        if self.deltas.len() > 1 {
            self.deltas.push(b',');
        }
        self.deltas.push(b'{');
        let start = self.deltas.len();
        for (key, value) in line.members() {
            if value.kind() == Kind::Text && key.is_text("text") {
                let token = value.raw();
                self.text.extend_from_slice(token.get(1..token.len() - 1).unwrap_or_default());
            } else if self.timestamp.is_none() && key.is_text("timestamp_ms") {
                self.timestamp = value.uint().map(AbstractTimestamp::Uint);
            }
            member(key, value, facts, start, &mut self.deltas);
        }
        self.deltas.push(b'}');
        self.source(line);
        self.lines.len() < MAX_LENGTH
    }

    /// Adds the line that ends the thought.
    pub fn complete(&mut self, line: Node<'_, '_>, facts: &Facts) {
        let mut completed = vec![b'{'];
        for (key, value) in line.members() {
            member(key, value, facts, 1, &mut completed);
        }
        completed.push(b'}');
        self.completed = Some(completed);
        self.source(line);
    }

    fn source(&mut self, line: Node<'_, '_>) {
        if !self.lines.is_empty() {
            self.lines.push(b'\n');
        }
        self.lines.extend_from_slice(line.raw());
    }

    /// Passes the reasoning entry to a sink.
    pub fn end(mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.text.push(b'"');
        self.deltas.push(b']');
        let origin = Origin { place: self.place, bytes: &self.lines };
        sink.entry(self.entry(), origin)
    }

    fn entry(&self) -> Entry<'_> {
        let timestamp = self.timestamp.clone();
        let mut extensions = Map::default();
        let parts = [("deltas", Some(&self.deltas)), ("completed", self.completed.as_ref())];
        for (key, json) in parts {
            let value = json.and_then(|json| Any::from_json(json).ok());
            extensions.extend(value.map(|value| (key.into(), value)));
        }
        match Any::from_json(&self.text) {
            Ok(content) => {
                let id = Some(self.place.id());
                entry::reasoning(Some(content), None, timestamp, id, extensions)
            }
            // Not reached: a value that was cut out of JSON is JSON.
            Err(_) => Entry::Event(EventEntry {
                timestamp,
                ..entry::event(raw::EVENT_TYPE, self.place.id(), extensions)
            }),
        }
    }
}

/// Writes a member of a line, unless the reasoning entry states it for all lines.
fn member(key: Node<'_, '_>, value: Node<'_, '_>, facts: &Facts, start: usize, out: &mut Vec<u8>) {
    let is_stated_elsewhere = value.kind() == Kind::Null
        || key.is_text("type")
        || key.is_text("subtype")
        || (key.is_text("session_id") && value.is_text(facts.id()));
    if is_stated_elsewhere {
        return;
    }
    if out.len() > start {
        out.push(b',');
    }
    out.extend_from_slice(key.raw());
    out.push(b':');
    out.extend_from_slice(value.raw());
}
