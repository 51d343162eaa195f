//! Tracks which messages of a log are part of the conversation at its end.
//!
//! A log of lines states some messages more than once: a message is written again with each
//! tool call and its tokens, a rewind takes messages back, a compaction replaces all messages by
//! a shorter list. That list repeats the messages that are kept, also under new ids or with
//! shortened tool results: then the first one stays part of the conversation, in its place, and
//! the copy is a duplicate. Only the id and a hash of each message are kept in memory.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use vac_adapter::frame::Place;

/// Whether a message is part of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is part of the conversation at the end.
    Current,
    /// A later version of it was written.
    Updated,
    /// It was taken back, by the line at this place.
    Rewound(Place),
    /// It was left out of a new list of messages, that of the line at this place.
    Compacted(Place),
    /// It repeats an earlier message in a new list of messages.
    Repeated,
}

/// One version of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    /// Whether it is part of the conversation.
    pub state: State,
    /// Whether its tokens count.
    pub counts: bool,
    /// Whether it is the last message of the conversation.
    pub is_last: bool,
}

impl Default for Version {
    fn default() -> Self {
        Self { state: State::Current, counts: true, is_last: false }
    }
}

/// An id, short enough to keep millions of.
pub(crate) type Key = u128;

/// Returns the key of an id. Different ids have equal keys only with the probability of a collision
/// of 128 random bits.
pub(crate) fn key(id: &str) -> Key {
    let mut hasher = KeyHasher::default();
    hasher.update(id.as_bytes());
    hasher.finish()
}

/// Makes a key of bytes.
pub(crate) struct KeyHasher([DefaultHasher; 2]);

impl Default for KeyHasher {
    fn default() -> Self {
        Self([0_u8, 1].map(|salt| {
            let mut hasher = DefaultHasher::new();
            salt.hash(&mut hasher);
            hasher
        }))
    }
}

impl KeyHasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.iter_mut().for_each(|hasher| bytes.hash(hasher));
    }

    /// Returns the key.
    pub fn finish(&self) -> Key {
        let [high, low] = self.0.each_ref().map(|hasher| u128::from(hasher.finish()));
        high << 64 | low
    }
}

const UPDATED: u32 = 1;
const REWOUND: u32 = 2;
const COMPACTED: u32 = 3;
const REPEATED: u32 = 4;
const STATE: u32 = 7;
const COUNTS: u32 = 8;
const EVENT: u32 = 4;
const NONE: u32 = u32::MAX;

/// The messages of one session, in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct MessageVersions {
    /// For each message: its state, whether its tokens count, and which event it was.
    states: Vec<u32>,
    ids: HashMap<Key, Known>,
    /// The messages of the conversation, in its order, as numbers.
    live: Vec<u32>,
    events: Vec<Place>,
    /// Whether contents are hashed. Only a list that replaces earlier messages needs that.
    hashes_content: bool,
    /// Whether a list replaced messages whose contents were not hashed.
    lacks_hashes: bool,
    /// The id and the hash of the content of each message.
    messages: Vec<(Option<Box<str>>, Option<Key>)>,
    /// The number of results that the calls of each message have.
    results: Vec<u32>,
    /// The messages that the list which is being read replaces, by the hash of their content,
    /// the first one last.
    replaced: HashMap<Key, Vec<u32>>,
    /// For messages that repeat one, its number.
    originals: HashMap<u32, u32>,
    /// The first message of the frame that is being read.
    list: u32,
    file: usize,
}

/// The messages that have an id.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The newest message that has it, or the one that this repeats.
    last: u32,
    /// The newest message that has it.
    seen: u32,
    /// Its place among those that live, if it is still there.
    position: u32,
    /// The newest message that has it and tokens.
    counted: u32,
}

impl MessageVersions {
    /// Creates an empty list. `hashes_content` is whether contents are hashed, which takes as long
    /// as all the rest: a log is read without it first, and again if it [lacks](Self::lacks_hashes)
    /// hashes.
    pub fn new(hashes_content: bool) -> Self {
        Self { hashes_content, ..Self::default() }
    }

    /// Returns whether contents are hashed.
    pub fn hashes_content(&self) -> bool {
        self.hashes_content
    }

    /// Returns whether a list replaced messages whose contents were not hashed: then what it
    /// repeats is unknown.
    pub fn lacks_hashes(&self) -> bool {
        self.lacks_hashes
    }

    /// Begins a frame of this file. Messages of one frame never replace each other. A file of its
    /// own has a conversation of its own: a rewind reaches only messages of its file.
    pub fn frame(&mut self, file: usize) {
        self.list = number(self.states.len());
        self.replaced.clear();
        if self.file != file {
            self.file = file;
            self.live.clear();
        }
    }

    /// Adds a message, of which `said` returns the hash of the content. Returns whether it is new.
    pub fn message(
        &mut self,
        id: Option<&str>,
        has_tokens: bool,
        results: usize,
        said: impl FnOnce() -> Option<Key>,
    ) -> bool {
        let message = number(self.states.len());
        let said = if self.hashes_content { said() } else { None };
        self.states.push(if has_tokens { COUNTS } else { 0 });
        self.messages.push((id.map(Into::into), said));
        self.results.push(number(results));
        let end = number(self.live.len());
        let id = id.map(key);
        if let Some(original) = said.and_then(|said| self.original(id, said, message)) {
            self.repeat(message, original, id);
            return false;
        }
        let Some(id) = id else {
            self.live.push(message);
            return true;
        };
        let mut now = Known {
            last: message,
            seen: message,
            position: end,
            counted: if has_tokens { message } else { NONE },
        };
        let is_new = match self.ids.get(&id).copied() {
            Some(before) if before.seen < self.list => {
                self.settle(before.last, UPDATED);
                if self.is_live(before) {
                    now.position = before.position;
                }
                match (before.counted, has_tokens) {
                    (NONE, _) => {}
                    (counted, true) => self.change(counted, |state| state & !COUNTS),
                    (counted, false) => now.counted = counted,
                }
                false
            }
            Some(_) => false,
            None => true,
        };
        match self.live.get_mut(now.position as usize) {
            Some(place) => *place = message,
            None => self.live.push(message),
        }
        self.ids.insert(id, now);
        is_new
    }

