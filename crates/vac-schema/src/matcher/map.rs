//! Maps: which member of a sequence takes which entry of the map.

use std::collections::HashMap;

use vac_value::{Encoder, Node};

use super::Matcher;
use crate::describe::{found_key, key_name};
use crate::scalar::equals;
use crate::tables::{Element, ElementKind, Group, GroupId, Key, Label, Sequence, TypeId, Value};

/// The most elements of a sequence that is matched in one pass.
pub(crate) const MAX_FLAT: usize = 64;

impl<'s> Matcher<'s> {
    /// Checks a whole map against one alternative of a group.
    pub(super) fn whole_map(&mut self, sequence: &'s Sequence, node: Node<'_, '_>) -> bool {
        if sequence.is_flat {
            return self.flat_map(&sequence.elements, node);
        }
        let mut state = MapState::new(node);
        let mut is_valid = self.take_entries(sequence, &mut state);
        for at in 0..state.entries.len() {
            if state.entries[at].is_taken || (!is_valid && self.is_done()) {
                continue;
            }
            let (key, value) = (state.entries[at].key, state.entries[at].value);
            let refused = state.refused.remove(&at);
            is_valid &= self.not_taken(key, value, refused.as_deref());
        }
        is_valid
    }

    /// The common case in one pass: each entry goes to the member with its key, or to the
    /// first member whose key type accepts the key.
    fn flat_map(&mut self, elements: &'s [Element], node: Node<'_, '_>) -> bool {
        let mut is_valid = true;
        let mut counts = Counts::default();
        let mut hint = 0;
        for (key, value) in node.members().filter(|(key, _)| !key.is_duplicate_key()) {
            is_valid &= match find(elements, key, &mut hint) {
                Some((at, name, true, id)) => {
                    counts.add(at);
                    self.check_labelled(name, id, value)
                }
                Some((at, name, false, id)) => {
                    self.label(name, value);
                    let verdict = self.probe(|matcher| matcher.check(id, value));
                    self.note(verdict);
                    // Without a cut, a key type may take the entry instead.
                    let is_taken = verdict.is_valid
                        || self.by_key_type(elements, key, value, Some(id), &mut counts);
                    if verdict.is_valid || !is_taken {
                        // Also counted if it was recorded as wrong, to not be missing as well.
                        counts.add(at);
                    }
                    is_taken
                }
                None => self.by_key_type(elements, key, value, None, &mut counts),
            };
            if !is_valid && self.is_done() {
                return false;
            }
        }
        for (at, element) in elements.iter().enumerate() {
            if counts.get(at) < element.min {
                is_valid &= self.missing(element, counts.get(at), node);
            }
        }
        is_valid
    }

    /// Gives an entry to the first member whose key type accepts its key. `refused` is the
    /// type of a member with this very key that did not accept the value.
    fn by_key_type(
        &mut self,
        elements: &'s [Element],
        key: Node<'_, '_>,
        value: Node<'_, '_>,
        refused: Option<TypeId>,
        counts: &mut Counts,
    ) -> bool {
        let mut refused: Vec<TypeId> = refused.into_iter().collect();
        for (at, element) in elements.iter().enumerate() {
            let ElementKind::Member { key: Key::Type(key_type), is_cut, value: id } = &element.kind
            else {
                continue;
            };
            let is_full = element.max != u64::MAX && counts.get(at) >= element.max;
            if is_full || !self.probe(|matcher| matcher.check(*key_type, key)).is_valid {
                continue;
            }
            // The exact number matters only to a member that limits it.
            let is_counted = element.min > 1 || element.max != u64::MAX;
            if *is_cut {
                counts.add_if(at, is_counted);
                return self.check(*id, value);
            }
            let verdict = self.probe(|matcher| matcher.check(*id, value));
            if verdict.is_valid {
                counts.add_if(at, is_counted);
                return true;
            }
            self.note(verdict);
            refused.push(*id);
        }
        self.not_taken(key, value, Some(&refused))
    }

