//! Matches `.join`: strings that consist of other strings.

use std::collections::BTreeSet;

use vac_value::{Kind, Node};

use super::Matcher;
use super::embedded::write_head;
use crate::tables::{Element, ElementKind, GroupId, LiteralValue, TypeId, TypeKind};

impl<'s> Matcher<'s, '_> {
    /// Returns whether a string consists of strings that a group matches one after the other
    /// (`.join`). Keeps the set of positions that can be reached.
    pub(super) fn is_joined(&mut self, array: TypeId, node: Node<'_, '_>) -> bool {
        let TypeKind::Array(group) = self.type_(self.resolve(array)).kind else { return false };
        let Some(bytes) = Self::string_bytes(node) else { return false };
        let string = Joined { bytes: &bytes, is_text: node.kind() == Kind::Text };
        let start = BTreeSet::from([Position { at: 0, is_first: true }]);
        let end = Follow { can_end: true, ..Follow::default() };
        let ends = self.join_group(group, &start, &string, &end);
        ends.iter().any(|end| end.at == bytes.len())
    }

    fn join_group(
        &mut self,
        group: GroupId,
        starts: &BTreeSet<Position>,
        string: &Joined<'_>,
        follow: &Follow<'s>,
    ) -> BTreeSet<Position> {
        let mut ends = BTreeSet::new();
        for sequence in &*self.group(group).choices {
            let mut positions = starts.clone();
            let mut rest = &*sequence.elements;
            while let Some((element, after)) = rest.split_first() {
                if positions.is_empty() || !self.budget.spend(1 + positions.len() as u64) {
                    positions.clear();
                    break;
                }
                let mut next = self.after_elements(after, follow);
                if element.max > 1 {
                    self.add_follow(std::slice::from_ref(element), &mut next);
                }
                positions = self.join_element(element, positions, string, &next);
                rest = after;
            }
            ends.extend(positions);
        }
        ends
    }

    /// Returns the positions that can be reached after the occurrences of an element.
    fn join_element(
        &mut self,
        element: &'s Element,
        starts: BTreeSet<Position>,
        string: &Joined<'_>,
        follow: &Follow<'s>,
    ) -> BTreeSet<Position> {
        let mut ends = if element.min == 0 { starts.clone() } else { BTreeSet::new() };
        let mut current = starts;
        let mut count = 0;
        while count < element.max && !current.is_empty() {
            if !self.budget.spend(current.len() as u64) {
                return BTreeSet::new();
            }
            let reached = match &element.kind {
                ElementKind::Group(group) => self.join_group(*group, &current, string, follow),
                ElementKind::Member { value, .. } => {
                    self.join_string(*value, &current, string, follow)
                }
            };
            count += 1;
            if count >= element.min {
                // A position that was reached with fewer occurrences needs no second visit.
                current = reached.difference(&ends).copied().collect();
                ends.extend(&current);
            } else if reached == current {
                // Empty strings count for the rest of the required occurrences.
                count = element.min.max(count + 1) - 1;
            } else {
                current = reached;
            }
        }
        ends
    }

    /// Returns the positions that can be reached after one string of a type.
    fn join_string(
        &mut self,
        id: TypeId,
        starts: &BTreeSet<Position>,
        string: &Joined<'_>,
        follow: &Follow<'s>,
    ) -> BTreeSet<Position> {
        let id = self.resolve(id);
        let ty = self.type_(id);
        let mut ends = BTreeSet::new();
        if let TypeKind::Choice { alternatives, .. } = &ty.kind {
            for alternative in &**alternatives {
                ends.extend(self.join_string(*alternative, starts, string, follow));
            }
            return ends;
        }
        for start in starts {
            let rest = &string.bytes[start.at..];
            let can_be = |kind: Kind| {
                let is_same = string.is_text == (kind == Kind::Text);
                ty.kinds.contains(kind) && (is_same || !start.is_first)
            };
            let end = |length: usize| Position { at: start.at + length, is_first: false };
            let literal = match &ty.kind {
                TypeKind::Literal(LiteralValue::Text(text)) => Some((Kind::Text, text.as_bytes())),
                TypeKind::Literal(LiteralValue::Bytes(bytes)) => Some((Kind::Bytes, &**bytes)),
                _ => None,
            };
            if let Some((kind, literal)) = literal {
                if can_be(kind) && rest.starts_with(literal) {
                    ends.insert(end(literal.len()));
                }
                continue;
            }
            for length in 0..=rest.len() {
                if !self.budget.spend(1 + follow.literals.len() as u64) {
                    return BTreeSet::new();
                }
                if ends.contains(&end(length)) || !follow.allows(&rest[length..]) {
                    continue;
                }
                let is_matched =
                    [(Kind::Text, 3), (Kind::Bytes, 2)].into_iter().any(|(kind, major)| {
                        can_be(kind) && {
                            let mut item = Vec::with_capacity(length + 9);
                            write_head(&mut item, major, length as u64);
                            item.extend(&rest[..length]);
                            self.accepts_value(id, &item)
                        }
                    });
                if is_matched {
                    ends.insert(end(length));
                }
            }
        }
        ends
    }

    /// Returns what a list of elements can begin with; if it can be empty, also what `outer` begins
    /// with.
    fn after_elements(&self, elements: &'s [Element], outer: &Follow<'s>) -> Follow<'s> {
        let mut follow = Follow::default();
        if self.add_follow(elements, &mut follow) {
            follow.is_anything |= outer.is_anything;
            follow.can_end |= outer.can_end;
            follow.literals.extend(&outer.literals);
        }
        follow
    }

    /// Adds what a list of elements can begin with. Returns whether it can be empty.
    fn add_follow(&self, elements: &'s [Element], follow: &mut Follow<'s>) -> bool {
        elements.iter().all(|element| {
            let can_be_empty = self.budget.spend(1)
                && match &element.kind {
                    ElementKind::Member { value, .. } => self.add_string(*value, follow),
                    ElementKind::Group(group) => {
                        let choices = self.group(*group).choices.iter();
                        let empty = choices
                            .filter(|sequence| self.add_follow(&sequence.elements, follow))
                            .count();
                        empty > 0
                    }
                };
            can_be_empty || element.min == 0
        })
    }

    /// Adds what a string of a type can begin with. Returns whether it can be empty.
    fn add_string(&self, id: TypeId, follow: &mut Follow<'s>) -> bool {
        let literal: &[u8] = match &self.type_(self.resolve(id)).kind {
            TypeKind::Literal(LiteralValue::Text(text)) => text.as_bytes(),
            TypeKind::Literal(LiteralValue::Bytes(bytes)) => bytes,
            _ => {
                follow.is_anything = true;
                return true;
            }
        };
        if !literal.is_empty() {
            follow.literals.push(literal);
        }
        literal.is_empty()
    }
}

/// A string that is divided into elements.
struct Joined<'b> {
    bytes: &'b [u8],
    is_text: bool,
}

/// A position in a string that is divided into elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    at: usize,
    /// Whether no string has been taken yet. The first string has to be of the kind of the joined
    /// string.
    is_first: bool,
}

/// The beginnings of what can follow a string.
#[derive(Debug, Default)]
struct Follow<'s> {
    is_anything: bool,
    can_end: bool,
    literals: Vec<&'s [u8]>,
}

impl Follow<'_> {
    fn allows(&self, rest: &[u8]) -> bool {
        self.is_anything
            || (self.can_end && rest.is_empty())
            || self.literals.iter().any(|literal| rest.starts_with(literal))
    }
}
