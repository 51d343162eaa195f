//! Computes the ways to read an array: sequences of elements that repeat.

use std::collections::HashSet;

use vac_cddl::ir::{Element, ElementKind, Type};

use crate::shapes::Shapes;

/// The maximum number of alternatives that an array is multiplied out to.
const MAX_ALTERNATIVES: usize = 32;
/// Consecutive elements of an array with the same types.
#[derive(Clone)]
pub(crate) struct Run<'s> {
    /// The types that an element may have.
    pub types: Vec<&'s Type>,
    pub min: u64,
    pub max: Option<u64>,
}

impl Run<'_> {
    pub fn is_fixed(&self) -> bool {
        self.max == Some(self.min)
    }
}

/// The properties of an array that were lost when its elements were merged.
#[derive(Default)]
pub(crate) struct Losses {
    /// Whether groups of elements repeat.
    pub has_repeated_groups: bool,
    /// Whether an alternative might match the beginning of another one.
    pub is_ordered: bool,
}

impl<'s> Shapes<'s> {
    /// Returns whether some array can match.
    pub fn is_possible_sequence(&self, elements: &[Element]) -> bool {
        let mut required = elements.iter().filter(|element| element.occurrence.min > 0);
        required.all(|element| match &element.kind {
            ElementKind::Member(member) => self.kinds.get(&member.value) != 0,
            ElementKind::Group { group, .. } => {
                group.choices.iter().any(|elements| self.is_possible_sequence(elements))
            }
        })
    }

    /// Multiplies out the alternatives of groups inside an array.
    pub fn sequences(&self, elements: &'s [Element], losses: &mut Losses) -> Vec<Vec<Run<'s>>> {
        let mut sequences: Vec<Vec<Run<'s>>> = vec![Vec::new()];
        for element in elements {
            let occurrence = element.occurrence;
            let mut continuations = match &element.kind {
                ElementKind::Member(member) => {
                    if self.kinds.get(&member.value) == 0 {
                        continue;
                    }
                    let (min, max) = (occurrence.min, occurrence.max);
                    vec![vec![Run { types: vec![&member.value], min, max }]]
                }
                ElementKind::Group { group, .. } => {
                    let alternatives: Vec<_> = group
                        .choices
                        .iter()
                        .filter(|elements| self.is_possible_sequence(elements))
                        .flat_map(|elements| self.sequences(elements, losses))
                        .collect();
                    match (occurrence.min, occurrence.max) {
                        (1, Some(1)) => {
                            losses.is_ordered |= !self.are_distinct_sequences(&alternatives);
                            alternatives
                        }
                        (0, Some(1)) => {
                            losses.is_ordered = true;
                            let mut alternatives = alternatives;
                            alternatives.push(Vec::new());
                            alternatives
                        }
                        (min, max) => {
                            losses.has_repeated_groups = true;
                            vec![vec![repeated(&alternatives, min, max)]]
                        }
                    }
                }
            };
            if sequences.len() * continuations.len() > MAX_ALTERNATIVES {
                losses.has_repeated_groups = true;
                continuations = vec![vec![repeated(&continuations, 1, Some(1))]];
            }
            let mut longer = Vec::new();
            for sequence in &sequences {
                for continuation in &continuations {
                    longer.push(sequence.iter().chain(continuation).cloned().collect());
                }
            }
            sequences = longer;
        }
        sequences
    }

    /// Returns whether no array begins with two of the alternatives.
    fn are_distinct_sequences(&self, alternatives: &[Vec<Run<'s>>]) -> bool {
        let single = |run: &Run<'s>| match (run.min, run.max, &*run.types) {
            (1, Some(1), [ty]) => Some(*ty),
            _ => None,
        };
        alternatives.iter().enumerate().all(|(at, one)| {
            alternatives[at + 1..].iter().all(|other| {
                let pairs = one.iter().zip(other).map_while(|(a, b)| single(a).zip(single(b)));
                pairs.into_iter().any(|(a, b)| self.are_disjoint(a, b))
            })
        })
    }
}

/// Returns elements of any order that contain the alternatives a number of times.
fn repeated<'s>(alternatives: &[Vec<Run<'s>>], min: u64, max: Option<u64>) -> Run<'s> {
    let shortest =
        |runs: &Vec<Run>| runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.min));
    let longest = |runs: &Vec<Run>| {
        runs.iter().try_fold(0_u64, |sum, run| Some(sum.saturating_add(run.max?)))
    };
    let least = alternatives.iter().map(shortest).min().unwrap_or(0);
    let most = alternatives.iter().map(longest).try_fold(0, |most: u64, it| Some(most.max(it?)));
    let mut types: Vec<&Type> = Vec::new();
    let mut known = HashSet::new();
    for &ty in alternatives.iter().flatten().flat_map(|run| &run.types) {
        if known.insert(std::ptr::from_ref(ty)) {
            types.push(ty);
        }
    }
    Run {
        types,
        min: least.saturating_mul(min),
        max: max.zip(most).map(|(times, most)| times.saturating_mul(most)),
    }
}
