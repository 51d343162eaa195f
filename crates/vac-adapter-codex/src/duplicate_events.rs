//! Finds the events that repeat response items.
//!
//! The CLI writes a message twice: as a response item, for the model, and as an event, for the
//! screen. The two are close together, the event before or after the item. They are one message
//! if they have a text or an id in common. Two that directly follow each other and match nothing
//! else are one message, too, because exports with redacted texts make them differ.

use std::collections::VecDeque;

use vac_value::{Kind, Node};

use crate::location::Location;
use crate::shape::type_of;
use crate::text_hash::TextHash;

/// The maximum number of items and events that wait for a match.
const MAX_UNMATCHED: usize = 64;
/// The maximum number of parts of a message that are compared one by one.
const MAX_PARTS: usize = 16;

/// The speaker of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user's.
    User,
    /// The model's.
    Assistant,
    /// The model, in its reasoning.
    Reasoning,
}

/// An item or an event that waits for its counterpart.
#[derive(Debug)]
struct Half {
    index: u64,
    speaker: Speaker,
    /// Whether it is the event, not the item.
    is_echo: bool,
    /// The texts and the id of the item or event.
    hashes: Vec<TextHash>,
    /// The id of its entry, if it is the item.
    id: String,
}

impl Half {
    fn matches(&self, other: &Self) -> bool {
        self.is_echo != other.is_echo
            && self.speaker == other.speaker
            && self.hashes.iter().any(|hash| other.hashes.contains(hash))
    }
}

/// Finds pairs of items and events.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    recent: VecDeque<Half>,
    links: Vec<Link>,
}

impl Pairing {
    /// Adds a response item of this type.
    pub fn item(&mut self, at: Location, item: Node<'_, '_>, kind: &str) {
        let Some(speaker) = item_speaker(item, kind) else { return };
        let mut hashes = Hashes::default();
        for key in ["content", "summary"] {
            hashes.texts(item.member(key));
        }
        let id = item.member("id");
        hashes.id(id);
        if hashes.found.is_empty() && speaker == Speaker::Reasoning {
            return;
        }
        let id = id.and_then(Node::text).map_or_else(|| at.id(), Into::into);
        self.add(Half { index: at.index, speaker, is_echo: false, hashes: hashes.found, id });
    }

    /// Adds the prompt that is printed before all events.
    pub fn prompt(&mut self, at: Location, prompt: Node<'_, '_>) {
        let mut hashes = Hashes::default();
        hashes.texts(Some(prompt));
        let (index, id) = (at.index, at.id());
        self.add(Half { index, speaker: Speaker::User, is_echo: false, hashes: hashes.found, id });
    }

    /// Adds an event with this text.
    pub fn event(
        &mut self,
        at: Location,
        speaker: Speaker,
        said: Node<'_, '_>,
        event: Node<'_, '_>,
    ) {
        let mut hashes = Hashes::default();
        hashes.texts(Some(said));
        hashes.id(event.member("item").and_then(|item| item.member("id")));
        let (index, id) = (at.index, String::new());
        self.add(Half { index, speaker, is_echo: true, hashes: hashes.found, id });
    }

    fn add(&mut self, mut half: Half) {
        while let Some(at) = self.recent.iter().rposition(|other| other.matches(&half)) {
            let (echo, item) = if half.is_echo {
                (&half, &mut self.recent[at])
            } else {
                (&self.recent[at], &mut half)
            };
            let (speaker, id) = (item.speaker, item.id.clone());
            self.links.push(Link { echo: echo.index, item: item.index, speaker, id });
            if item.speaker != Speaker::Reasoning {
                self.recent.remove(at);
                return;
            }
            // A reasoning item has several parts, and an event for each.
            let repeated = &echo.hashes;
            item.hashes.retain(|hash| !repeated.contains(hash));
            if half.is_echo {
                return;
            }
            self.recent.remove(at);
        }
        self.recent.push_back(half);
        if self.recent.len() > MAX_UNMATCHED {
            self.forget();
        }
    }

    /// Removes the oldest one. If its neighbour has no counterpart, either, the two become a pair.
    fn forget(&mut self) {
        let Some(oldest) = self.recent.pop_front() else { return };
        let Some(next) = self.recent.front() else { return };
        let are_one = oldest.speaker == next.speaker
            && oldest.speaker != Speaker::Reasoning
            && oldest.is_echo != next.is_echo
            && next.index == oldest.index + 1;
        if are_one && let Some(next) = self.recent.pop_front() {
            let (echo, item) = if next.is_echo { (next, oldest) } else { (oldest, next) };
            let (speaker, id) = (item.speaker, item.id);
            self.links.push(Link { echo: echo.index, item: item.index, speaker, id });
        }
    }

