//! Implements the second pass: converts frames to entries, in order.

use std::borrow::Cow;
use std::collections::HashSet;

use vac_adapter::annotation::annotate;
use vac_adapter::frame::{Content, Frame, Place, Raw, Reason, scanner};
use vac_adapter::redact::{self, Redactor};
use vac_adapter::{Error, Log, Origin, Sink};
use vac_value::Node;

use crate::facts::Facts;
use crate::line::{Capture, Line, line};
use crate::partial_output::PartialOutput;
use crate::secret::{SECRETS, UNKNOWN};
use crate::thought::Thought;
use crate::{capture, chat, composer, event, message};

/// Converts frames to entries.
pub(crate) struct Reader<'f> {
    log: &'f Log<'f>,
    facts: &'f Facts,
    /// The thought that is being collected.
    thought: Option<Thought>,
    /// The ids of calls that were started.
    started: HashSet<Option<String>>,
    redactor: Redactor,
    partial: PartialOutput,
}

impl<'f> Reader<'f> {
    pub fn new(log: &'f Log<'f>, facts: &'f Facts) -> Self {
        let redactor = Redactor::new(SECRETS);
        let partial = PartialOutput::default();
        Self { log, facts, thought: None, started: HashSet::new(), redactor, partial }
    }

    /// Passes the entries of a frame to a sink.
    pub fn frame(&mut self, frame: &Frame<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
        sink.report().frames += 1;
        let is_redacted = self.redactor.is_redacted(frame);
        match &frame.content {
            Content::Raw(raw) => self.raw(raw, frame.place, is_redacted, sink),
            // This is part of a damaged document that may contain a secret.
            Content::Document(document) if is_redacted => {
                let bytes = document.root().raw();
                let raw = Raw { bytes, reason: Reason::Stray, document: None };
                self.raw(&raw, frame.place, is_redacted, sink)
            }
            Content::Document(document) => self.document(document.root(), frame.place, sink),
        }
    }

    fn raw(
        &mut self,
        raw: &Raw<'_>,
        place: Place,
        is_redacted: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.end(sink)?;
        let entry = event::raw(raw, place, is_redacted, self.log.troubles_at(place), sink.report());
        sink.entry(entry, Origin { place, bytes: raw.bytes })
    }

    /// Passes the remaining entries to a sink.
    pub fn end(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.thought.take().map_or(Ok(()), |thought| thought.end(sink))
    }

    fn document(
        &mut self,
        node: Node<'_, '_>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let line = line(node);
        if line == Line::Capture(Capture::Thinking) {
            return self.thinking(node, place, sink);
        }
        if line == Line::Capture(Capture::Thought)
            && let Some(mut thought) = self.thought.take()
        {
            thought.complete(node, self.facts);
            return thought.end(sink);
        }
        self.end(sink)?;
        if line == Line::Unknown
            && let Some((kept, count)) = SECRETS.without_secrets(node)
        {
            return self.redacted(&kept, count, place, sink);
        }
        let origin = Origin { place, bytes: node.raw() };
        let facts = self.facts;
        let entry = match line {
            Line::Message => message::entry(node, "role", place, facts, sink.report()),
            Line::Capture(Capture::Message) => {
                let mut entry = message::entry(node, "type", place, facts, sink.report());
                if node.member("type").is_some_and(|kind| kind.is_text("user")) {
                    self.partial.end_turn();
                } else if let Some(original) = entry.id().and_then(|id| self.partial.add(node, id))
                {
                    sink.report().duplicates_linked += 1;
                    annotate(&mut entry, |it| it.duplicate_of = Some(original.into()));
                }
                entry
            }
            Line::Capture(Capture::Started) => {
                if self.started.len() < MAX_STARTED {
                    self.started.insert(call_id(node));
                }
                capture::started(node, place, facts, sink.report())
            }
            Line::Capture(Capture::Completed) => {
                let is_started =
                    self.started.contains(&call_id(node)) || self.started.len() >= MAX_STARTED;
                let (before, result) =
                    capture::completed(node, place, facts, is_started, sink.report());
                if let Some(before) = before {
                    sink.entry(before, origin)?;
                }
                result
            }
            Line::Row(kind) => {
                let troubles = self.log.troubles_at(place);
                return composer::entries(node, kind, place, facts, troubles, sink);
            }
            Line::Chat(kind) => {
                let troubles = self.log.troubles_at(place);
                return chat::entries(node, kind, place, facts, troubles, sink);
            }
            _ => event::entry(node, line, place, facts, sink.report()),
        };
        sink.entry(entry, origin)
    }

    /// Passes the entry of an unknown document, without its secrets, to a sink.
    fn redacted(
        &self,
        kept: &[u8],
        count: u64,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        (0..count).for_each(|_| sink.report().redact(UNKNOWN));
        // The bytes were a document before the secrets were removed, so they still are one.
        let document = scanner().json(kept).map_err(|error| Error::Refused(error.to_string()))?;
        let entry = event::entry(document.root(), Line::Unknown, place, self.facts, sink.report());
        let bytes = redact::origin(&entry)?;
        sink.entry(entry, Origin { place, bytes: &bytes })
    }

    fn thinking(
        &mut self,
        node: Node<'_, '_>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let thought = self.thought.get_or_insert_with(|| Thought::new(place));
        if thought.add(node, self.facts) { Ok(()) } else { self.end(sink) }
    }
}

/// Maximum number of calls that are remembered. Further ones count as started.
const MAX_STARTED: usize = 1 << 16;

/// Returns the id of a call, if it is text.
fn call_id(line: Node<'_, '_>) -> Option<String> {
    line.member("call_id").and_then(Node::text).map(Cow::into_owned)
}
