//! What is around a payload: the envelope, and what the session knows of the line.

use std::borrow::Cow;

use vac_adapter::cursor::{Cursor, Rest, keys};
use vac_adapter::raw;
use vac_record::AbstractTimestamp;
use vac_value::{Node, Text};

/// Keys that this adapter adds to entries.
const OURS: &[&str] = &["payload", "inherited", "duplicate-of", "call-id", "token-usage", "item"];

/// Of `message-entry`.
pub(crate) const MESSAGE: &[&str] = &joined::<{ keys::MESSAGE.len() + OURS.len() }>(keys::MESSAGE);
/// Of `tool-call-entry`.
pub(crate) const TOOL_CALL: &[&str] =
    &joined::<{ keys::TOOL_CALL.len() + OURS.len() }>(keys::TOOL_CALL);
/// Of `tool-result-entry`.
pub(crate) const TOOL_RESULT: &[&str] =
    &joined::<{ keys::TOOL_RESULT.len() + OURS.len() }>(keys::TOOL_RESULT);
/// Of `reasoning-entry`.
pub(crate) const REASONING: &[&str] =
    &joined::<{ keys::REASONING.len() + OURS.len() }>(keys::REASONING);
/// Of `event-entry`.
pub(crate) const EVENT: &[&str] = &joined::<{ keys::EVENT.len() + OURS.len() }>(keys::EVENT);

/// The keys that a map of the schema names, and ours.
const fn joined<const N: usize>(named: &[&'static str]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < named.len() { named[at] } else { OURS[at - named.len()] };
        at += 1;
    }
    all
}

/// What is around a payload.
pub(crate) struct Around<'d, 'a> {
    /// The envelope without its payload; `None` if there is none.
    envelope: Option<Cursor<'d, 'a>>,
    /// The id that the entry's place gives it.
    pub id: String,
    /// Whether it is a replay of another session.
    pub is_inherited: bool,
}

impl<'d, 'a> Around<'d, 'a> {
    /// Of a line with an envelope of this type.
    pub fn envelope(line: Node<'d, 'a>, kind: &str, id: String, is_inherited: bool) -> Self {
        let mut envelope = Cursor::of(line);
        if let Some(envelope) = &mut envelope {
            envelope.said("type", kind);
            // Whoever asked for this has the payload already.
            envelope.take_if("payload", Some);
        }
        Self { envelope, id, is_inherited }
    }

    /// Of a line that is its own payload.
    pub fn bare(id: String, is_inherited: bool) -> Self {
        Self { envelope: None, id, is_inherited }
    }

    /// The time of the line.
    pub fn timestamp(
        &mut self,
        payload: Option<&mut Cursor<'_, 'a>>,
    ) -> Option<AbstractTimestamp<'a>> {
        match &mut self.envelope {
            Some(envelope) => envelope.timestamp("timestamp"),
            None => payload?.timestamp("timestamp"),
        }
    }

    /// Whether there is an envelope.
    pub fn is_bare(&self) -> bool {
        self.envelope.is_none()
    }

    /// The payload's id, else the one of the place.
    pub fn id(&self, payload: &mut Cursor<'_, 'a>) -> Text<'a> {
        payload.text("id").unwrap_or_else(|| Cow::Owned(self.id.clone()))
    }

    /// What is left of the envelope, flat, and of the payload, under that name.
    pub fn rest(self, payload: Cursor<'_, 'a>, named: &[&str]) -> Rest<'a> {
        let mut rest = match self.envelope {
            Some(envelope) => {
                let mut rest = envelope.rest(named);
                rest.extend(payload.remainder().map(|left| ("payload".into(), left)));
                rest
            }
            None => payload.rest(named),
        };
        if self.is_inherited {
            raw::push(&mut rest, "inherited", &true);
        }
        rest
    }

    /// What is left of the envelope if the payload is an event's data.
    pub fn rest_of_event(self) -> Rest<'a> {
        let mut rest = self.envelope.map(|envelope| envelope.rest(EVENT)).unwrap_or_default();
        if self.is_inherited {
            raw::push(&mut rest, "inherited", &true);
        }
        rest
    }
}
