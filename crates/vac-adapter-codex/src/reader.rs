//! The second pass: entries.

use std::borrow::Cow;

use vac_adapter::frame::{Content, Frame};
use vac_adapter::members::Rest;
use vac_adapter::raw;
use vac_adapter::{Error, Origin, Report, Sink};
use vac_record::{Entry, EventEntry};
use vac_value::{Kind, Node, Text};

use crate::around::{Around, Standing};
use crate::at::At;
use crate::capture::Capture;
use crate::facts::Facts;
use crate::item::{self, Knowledge};
use crate::names::{COMPLETED, EVENTS, ITEMS, LINES, known};
use crate::shape::{Envelope, Shape, shape, type_of};
use crate::tokens::{Tally, Told};
use crate::whole::{self, Broken, Piece};
use crate::{echo, event, exec_event};

/// Reads frames, in order.
pub(crate) struct Reader<'f> {
    facts: &'f Facts,
    /// The model of the turn.
    model: Option<String>,
    tally: Tally<'f>,
    capture: Capture<'f>,
}

impl<'f> Reader<'f> {
    /// Reads the frames of a session of which these facts are known.
    pub fn new(facts: &'f Facts) -> Self {
        let tally = Tally::new(&facts.recorded, facts.id());
        Self { facts, model: None, tally, capture: Capture::new(&facts.states) }
    }

    /// Gives the entries of a frame.
    pub fn frame(&mut self, frame: &Frame<'_>, at: At, sink: &mut dyn Sink) -> Result<(), Error> {
        sink.report().frames += 1;
        let place = at.place;
        match &frame.content {
            Content::Raw(raw) if whole::is_begun(raw.bytes) => {
                let broken = Broken::of(raw.bytes);
                broken.each(&raw.reason, |piece| self.piece(piece, raw.bytes, at, sink))
            }
            Content::Raw(raw) => {
                let entry = event::raw(raw, at, sink.report());
                sink.entry(entry, Origin { place, bytes: raw.bytes })
            }
            Content::Document(document) => {
                let (line, bytes) = (document.root(), document.root().raw());
                let shape = shape(line);
                if let Shape::Whole = shape {
                    return whole::each(line, |piece| self.piece(piece, bytes, at, sink));
                }
                let entry = self.line(line, shape, at, sink.report());
                sink.entry(entry, Origin { place, bytes })
            }
        }
    }

    /// Gives the entry of a piece of a whole session.
    fn piece(
        &mut self,
        piece: Piece<'_, '_>,
        whole: &[u8],
        at: At,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let report = sink.report();
        let (entry, bytes) = match piece {
            Piece::Around { members, .. } => {
                let entry = Entry::Event(EventEntry {
                    event_type: "session".into(),
                    data: Some(members),
                    timestamp: None,
                    id: Some(at.id().into()),
                    children: None,
                    extensions: Rest::default(),
                });
                (entry, whole)
            }
            Piece::Item(number, item) => {
                let kind = type_of(item);
                (self.item(item, kind, at.item(number), Standing::default(), report), item.raw())
            }
            Piece::Raw(number, raw) => (event::raw(raw, at.item(number), report), raw.bytes),
        };
        sink.entry(entry, Origin { place: at.place, bytes })
    }

