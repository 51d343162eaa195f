//! The entries of a map while a group is matched against them.

use std::collections::HashMap;

use vac_value::{Encoder, Node};

use crate::ir::{Element, Type, Value};

use super::reach::Reach;
use super::values::equals;

/// What has become of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Open,
    /// A member has it.
    Taken,
    /// A cut has kept it for a member that did not take it.
    Cut,
}

/// A sequence of elements does not match; another alternative may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Miss;

/// Something about a map that is worth telling.
#[derive(Clone, Copy, Debug)]
pub(super) enum Problem<'s> {
    /// No entry has this key.
    Missing(&'s Value),
    /// The value of this entry is not of the type it has to be.
    Value(usize, &'s Type),
    /// There are fewer entries with such a key than there have to be.
    Few { key: &'s Type, least: u64, count: u64 },
    /// The schema has nothing that could stand there.
    Impossible,
    /// No element wants this entry.
    Extra(usize),
    /// Elements want this entry's key, but not its value.
    Unwanted(usize),
}

/// What is noted down to explain a failure.
#[derive(Debug, Default)]
pub(super) struct Notes<'s> {
    /// Whether to note a problem and go on as if there were none.
    pub lenient: bool,
    pub problems: Vec<Problem<'s>>,
    /// Entries whose value did not match, and the types that it did not match.
    tried: HashMap<usize, Vec<&'s Type>>,
    /// Entries that were given back, and the elements that had taken them.
    near: HashMap<usize, &'s [Element]>,
}

/// The state. Changes are logged, so that they can be taken back.
pub(super) struct MapState<'s, 'd, 'a> {
    map: Node<'d, 'a>,
    entries: Vec<(Node<'d, 'a>, Node<'d, 'a>)>,
    marks: Vec<Mark>,
    /// Entries whose key a member that cuts has named: no key type may take
    /// them, whatever becomes of that member.
    named: Vec<bool>,
    log: Vec<usize>,
    taken: usize,
    /// No entry before this one is open.
    first_open: usize,
    /// The last value that was taken, in document order.
    last_taken: u32,
    reach: Reach,
    /// The entries that share a key, by the key as CBOR; `None` without such.
    twins: Option<HashMap<Vec<u8>, Vec<usize>>>,
    pub notes: Option<Box<Notes<'s>>>,
}

impl<'s, 'd, 'a> MapState<'s, 'd, 'a> {
    pub fn new(map: Node<'d, 'a>) -> Self {
        let entries: Vec<_> = map.members().collect();
        Self {
            map,
            marks: vec![Mark::Open; entries.len()],
            named: vec![false; entries.len()],
            log: Vec::new(),
            taken: 0,
            first_open: 0,
            last_taken: map.index(),
            reach: Reach::within(map.index()),
            twins: twins(map, &entries),
            notes: None,
            entries,
        }
    }

