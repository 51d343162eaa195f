//! The entries of a map while a group is matched against them.

use std::collections::HashMap;

use vac_value::{Node, OpenMembers};

use crate::ir::{Element, Type, Value};

use super::reach::Reach;
use super::values::equals;

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

/// The state.
pub(super) struct MapState<'s, 'd, 'a> {
    map: Node<'d, 'a>,
    pub members: OpenMembers<'d, 'a>,
    /// The last value that was taken, in document order.
    last_taken: u32,
    reach: Reach,
    /// What elements with a key type have refused, by element.
    refusals: HashMap<usize, Refusals>,
    pub notes: Option<Box<Notes<'s>>>,
}

/// The entries whose key is of an element's key type, but whose value it has refused. The
/// element is not tried on them again.
#[derive(Clone, Copy, Debug)]
struct Refusals {
    first: usize,
    reach: Reach,
}

impl<'s, 'd, 'a> MapState<'s, 'd, 'a> {
    pub fn new(map: Node<'d, 'a>) -> Self {
        Self {
            map,
            members: OpenMembers::new(map),
            last_taken: map.index(),
            reach: Reach::within(map.index()),
            refusals: HashMap::new(),
            notes: None,
        }
    }

    /// A state for explaining.
    pub fn noting(map: Node<'d, 'a>) -> Self {
        let notes = Notes { lenient: true, ..Notes::default() };
        Self { notes: Some(Box::new(notes)), ..Self::new(map) }
    }

    pub fn key(&self, entry: usize) -> Node<'d, 'a> {
        self.members.key(entry)
    }

    pub fn value(&self, entry: usize) -> Node<'d, 'a> {
        self.members.value(entry)
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

    /// The open entry with this key.
    pub fn find(&mut self, key: &'s Value) -> Option<usize> {
        match key {
            Value::Text(text) => self.members.find_text(text),
            Value::Integer(integer) => self.members.find_integer(*integer),
            Value::Float(_) | Value::Bytes(_) => {
                let element = std::ptr::from_ref(key).addr();
                self.members.find_with(element, |found| equals(key, found))
            }
        }
    }

    pub fn take(&mut self, entry: usize) {
        self.members.take(entry);
        self.last_taken = self.last_taken.max(self.value(entry).index());
    }

    /// Notes that an element wants this entry's key, but not its value.
    pub fn refuse(&mut self, element: usize, entry: usize, reach: Reach) {
        self.members.refuse(element, entry);
        let refusals = self.refusals.entry(element).or_insert(Refusals { first: entry, reach });
        refusals.reach = refusals.reach.max(reach);
    }

    /// Counts what an element refused before as if it had been tried again.
    pub fn recall_refusals(&mut self, element: usize) {
        if let Some(refusals) = self.refusals.get(&element) {
            self.reach = self.reach.max(refusals.reach);
        }
    }

    /// The first entry that an element refused, if it is still open.
    pub fn first_refused(&self, element: usize) -> Option<usize> {
        let first = self.refusals.get(&element)?.first;
        (!self.members.is_taken(first)).then_some(first)
    }

    /// Gives back everything since a point, taken for these elements.
    pub fn roll_back(&mut self, point: usize, elements: &'s [Element]) {
        let entries = self.members.roll_back(point);
        if let Some(notes) = &mut self.notes {
            for entry in entries {
                notes.near.entry(entry).or_insert(elements);
            }
        }
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