    /// Records an entry that no member takes: because of its value, if members have its key.
    fn not_taken(
        &mut self,
        key: Node<'_, '_>,
        value: Node<'_, '_>,
        refused: Option<&[TypeId]>,
    ) -> bool {
        if let Some(refused) = refused.filter(|refused| !refused.is_empty())
            && !self.none_of(refused, value)
        {
            return false;
        }
        self.fail(value, |_| ("no such key".to_owned(), found_key(key)))
    }

    /// Records a required member that took too few entries.
    fn missing(&mut self, element: &'s Element, count: u64, node: Node<'_, '_>) -> bool {
        match &element.kind {
            ElementKind::Member { key: Key::Literal(label), value, .. } => {
                let present = node.members().find(|(key, _)| equals(&label.value, *key));
                if let Some((_, node)) = present
                    && !self.check_labelled(&label.name, *value, node)
                {
                    return false;
                }
                self.fail(node, |_| (key_name(label), "no such key".to_owned()))
            }
            ElementKind::Member { key: Key::Type(key), .. } => self.fail(node, |matcher| {
                let key = matcher.describe(*key);
                let expected = match element.min {
                    1 => format!("a key of type {key}"),
                    min => format!("at least {min} keys of type {key}"),
                };
                (expected, if count == 0 { "no such key".to_owned() } else { count.to_string() })
            }),
            _ => self.fail(node, |_| ("nothing".to_owned(), vac_value::found(node))),
        }
    }

    /// Matches a sequence against the entries that are left: members with one key first,
    /// then groups, then members whose key is a type.
    fn take_entries(&mut self, sequence: &'s Sequence, state: &mut MapState<'_, '_>) -> bool {
        let mut is_valid = true;
        for pass in [Pass::Literals, Pass::Groups, Pass::Types] {
            for element in &*sequence.elements {
                is_valid &= match (&pass, &element.kind) {
                    (
                        Pass::Literals,
                        ElementKind::Member { key: Key::Literal(label), is_cut, value },
                    ) => self.take_literal(element, label, *is_cut, *value, state),
                    (Pass::Groups, ElementKind::Group(group)) => {
                        self.take_repeated(element, *group, state)
                    }
                    (Pass::Types, ElementKind::Member { key: Key::Type(key), is_cut, value }) => {
                        self.take_by_type(element, *key, *is_cut, *value, state)
                    }
                    (Pass::Types, ElementKind::Member { key: Key::None, .. }) => {
                        // A member without a key does not match an entry of a map.
                        element.min == 0 || self.missing(element, 0, state.map)
                    }
                    _ => true,
                };
                if !is_valid && self.is_done() {
                    return false;
                }
            }
        }
        is_valid
    }

    fn take_literal(
        &mut self,
        element: &'s Element,
        label: &'s Label,
        is_cut: bool,
        id: TypeId,
        state: &mut MapState<'_, '_>,
    ) -> bool {
        let found = state.find(&label.value).filter(|_| element.max > 0);
        let mut count = 0;
        if let Some(at) = found {
            let value = state.entries[at].value;
            if is_cut {
                state.entries[at].is_named = true;
                state.take(at);
                count = 1;
                if !self.check_labelled(&label.name, id, value) {
                    state.refuse(at, id);
                    return false;
                }
            } else {
                let verdict = self.probe(|matcher| matcher.check(id, value));
                self.note(verdict);
                if verdict.is_valid {
                    state.take(at);
                    count = 1;
                } else {
                    state.refuse(at, id);
                }
            }
        }
        count >= element.min || self.missing(element, count, state.map)
    }

    fn take_by_type(
        &mut self,
        element: &'s Element,
        key_type: TypeId,
        is_cut: bool,
        id: TypeId,
        state: &mut MapState<'_, '_>,
    ) -> bool {
        let mut count = 0;
        while count < element.max {
            let Some(at) = state.next_for(element) else { break };
            let Entry { key, value, .. } = state.entries[at];
            if !self.probe(|matcher| matcher.check(key_type, key)).is_valid {
                state.skip(element, at);
                continue;
            }
            if is_cut {
                state.entries[at].is_named = true;
                state.take(at);
                count += 1;
                if !self.check(id, value) {
                    state.refuse(at, id);
                    return false;
                }
                continue;
            }
            let verdict = self.probe(|matcher| matcher.check(id, value));
            self.note(verdict);
            if verdict.is_valid {
                state.take(at);
                count += 1;
            } else {
                state.refuse(at, id);
                state.skip(element, at);
            }
        }
        count >= element.min || self.missing(element, count, state.map)
    }

