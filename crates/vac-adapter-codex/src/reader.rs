//! Implements the second pass over a log, which builds the entries of its frames.

use std::borrow::Cow;

use vac_adapter::frame::{Content, Frame};
use vac_adapter::members::Rest;
use vac_adapter::{Error, Origin, Report, Sink};
use vac_record::Entry;
use vac_record::annotations::{self, End, EndOf, Ending, EntryAnnotations};
use vac_value::{Kind, Node, Text};

use crate::entries::{self, Common};
use crate::envelope_rest::{self, LineContext};
use crate::exec_json::PrintedItems;
use crate::facts::Facts;
use crate::item::{self, Knowledge};
use crate::location::Location;
use crate::names::{COMPLETED, EVENTS, ITEMS, LINES, known};
use crate::shape::{Envelope, Shape, shape, type_of};
use crate::tokens::{Count, Tally};
use crate::typescript_session::{self, Piece};
use crate::{duplicate_events, event, exec_event, permission};

/// Reads frames, in order.
pub(crate) struct Reader<'f> {
    facts: &'f Facts,
    /// The model of the turn.
    model: Option<String>,
    tally: Tally<'f>,
    printed: PrintedItems<'f>,
}

impl<'f> Reader<'f> {
    /// Creates a reader for the frames of a session with these facts.
    pub fn new(facts: &'f Facts) -> Self {
        let tally = Tally::new(&facts.recorded, facts.id());
        Self { facts, model: None, tally, printed: PrintedItems::new(&facts.states) }
    }

    /// Passes the entries of a frame to a sink.
    pub fn frame(
        &mut self,
        frame: &Frame<'_>,
        at: Location,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        sink.report().frames += 1;
        let place = at.place;
        match &frame.content {
            Content::Raw(raw) if typescript_session::is_begun(raw.bytes) => {
                typescript_session::each_damaged(raw, |piece| {
                    self.piece(piece, raw.bytes, at, sink)
                })
            }
            Content::Raw(raw) => {
                let entry = event::raw(raw, at, sink.report());
                sink.entry(entry, Origin { place, bytes: raw.bytes })
            }
            Content::Document(document) => {
                let (line, bytes) = (document.root(), document.root().raw());
                let shape = shape(line);
                if let Shape::TypeScript = shape {
                    return typescript_session::each(line, |piece| {
                        self.piece(piece, bytes, at, sink)
                    });
                }
                let entry = self.line(line, shape, at, sink.report());
                sink.entry(entry, Origin { place, bytes })
            }
        }
    }

    /// Returns the entry of a part of a session of the TypeScript CLI.
    fn piece(
        &mut self,
        piece: Piece<'_, '_>,
        whole: &[u8],
        at: Location,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let report = sink.report();
        let (entry, bytes) = match piece {
            Piece::Header { members, .. } => {
                let starts = self.facts.annotations(at.index, None).starts;
                let annotations = EntryAnnotations { starts, ..EntryAnnotations::default() };
                let around = LineContext::bare(at, annotations);
                let common = around.join(Common::default(), envelope_rest::EVENT, report);
                (entries::event("session".into(), members, common), whole)
            }
            Piece::Item(number, item) => {
                let kind = type_of(item);
                (
                    self.item(item, kind, at.item(number), EntryAnnotations::default(), report),
                    item.raw(),
                )
            }
            Piece::Raw(number, raw) => (event::raw(raw, at.item(number), report), raw.bytes),
        };
        sink.entry(entry, Origin { place: at.place, bytes })
    }

