//! Computes the ways to read a map: alternatives of members with known keys, members whose keys
//! have a type, and optional groups.

use std::collections::HashSet;

use vac_cddl::ir::{Element, ElementKind, Literal, LiteralValue, Member, MemberKey, Type};

use crate::kinds::TEXT;
use crate::shapes::Shapes;

/// The maximum number of alternatives that a map is multiplied out to.
const MAX_ALTERNATIVES: usize = 32;

/// The note on a map that accepts more than the CDDL.
pub(crate) const ORDERED: &str = "the CDDL takes the first group that fits, and does not go back";
pub(crate) const LOOSE_GROUP: &str =
    "groups that repeat: which members belong together is not checked";
pub(crate) const OPEN_GROUP: &str =
    "which members of an optional group belong together is not checked";
pub(crate) const ONE_GROUP: &str = "that only one of several groups occurs is not checked";
pub(crate) const KEY_TYPES: &str =
    "several types of keys: which value belongs to which is not checked";
pub(crate) const COUNT: &str = "the number of members is checked for all members together";

/// A member with a known key.
#[derive(Clone, Copy)]
pub(crate) struct Known<'s> {
    pub key: &'s str,
    pub value: &'s Type,
    pub docs: &'s [String],
    pub is_required: bool,
    /// Whether the key may not be taken by a type of keys.
    pub is_cut: bool,
}

/// A member whose key has a type.
#[derive(Clone, Copy)]
pub(crate) struct Typed<'s> {
    pub key: &'s Type,
    pub value: &'s Type,
    pub is_cut: bool,
    pub min: u64,
    pub max: Option<u64>,
}

/// One way to read a map.
#[derive(Clone, Default)]
pub(crate) struct Alternative<'s> {
    pub known: Vec<Known<'s>>,
    pub typed: Vec<Typed<'s>>,
    /// Optional groups of members with known keys, which occur together.
    pub groups: Vec<Vec<Known<'s>>>,
    /// Notes on what is not expressed.
    pub losses: Vec<&'static str>,
}

impl<'s> Shapes<'s> {
    /// Multiplies out the groups inside a map. Without alternatives, no JSON object matches.
    pub fn alternatives(&self, elements: &'s [Element]) -> Vec<Alternative<'s>> {
        let mut alternatives = vec![Alternative::default()];
        for element in elements {
            let occurrence = element.occurrence;
            match &element.kind {
                ElementKind::Member(member) => {
                    if !self.add_member(&mut alternatives, element, member) {
                        return Vec::new();
                    }
                }
                ElementKind::Group { group, .. } if occurrence.min > 0 => {
                    let mut choices: Vec<_> = group
                        .choices
                        .iter()
                        .flat_map(|elements| self.alternatives(elements))
                        .collect();
                    if choices.is_empty() {
                        return Vec::new();
                    }
                    let is_repeated = occurrence.max != Some(1) && choices.len() > 1;
                    if is_repeated || alternatives.len() * choices.len() > MAX_ALTERNATIVES {
                        choices = vec![merge_loosely(choices, LOOSE_GROUP)];
                    } else if !self.are_distinct(&choices) {
                        for choice in &mut choices {
                            choice.losses.push(ORDERED);
                        }
                    }
                    alternatives = alternatives
                        .iter()
                        .flat_map(|one| choices.iter().map(|other| one.clone().and(other)))
                        .collect();
                }
                ElementKind::Group { group, .. } => {
                    let choices: Vec<_> = group
                        .choices
                        .iter()
                        .flat_map(|elements| self.alternatives(elements))
                        .collect();
                    if choices.is_empty() || occurrence.max == Some(0) {
                        continue;
                    }
                    let optional = optional_groups(choices, occurrence.max == Some(1));
                    alternatives = alternatives.into_iter().map(|one| one.and(&optional)).collect();
                }
            }
        }
        alternatives
    }

    /// Adds a member to all alternatives. Returns whether JSON has such members, or the member is
    /// optional.
    fn add_member(
        &self,
        alternatives: &mut [Alternative<'s>],
        element: &'s Element,
        member: &'s Member,
    ) -> bool {
        let occurrence = element.occurrence;
        let is_required = occurrence.min > 0;
        if occurrence.max == Some(0) {
            return true;
        }
        match &member.key {
            Some(MemberKey::Literal(Literal { value: LiteralValue::Text(key), .. })) => {
                if is_required && self.kinds.get(&member.value) == 0 {
                    return false;
                }
                let (value, docs) = (&member.value, &*element.docs);
                let known = Known { key, value, docs, is_required, is_cut: member.cut };
                for alternative in alternatives {
                    alternative.known.push(known);
                }
            }
            Some(MemberKey::Type(key)) if self.kinds.get(key) & TEXT != 0 => {
                if is_required && self.kinds.get(&member.value) == 0 {
                    return false;
                }
                let (min, max) = (occurrence.min, occurrence.max);
                let typed = Typed { key, value: &member.value, is_cut: member.cut, min, max };
                for alternative in alternatives {
                    alternative.typed.push(typed);
                }
            }
            Some(_) | None => return !is_required,
        }
        true
    }

    /// Returns whether no map can match the beginnings of two alternatives: one requires a key
    /// that the other does not have, or has with other values.
    fn are_distinct(&self, choices: &[Alternative<'s>]) -> bool {
        choices.iter().enumerate().all(|(at, one)| {
            choices[at + 1..].iter().all(|other| {
                one.known.iter().filter(|known| known.is_required).any(|known| {
                    match other.known.iter().find(|it| it.key == known.key) {
                        Some(it) => it.is_required && self.are_disjoint(known.value, it.value),
                        None => other.typed.is_empty() && other.groups.is_empty(),
                    }
                })
            })
        })
    }
}

impl Alternative<'_> {
    fn and(mut self, other: &Self) -> Self {
        self.known.extend(&other.known);
        self.typed.extend(&other.typed);
        self.groups.extend(other.groups.iter().cloned());
        self.losses.extend(&other.losses);
        self
    }
}

/// Merges several alternatives into one, in which every member is optional.
fn merge_loosely<'s>(choices: Vec<Alternative<'s>>, loss: &'static str) -> Alternative<'s> {
    let mut merged = Alternative { losses: vec![loss], ..Alternative::default() };
    for choice in choices {
        let loose = |known: Known<'s>| Known { is_required: false, is_cut: false, ..known };
        merged.known.extend(choice.known.into_iter().map(loose));
        merged.known.extend(choice.groups.into_iter().flatten().map(loose));
        let typed = choice.typed.into_iter();
        merged.typed.extend(typed.map(|it| Typed { min: 0, max: None, is_cut: false, ..it }));
        merged.losses.extend(choice.losses);
    }
    merged
}

/// Returns optional groups. Each can occur only once, because its keys can.
fn optional_groups(choices: Vec<Alternative<'_>>, is_one: bool) -> Alternative<'_> {
    let mut keys = HashSet::new();
    let is_simple = choices.iter().all(|choice| {
        choice.typed.is_empty()
            && choice.groups.is_empty()
            && choice.losses.is_empty()
            && choice.known.iter().any(|known| known.is_required)
            && choice.known.iter().all(|known| keys.insert(known.key))
    });
    if !is_simple {
        return merge_loosely(choices, LOOSE_GROUP);
    }
    let losses = if is_one && choices.len() > 1 { vec![ONE_GROUP] } else { Vec::new() };
    let groups = choices.into_iter().map(|choice| choice.known).collect();
    Alternative { groups, losses, ..Alternative::default() }
}
