//! Which events repeat which response items.
//!
//! The CLI writes what is said twice: as a response item, for the model, and as
//! an event, for the screen. The two stand close together, the event before or
//! behind the item. They are one if they have a text or an id in common; two
//! that follow each other directly and match nothing else are one as well
//! (exports that redact texts make them differ).

use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use vac_value::{Kind, Node};

use crate::shape::payload_type;

/// How many unmatched items and events are kept to look for a partner.
const WINDOW: usize = 64;

/// Whose words they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    links: Vec<(u64, String)>,
}

impl Pairing {
    /// Counts a response item in, whose entry has this id.
    pub fn item(&mut self, index: u64, item: Node<'_, '_>, id: String) {
        let Some(speaker) = item_speaker(item) else { return };
        let mut marks = Marks::new(speaker);
        for key in ["content", "summary"] {
            marks.texts(item.member(key));
        }
        marks.id(item.member("id"));
        self.add(Half { index, speaker, is_echo: false, marks: marks.found, id });
    }

    /// Counts an event in.
    pub fn event(&mut self, index: u64, event: Node<'_, '_>) {
        let Some((speaker, said)) = echo(event) else { return };
        let mut marks = Marks::new(speaker);
        marks.texts(Some(said));
        marks.id(event.member("item").and_then(|item| item.member("id")));
        self.add(Half { index, speaker, is_echo: true, marks: marks.found, id: String::new() });
    }

    fn add(&mut self, mut half: Half) {
        while let Some(at) = self.recent.iter().rposition(|other| other.matches(&half)) {
            let (echo, item) = if half.is_echo {
                (&half, &mut self.recent[at])
            } else {
                (&self.recent[at], &mut half)
            };
            self.links.push((echo.index, item.id.clone()));
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
            self.links.push((echo.index, item.id));
        }
    }

    /// The pairs.
    pub fn end(mut self) -> Links {
        while !self.recent.is_empty() {
            self.forget();
        }
        self.links.sort();
        Links(self.links)
    }
}

/// The events that repeat an item, by their frame's index, and the item's id.
#[derive(Debug, Default)]
pub(crate) struct Links(Vec<(u64, String)>);

impl Links {
    /// The id of what the event of this frame repeats.
    pub fn get(&self, index: u64) -> Option<&str> {
        let at = self.0.binary_search_by_key(&index, |(echo, _)| *echo).ok()?;
        Some(&self.0[at].1)
    }
}

/// Hashes of what is said.
struct Marks {
    speaker: Speaker,
    found: Vec<u64>,
}

impl Marks {
    fn new(speaker: Speaker) -> Self {
        Self { speaker, found: Vec::new() }
    }

    /// One text, or the texts of a list and all of them together.
    fn texts(&mut self, said: Option<Node<'_, '_>>) {
        let Some(said) = said else { return };
        if said.kind() != Kind::Array {
            return self.mark("text", &words(said));
        }
        let mut all = Vec::new();
        for part in said.elements() {
            let part = words(part.member("text").unwrap_or(part));
            self.mark("text", &part);
            all.extend_from_slice(&part);
        }
        self.mark("text", &all);
    }

    fn id(&mut self, id: Option<Node<'_, '_>>) {
        if let Some(id) = id {
            self.mark("id", &words(id));
        }
    }

    fn mark(&mut self, what: &str, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut hasher = DefaultHasher::new();
        (self.speaker, what, bytes).hash(&mut hasher);
        let mark = hasher.finish();
        if !self.found.contains(&mark) {
            self.found.push(mark);
        }
    }
}

/// The bytes of a text; of one that is no Unicode text, those of its token.
fn words<'a>(node: Node<'_, 'a>) -> Cow<'a, [u8]> {
    if node.kind() != Kind::Text {
        return Cow::Borrowed(&[]);
    }
    match node.text() {
        Some(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        None => Cow::Borrowed(node.raw()),
    }
}

fn item_speaker(item: Node<'_, '_>) -> Option<Speaker> {
    let is = |key: &str, text: &str| item.member(key).is_some_and(|value| value.is_text(text));
    if is("type", "reasoning") {
        Some(Speaker::Reasoning)
    } else if !is("type", "message") {
        None
    } else if is("role", "user") {
        Some(Speaker::User)
    } else if is("role", "assistant") {
        Some(Speaker::Assistant)
    } else {
        None
    }
}

/// Who says what, if the event is one that repeats response items.
pub(crate) fn echo<'d, 'a>(event: Node<'d, 'a>) -> Option<(Speaker, Node<'d, 'a>)> {
    let (speaker, said) = match &*payload_type(event)? {
        "user_message" => (Speaker::User, event.member("message")?),
        "agent_message" => (Speaker::Assistant, event.member("message")?),
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            (Speaker::Reasoning, event.member("text")?)
        }
        "item_completed" => {
            let item = event.member("item")?;
            match &*payload_type(item)? {
                "UserMessage" => (Speaker::User, item.member("content")?),
                "AgentMessage" => (Speaker::Assistant, item.member("content")?),
                "Reasoning" => (Speaker::Reasoning, item.member("summary_text")?),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some((speaker, said))
}