    /// Returns the pairs.
    pub fn end(mut self) -> Links {
        while !self.recent.is_empty() {
            self.forget();
        }
        self.links.sort_unstable_by_key(|link| link.echo);
        let prompts = self.links.iter().filter(|link| link.speaker == Speaker::User);
        let mut prompts: Vec<_> = prompts.map(|link| link.item).collect();
        prompts.sort_unstable();
        Links { links: self.links, prompts }
    }
}

/// An event and the item that it repeats, by their frames, and the id of the item's entry.
#[derive(Debug)]
struct Link {
    echo: u64,
    item: u64,
    speaker: Speaker,
    id: String,
}

/// The events that repeat items.
#[derive(Debug, Default)]
pub(crate) struct Links {
    links: Vec<Link>,
    /// The frames of messages of the user that an event repeats, in order.
    prompts: Vec<u64>,
}

impl Links {
    /// Returns the id of the item that the event of this frame repeats.
    pub fn id(&self, echo: u64) -> Option<&str> {
        self.get(echo).map(|link| link.id.as_str())
    }

    /// Returns the frame of the item that the event of this frame repeats.
    pub fn item(&self, echo: u64) -> Option<u64> {
        self.get(echo).map(|link| link.item)
    }

    /// Returns whether no event repeats the message of the user in this frame, in a log in which
    /// events repeat such messages. The CLI displays the prompts of the user, but not the context.
    pub fn is_hidden_prompt(&self, item: u64) -> bool {
        !self.prompts.is_empty() && self.prompts.binary_search(&item).is_err()
    }

    fn get(&self, echo: u64) -> Option<&Link> {
        let at = self.links.binary_search_by_key(&echo, |link| link.echo).ok()?;
        self.links.get(at)
    }
}

/// Collects hashes of the tokens of texts, which are the same everywhere in one log.
#[derive(Default)]
struct Hashes {
    found: Vec<TextHash>,
}

impl Hashes {
    /// Adds one text, or the texts of a list: each of them, and all together.
    fn texts(&mut self, said: Option<Node<'_, '_>>) {
        let Some(said) = said else { return };
        if said.kind() != Kind::Array {
            return self.add(b"t", words(said));
        }
        let parts = || {
            let parts = said.elements().map(|part| words(part.member("text").unwrap_or(part)));
            parts.filter(|part| !part.is_empty())
        };
        for part in parts().take(MAX_PARTS) {
            self.add(b"t", part);
        }
        if parts().nth(1).is_some() {
            self.push(TextHash::from_parts(std::iter::once(&b"t"[..]).chain(parts())));
        }
    }

    fn id(&mut self, id: Option<Node<'_, '_>>) {
        if let Some(id) = id {
            self.add(b"i", words(id));
        }
    }

    fn add(&mut self, what: &[u8], bytes: &[u8]) {
        if !bytes.is_empty() {
            self.push(TextHash::from_parts([what, bytes]));
        }
    }

    fn push(&mut self, hash: TextHash) {
        if !self.found.contains(&hash) {
            self.found.push(hash);
        }
    }
}

/// Returns a text's token without the quotes.
fn words<'a>(node: Node<'a, '_>) -> &'a [u8] {
    match (node.kind(), node.raw()) {
        (Kind::Text, [_, inside @ .., _]) => inside,
        _ => &[],
    }
}

fn item_speaker(item: Node<'_, '_>, kind: &str) -> Option<Speaker> {
    let speaks = |role: &str| item.member("role").is_some_and(|value| value.is_text(role));
    match kind {
        "reasoning" => Some(Speaker::Reasoning),
        "message" if speaks("user") => Some(Speaker::User),
        "message" if speaks("assistant") => Some(Speaker::Assistant),
        _ => None,
    }
}

/// Returns the speaker and the text, if an event of this type repeats response items.
pub(crate) fn parse<'d, 'a>(event: Node<'d, 'a>, kind: &str) -> Option<(Speaker, Node<'d, 'a>)> {
    Some(match kind {
        "user_message" => (Speaker::User, event.member("message")?),
        "agent_message" => (Speaker::Assistant, event.member("message")?),
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            (Speaker::Reasoning, event.member("text")?)
        }
        "item_completed" => {
            let item = event.member("item")?;
            match &*type_of(item)? {
                "UserMessage" => (Speaker::User, item.member("content")?),
                "AgentMessage" => (Speaker::Assistant, item.member("content")?),
                "Reasoning" => (Speaker::Reasoning, item.member("summary_text")?),
                _ => return None,
            }
        }
        _ => return None,
    })
}