    fn take_repeated(
        &mut self,
        element: &'s Element,
        id: GroupId,
        state: &mut MapState<'_, '_>,
    ) -> bool {
        let group = self.group_of(id);
        let mut count = 0;
        while count < element.max {
            let taken = state.taken;
            if !self.take_group_entries(group, state) {
                break;
            }
            count += 1;
            if state.taken == taken {
                // What takes nothing matches as often as necessary.
                count = count.max(element.min);
                break;
            }
        }
        if count >= element.min {
            return true;
        }
        if !self.is_probing()
            && let [only] = &*group.choices
        {
            // The one alternative that there is says what is wrong.
            return self.take_entries(only, state) && self.fail_group(id, state.map);
        }
        self.fail_group(id, state.map)
    }

    fn fail_group(&mut self, id: GroupId, node: Node<'_, '_>) -> bool {
        self.fail(node, |matcher| (matcher.describe_group(id), vac_value::found(node)))
    }

    /// Tries the alternatives of a group in order.
    fn take_group_entries(&mut self, group: &'s Group, state: &mut MapState<'_, '_>) -> bool {
        let point = state.log.len();
        for sequence in &*group.choices {
            let verdict = self.probe(|matcher| matcher.take_entries(sequence, state));
            if verdict.is_valid {
                return true;
            }
            self.note(verdict);
            state.roll_back(point);
        }
        false
    }
}

enum Pass {
    Literals,
    Groups,
    Types,
}

/// The entries of a map while a sequence that is not flat is matched against them.
struct MapState<'d, 'a> {
    map: Node<'d, 'a>,
    entries: Vec<Entry<'d, 'a>>,
    /// Entries in the order in which they were taken.
    log: Vec<usize>,
    taken: usize,
    /// The entry of each key, by the key's deterministic CBOR.
    by_key: Option<HashMap<Vec<u8>, usize>>,
    /// For a member with a key type: no entry before this one can be taken by it.
    cursors: HashMap<*const Element, usize>,
    /// The types that members with an entry's key wanted for its value.
    refused: HashMap<usize, Vec<TypeId>>,
}

#[derive(Clone, Copy)]
struct Entry<'d, 'a> {
    key: Node<'d, 'a>,
    value: Node<'d, 'a>,
    is_taken: bool,
    /// Whether a member that cuts has this key: then no key type may take the entry, also
    /// if that member did not match.
    is_named: bool,
}

impl<'d, 'a> MapState<'d, 'a> {
    fn new(map: Node<'d, 'a>) -> Self {
        let entry = |(key, value)| Entry { key, value, is_taken: false, is_named: false };
        Self {
            map,
            entries: map.members().filter(|(key, _)| !key.is_duplicate_key()).map(entry).collect(),
            log: Vec::new(),
            taken: 0,
            by_key: None,
            cursors: HashMap::new(),
            refused: HashMap::new(),
        }
    }

    /// The entry with this key, if it has not been taken.
    fn find(&mut self, key: &Value) -> Option<usize> {
        let entries = &self.entries;
        let Some(encoded_key) = encoded_value(key) else {
            let is_it = |entry: &Entry<'_, '_>| !entry.is_taken && equals(key, entry.key);
            return entries.iter().position(is_it);
        };
        let by_key = self.by_key.get_or_insert_with(|| {
            let mut by_key = HashMap::with_capacity(entries.len());
            for (at, entry) in entries.iter().enumerate() {
                by_key.entry(encoded(entry.key)).or_insert(at);
            }
            by_key
        });
        let at = *by_key.get(&encoded_key)?;
        (!self.entries[at].is_taken).then_some(at)
    }

