//! Writes arrays: fixed elements at the beginning, then elements of one type.
//!
//! CDDL matches the elements of an array in order, without backtracking. JSON Schema has
//! `prefixItems`, one schema per element, and `items` for all elements after them. Optional
//! elements and alternatives are multiplied out.

use vac_cddl::ir::{Group, Location, Type};

use super::{Part, Writer};
use crate::array_shape::{Losses, Run};
use crate::json::Json;

/// The maximum number of elements that are written one by one.
const MAX_PREFIX: usize = 64;

impl<'s> Writer<'s> {
    /// Writes an array.
    pub(super) fn array(&mut self, group: &'s Group) -> Part {
        let mut alternatives = Vec::new();
        for elements in &group.choices {
            if !self.shapes.is_possible_sequence(elements) {
                continue;
            }
            let mut losses = Losses::default();
            let sequences = self.shapes.sequences(elements, &mut losses);
            let mut parts: Vec<Part> = Vec::new();
            for sequence in sequences {
                parts.push(self.sequence(&sequence, &group.location));
            }
            let mut part = Part::any_of(parts);
            if losses.has_repeated_groups {
                let message = "groups of elements that repeat: their order is not checked";
                self.note(&mut part, &group.location, message);
            }
            if losses.is_ordered {
                let message =
                    "the CDDL takes the first alternative that fits, and does not go back";
                self.note(&mut part, &group.location, message);
            }
            alternatives.push(part);
        }
        Part::any_of(alternatives)
    }

    fn sequence(&mut self, runs: &[Run<'s>], location: &Location) -> Part {
        // Split at the first optional element that is followed by another element.
        let optional = runs.iter().position(|run| run.min == 0 && run.max == Some(1));
        let is_short = runs.iter().filter(|run| run.min == 0).count() <= 4;
        if let Some(at) = optional.filter(|at| at + 1 < runs.len() && is_short)
            && runs[..at].iter().all(Run::is_fixed)
        {
            let mut present = runs.to_vec();
            present[at].min = 1;
            let mut absent = runs.to_vec();
            absent.remove(at);
            let follows = &runs[at + 1..];
            let next =
                follows.iter().take(1 + follows.iter().take_while(|run| run.min == 0).count());
            let is_distinct = next
                .flat_map(|run| &run.types)
                .all(|next| runs[at].types.iter().all(|ty| self.shapes.are_disjoint(ty, next)));
            let parts = vec![self.sequence(&present, location), self.sequence(&absent, location)];
            let mut part = Part::any_of(parts);
            if !is_distinct {
                let message = "the CDDL takes an optional element if it fits, and does not go back";
                self.note(&mut part, location, message);
            }
            return part;
        }
        self.prefix_and_rest(runs, location)
    }

    fn prefix_and_rest(&mut self, runs: &[Run<'s>], location: &Location) -> Part {
        let mut prefix: Vec<Json> = Vec::new();
        let mut is_exact = true;
        let mut rest = runs;
        while let [run, after @ ..] = rest
            && run.is_fixed()
            && (prefix.len() as u64).saturating_add(run.min) <= MAX_PREFIX as u64
            // Write the schema of equal elements once.
            && (runs.len() > 1 || run.min <= 1)
        {
            for _ in 0..run.min {
                let part = self.any_type(&run.types);
                is_exact &= part.is_exact;
                prefix.push(part.into_json());
            }
            rest = after;
        }
        let min = rest.iter().fold(prefix.len() as u64, |sum, run| sum.saturating_add(run.min));
        let max = rest
            .iter()
            .try_fold(prefix.len() as u64, |sum, run| Some(sum.saturating_add(run.max?)));
        let mut part = Part::of_type("array");
        if !prefix.is_empty() {
            part = part.with("prefixItems", Json::Array(prefix));
        }
        if !rest.is_empty() {
            let types: Vec<_> = rest.iter().flat_map(|run| &run.types).copied().collect();
            let items = self.any_type(&types);
            is_exact &= items.is_exact;
            if !items.is_any() {
                part = part.with("items", items.into_json());
            }
        } else if max != Some(0) {
            part = part.with("items", Json::Bool(false));
        }
        if min > 0 {
            part = part.with("minItems", min);
        }
        if let Some(max) = max.filter(|_| !rest.is_empty() || max == Some(0)) {
            part = part.with("maxItems", max);
        }
        part.is_exact = is_exact;
        if rest.len() > 1 {
            let message = "elements that repeat before others: their order is not checked";
            self.note(&mut part, location, message);
        }
        part
    }

    fn any_type(&mut self, types: &[&'s Type]) -> Part {
        let parts = types.iter().map(|ty| self.ty(ty)).collect();
        Part::any_of(parts)
    }
}