    /// A state for explaining.
    pub fn noting(map: Node<'d, 'a>) -> Self {
        let notes = Notes { lenient: true, ..Notes::default() };
        Self { notes: Some(Box::new(notes)), ..Self::new(map) }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn key(&self, entry: usize) -> Node<'d, 'a> {
        self.entries[entry].0
    }

    pub fn value(&self, entry: usize) -> Node<'d, 'a> {
        self.entries[entry].1
    }

    pub fn taken(&self) -> usize {
        self.taken
    }

    pub fn reach(&self) -> Reach {
        self.reach
    }

    pub fn set_reach(&mut self, reach: Reach) {
        self.reach = reach;
    }

    pub fn start(&self) -> Reach {
        Reach::within(self.map.index())
    }

    /// A place where something did not match.
    pub fn reached(&mut self, reach: Reach) {
        self.reach = self.reach.max(reach);
    }

    /// The first open entry from this one on that no cut has named.
    pub fn open_from(&self, entry: usize) -> Option<usize> {
        let from = entry.max(self.first_open);
        (from..self.entries.len())
            .find(|entry| self.marks[*entry] == Mark::Open && !self.named[*entry])
    }

    /// A member that cuts has this entry's key.
    pub fn name(&mut self, entry: usize) {
        self.named[entry] = true;
    }

    /// The first open entry with this key.
    pub fn find(&self, key: &Value) -> Option<usize> {
        (self.first_open..self.entries.len())
            .find(|entry| self.marks[*entry] == Mark::Open && equals(key, self.key(*entry)))
    }

    pub fn take(&mut self, entry: usize) {
        self.mark(entry, Mark::Taken);
        self.taken += 1;
        self.last_taken = self.last_taken.max(self.value(entry).index());
    }

    /// Keeps every other entry with this entry's key from being taken.
    pub fn cut_off(&mut self, entry: usize) {
        let Some(twins) = &self.twins else { return };
        let Some(same) = twins.get(&fingerprint(self.key(entry))) else { return };
        for twin in same.clone() {
            if self.marks[twin] == Mark::Open {
                self.mark(twin, Mark::Cut);
            }
        }
    }

    fn mark(&mut self, entry: usize, mark: Mark) {
        self.marks[entry] = mark;
        self.log.push(entry);
        while self.marks.get(self.first_open).is_some_and(|mark| *mark != Mark::Open) {
            self.first_open += 1;
        }
    }

    /// A point to which [`MapState::roll_back`] returns.
    pub fn point(&self) -> usize {
        self.log.len()
    }

    /// Takes back everything since a point, done for these elements.
    pub fn roll_back(&mut self, point: usize, elements: &'s [Element]) {
        for entry in self.log.split_off(point) {
            if self.marks[entry] == Mark::Taken {
                self.taken -= 1;
                if let Some(notes) = &mut self.notes {
                    notes.near.entry(entry).or_insert(elements);
                }
            }
            self.marks[entry] = Mark::Open;
            self.first_open = self.first_open.min(entry);
        }
    }

    /// The first entry that no member has taken.
    pub fn left(&self) -> Option<usize> {
        self.marks.iter().position(|mark| *mark != Mark::Taken)
    }

    pub fn is_taken(&self, entry: usize) -> bool {
        self.marks[entry] == Mark::Taken
    }

    /// Whether members have this entry's key, but refuse its value.
    pub fn is_tried(&self, entry: usize) -> bool {
        self.notes.as_ref().is_some_and(|notes| notes.tried.contains_key(&entry))
    }

    /// The types that this entry's value does not match.
    pub fn refused(&self, entry: usize) -> Vec<&'s Type> {
        let tried = self.notes.as_ref().and_then(|notes| notes.tried.get(&entry));
        tried.cloned().unwrap_or_default()
    }

    /// The elements that had this entry and failed for another reason.
    pub fn near(&self, entry: usize) -> Option<&'s [Element]> {
        self.notes.as_ref()?.near.get(&entry).copied()
    }

    /// Notes that a value did not match a member that has its key.
    pub fn tried(&mut self, entry: usize, ty: &'s Type) {
        if let Some(notes) = &mut self.notes {
            notes.tried.entry(entry).or_default().push(ty);
        }
    }

    pub fn is_lenient(&self) -> bool {
        self.notes.as_ref().is_some_and(|notes| notes.lenient)
    }

    /// Sets whether problems are passed over; returns how it was. Without notes
    /// they never are.
    pub fn set_lenient(&mut self, lenient: bool) -> bool {
        self.notes.as_mut().is_some_and(|notes| std::mem::replace(&mut notes.lenient, lenient))
    }

    /// Fails, or notes why it would.
    pub fn fail(&mut self, problem: Problem<'s>, miss: Miss) -> Result<(), Miss> {
        match &mut self.notes {
            Some(notes) if notes.lenient => {
                notes.problems.push(problem);
                if let Problem::Value(entry, _) | Problem::Extra(entry) | Problem::Unwanted(entry) =
                    problem
                {
                    self.take(entry);
                }
                Ok(())
            }
            _ => {
                self.reached(Reach::within(self.last_taken));
                Err(miss)
            }
        }
    }
}

/// Groups of entries with the same key, if the document has any at all.
fn twins<'d, 'a>(
    map: Node<'d, 'a>,
    entries: &[(Node<'d, 'a>, Node<'d, 'a>)],
) -> Option<HashMap<Vec<u8>, Vec<usize>>> {
    if map.document().duplicate_keys().len() == 0 {
        return None;
    }
    let mut twins: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (entry, (key, _)) in entries.iter().enumerate() {
        twins.entry(fingerprint(*key)).or_default().push(entry);
    }
    twins.retain(|_, same| same.len() > 1);
    Some(twins)
}

/// A key as deterministic CBOR: equal for equal keys. What CBOR cannot
/// represent is told apart by how it is written.
fn fingerprint(key: Node<'_, '_>) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    match encoder.node(key) {
        Ok(()) => encoder.finish(),
        Err(_) => key.raw().to_vec(),
    }
}
