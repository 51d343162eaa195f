//! Assigns the entries of a map to the members of a group that matches it.

use std::collections::HashMap;

use smallvec::SmallVec;
use vac_value::Node;

use super::Matcher;
use super::flat_map::{Counts, find};
use super::map::MapState;
use crate::tables::{Element, ElementKind, GroupId, MemberKey, Sequence};

/// The entries of a map by the members of a group that take them. The members are numbered
/// from 0 in the order of the group, those of groups inside it included.
pub(crate) struct Assignment<'d, 'a> {
    /// The value of each member with a literal key.
    values: SmallVec<[Option<Node<'d, 'a>>; 16]>,
    /// The entries that members with a key type took.
    entries: Vec<(usize, Node<'d, 'a>, Node<'d, 'a>)>,
}

impl<'d, 'a> Assignment<'d, 'a> {
    /// Returns the value that the member with a literal key took.
    pub(crate) fn value(&self, member: usize) -> Option<Node<'d, 'a>> {
        self.values.get(member).copied().flatten()
    }

    /// Returns the entries that the member with a key type took.
    pub(crate) fn entries(
        &self,
        member: usize,
    ) -> impl Iterator<Item = (Node<'d, 'a>, Node<'d, 'a>)> {
        let taken = self.entries.iter().filter(move |(taker, ..)| *taker == member);
        taken.map(|(_, key, value)| (*key, *value))
    }

    /// Returns whether `required` all took an entry, and no member did that is not in `members`.
    pub(crate) fn is_within(&self, required: &[usize], members: &[usize]) -> bool {
        let took = |member: &usize| {
            self.value(*member).is_some() || self.entries.iter().any(|(taker, ..)| taker == member)
        };
        let values = self.values.iter().enumerate().filter(|(_, value)| value.is_some());
        let mut takers = values.map(|(at, _)| at).chain(self.entries.iter().map(|entry| entry.0));
        takers.all(|taker| members.contains(&taker)) && required.iter().all(took)
    }
}

impl<'s> Matcher<'s, '_> {
    /// Assigns the entries of a map to the members of a group that matches it. `None` if
    /// it does not.
    pub(crate) fn assign<'d, 'a>(
        &mut self,
        id: GroupId,
        node: Node<'d, 'a>,
    ) -> Option<Assignment<'d, 'a>> {
        let chosen = self.choose_sequence(id, node)?;
        let (before, after) = self.group(id).choices.split_at(chosen);
        let first = before.iter().map(|sequence| self.member_count(sequence)).sum::<usize>();
        let sequence = after.first()?;
        let mut assignment = Assignment { values: SmallVec::new(), entries: Vec::new() };
        assignment.values.resize(first + self.member_count(sequence), None);
        let is_assigned = if sequence.is_flat {
            self.assign_flat(&sequence.elements, first, node, &mut assignment)
        } else {
            self.assign_groups(sequence, first, node, &mut assignment)
        };
        is_assigned.then_some(assignment)
    }

    /// Assigns the entries of a map whose group is a list of members. The counterpart of
    /// `flat_map`.
    fn assign_flat<'d, 'a>(
        &mut self,
        elements: &'s [Element],
        first: usize,
        node: Node<'d, 'a>,
        assignment: &mut Assignment<'d, 'a>,
    ) -> bool {
        let is_by_type = |element: &Element| {
            matches!(element.kind, ElementKind::Member { key: MemberKey::Type(_), .. })
        };
        let by_type = elements.iter().filter(|element| is_by_type(element)).count();
        let mut counts = Counts::default();
        let mut hint = 0;
        for (key, value) in node.members() {
            match find(elements, key, &mut hint) {
                Some((at, _, is_cut, id)) if is_cut || self.accepts_node(id, value) => {
                    assignment.values[first + at] = Some(value);
                }
                _ => {
                    let taker = if by_type == 1 {
                        elements.iter().position(is_by_type)
                    } else {
                        self.find_by_type(elements, key, value, &mut counts)
                    };
                    let Some(at) = taker else { return false };
                    assignment.entries.push((first + at, key, value));
                }
            }
        }
        true
    }

    fn find_by_type(
        &mut self,
        elements: &'s [Element],
        key: Node<'_, '_>,
        value: Node<'_, '_>,
        counts: &mut Counts,
    ) -> Option<usize> {
        for (at, element) in elements.iter().enumerate() {
            if let ElementKind::Member { key: MemberKey::Type(key_type), is_cut, value: id } =
                &element.kind
                && counts.get(at) < element.max
                && self.accepts_node(*key_type, key)
                && (*is_cut || self.accepts_node(*id, value))
            {
                if element.max != u64::MAX {
                    counts.add(at);
                }
                return Some(at);
            }
        }
        None
    }

    fn assign_groups<'d, 'a>(
        &mut self,
        sequence: &'s Sequence,
        first: usize,
        node: Node<'d, 'a>,
        assignment: &mut Assignment<'d, 'a>,
    ) -> bool {
        let mut state = MapState::new(node);
        let verdict = self.probe(|matcher| matcher.take_entries(sequence, &mut state));
        let Some(taken) = state.taken().filter(|_| verdict.is_valid) else { return false };
        let mut numbers = HashMap::new();
        self.number_members(sequence, first, &mut numbers);
        for (element, key, value) in taken {
            match numbers.get(&element) {
                Some((member, true)) => assignment.values[*member] = Some(value),
                Some((member, false)) => assignment.entries.push((*member, key, value)),
                None => return false,
            }
        }
        true
    }

    /// Numbers the members of a sequence, and notes whether their keys are literal. Returns
    /// the next number.
    fn number_members(
        &self,
        sequence: &Sequence,
        mut next: usize,
        numbers: &mut HashMap<*const Element, (usize, bool)>,
    ) -> usize {
        for element in &*sequence.elements {
            match &element.kind {
                ElementKind::Member { key, .. } => {
                    let is_literal = matches!(key, MemberKey::Literal(_));
                    numbers.insert(std::ptr::from_ref(element), (next, is_literal));
                    next += 1;
                }
                ElementKind::Group(id) => {
                    for sequence in &*self.group(*id).choices {
                        next = self.number_members(sequence, next, numbers);
                    }
                }
            }
        }
        next
    }

    fn member_count(&self, sequence: &Sequence) -> usize {
        let count = |element: &Element| match &element.kind {
            ElementKind::Member { .. } => 1,
            ElementKind::Group(id) => {
                let choices = self.group(*id).choices.iter();
                choices.map(|sequence| self.member_count(sequence)).sum()
            }
        };
        if sequence.is_flat {
            sequence.elements.len()
        } else {
            sequence.elements.iter().map(count).sum()
        }
    }
}
