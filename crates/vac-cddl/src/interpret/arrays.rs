//! Matching arrays: one element after the other.

use vac_value::{Elements, Kind, Node};

use crate::ir::{Element, ElementKind, Group, Occurrence, Type};

use super::judge::Judge;
use super::reach::{Reach, Verdict};

/// What is left of an array.
pub(super) struct ArrayState<'s, 'd, 'a> {
    array: Node<'d, 'a>,
    rest: Elements<'d, 'a>,
    reach: Reach,
    notes: Option<Box<Notes<'s>>>,
}

/// The types that were tried at the furthest element, and its index.
#[derive(Debug)]
pub(super) struct Notes<'s> {
    pub at: u32,
    pub tried: Vec<&'s Type>,
}

impl<'s, 'd, 'a> ArrayState<'s, 'd, 'a> {
    pub fn new(array: Node<'d, 'a>) -> Self {
        let reach = Reach::within(array.index());
        Self { array, rest: array.elements(), reach, notes: None }
    }

    fn next(&self) -> Option<Node<'d, 'a>> {
        self.rest.clone().next()
    }

    /// The index of the next element, or the one behind the array.
    fn at(&self) -> u32 {
        self.next().map_or(self.array.after(), Node::index)
    }

    fn step(&mut self) {
        self.rest.next();
    }

    fn failed(&mut self, ty: &'s Type, reach: Reach) {
        self.reach = self.reach.max(reach);
        let at = self.at();
        if let Some(notes) = &mut self.notes {
            if at > notes.at {
                notes.at = at;
                notes.tried.clear();
            }
            if at == notes.at {
                notes.tried.push(ty);
            }
        }
    }
}

/// What is wrong with an array.
pub(super) enum Fault<'s, 'd, 'a> {
    /// This element is of none of these types.
    Element(Node<'d, 'a>, Vec<&'s Type>),
    /// This element is one too many.
    Extra(Node<'d, 'a>),
    /// There is no element, and one of these types should be.
    Short(Vec<&'s Type>),
}

impl<'s> Judge<'_, 's> {
    pub fn array(&mut self, group: &'s Group, node: Node<'_, '_>) -> Verdict {
        if node.kind() != Kind::Array {
            return Err(Reach::at(node));
        }
        let mut furthest = Reach::at(node);
        for elements in &group.choices {
            match self.array_choice(elements, node) {
                Ok(()) => return Ok(()),
                Err(reach) => furthest = furthest.max(reach),
            }
        }
        Err(furthest)
    }

    /// One of an array's alternatives, for the whole array.
    pub fn array_choice(&mut self, elements: &'s [Element], node: Node<'_, '_>) -> Verdict {
        let mut state = ArrayState::new(node);
        self.depth += 1;
        let matched = self.array_sequence(elements, &mut state);
        self.depth -= 1;
        match state.next() {
            None if matched => Ok(()),
            Some(extra) if matched => Err(state.reach.max(Reach::at(extra))),
            _ => Err(state.reach),
        }
    }

    fn array_sequence(
        &mut self,
        elements: &'s [Element],
        state: &mut ArrayState<'s, '_, '_>,
    ) -> bool {
        elements.iter().all(|element| match &element.kind {
            ElementKind::Member(member) => {
                self.array_member(&member.value, element.occurrence, state)
            }
            ElementKind::Group { group, .. } => self.array_group(group, element.occurrence, state),
        })
    }

    fn array_member(
        &mut self,
        ty: &'s Type,
        occurrence: Occurrence,
        state: &mut ArrayState<'s, '_, '_>,
    ) -> bool {
        let mut count = 0;
        while occurrence.max.is_none_or(|most| count < most) {
            let Some(node) = state.next() else {
                if count < occurrence.min {
                    state.failed(ty, Reach::behind(state.array));
                }
                break;
            };
            if let Err(reach) = self.check(ty, node) {
                state.failed(ty, reach);
                break;
            }
            state.step();
            count += 1;
        }
        count >= occurrence.min
    }

    fn array_group(
        &mut self,
        group: &'s Group,
        occurrence: Occurrence,
        state: &mut ArrayState<'s, '_, '_>,
    ) -> bool {
        let mut count = 0;
        while occurrence.max.is_none_or(|most| count < most) {
            let before = state.at();
            if !self.array_alternatives(group, state) {
                break;
            }
            count += 1;
            if state.at() == before {
                // What takes nothing matches as often as it has to.
                return true;
            }
        }
        count >= occurrence.min
    }

    /// Tries the alternatives of a group in order.
    fn array_alternatives(&mut self, group: &'s Group, state: &mut ArrayState<'s, '_, '_>) -> bool {
        let before = state.rest.clone();
        group.choices.iter().any(|elements| {
            let matched = self.array_sequence(elements, state);
            if !matched {
                state.rest = before.clone();
            }
            matched
        })
    }

    /// What is wrong with an array that does not match.
    pub fn array_fault<'d, 'a>(
        &mut self,
        elements: &'s [Element],
        node: Node<'d, 'a>,
    ) -> Fault<'s, 'd, 'a> {
        let mut state = ArrayState::new(node);
        state.notes = Some(Box::new(Notes { at: node.index(), tried: Vec::new() }));
        let matched = self.array_sequence(elements, &mut state);
        let left = state.next();
        let notes = state.notes.map_or((0, Vec::new()), |notes| (notes.at, notes.tried));
        match (left, notes) {
            (Some(extra), (at, _)) if matched && at < extra.index() => Fault::Extra(extra),
            (_, (at, tried)) => match node.elements().find(|element| element.index() == at) {
                Some(element) => Fault::Element(element, tried),
                None => Fault::Short(tried),
            },
        }
    }
}
