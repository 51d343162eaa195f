//! The members of a map, until all are there and can be sorted.

use std::ops::Range;

use crate::document::Encoding;
use crate::duplicates::mark;
use crate::encode::{Encode, EncodeError, Encoder};

/// A key as a map's writer takes it.
#[derive(Clone, Copy)]
pub enum Key<'v> {
    /// Text.
    Text(&'v str),
    /// An integer label.
    Integer(i128),
    /// Anything else.
    Other(&'v dyn Encode),
}

/// Members whose keys are text.
pub(crate) type TextMembers<'v> = Vec<(&'v str, &'v dyn Encode)>;

/// The members of a map before they are written: CBOR sorts them.
#[derive(Default)]
pub struct MapEncoder<'v> {
    pub(crate) members: Vec<(Key<'v>, &'v dyn Encode)>,
    /// How many of them have keys that are known to differ.
    known: usize,
}

impl<'v> MapEncoder<'v> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { members: Vec::with_capacity(12), known: 0 }
    }

    /// Adds a member whose key the schema names. These come first.
    pub fn member(&mut self, key: Key<'v>, value: &'v dyn Encode) {
        self.members.push((key, value));
        self.known = self.members.len();
    }

    /// Adds such a member if there is a value.
    pub fn optional<T: Encode>(&mut self, key: Key<'v>, value: Option<&'v T>) {
        if let Some(value) = value {
            self.member(key, value);
        }
    }

    /// Adds a member whose key is data.
    pub fn extension(&mut self, key: Key<'v>, value: &'v dyn Encode) {
        self.members.push((key, value));
    }

    /// The members in the order of their keys, if all of these are text: of texts the
    /// shorter comes first, because its head does.
    pub(crate) fn by_text(&self) -> Result<Option<TextMembers<'v>>, EncodeError> {
        let text = |(key, value): &(Key<'v>, &'v dyn Encode)| match key {
            Key::Text(text) => Some((*text, *value)),
            Key::Integer(_) | Key::Other(_) => None,
        };
        let Some(mut members) = self.members.iter().map(text).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        members.sort_unstable_by_key(|(key, _)| (key.len(), *key));
        match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(Some(members)),
            Some(pair) => Err(EncodeError::DuplicateKey(pair[0].0.to_owned())),
        }
    }

    /// The keys as they will be written.
    pub(crate) fn keys(&self, encoding: Encoding) -> Result<Keys, EncodeError> {
        let mut encoder = Encoder::new(encoding);
        let mut ranges = Vec::with_capacity(self.members.len());
        for (key, _) in &self.members {
            let start = encoder.written().len();
            encoder.key(key)?;
            ranges.push(start..encoder.written().len());
        }
        Ok(Keys { bytes: encoder.finish(), ranges })
    }

    /// The members' places in the order of their keys, none of which may be
    /// there twice.
    pub(crate) fn sorted(&self, keys: &Keys) -> Result<Vec<usize>, EncodeError> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_unstable_by(|one, other| keys.of(*one).cmp(keys.of(*other)));
        match order.windows(2).find(|pair| keys.of(pair[0]) == keys.of(pair[1])) {
            None => Ok(order),
            Some(pair) => Err(EncodeError::DuplicateKey(match self.members[pair[0]].0 {
                Key::Text(text) => text.to_owned(),
                Key::Integer(label) => label.to_string(),
                Key::Other(_) => String::from_utf8_lossy(keys.of(pair[0])).into_owned(),
            })),
        }
    }

    /// Whether a look at few text keys, or the schema, tells that all differ. False says
    /// nothing.
    pub(crate) fn is_known_to_differ(&self) -> bool {
        const FEW: usize = 32;
        if self.known == self.members.len() {
            return true;
        }
        if self.members.len() > FEW {
            return false;
        }
        let mut marks = [0; FEW];
        for (at, (key, _)) in self.members.iter().enumerate() {
            let Key::Text(text) = key else { return false };
            marks[at] = mark(text.as_bytes());
            // Of two known ones the schema knows that they differ.
            if at >= self.known && marks[..at].contains(&marks[at]) {
                return false;
            }
        }
        true
    }
}

/// Written keys, one behind the other, and which bytes are whose.
pub(crate) struct Keys {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Keys {
    pub(crate) fn of(&self, place: usize) -> &[u8] {
        &self.bytes[self.ranges[place].clone()]
    }
}