    /// Returns the message that one with this id and content repeats: of those that the list
    /// replaces the one with the same id, else the first.
    fn original(&mut self, id: Option<Key>, said: Key, message: u32) -> Option<u32> {
        if self.replaced.is_empty() {
            return None;
        }
        let known = id.and_then(|id| self.ids.get(&id)).map(|known| known.last);
        if let Some(known) = known {
            let is_same = self.messages.get(known as usize)?.1 == Some(said);
            let is_shorter = self.says_no_more(message, known)?;
            return (self.is_replaced(known) && (is_same || is_shorter)).then_some(known);
        }
        let mut found = self.replaced.remove(&said)?;
        let mut original = found.pop();
        while original.is_some_and(|original| !self.is_replaced(original)) {
            original = found.pop();
        }
        self.replaced.insert(said, found);
        original
    }

    /// Returns whether the list that is being read replaces a message, and has not repeated it yet.
    fn is_replaced(&self, message: u32) -> bool {
        let event = number(self.events.len().saturating_sub(1));
        let state = self.states.get(message as usize).map(|state| state & !COUNTS);
        state == Some(COMPACTED | event << EVENT)
    }

    /// Returns whether a version of a message states nothing that an earlier one does not: the
    /// results of tools are shortened in a list of messages to save context.
    fn says_no_more(&self, message: u32, earlier: u32) -> Option<bool> {
        let [now, before] = [message, earlier].map(|at| self.results.get(at as usize).copied());
        let (now, before) = (now?, before?);
        let counts = |at: u32| self.states.get(at as usize).is_some_and(|it| it & COUNTS != 0);
        Some(before > 0 && now <= before && (counts(earlier) || !counts(message)))
    }

    /// Marks a message as a repetition of one that stays part of the conversation.
    fn repeat(&mut self, message: u32, original: u32, id: Option<Key>) {
        self.change(message, |_| REPEATED);
        self.change(original, |before| before & COUNTS);
        self.originals.insert(message, original);
        let position = number(self.live.len());
        self.live.push(original);
        let of_original = self.messages.get(original as usize);
        let original_id = of_original.and_then(|(id, _)| id.as_deref()).map(key);
        for id in id.into_iter().chain(original_id) {
            let counted = self.ids.get(&id).map_or(NONE, |known| known.counted);
            self.ids.insert(id, Known { last: original, seen: message, position, counted });
        }
    }

    /// Takes back a message and all later ones, because of the line at this place; all messages, if
    /// the id is unknown.
    pub fn rewind(&mut self, id: Key, place: Place) {
        let known = self.ids.get(&id).copied().filter(|known| self.is_live(*known));
        self.end(known.map_or(0, |known| known.position as usize), REWOUND, place);
    }

    /// Replaces all messages by the new list of the line at this place.
    pub fn compact(&mut self, place: Place) {
        self.lacks_hashes |= !self.hashes_content && !self.live.is_empty();
        for message in self.live.iter().rev() {
            if let Some((Some(_), Some(said))) = self.messages.get(*message as usize) {
                self.replaced.entry(*said).or_default().push(*message);
            }
        }
        self.end(0, COMPACTED, place);
    }

    /// Returns the id of the message that a message repeats.
    pub fn original_id(&self, message: usize) -> Option<&str> {
        let original = self.originals.get(&u32::try_from(message).ok()?)?;
        self.messages.get(*original as usize)?.0.as_deref()
    }

    fn end(&mut self, from: usize, state: u32, place: Place) {
        if from >= self.live.len() {
            return;
        }
        let event = number(self.events.len());
        self.events.push(place);
        let ended = self.live.split_off(from);
        for message in ended {
            self.settle(message, state | event << EVENT);
        }
    }

    fn settle(&mut self, message: u32, state: u32) {
        self.change(message, |before| state | before & COUNTS);
    }

    fn change(&mut self, message: u32, change: impl FnOnce(u32) -> u32) {
        if let Some(state) = self.states.get_mut(message as usize) {
            *state = change(*state);
        }
    }

    /// Returns whether the newest message of an id is in the conversation. Positions are reused
    /// after a rewind, so check that the slot still holds this message.
    fn is_live(&self, known: Known) -> bool {
        self.live.get(known.position as usize) == Some(&known.last)
    }

    /// Returns a version by the number of its message; `None` if the message is unknown.
    pub fn version(&self, message: usize) -> Option<Version> {
        let state = *self.states.get(message)?;
        let event = || self.events.get((state >> EVENT) as usize).copied();
        Some(Version {
            counts: state & COUNTS != 0,
            is_last: self.live.last().is_some_and(|last| *last as usize == message),
            state: match state & STATE {
                UPDATED => State::Updated,
                REWOUND => State::Rewound(event()?),
                COMPACTED => State::Compacted(event()?),
                REPEATED => State::Repeated,
                _ => State::Current,
            },
        })
    }
}

/// Returns a count that is kept in 32 bits: more lines than that do not fit a log of the largest
/// size that is read in reasonable time, and then share the last number.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE - 1)
}
