//! The second pass: one entry a line.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::cursor::Rest;
use vac_adapter::frame::Place;
use vac_adapter::raw;
use vac_record::Entry;
use vac_value::{Any, Encoding, Node};

use crate::around::Around;
use crate::facts::Facts;
use crate::shape::{self, Shape, shape};
use crate::{echo, event, item, usage};

/// Reads lines, in order.
pub(crate) struct Reader<'f> {
    facts: &'f Facts,
    /// The model of the turn.
    model: Option<String>,
    /// The last total of tokens, and the entry that told it.
    counted: Option<(Vec<u8>, String)>,
}

impl<'f> Reader<'f> {
    /// Reads the lines of a session of which these facts are known.
    pub fn new(facts: &'f Facts) -> Self {
        Self { facts, model: None, counted: None }
    }

    /// The entry of a line.
    pub fn entry<'a>(
        &mut self,
        line: Node<'_, 'a>,
        place: Place,
        report: &mut Report,
    ) -> Entry<'a> {
        if let Some(native) = shape::unknown(line) {
            report.unknown(&native);
        }
        let is_inherited = self.facts.is_inherited(place.index, line);
        let (event_type, around) = match shape(line) {
            Shape::Envelope { kind, payload } => {
                let around = Around::envelope(line, &kind, place.id(), is_inherited);
                return self.enveloped(&kind, payload, around, place, report);
            }
            Shape::Item(kind) => {
                let around = Around::bare(place.id(), is_inherited);
                match item::entry(line, &kind, around, self.model.as_deref()) {
                    Ok(entry) => return entry,
                    Err(around) => (kind.into_owned(), around),
                }
            }
            Shape::Header => ("session_meta".to_owned(), Around::bare(place.id(), is_inherited)),
            Shape::Record(kind) => {
                (format!("record/{kind}"), Around::bare(place.id(), is_inherited))
            }
            Shape::Other => {
                let kind = line.member("type").and_then(Node::text);
                let kind = kind.map_or_else(|| "unknown".to_owned(), Cow::into_owned);
                (kind, Around::bare(place.id(), is_inherited))
            }
        };
        event::entry(line, event_type, None, around, Rest::default())
    }

    fn enveloped<'d, 'a>(
        &mut self,
        kind: &str,
        payload: Node<'d, 'a>,
        around: Around<'d, 'a>,
        place: Place,
        report: &mut Report,
    ) -> Entry<'a> {
        let particular = shape::payload_type(payload);
        let event_type = match &particular {
            Some(particular) => format!("{kind}/{particular}"),
            None => kind.to_owned(),
        };
        match kind {
            "response_item" => {
                let particular = particular.as_deref().unwrap_or_default();
                match item::entry(payload, particular, around, self.model.as_deref()) {
                    Ok(entry) => entry,
                    Err(around) => {
                        let id = payload.member("id").and_then(Node::text);
                        event::entry(payload, event_type, id, around, Rest::default())
                    }
                }
            }
            "event_msg" => self.event(event_type, payload, around, place, report),
            _ => {
                if kind == "turn_context" {
                    let model = payload.member("model").and_then(Node::text);
                    self.model = model.map(Cow::into_owned);
                }
                event::entry(payload, event_type, None, around, Rest::default())
            }
        }
    }

    fn event<'a>(
        &mut self,
        event_type: String,
        payload: Node<'_, 'a>,
        around: Around<'_, 'a>,
        place: Place,
        report: &mut Report,
    ) -> Entry<'a> {
        let mut beside = Rest::default();
        if let Some((speaker, _)) = echo::echo(payload) {
            let Some(original) = self.facts.links.get(place.index) else {
                return event::only_told_here(payload, speaker, around, self.model.as_deref());
            };
            report.duplicates_linked += 1;
            raw::push(&mut beside, "duplicate-of", original);
        }
        if event_type == "event_msg/token_count" {
            self.count(payload, &around, report, &mut beside);
        }
        if let Some(call_id) = event::call_id(payload) {
            beside.push(("call-id".into(), call_id));
        }
        event::entry(payload, event_type, None, around, beside)
    }

    /// A count is told again whenever the limits are told: only the first of
    /// equal ones counts.
    fn count(
        &mut self,
        payload: Node<'_, '_>,
        around: &Around<'_, '_>,
        report: &mut Report,
        beside: &mut Rest<'_>,
    ) {
        let total = usage::total(payload);
        if let (Some(total), Some((counted, id))) = (total, &self.counted)
            && total == counted.as_slice()
        {
            report.duplicates_linked += 1;
            raw::push(beside, "duplicate-of", id.as_str());
            return;
        }
        if let Some(total) = total {
            self.counted = Some((total.to_vec(), around.id.clone()));
        }
        let usage = usage::token_usage(payload);
        if let Some(usage) = usage.and_then(|usage| Any::of(&usage, Encoding::Json).ok()) {
            beside.push(("token-usage".into(), usage));
        }
    }
}
