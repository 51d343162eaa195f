//! Which messages of a log still stand.
//!
//! A log of lines says some things more than once: a message is written again with each
//! tool call and its tokens, a rewind takes messages back, a compaction puts a shorter
//! list in the place of all. What is learnt here is small: four bytes for each message
//! and a few for each id, never the messages themselves.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use vac_adapter::frame::Place;

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It belongs to the conversation as it is at the end.
    Current,
    /// A later version of it was written.
    Updated,
    /// It was taken back, by the line at this place.
    Rewound(Place),
    /// It was left out of a new list of messages, that of the line at this place.
    Compacted(Place),
}

/// What a message is worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// What became of it.
    pub fate: Fate,
    /// Whether its tokens are those to be counted.
    pub counts: bool,
}

impl Default for Standing {
    fn default() -> Self {
        Self { fate: Fate::Current, counts: true }
    }
}

/// An id, short enough to keep millions of.
pub(crate) type Key = u128;

/// The key of an id. Equal ids have equal keys; that others have too is as likely as a
/// collision of 128 random bits.
pub(crate) fn key(id: &str) -> Key {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, id).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

const UPDATED: u32 = 1;
const REWOUND: u32 = 2;
const COMPACTED: u32 = 3;
const FATE: u32 = 3;
const COUNTS: u32 = 4;
const EVENT: u32 = 3;
const NONE: u32 = u32::MAX;

/// The fates of the messages of one session, in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// For each message: its fate, whether its tokens count, and which event it was.
    fates: Vec<u32>,
    ids: HashMap<Key, Known>,
    /// The messages of the conversation, in its order, as numbers.
    live: Vec<u32>,
    events: Vec<Place>,
    /// The first message of the frame that is being read.
    list: u32,
    file: usize,
}

/// What is known about an id.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The newest message that has it.
    last: u32,
    /// Its place among those that live, if it is still there.
    position: u32,
    /// The newest message that has it and tokens.
    counted: u32,
}

impl Ledger {
    /// A frame of this file comes. Messages of one frame never replace each other. A file
    /// of its own has a conversation of its own: what is taken back there was told there.
    pub fn frame(&mut self, file: usize) {
        self.list = number(self.fates.len());
        if self.file != file {
            self.file = file;
            self.live.clear();
        }
    }

    /// A message comes; gives whether its id, if it has one, is new.
    pub fn message(&mut self, id: Option<Key>, has_tokens: bool) -> bool {
        let message = number(self.fates.len());
        self.fates.push(if has_tokens { COUNTS } else { 0 });
        let end = number(self.live.len());
        let Some(id) = id else {
            self.live.push(message);
            return true;
        };
        let mut now = Known {
            last: message,
            position: end,
            counted: if has_tokens { message } else { NONE },
        };
        let is_new = match self.ids.get(&id).copied() {
            Some(before) if before.last < self.list => {
                self.settle(before.last, UPDATED);
                if self.is_live(before) {
                    now.position = before.position;
                }
                match (before.counted, has_tokens) {
                    (NONE, _) => {}
                    (counted, true) => self.change(counted, |fate| fate & !COUNTS),
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

    /// The line at this place takes back a message and all behind it; all there are, if
    /// it is none of them.
    pub fn rewind(&mut self, id: Key, place: Place) {
        let known = self.ids.get(&id).copied().filter(|known| self.is_live(*known));
        self.end(known.map_or(0, |known| known.position as usize), REWOUND, place);
    }

    /// The line at this place has a new list in the place of all messages.
    pub fn compact(&mut self, place: Place) {
        self.end(0, COMPACTED, place);
    }

    fn end(&mut self, from: usize, fate: u32, place: Place) {
        if from >= self.live.len() {
            return;
        }
        let event = number(self.events.len());
        self.events.push(place);
        let ended = self.live.split_off(from);
        for message in ended {
            self.settle(message, fate | event << EVENT);
        }
    }

    fn settle(&mut self, message: u32, fate: u32) {
        self.change(message, |before| fate | before & COUNTS);
    }

    fn change(&mut self, message: u32, change: impl FnOnce(u32) -> u32) {
        if let Some(fate) = self.fates.get_mut(message as usize) {
            *fate = change(*fate);
        }
    }

    /// Whether the newest message of an id is in the conversation. Places are given again
    /// once messages are taken back, so who is there has to be looked at.
    fn is_live(&self, known: Known) -> bool {
        self.live.get(known.position as usize) == Some(&known.last)
    }

    /// What a message is worth, by its number.
    pub fn standing(&self, message: usize) -> Standing {
        let Some(&fate) = self.fates.get(message) else { return Standing::default() };
        let event = || self.events.get((fate >> EVENT) as usize).copied().unwrap_or_default();
        Standing {
            counts: fate & COUNTS != 0,
            fate: match fate & FATE {
                UPDATED => Fate::Updated,
                REWOUND => Fate::Rewound(event()),
                COMPACTED => Fate::Compacted(event()),
                _ => Fate::Current,
            },
        }
    }
}

/// A count that is kept in 32 bits: more lines than that do not fit a log of the largest
/// size that is read in reasonable time, and then share the last number.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE - 1)
}
