//! The first pass: what is true of the session as a whole.

use std::borrow::Cow;

use vac_adapter::Confidence;
use vac_adapter::frame::Place;
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::time::{Span, instant};
use vac_record::AbstractTimestamp;
use vac_value::{Decode, Node};

use crate::echo::{Links, Pairing};
use crate::meta::Meta;
use crate::shape::{self, Shape, payload_type, shape};

/// Replayed lines all bear the time of the fork; a line so much later is new.
const REPLAY_NANOSECONDS: i128 = 1_000_000_000;

/// What was found out about a session.
#[derive(Default)]
pub(crate) struct Facts {
    /// How many frames there are.
    pub frames: u64,
    /// Whether a line of a log was there.
    pub is_known: bool,
    /// Whether the document is a session of the first CLI.
    pub is_typescript: bool,
    /// Whether lines have envelopes.
    pub has_envelopes: bool,
    /// What the session says about itself.
    pub meta: Option<Meta>,
    /// When lines were written.
    pub span: Span,
    /// Models in the order of their appearance, and how many turns of the
    /// session each had.
    models: Vec<(String, u64)>,
    /// The sandboxes of turns.
    pub sandboxes: Vec<String>,
    /// The working directory, as a turn or the first prompt tells it.
    pub working_dir: Option<String>,
    replay: Replay,
    pairing: Pairing,
    /// Which events repeat which items.
    pub links: Links,
}

/// The lines of another session that were copied into this one.
#[derive(Default)]
struct Replay {
    /// The first of them, and when it was written.
    from: Option<(u64, Option<i128>)>,
    /// The first behind them, by its turn.
    until_turn: Option<u64>,
    /// The first behind them, by its time.
    until_time: Option<u64>,
}

impl Facts {
    /// Counts a frame that is no document.
    pub fn raw(&mut self) {
        self.frames += 1;
    }

    /// Counts a line.
    pub fn line(&mut self, line: Node<'_, '_>, place: Place) {
        self.frames += 1;
        if !self.is_known {
            self.is_typescript |= shape::is_typescript(line);
            self.is_known = !self.is_typescript && shape::confidence(line) > Confidence::No;
        }
        let timestamp = line.member("timestamp").and_then(|at| AbstractTimestamp::decode(at).ok());
        if let Some(timestamp) = &timestamp {
            self.span.add(timestamp);
        }
        let time = timestamp.as_ref().and_then(instant);
        if let (Some((_, Some(began))), Some(time)) = (self.replay.from, time)
            && self.replay.until_time.is_none()
            && time > began + REPLAY_NANOSECONDS
        {
            self.replay.until_time = Some(place.index);
        }
        match shape(line) {
            Shape::Envelope { kind, payload } => {
                self.has_envelopes = true;
                self.enveloped(&kind, payload, place, time);
            }
            Shape::Item(_) => self.item(line, place),
            Shape::Header if self.meta.is_none() => {
                self.meta = Some(Meta::of(line, place.index));
            }
            Shape::Header | Shape::Record(_) | Shape::Other => {}
        }
    }

    fn enveloped(&mut self, kind: &str, payload: Node<'_, '_>, place: Place, time: Option<i128>) {
        match kind {
            "session_meta" => match &self.meta {
                None => self.meta = Some(Meta::of(payload, place.index)),
                Some(meta) => {
                    let id = payload.member("id").and_then(Node::text);
                    if self.replay.from.is_none() && id.is_some_and(|id| meta.comes_from(&id)) {
                        self.replay.from = Some((place.index, time));
                    }
                }
            },
            "turn_context" => self.turn(payload),
            "response_item" => self.item(payload, place),
            "event_msg" => self.event(payload, place),
            _ => {}
        }
    }

    fn item(&mut self, item: Node<'_, '_>, place: Place) {
        let id = item.member("id").and_then(Node::text);
        let id = id.map_or_else(|| place.id(), Cow::into_owned);
        self.pairing.item(place.index, item, id);
        if self.working_dir.is_none() && !self.has_envelopes {
            self.working_dir = told_working_dir(item);
        }
    }