    /// The entry of a line.
    fn line<'a>(
        &mut self,
        line: Node<'a, 'a>,
        shape: Shape<'a>,
        at: At,
        report: &mut Report,
    ) -> Entry<'a> {
        let standing = self.facts.standing(at.index, line);
        let event_type = match shape {
            Shape::Envelope(envelope) => {
                let around = Around::envelope(line, &envelope, at, standing);
                return self.enveloped(envelope, around, report);
            }
            Shape::Item(kind) => return self.item(line, Some(kind), at, standing, report),
            Shape::Printed(kind) => {
                let mut beside = Rest::default();
                if kind == "turn.completed" {
                    tell(self.tally.printed(line), &mut beside, report);
                }
                return self.capture.entry(line, kind, at, beside, report);
            }
            Shape::Header => "session_meta".into(),
            Shape::Setup => {
                self.turn_model(line);
                "config".into()
            }
            Shape::Prompt(prompt) if self.facts.is_of_events() => {
                return exec_event::prompt(prompt, at);
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
            Shape::Whole | Shape::Prompt(_) | Shape::Other(None) => {
                let is_object = line.kind() == Kind::Map;
                let what = if is_object { "without a type" } else { "that is no object" };
                report.unknown(&format!("a line {what}"));
                "unknown".into()
            }
        };
        event::entry(line, event_type, None, Around::bare(at, standing), Rest::default())
    }

    /// The entry of an item without an envelope.
    fn item<'a>(
        &self,
        item: Node<'a, '_>,
        kind: Option<Text<'a>>,
        at: At,
        standing: Standing,
        report: &mut Report,
    ) -> Entry<'a> {
        let kind = kind.unwrap_or_else(|| "unknown".into());
        if known(ITEMS, &kind).is_none() {
            report.unknown(&kind);
        }
        let around = Around::bare(at, standing);
        match item::entry(item, &kind, around, self.knowledge()) {
            Ok(entry) => entry,
            Err(around) => event::entry(item, kind, None, around, Rest::default()),
        }
    }

    /// Takes the model of what begins a turn.
    fn turn_model(&mut self, turn: Node<'_, '_>) {
        let model = turn.member("model").and_then(Node::text);
        if model.as_deref() != self.model.as_deref() {
            self.model = model.map(Cow::into_owned);
        }
    }

    fn knowledge(&self) -> Knowledge<'_> {
        Knowledge { model: self.model.as_deref(), outcomes: &self.facts.outcomes }
    }

    fn enveloped<'a>(
        &mut self,
        Envelope { kind, payload, .. }: Envelope<'a>,
        around: Around<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        let inner = type_of(payload);
        let mut beside = Rest::default();
        match &*kind {
            "response_item" => {
                let event_type = named(&kind, inner.as_deref(), ITEMS, report);
                let inner = inner.as_deref().unwrap_or_default();
                return match item::entry(payload, inner, around, self.knowledge()) {
                    Ok(entry) => entry,
                    Err(around) => {
                        let id = payload.member("id").and_then(Node::text);
                        event::entry(payload, event_type, id, around, beside)
                    }
                };
            }
            "event_msg" => {
                let event_type = named(&kind, inner.as_deref(), EVENTS, report);
                let inner = inner.as_deref().unwrap_or_default();
                return self.event(event_type, inner, payload, around, report);
            }
            "realtime_item" if inner.as_deref() == Some("transcript_segment") => {
                match event::spoken(payload, around, self.model.as_deref()) {
                    Ok(entry) => return entry,
                    Err(around) => {
                        let event_type = "realtime_item/transcript_segment".into();
                        return event::entry(payload, event_type, None, around, beside);
                    }
                }
            }
            "turn_context" => {
                self.tally.turn(payload);
                self.turn_model(payload);
            }
            "token_usage_record" => {
                let is_copy = around.standing.is_inherited;
                tell(self.tally.record(payload, around.at, is_copy), &mut beside, report);
            }
            other if !LINES.contains(&other) => report.unknown(other),
            _ => {}
        }
        let event_type = match inner {
            Some(inner) => Cow::Owned(format!("{kind}/{inner}")),
            None => kind,
        };
        event::entry(payload, event_type, None, around, beside)
    }

    fn event<'a>(
        &mut self,
        event_type: Text<'a>,
        inner: &str,
        payload: Node<'a, 'a>,
        around: Around<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        let mut beside = Rest::default();
        match inner {
            "token_count" => {
                let is_copy = around.standing.is_inherited;
                tell(self.tally.count(payload, around.at, is_copy), &mut beside, report);
                return event::entry(payload, event_type, None, around, beside);
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
        if let Some((speaker, _)) = echo::echo(payload, inner) {
            let Some(original) = self.facts.links.id(around.at.index) else {
                return event::only_told_here(payload, speaker, around, self.model.as_deref());
            };
            report.duplicates_linked += 1;
            raw::push(&mut beside, "duplicate-of", original);
        }
        let around = if self.facts.is_of_events() {
            match exec_event::entry(payload, inner, around) {
                Ok(entry) => return entry,
                Err(around) => around,
            }
        } else {
            around
        };
        if let Some(call) = event::call(payload) {
            beside.push(("call-id".into(), call.carry()));
        }
        event::entry(payload, event_type, None, around, beside)
    }
}

/// What an event of a type inside a line is called. Reports a type that is not
/// known.
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

/// Says what a line tells about tokens.
fn tell<'a>(told: Told<'a>, beside: &mut Rest<'a>, report: &mut Report) {
    match told {
        Told::Used(usage) => beside.push(("token-usage".into(), usage)),
        Told::Again(id) => {
            report.duplicates_linked += 1;
            raw::push(beside, "duplicate-of", id.as_str());
        }
        Told::Nothing => {}
    }
}