    /// Returns the entry of a line.
    fn line<'a>(
        &mut self,
        line: Node<'a, 'a>,
        shape: Shape<'a>,
        at: Location,
        report: &mut Report,
    ) -> Entry<'a> {
        let annotations = self.facts.annotations(at.index, Some(line));
        let event_type = match shape {
            Shape::Envelope(envelope) => {
                let around = LineContext::envelope(line, &envelope, at, annotations);
                return self.enveloped(envelope, around, report);
            }
            Shape::Item(kind) => return self.item(line, Some(kind), at, annotations, report),
            Shape::Printed(kind) => {
                let (mut extensions, mut annotations) = (Rest::default(), annotations);
                if kind == "turn.completed" {
                    let count = self.tally.printed(line, report);
                    add_count(count, None, &mut extensions, &mut annotations, report);
                }
                return self.printed.entry(line, kind, at, extensions, annotations, report);
            }
            Shape::Header => "session_meta".into(),
            Shape::Setup => {
                self.turn_model(line);
                "config".into()
            }
            Shape::Prompt(_) if self.facts.is_of_events() => {
                return exec_event::prompt(line, at, report);
            }
            Shape::Record(kind) => {
                if kind != "state" {
                    report.unknown(&format!("record_type {kind}"));
                }
                Cow::Owned(format!("record/{kind}"))
            }
            Shape::Other(Some(kind)) => {
                report.unknown(&kind);
                kind
            }
            Shape::TypeScript | Shape::Prompt(_) | Shape::Other(None) => {
                let is_object = line.kind() == Kind::Map;
                let what = if is_object { "without a type" } else { "that is not an object" };
                report.unknown(&format!("a line {what}"));
                "unknown".into()
            }
        };
        let around = LineContext::bare(at, annotations);
        event::entry(line, event_type, None, around, Rest::default(), report)
    }

    /// Returns the entry of an item without an envelope.
    fn item<'a>(
        &self,
        item: Node<'a, '_>,
        kind: Option<Text<'a>>,
        at: Location,
        annotations: EntryAnnotations<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        let kind = kind.unwrap_or_else(|| "unknown".into());
        if known(ITEMS, &kind).is_none() {
            report.unknown(&kind);
        }
        let around = LineContext::bare(at, annotations);
        match item::entry(item, &kind, around, self.knowledge(), report) {
            Ok(entry) => entry,
            Err(around) => event::entry(item, kind, None, around, Rest::default(), report),
        }
    }

    /// Sets the model from a line that begins a turn.
    fn turn_model(&mut self, turn: Node<'_, '_>) {
        let model = turn.member("model").and_then(Node::text);
        if model.as_deref() != self.model.as_deref() {
            self.model = model.map(Cow::into_owned);
        }
    }

    fn knowledge(&self) -> Knowledge<'_> {
        Knowledge {
            model: self.model.as_deref(),
            outcomes: &self.facts.outcomes,
            prompter: self.facts.prompter(),
            links: &self.facts.links,
        }
    }

    fn enveloped<'a>(
        &mut self,
        Envelope { kind, payload, .. }: Envelope<'a>,
        mut around: LineContext<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        let inner = type_of(payload);
        let mut extensions = Rest::default();
        match &*kind {
            "response_item" => {
                let event_type = named(&kind, inner.as_deref(), ITEMS, report);
                let inner = inner.as_deref().unwrap_or_default();
                return match item::entry(payload, inner, around, self.knowledge(), report) {
                    Ok(entry) => entry,
                    Err(around) => {
                        let id = payload.member("id").and_then(Node::text);
                        event::entry(payload, event_type, id, around, extensions, report)
                    }
                };
            }
            "event_msg" => {
                let event_type = named(&kind, inner.as_deref(), EVENTS, report);
                let inner = inner.as_deref().unwrap_or_default();
                return self.event(event_type, inner, payload, around, report);
            }
            "realtime_item" if inner.as_deref() == Some("transcript_segment") => {
                match event::spoken(payload, around, self.model.as_deref(), report) {
                    Ok(entry) => return entry,
                    Err(around) => {
                        let event_type = "realtime_item/transcript_segment".into();
                        return event::entry(payload, event_type, None, around, extensions, report);
                    }
                }
            }
            "turn_context" => {
                self.tally.turn(payload);
                self.turn_model(payload);
            }
            "token_usage_record" => {
                let count = self.tally.record(payload, around.at, around.is_inherited(), report);
                let model = self.model.as_deref();
                add_count(count, model, &mut extensions, &mut around.annotations, report);
            }
            other if !LINES.contains(&other) => report.unknown(other),
            _ => {}
        }
        let event_type = match inner {
            Some(inner) => Cow::Owned(format!("{kind}/{inner}")),
            None => kind,
        };
        event::entry(payload, event_type, None, around, extensions, report)
    }

    fn event<'a>(
        &mut self,
        event_type: Text<'a>,
        inner: &str,
        payload: Node<'a, 'a>,
        mut around: LineContext<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        let mut extensions = Rest::default();
        around.annotations.ends = end(payload, inner);
        around.annotations.permission = permission::permission(payload, inner);
        match inner {
            "token_count" => {
                let count = self.tally.count(payload, around.at, around.is_inherited(), report);
                let model = self.model.as_deref();
                add_count(count, model, &mut extensions, &mut around.annotations, report);
                return event::entry(payload, event_type, None, around, extensions, report);
            }
            "task_started" | "turn_started" => self.tally.turn(payload),
            "session_configured" => self.turn_model(payload),
            "item_completed" => {
                let item = payload.member("item").and_then(type_of);
                let is = |item: &str| COMPLETED.iter().any(|(name, _)| *name == item);
                if !item.as_deref().is_some_and(is) {
                    let item = item.as_deref().unwrap_or("without a type");
                    report.unknown(&format!("{event_type}/{item}"));
                }
            }
            _ => {}
        }
        if let Some((speaker, _)) = duplicate_events::parse(payload, inner) {
            let Some(original) = self.facts.links.id(around.at.index) else {
                let (model, prompter) = (self.model.as_deref(), self.facts.prompter());
                return event::only_message(payload, speaker, around, model, prompter, report);
            };
            report.duplicates_linked += 1;
            around.annotations.duplicate_of = Some(Cow::Owned(original.to_owned()));
        }
        let around = if self.facts.is_of_events() {
            match exec_event::entry(payload, inner, around, report) {
                Ok(entry) => return entry,
                Err(around) => around,
            }
        } else {
            around
        };
        event::entry(payload, event_type, None, around, extensions, report)
    }
}

