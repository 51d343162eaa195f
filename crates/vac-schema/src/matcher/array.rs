//! Matches arrays: assigns the elements of an array to the elements of a sequence.

use std::collections::HashMap;

use vac_value::{Node, ViolationKind, found};

use super::Matcher;
use crate::tables::{
    Element, ElementKind, Group, GroupId, LiteralValue, MemberKey, Sequence, TypeId,
};

/// The state of an array while a sequence is matched against it.
pub(crate) struct ArrayState<'d, 'a> {
    node: Node<'d, 'a>,
    pub(crate) elements: Vec<Node<'d, 'a>>,
    /// The last position at which a type did not match.
    tried_at: usize,
    /// The types that were tried there.
    tried: Vec<TypeId>,
    /// The end of the repetition of an element that begins at a position, and the number of its
    /// occurrences.
    repetitions: HashMap<(*const Element, usize), (usize, u64)>,
}

impl<'d, 'a> ArrayState<'d, 'a> {
    pub(crate) fn new(node: Node<'d, 'a>) -> Self {
        Self {
            node,
            elements: node.elements().collect(),
            tried_at: 0,
            tried: Vec::new(),
            repetitions: HashMap::new(),
        }
    }

    fn note_tried(&mut self, at: usize, id: TypeId) {
        if at > self.tried_at {
            self.tried_at = at;
            self.tried.clear();
        }
        if at == self.tried_at && !self.tried.contains(&id) {
            self.tried.push(id);
        }
    }
}

