//! Collects the scalars of records.

use std::collections::{HashMap, HashSet};

use data_encoding::BASE64;
use vac_adapter::annotation::KEY;

use super::Where;
use crate::agents::{AgentRules, When};
use crate::native::read::ValuePart;
use crate::native::{Leaf, PathPattern, PathStep, fragments, read};

/// A multiset of scalars.
type Counts = HashMap<u64, usize>;

/// The scalars that records contain.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The scalars of all records together, or of each entry.
    pub groups: Vec<Counts>,
    /// The values at the paths that exceptions name.
    values_at: HashMap<&'static str, HashSet<u64>>,
    /// The pieces of unparsed text.
    raw: Counts,
}

impl Found {
    /// Collects the scalars of records.
    pub fn new(agent: &AgentRules, records: &[&[u8]], place: Where) -> Self {
        let mut found = Self::default();
        if place == Where::Anywhere {
            found.groups.push(Counts::new());
        }
        let copies: Vec<_> = agent.copies.iter().map(|path| PathPattern::new(path)).collect();
        let places = agent.exceptions.iter().filter_map(|exception| match exception.when {
            When::Equals(place) => Some((place, PathPattern::new(place))),
            _ => None,
        });
        let places: Vec<_> = places.collect();
        for record in records {
            let mut walk = Walk {
                found: &mut found,
                place,
                unparsed: None,
                piece: None,
                pieces: Vec::new(),
                merged: 0,
            };
            let end = read(record, &mut |path, event| {
                let ValuePart::Leaf(leaf) = event else {
                    return walk.begin(path);
                };
                if let Some((place, _)) = places.iter().find(|(_, pattern)| pattern.matches(path)) {
                    walk.found.values_at.entry(place).or_default().insert(leaf.digest());
                }
                if !copies.iter().any(|copy| copy.matches_prefix(path)) {
                    walk.leaf(path, &leaf);
                }
            });
            assert_eq!(end, Some(record.len()), "a record is JSON");
        }
        found
    }

    /// Removes a scalar, and returns whether it was found.
    pub fn take(&mut self, group: usize, digest: u64) -> bool {
        self.groups.get_mut(group).is_some_and(|counts| take(counts, digest))
    }

    /// Removes unparsed text, and returns whether it was found.
    pub fn take_raw(&mut self, bytes: &[u8]) -> bool {
        take(&mut self.raw, Leaf::Garbage(bytes).digest())
    }

    /// Returns whether a record has a value at a path that an exception names.
    pub fn has_at(&self, place: &str, digest: u64) -> bool {
        self.values_at.get(place).is_some_and(|values| values.contains(&digest))
    }
}

fn take(counts: &mut Counts, digest: u64) -> bool {
    match counts.get_mut(&digest) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

struct Walk<'f> {
    found: &'f mut Found,
    place: Where,
    /// The length of the path to the unparsed entry that is being read.
    unparsed: Option<usize>,
    /// Whether this entry is the last piece of a frame; `None` if it is not a piece.
    piece: Option<bool>,
    /// The bytes of the pieces read so far.
    pieces: Vec<u8>,
    /// The number of entries that are further pieces of the frame of another entry.
    merged: usize,
}

impl Walk<'_> {
    /// Handles the beginning of an object or array, which may be an entry.
    fn begin(&mut self, path: &[PathStep<'_>]) {
        if self.place == Where::InItsEntry
            && let Some((number, 3)) = entry(path).map(|number| (number, path.len()))
            && self.found.groups.len() <= number - self.merged
        {
            self.found.groups.push(Counts::new());
        }
    }

    fn leaf(&mut self, path: &[PathStep<'_>], leaf: &Leaf<'_>) {
        let number = entry(path);
        let length = entry_length(path);
        // Annotations are not part of the log.
        let is_annotation = match number {
            Some(_) => is_key(path, length, KEY),
            None => is_key(path, 0, "session") && is_key(path, 1, KEY),
        };
        if is_annotation {
            return;
        }
        if number.is_some() && length + 1 == path.len() {
            if is_key(path, length, "type") {
                return;
            }
            if is_key(path, length, "event-type") {
                let is_unparsed = *leaf == Leaf::Text(b"unparsed".as_slice().into());
                self.unparsed = is_unparsed.then_some(length);
                self.piece = None;
            }
        }
        let group = match (self.place, number) {
            (Where::Anywhere, _) => 0,
            (Where::InItsEntry, Some(number)) => number - self.merged,
            (Where::InItsEntry, None) => return,
        };
        self.put(group, leaf);
        let group = self.in_pieces(group, path, leaf);
        if let Leaf::Text(text) = leaf
            && self.unparsed == Some(length)
            && path.len() == length + 2
            && is_key(path, length, "data")
        {
            if is_key(path, length + 1, "raw") {
                self.raw(group, text);
            } else if is_key(path, length + 1, "raw-base64") {
                self.raw(group, &BASE64.decode(text).expect("base64"));
            }
        }
    }

    /// Checks whether the entry contains a piece of a frame. The content of a piece that is not the
    /// first belongs to the entry of the first. Returns the group of that entry.
    fn in_pieces(&mut self, group: usize, path: &[PathStep<'_>], leaf: &Leaf<'_>) -> usize {
        let length = entry_length(path);
        let is_data = self.unparsed == Some(length)
            && path.len() == length + 2
            && is_key(path, length, "data");
        if is_data && is_key(path, length + 1, "piece") {
            let is_first = leaf.digest() == Leaf::count(1).digest();
            if !is_first && self.place == Where::InItsEntry && group > 0 {
                let rest = self.found.groups.remove(group);
                for (digest, count) in rest {
                    *self.found.groups[group - 1].entry(digest).or_default() += count;
                }
                self.merged += 1;
                return group - 1;
            }
        }
        if is_data && is_key(path, length + 1, "last") {
            self.piece = Some(*leaf == Leaf::Bool(true));
        }
        group
    }

    fn raw(&mut self, group: usize, bytes: &[u8]) {
        if let Some(is_last) = self.piece {
            self.pieces.extend_from_slice(bytes);
            if is_last {
                self.piece = None;
                let whole = std::mem::take(&mut self.pieces);
                self.raw(group, &whole);
            }
            return;
        }
        *self.found.raw.entry(Leaf::Garbage(bytes.trim_ascii()).digest()).or_default() += 1;
        fragments(bytes, &mut |_, leaf| self.put(group, &leaf));
    }

    fn put(&mut self, group: usize, leaf: &Leaf<'_>) {
        if let Some(counts) = self.found.groups.get_mut(group) {
            *counts.entry(leaf.digest()).or_default() += 1;
        }
    }
}

/// Returns the number of the entry to which a path of a record leads.
fn entry(path: &[PathStep<'_>]) -> Option<usize> {
    match path {
        [_, _, PathStep::Element(number), ..]
            if is_key(path, 0, "session") && is_key(path, 1, "entries") =>
        {
            Some(*number)
        }
        _ => None,
    }
}

/// Returns the length of the part of a path that leads to the entry or its child.
fn entry_length(path: &[PathStep<'_>]) -> usize {
    let mut length = 3;
    while is_key(path, length, "children")
        && matches!(path.get(length + 1), Some(PathStep::Element(_)))
    {
        length += 2;
    }
    length
}

fn is_key(path: &[PathStep<'_>], at: usize, name: &str) -> bool {
    matches!(path.get(at), Some(PathStep::Key(key)) if **key == *name.as_bytes())
}