    fn take(&mut self, at: usize) {
        self.entries[at].is_taken = true;
        self.taken += 1;
        self.log.push(at);
    }

    fn refuse(&mut self, at: usize, id: TypeId) {
        let refused = self.refused.entry(at).or_default();
        if !refused.contains(&id) {
            refused.push(id);
        }
    }

    /// The next entry that a member with a key type may take.
    fn next_for(&mut self, element: &Element) -> Option<usize> {
        let cursor = self.cursors.entry(std::ptr::from_ref(element)).or_insert(0);
        while self.entries.get(*cursor).is_some_and(|entry| entry.is_taken || entry.is_named) {
            *cursor += 1;
        }
        (*cursor < self.entries.len()).then_some(*cursor)
    }

    /// Notes that a member does not take an entry.
    fn skip(&mut self, element: &Element, at: usize) {
        self.cursors.insert(std::ptr::from_ref(element), at + 1);
    }

    /// Gives back every entry that was taken since a point of the log.
    fn roll_back(&mut self, point: usize) {
        for at in self.log.drain(point..) {
            self.entries[at].is_taken = false;
            self.taken -= 1;
            for cursor in self.cursors.values_mut() {
                *cursor = (*cursor).min(at);
            }
        }
    }
}

/// A key as deterministic CBOR. Equal keys have equal bytes; a key that CBOR cannot express
/// is represented by its source.
fn encoded(key: Node<'_, '_>) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    match encoder.node(key) {
        Ok(()) => encoder.finish(),
        Err(_) => key.raw().to_vec(),
    }
}

/// A literal key as deterministic CBOR. A float has several forms that are equal (0.0 and
/// -0.0), so it has none here.
fn encoded_value(key: &Value) -> Option<Vec<u8>> {
    let mut encoder = Encoder::cbor();
    match key {
        Value::Integer(integer) => encoder.integer(*integer),
        Value::Text(text) => encoder.text(text),
        Value::Bytes(bytes) => encoder.bytes(bytes),
        Value::Float(_) => return None,
    }
    Some(encoder.finish())
}

type Found<'s> = (usize, &'s str, bool, TypeId);

/// The member with this literal key. Documents tend to have the schema's order, so the
/// search begins after the last find.
#[inline]
fn find<'s>(elements: &'s [Element], key: Node<'_, '_>, hint: &mut usize) -> Option<Found<'s>> {
    let split = (*hint).min(elements.len());
    let (before, after) = elements.split_at(split);
    let text = key.text_bytes();
    for (at, element) in (split..).zip(after).chain((0..).zip(before)) {
        let ElementKind::Member { key: Key::Literal(label), is_cut, value } = &element.kind else {
            continue;
        };
        let is_it = match (&label.value, text) {
            (Value::Text(expected), Some(text)) => {
                // Most keys differ in their length or their first byte.
                expected.len() == text.len()
                    && expected.as_bytes().first() == text.first()
                    && expected.as_bytes() == text
            }
            (expected, _) => equals(expected, key),
        };
        if is_it {
            *hint = at + 1;
            return Some((at, &label.name, *is_cut, *value));
        }
    }
    None
}

/// How many entries each member of a flat map has taken.
#[derive(Default)]
struct Counts {
    /// One bit for each member that took an entry.
    once: u64,
    /// The number of further entries.
    more: Vec<(usize, u64)>,
}

impl Counts {
    #[inline]
    fn add(&mut self, at: usize) {
        if self.once & 1 << at == 0 {
            self.once |= 1 << at;
        } else if let Some((_, count)) = self.more.iter_mut().find(|(place, _)| *place == at) {
            *count += 1;
        } else {
            self.more.push((at, 1));
        }
    }

    /// Counts the first entry, and others if `is_counted`.
    #[inline]
    fn add_if(&mut self, at: usize, is_counted: bool) {
        if is_counted || self.once & 1 << at == 0 {
            self.add(at);
        }
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        let more = self.more.iter().find(|(place, _)| *place == at);
        (self.once >> at & 1) + more.map_or(0, |(_, count)| *count)
    }
}
