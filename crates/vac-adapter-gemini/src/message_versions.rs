//! Tracks which messages of a log are part of the conversation at its end.
//!
//! A log of lines states some messages more than once: a message is written again with each
//! tool call and its tokens, a rewind removes messages, and a compaction replaces all messages by a
//! shorter list. That list repeats the messages that are kept, also under new ids or with shortened
//! tool results: in this case, the first one stays part of the conversation, in its place, and the
//! copy is a duplicate. Only the id and a hash of each message are kept in memory.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use vac_adapter::frame::Place;

/// The state of a message in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is part of the conversation at the end of the log.
    Current,
    /// A later version of it was written.
    Updated,
    /// The line at this place rewound it.
    Rewound(Place),
    /// The new list of messages in the line at this place does not contain it.
    Compacted(Place),
    /// It is the copy of an earlier message in a new list of messages.
    Repeated,
}

/// One version of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    /// The state of the version in the conversation.
    pub state: State,
    /// Whether its tokens are counted.
    pub counts: bool,
    /// Whether it is the last message of the conversation.
    pub is_last: bool,
}

impl Default for Version {
    fn default() -> Self {
        Self { state: State::Current, counts: true, is_last: false }
    }
}

/// The hash of an id, short enough to keep millions of them in memory.
pub(crate) type Key = u128;

/// Returns the key of an id. The probability that two different ids have the same key is that of a
/// collision of 128 random bits.
pub(crate) fn key(id: &str) -> Key {
    let mut hasher = KeyHasher::default();
    hasher.update(id.as_bytes());
    hasher.finish()
}

/// Returns the key of these bytes.
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
    /// For each message, its state, whether its tokens are counted, and the number of the event.
    states: Vec<u32>,
    ids: HashMap<Key, Known>,
    /// The numbers of the messages of the conversation, in its order.
    live: Vec<u32>,
    events: Vec<Place>,
    /// Whether contents are hashed. Only a list that replaces earlier messages needs the hashes.
    hashes_content: bool,
    /// Whether a list replaced messages whose contents were not hashed.
    lacks_hashes: bool,
    /// The id and the hash of the content of each message.
    messages: Vec<(Option<Box<str>>, Option<Key>)>,
    /// The number of results that the calls of each message have.
    results: Vec<u32>,
    /// The messages that the list being read replaces, by the hash of their content, the first one
    /// last.
    replaced: HashMap<Key, Vec<u32>>,
    /// The number of the message that each copy repeats.
    originals: HashMap<u32, u32>,
    /// The first message of the frame that is being read.
    list: u32,
    file: usize,
}

/// The messages with one id.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The newest message with the id, or the message that it repeats.
    last: u32,
    /// The newest message with the id.
    seen: u32,
    /// The position of that message in the conversation, if it is still part of it.
    position: u32,
    /// The newest message with the id that states tokens.
    counted: u32,
}

impl MessageVersions {
    /// Creates an empty list. `hashes_content` is whether contents are hashed, which takes as long
    /// as everything else: a log is first read without hashes, and read again if it
    /// [lacks](Self::lacks_hashes) them.
    pub fn new(hashes_content: bool) -> Self {
        Self { hashes_content, ..Self::default() }
    }

    /// Returns whether contents are hashed.
    pub fn hashes_content(&self) -> bool {
        self.hashes_content
    }

    /// Returns whether a list replaced messages whose contents were not hashed, so that its copies
    /// are unknown.
    pub fn lacks_hashes(&self) -> bool {
        self.lacks_hashes
    }

    /// Begins a frame of this file. Messages of one frame never replace each other. Each file has
    /// its own conversation: a rewind affects only the messages of its file.
    pub fn frame(&mut self, file: usize) {
        self.list = number(self.states.len());
        self.replaced.clear();
        if self.file != file {
            self.file = file;
            self.live.clear();
        }
    }

    /// Adds a message, and returns whether it is new. `said` returns the hash of its content.
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

    /// Returns the message that a message with this id and content repeats: of the messages that
    /// the list replaces, the one with the same id, otherwise the first.
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

    /// Returns whether a version of a message adds nothing to an earlier one: a list of messages
    /// contains shortened results of tools to save context.
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

    /// Removes a message and all later ones from the conversation, because of the line at this
    /// place; all messages, if the id is unknown.
    pub fn rewind(&mut self, id: Key, place: Place) {
        let known = self.ids.get(&id).copied().filter(|known| self.is_live(*known));
        self.end(known.map_or(0, |known| known.position as usize), REWOUND, place);
    }

    /// Replaces all messages by the new list in the line at this place.
    pub fn compact(&mut self, place: Place) {
        self.lacks_hashes |= !self.hashes_content && !self.live.is_empty();
        for message in self.live.iter().rev() {
            if let Some((Some(_), Some(said))) = self.messages.get(*message as usize) {
                self.replaced.entry(*said).or_default().push(*message);
            }
        }
        self.end(0, COMPACTED, place);
    }

    /// Returns the id of the message that this message repeats.
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
    /// after a rewind, so the slot has to be compared with this message.
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

/// Returns a number as 32 bits. Numbers that do not fit become the largest one; no log that can be
/// read in reasonable time has that many lines.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE - 1)
}
