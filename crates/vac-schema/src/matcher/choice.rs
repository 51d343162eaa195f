//! Matches choices between types.

use vac_value::{Kind, Node, ViolationKind, found};

use super::{Matcher, Recorded};
use crate::describe::{key_name, list};
use crate::scalar::{equals, find_case};
use crate::tables::{Literals, Selector, TypeId, TypeKind};

/// The maximum number of alternatives that got less far and are described.
const MAX_OTHERS: usize = 8;

impl<'s> Matcher<'s, '_> {
    /// Checks a node against alternatives: the first one that matches decides.
    pub(super) fn choice(
        &mut self,
        id: TypeId,
        alternatives: &'s [TypeId],
        selector: Option<&'s Selector>,
        literals: Option<&'s Literals>,
        node: Node<'_, '_>,
    ) -> bool {
        if let (Kind::Map, Some(selector)) = (node.kind(), selector) {
            return self.select(selector, node);
        }
        let alternatives = match literals {
            Some(literals) if literals.contains(node) => return true,
            Some(literals) => &*literals.others,
            None => alternatives,
        };
        if !self.budget.spend(alternatives.len() as u64) {
            return false;
        }
        let types = self.types;
        let mut candidates = alternatives
            .iter()
            .copied()
            .filter(|TypeId(id)| types[*id as usize].kinds.contains(node.kind()));
        match (candidates.next(), candidates.next()) {
            (None, _) => self.mismatch(id, node),
            (Some(only), None) => self.check(only, node),
            (Some(first), Some(second)) => {
                let candidates: Vec<_> = [first, second].into_iter().chain(candidates).collect();
                self.first_match(id, &candidates, node)
            }
        }
    }

    fn first_match(&mut self, id: TypeId, candidates: &[TypeId], node: Node<'_, '_>) -> bool {
        let mut best = (node.index(), None);
        for candidate in candidates {
            let verdict = self.probe(|matcher| matcher.check(*candidate, node));
            if verdict.is_valid {
                return true;
            }
            if verdict.furthest > best.0 {
                best = (verdict.furthest, Some(*candidate));
            }
        }
        if self.is_probing() {
            self.furthest = self.furthest.max(best.0);
            return false;
        }
        match best.1 {
            Some(best) => self.report_best(best, candidates, node),
            None => self.mismatch(id, node),
        }
    }

    /// Reports the violations of the alternative that got furthest, and in a line each why
    /// others do not match.
    fn report_best(&mut self, best: TypeId, candidates: &[TypeId], node: Node<'_, '_>) -> bool {
        let first = self.recorded.len();
        self.check(best, node);
        if self.recorded.len() > first && !self.is_brief {
            let others = candidates.iter().filter(|candidate| **candidate != best);
            let others = others
                .take(MAX_OTHERS)
                .filter_map(|other| {
                    let violation = self.first_violation(*other, node)?;
                    Some((self.rule_name(*other), violation))
                })
                .collect();
            self.recorded[first].others = others;
        }
        false
    }

    /// Returns the name of the rule that a type refers to; empty for any other type.
    fn rule_name(&self, id: TypeId) -> &'s str {
        match &self.type_(id).kind {
            TypeKind::Rule(rule) => &self.rule(*rule).name,
            _ => "",
        }
    }

    fn first_violation(&mut self, id: TypeId, node: Node<'_, '_>) -> Option<Recorded<'s>> {
        let recorded = std::mem::take(&mut self.recorded);
        let total = std::mem::replace(&mut self.total, 0);
        let max = std::mem::replace(&mut self.max_recorded, 1);
        self.is_brief = true;
        self.check(id, node);
        self.is_brief = false;
        self.max_recorded = max;
        self.total = total;
        std::mem::replace(&mut self.recorded, recorded).pop()
    }

    /// Checks a map against the alternative that the value of one member selects.
    fn select(&mut self, selector: &'s Selector, node: Node<'_, '_>) -> bool {
        let member = node.members().find(|(key, _)| equals(&selector.key.value, *key));
        let Some((_, value)) = member else {
            return self.fail(ViolationKind::MissingKey, node, |_| {
                (key_name(&selector.key), "no such key".to_owned())
            });
        };
        match find_case(&selector.cases, value) {
            Some(case) => self.check(case.alternative, node),
            None => self.fail(ViolationKind::Mismatch, value, |_| {
                let values = selector.cases.iter().map(|case| crate::describe::value(&case.value));
                (list(values), found(value))
            }),
        }
    }
}