    fn event(&mut self, event: Node<'_, '_>, place: Place) {
        self.pairing.event(place.index, event);
        match payload_type(event).as_deref() {
            Some("task_started" | "turn_started") => {
                let turn = event.member("turn_id").and_then(Node::text);
                let is_own = turn.is_some_and(|turn| {
                    self.meta.as_ref().is_some_and(|meta| meta.is_before(&turn))
                });
                if is_own && self.replay.from.is_some() && self.replay.until_turn.is_none() {
                    self.replay.until_turn = Some(place.index);
                }
            }
            Some("thread_settings_applied") => {
                let settings = event.member("thread_settings");
                self.model_seen(settings.and_then(|settings| settings.member("model")), 0);
            }
            _ => {}
        }
    }

    fn turn(&mut self, turn: Node<'_, '_>) {
        let replay = &self.replay;
        let is_replayed =
            replay.from.is_some() && replay.until_turn.is_none() && replay.until_time.is_none();
        self.model_seen(turn.member("model"), u64::from(!is_replayed));
        if self.working_dir.is_none() {
            self.working_dir = turn.member("cwd").and_then(text);
        }
        let policy = turn.member("sandbox_policy");
        let sandbox = policy.and_then(|policy| {
            let name = policy.member("type").or_else(|| policy.member("mode")).unwrap_or(policy);
            text(name)
        });
        if let Some(sandbox) = sandbox.filter(|sandbox| !self.sandboxes.contains(sandbox)) {
            self.sandboxes.push(sandbox);
        }
    }

    fn model_seen(&mut self, model: Option<Node<'_, '_>>, turns: u64) {
        let Some(model) = model.and_then(text).filter(|model| !model.is_empty()) else { return };
        match self.models.iter_mut().find(|(known, _)| *known == model) {
            Some((_, counted)) => *counted += turns,
            None => self.models.push((model, turns)),
        }
    }

    /// Ends the pass.
    pub fn end(&mut self) {
        self.links = std::mem::take(&mut self.pairing).end();
    }

    /// Whether the line was copied from another session.
    pub fn is_inherited(&self, index: u64, line: Node<'_, '_>) -> bool {
        let replayed = self.replay.from.is_some_and(|(from, _)| {
            let until = self.replay.until_turn.or(self.replay.until_time);
            index >= from && until.is_none_or(|until| index < until)
        });
        let own_from = self
            .meta
            .as_ref()
            .filter(|meta| meta.index != index)
            .and_then(|meta| meta.history_start_ordinal);
        replayed
            || own_from.is_some_and(|from| {
                line.member("ordinal").and_then(Node::uint).is_some_and(|ordinal| ordinal < from)
            })
    }

    /// The model of most turns; of equals the first.
    pub fn model(&self) -> &str {
        let most = self.models.iter().map(|(_, turns)| *turns).max();
        let main = self.models.iter().find(|(_, turns)| Some(*turns) == most);
        main.map_or(UNKNOWN, |(model, _)| model)
    }

    /// All models.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|(model, _)| model.as_str())
    }

    /// Who runs the models.
    pub fn provider(&self) -> String {
        let stated = self.meta.as_ref().and_then(|meta| meta.model_provider.clone());
        stated.unwrap_or_else(|| provider(self.model()).to_owned())
    }
}

fn text(node: Node<'_, '_>) -> Option<String> {
    node.text().map(Cow::into_owned)
}

/// The working directory that the CLI tells the model, in logs that say it
/// nowhere else.
fn told_working_dir(item: Node<'_, '_>) -> Option<String> {
    if !item.member("role")?.is_text("user") {
        return None;
    }
    item.member("content")?.elements().find_map(|part| {
        let told = part.member("text")?.text()?;
        let between = |before: &str, behind: &str| {
            let (_, rest) = told.split_once(before)?;
            let (found, _) = rest.split_once(behind)?;
            Some(found.trim().to_owned()).filter(|found| !found.is_empty())
        };
        if !told.trim_start().starts_with("<environment_context>") {
            return None;
        }
        between("<cwd>", "</cwd>").or_else(|| between("Current working directory: ", "\n"))
    })
}