impl<'s> Matcher<'s, '_> {
    /// Checks a whole array against one alternative of a group.
    pub(super) fn whole_array(&mut self, sequence: &'s Sequence, node: Node<'_, '_>) -> bool {
        if let [Element { min, max, kind: ElementKind::Member { value, .. } }] = &*sequence.elements
            && *max > 1
        {
            return self.uniform_array(*min, *max, *value, node);
        }
        let mut state = ArrayState::new(node);
        if !self.budget.spend(state.elements.len() as u64) {
            return false;
        }
        let Some(end) = self.take_elements(sequence, 0, &mut state) else { return false };
        let Some(&extra) = state.elements.get(end) else { return true };
        if state.tried_at >= end && !state.tried.is_empty() {
            return self.furthest_mismatch(&state);
        }
        self.fail(ViolationKind::Length, extra, |_| ("no more elements".to_owned(), found(extra)))
    }

    /// Checks an array of the form `[min*max type]`.
    fn uniform_array(&mut self, min: u64, max: u64, id: TypeId, node: Node<'_, '_>) -> bool {
        let mut is_valid = true;
        let mut count = 0;
        for element in node.elements() {
            count += 1;
            is_valid &= self.check(id, element);
            if (!is_valid && self.is_done()) || !self.budget.spend(1) {
                return false;
            }
        }
        if (min..=max).contains(&count) {
            return is_valid;
        }
        self.fail(ViolationKind::Length, node, |_| (how_many(min, max), found(node)))
    }

    /// Matches a sequence from a position on. Returns the position after it.
    fn take_elements(
        &mut self,
        sequence: &'s Sequence,
        mut at: usize,
        state: &mut ArrayState<'_, '_>,
    ) -> Option<usize> {
        for element in &*sequence.elements {
            if !self.budget.spend(1) {
                return None;
            }
            at = match &element.kind {
                ElementKind::Member { key, value, .. } => {
                    self.take_members(element, key, *value, at, state)?
                }
                ElementKind::Group(group) => self.take_groups(element, *group, at, state)?,
            };
        }
        Some(at)
    }

    fn take_members(
        &mut self,
        element: &'s Element,
        key: &'s MemberKey,
        value: TypeId,
        start: usize,
        state: &mut ArrayState<'_, '_>,
    ) -> Option<usize> {
        let name = element_name(key);
        let repetition = (std::ptr::from_ref(element), start);
        let is_remembered = element.max == u64::MAX && self.is_probing();
        if is_remembered && let Some((end, count)) = state.repetitions.get(&repetition) {
            return (*count >= element.min).then_some(*end);
        }
        let mut at = start;
        let mut count = 0;
        while count < element.max {
            if !self.budget.spend(1) {
                return None;
            }
            let Some(&node) = state.elements.get(at) else {
                if count < element.min {
                    state.note_tried(at, value);
                }
                break;
            };
            // In report mode a required element is checked as such.
            if count < element.min && !self.is_probing() {
                let is_other_kind = !self.type_(value).kinds.contains(node.kind());
                if is_other_kind && state.tried_at >= at && !state.tried.is_empty() {
                    // Optional elements before this one could have been here, too.
                    state.note_tried(at, value);
                    self.furthest_mismatch(state);
                    return None;
                }
                if !self.check_labelled(name, value, node) {
                    return None;
                }
            } else {
                let verdict = self.probe(|matcher| matcher.check(value, node));
                if !verdict.is_valid {
                    state.note_tried(at, value);
                    self.note(verdict);
                    break;
                }
            }
            at += 1;
            count += 1;
        }
        if is_remembered {
            for (position, count) in (start..at).zip((0..=count).rev()) {
                state.repetitions.insert((std::ptr::from_ref(element), position), (at, count));
            }
        }
        if count >= element.min {
            return Some(at);
        }
        if state.elements.get(at).is_none() {
            self.too_short(name, state);
        }
        None
    }

    /// Records that an array ends before an element that is required.
    fn too_short(&mut self, name: &str, state: &ArrayState<'_, '_>) {
        let node = state.node;
        if self.is_probing() {
            self.furthest = self.furthest.max(node.after());
            return;
        }
        self.fail(ViolationKind::Length, node, |matcher| {
            let expected = match name {
                "" => format!("one more element: {}", matcher.describe_any(&state.tried)),
                name => format!("element {name}"),
            };
            (expected, found(node))
        });
    }

    fn take_groups(
        &mut self,
        element: &'s Element,
        id: GroupId,
        start: usize,
        state: &mut ArrayState<'_, '_>,
    ) -> Option<usize> {
        let group = self.group(id);
        if (element.min, element.max) == (1, 1)
            && !self.is_probing()
            && let [sequence] = &*group.choices
        {
            return self.take_elements(sequence, start, state);
        }
        let is_remembered = element.max == u64::MAX;
        let mut visited = Vec::new();
        let mut at = start;
        let mut count = 0;
        while count < element.max {
            let key = (std::ptr::from_ref(element), at);
            if is_remembered && let Some((end, more)) = state.repetitions.get(&key) {
                at = *end;
                count += *more;
                break;
            }
            visited.push(at);
            if !self.budget.spend(1) {
                return None;
            }
            let Some(end) = self.take_group(group, at, state) else { break };
            count += 1;
            if end == at {
                // An element that takes nothing matches as often as required.
                count = count.max(element.min);
                break;
            }
            at = end;
        }
        if is_remembered {
            for (position, passed) in visited.into_iter().zip(0..) {
                let key = (std::ptr::from_ref(element), position);
                state.repetitions.insert(key, (at, count - passed));
            }
        }
        if count >= element.min {
            return Some(at);
        }
        if !self.is_probing() {
            if state.tried.is_empty() {
                let (node, title) = (state.node, self.describe_group(id));
                self.fail(ViolationKind::Mismatch, node, |_| (title, found(node)));
            } else {
                self.furthest_mismatch(state);
            }
        }
        None
    }

    /// Records that none of the types tried at the last position matches.
    fn furthest_mismatch(&mut self, state: &ArrayState<'_, '_>) -> bool {
        match state.elements.get(state.tried_at) {
            Some(node) => self.none_of(&state.tried, *node),
            None => {
                self.too_short("", state);
                false
            }
        }
    }

    fn take_group(
        &mut self,
        group: &'s Group,
        at: usize,
        state: &mut ArrayState<'_, '_>,
    ) -> Option<usize> {
        self.choose_group(group, at, state).map(|(_, end)| end)
    }

    /// Tries the alternatives of a group in order. Returns the first that matches, and the
    /// position after it.
    pub(crate) fn choose_group(
        &mut self,
        group: &'s Group,
        at: usize,
        state: &mut ArrayState<'_, '_>,
    ) -> Option<(usize, usize)> {
        for (choice, sequence) in group.choices.iter().enumerate() {
            let mut end = None;
            let verdict = self.probe(|matcher| {
                end = matcher.take_elements(sequence, at, state);
                end.is_some()
            });
            if let Some(end) = end {
                return Some((choice, end));
            }
            self.note(verdict);
        }
        None
    }

    /// Records that none of several types accepts a node: the violations of the type that
    /// accepts most of it, or of all types if they do not accept anything of it. Returns false.
    pub(super) fn none_of(&mut self, ids: &[TypeId], node: Node<'_, '_>) -> bool {
        let best = match ids {
            [only] => Some(*only),
            _ if self.is_probing() => None,
            _ => {
                let mut best = (node.index(), None);
                for id in ids {
                    let verdict = self.probe(|matcher| matcher.check(*id, node));
                    if verdict.furthest > best.0 {
                        best = (verdict.furthest, Some(*id));
                    }
                }
                best.1
            }
        };
        match best {
            Some(best) if !self.check(best, node) => false,
            _ => self.fail(ViolationKind::Mismatch, node, |matcher| {
                (matcher.describe_any(ids), found(node))
            }),
        }
    }
}

/// Returns the name that a schema gives to an element of an array.
fn element_name(key: &MemberKey) -> &str {
    match key {
        MemberKey::Literal(label) => match &label.value {
            LiteralValue::Text(text) => text,
            _ => &label.name,
        },
        MemberKey::None | MemberKey::Type(_) => "",
    }
}

fn how_many(min: u64, max: u64) -> String {
    match (min, max) {
        (1, u64::MAX) => "at least 1 element".to_owned(),
        (min, u64::MAX) => format!("at least {min} elements"),
        (0, max) => format!("at most {max} elements"),
        (1, 1) => "1 element".to_owned(),
        (min, max) if min == max => format!("{min} elements"),
        (min, max) => format!("{min} to {max} elements"),
    }
}