/// Returns the end that an event states.
///
/// | event | ends | how |
/// |---|---|---|
/// | `task_complete`, `turn_complete` | a turn | a failure if it has an `error` |
/// | `turn_aborted` | a turn | interrupted, except for the end of a review |
/// | `error` | a turn | a failure, except for errors that leave the turn running |
/// | `shutdown_complete` | the session | |
fn end(event: Node<'_, '_>, kind: &str) -> Option<End> {
    let member = |key: &str| event.member(key).filter(|value| value.kind() != Kind::Null);
    let how = match kind {
        "task_complete" | "turn_complete" => member("error").map(|_| Ending::Failure),
        "turn_aborted" => {
            let is_review = member("reason").is_some_and(|reason| reason.is_text("review_ended"));
            (!is_review).then_some(Ending::Interrupted)
        }
        "error" => {
            let info = member("codex_error_info");
            let leaves_turn = |info: Node<'_, '_>| {
                ["thread_rollback_failed", "active_turn_not_steerable"]
                    .iter()
                    .any(|name| info.is_text(name) || info.member(name).is_some())
            };
            if info.is_some_and(leaves_turn) {
                return None;
            }
            Some(Ending::Failure)
        }
        "shutdown_complete" => return Some(End { of: EndOf::Session, how: None }),
        _ => return None,
    };
    Some(End { of: EndOf::Turn, how })
}

/// Returns the event type of a type inside a line. Reports a type that is not known.
fn named<'a>(
    line: &str,
    inner: Option<&str>,
    types: &[(&'static str, &'static str)],
    report: &mut Report,
) -> Text<'a> {
    let Some(inner) = inner else {
        report.unknown(&format!("{line} without a type"));
        return Cow::Owned(line.to_owned());
    };
    match known(types, inner) {
        Some(event_type) => Cow::Borrowed(event_type),
        None => {
            let event_type = format!("{line}/{inner}");
            report.unknown(&event_type);
            Cow::Owned(event_type)
        }
    }
}

/// Adds the tokens that a line counts to its entry.
fn add_count<'a>(
    count: Count<'a>,
    model: Option<&str>,
    extensions: &mut Rest<'a>,
    annotations: &mut EntryAnnotations<'a>,
    report: &mut Report,
) {
    match count {
        Count::New { stated, buckets } => {
            extensions.push(("token-usage".into(), stated));
            // A total alone cannot be assigned to buckets.
            if buckets != annotations::Usage::default() {
                let model = model.map(|model| Cow::Owned(model.to_owned()));
                annotations.usage = Some(annotations::Usage { model, ..buckets });
            }
        }
        Count::Repeated(id) => {
            report.duplicates_linked += 1;
            annotations.duplicate_of = Some(id.into());
        }
        Count::Nothing => {}
    }
}
