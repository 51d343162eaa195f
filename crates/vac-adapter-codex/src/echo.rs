//! Which events repeat which response items.
//!
//! The CLI writes what is said twice: as a response item, for the model, and as
//! an event, for the screen. The two stand close together, the event before or
//! behind the item. They are one if they have a text or an id in common; two
//! that follow each other directly and match nothing else are one as well
//! (exports that redact texts make them differ).

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};

use vac_value::{Kind, Node};

use crate::at::At;
use crate::shape::type_of;

/// How many unmatched items and events are kept to look for a partner.
const WINDOW: usize = 64;
/// How many parts of a message are compared one by one.
const MOST_PARTS: usize = 16;

/// Whose words they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user's.
    User,
    /// The model's.
    Assistant,
    /// The model's, to itself.
    Reasoning,
}

/// One of the two places where something is said.
#[derive(Debug)]
struct Half {
    index: u64,
    speaker: Speaker,
    /// Whether it is the event.
    is_echo: bool,
    /// Hashes of its texts and its id.
    marks: Vec<u64>,
    /// The id of its entry, if it is the item.
    id: String,
}

impl Half {
    fn matches(&self, other: &Self) -> bool {
        self.is_echo != other.is_echo
            && self.speaker == other.speaker
            && self.marks.iter().any(|mark| other.marks.contains(mark))
    }
}

/// Finds pairs.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    recent: VecDeque<Half>,
    links: Vec<Link>,
}

impl Pairing {
    /// Counts a response item of this type in.
    pub fn item(&mut self, at: At, item: Node<'_, '_>, kind: &str) {
        let Some(speaker) = item_speaker(item, kind) else { return };
        let mut marks = Marks::default();
        for key in ["content", "summary"] {
            marks.texts(item.member(key));
        }
        let id = item.member("id");
        marks.id(id);
        if marks.found.is_empty() && speaker == Speaker::Reasoning {
            return;
        }
        let id = id.and_then(Node::text).map_or_else(|| at.id(), Into::into);
        self.add(Half { index: at.index, speaker, is_echo: false, marks: marks.found, id });
    }

    /// Counts a prompt in that stands before all events.
    pub fn prompt(&mut self, at: At, prompt: Node<'_, '_>) {
        let mut marks = Marks::default();
        marks.texts(Some(prompt));
        let (index, id) = (at.index, at.id());
        self.add(Half { index, speaker: Speaker::User, is_echo: false, marks: marks.found, id });
    }

    /// Counts an event in that says this.
    pub fn event(&mut self, at: At, speaker: Speaker, said: Node<'_, '_>, event: Node<'_, '_>) {
        let mut marks = Marks::default();
        marks.texts(Some(said));
        marks.id(event.member("item").and_then(|item| item.member("id")));
        let (index, id) = (at.index, String::new());
        self.add(Half { index, speaker, is_echo: true, marks: marks.found, id });
    }

    fn add(&mut self, mut half: Half) {
        while let Some(at) = self.recent.iter().rposition(|other| other.matches(&half)) {
            let (echo, item) = if half.is_echo {
                (&half, &mut self.recent[at])
            } else {
                (&self.recent[at], &mut half)
            };
            self.links.push(Link { echo: echo.index, item: item.index, id: item.id.clone() });
            if item.speaker != Speaker::Reasoning {
                self.recent.remove(at);
                return;
            }
            // A reasoning item has several parts, and an event for each.
            let told = &echo.marks;
            item.marks.retain(|mark| !told.contains(mark));
            if half.is_echo {
                return;
            }
            self.recent.remove(at);
        }
        self.recent.push_back(half);
        if self.recent.len() > WINDOW {
            self.forget();
        }
    }

    /// Gives the oldest up, unless its neighbour is one that nobody knows either.
    fn forget(&mut self) {
        let Some(oldest) = self.recent.pop_front() else { return };
        let Some(next) = self.recent.front() else { return };
        let are_one = oldest.speaker == next.speaker
            && oldest.speaker != Speaker::Reasoning
            && oldest.is_echo != next.is_echo
            && next.index == oldest.index + 1;
        if are_one && let Some(next) = self.recent.pop_front() {
            let (echo, item) = if next.is_echo { (next, oldest) } else { (oldest, next) };
            self.links.push(Link { echo: echo.index, item: item.index, id: item.id });
        }
    }

    /// The pairs.
    pub fn end(mut self) -> Links {
        while !self.recent.is_empty() {
            self.forget();
        }
        self.links.sort_unstable_by_key(|link| link.echo);
        Links(self.links)
    }
}

/// An event that repeats an item, both by their frames, and the id of the item's
/// entry.
#[derive(Debug)]
struct Link {
    echo: u64,
    item: u64,
    id: String,
}

/// The events that repeat an item.
#[derive(Debug, Default)]
pub(crate) struct Links(Vec<Link>);

impl Links {
    /// The id of what the event of this frame repeats.
    pub fn id(&self, echo: u64) -> Option<&str> {
        self.get(echo).map(|link| link.id.as_str())
    }

    /// The frame of what the event of this frame repeats.
    pub fn item(&self, echo: u64) -> Option<u64> {
        self.get(echo).map(|link| link.item)
    }

    fn get(&self, echo: u64) -> Option<&Link> {
        let at = self.0.binary_search_by_key(&echo, |link| link.echo).ok()?;
        self.0.get(at)
    }
}

/// Hashes of what is said: of texts as they are written, which in one log is
/// always the same way.
#[derive(Default)]
struct Marks {
    found: Vec<u64>,
}

impl Marks {
    /// One text, or the texts of a list and all of them together.
    fn texts(&mut self, said: Option<Node<'_, '_>>) {
        let Some(said) = said else { return };
        if said.kind() != Kind::Array {
            return self.mark(b't', words(said));
        }
        let parts = || {
            let parts = said.elements().map(|part| words(part.member("text").unwrap_or(part)));
            parts.filter(|part| !part.is_empty())
        };
        for part in parts().take(MOST_PARTS) {
            self.mark(b't', part);
        }
        if parts().nth(1).is_some() {
            let mut all = DefaultHasher::new();
            all.write_u8(b't');
            parts().for_each(|part| all.write(part));
            self.add(&all);
        }
    }

    fn id(&mut self, id: Option<Node<'_, '_>>) {
        if let Some(id) = id {
            self.mark(b'i', words(id));
        }
    }

    fn mark(&mut self, what: u8, bytes: &[u8]) {
        if !bytes.is_empty() {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(what);
            hasher.write(bytes);
            self.add(&hasher);
        }
    }

    fn add(&mut self, hasher: &DefaultHasher) {
        let mark = hasher.finish();
        if !self.found.contains(&mark) {
            self.found.push(mark);
        }
    }
}

/// The inside of a text's token.
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

/// Who says what, if an event of this type is one that repeats response items.
pub(crate) fn echo<'d, 'a>(event: Node<'d, 'a>, kind: &str) -> Option<(Speaker, Node<'d, 'a>)> {
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
