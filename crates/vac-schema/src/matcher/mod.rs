//! Checks nodes of a document against types of a schema.

mod array;
mod choice;
mod embedded;
mod map;
mod paths;

pub(crate) use map::MAX_FLAT;

use std::collections::HashMap;

use vac_value::{Encoding, Kind, Node, Violation, found};

use crate::tables::{
    Control, Group, GroupId, Pattern, PatternId, Rule, RuleId, Schema, Sequence, Type, TypeId,
    TypeKind,
};

/// The violations of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Report {
    /// The first violations, in the order in which they were found.
    pub violations: Vec<Violation>,
    /// The number of all violations.
    pub total: usize,
}

impl Report {
    /// Whether there are no violations.
    pub fn is_valid(&self) -> bool {
        self.total == 0
    }
}

impl Schema {
    /// Checks a node against a rule. Records at most `max_violations`, counts all. Paths
    /// begin at the root of the node's document.
    pub fn check(&self, rule: RuleId, node: Node<'_, '_>, max_violations: usize) -> Report {
        let mut matcher = Matcher::new(self, max_violations);
        let mut is_valid = matcher.duplicate_keys(node);
        is_valid &= matcher.rule(rule, node);
        matcher.resolve_paths(0, node.document());
        let report = Report {
            violations: matcher.recorded.into_iter().map(Recorded::into_violation).collect(),
            total: matcher.total,
        };
        debug_assert_eq!(is_valid, report.is_valid(), "an invalid document has a violation");
        report
    }
}

/// The state of one check.
pub(crate) struct Matcher<'s> {
    rules: &'s [Rule],
    types: &'s [Type],
    groups: &'s [Group],
    patterns: &'s [Pattern],
    recorded: Vec<Recorded>,
    max_recorded: usize,
    total: usize,
    /// Whether only the first violation is wanted: then alternatives that got less far are
    /// not described.
    is_brief: bool,
    /// How many probes are under way; in report mode 0.
    probes: usize,
    /// The last node in document order at which the current probe failed.
    furthest: u32,
    /// The innermost rule that is not of the prelude.
    rule: &'s str,
    /// Containers, tags and byte strings around the current node.
    depth: usize,
    /// The schema's names of nodes that a path shows by label or index.
    labels: HashMap<u32, &'s str>,
    memo: HashMap<(TypeId, u32, u32), Verdict>,
    /// The number of the current document. Each embedded document has its own nodes.
    document: u32,
    documents: HashMap<(u32, u32, TypeId), u32>,
}

/// A violation whose path is completed when its document has been checked.
#[derive(Debug)]
struct Recorded {
    /// The node, in the document that is being checked.
    place: u32,
    /// The path below that node, if the violation is inside an embedded document.
    violation: Violation,
    /// The first violation of each alternative that got less far, with its description.
    others: Vec<(String, Recorded)>,
}

impl Recorded {
    fn into_violation(self) -> Violation {
        let line = |(name, other): (String, Self)| format!("{name}: {}", other.violation);
        Violation { others: self.others.into_iter().map(line).collect(), ..self.violation }
    }
}

/// The result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    is_valid: bool,
    /// The last node at which the probe failed.
    furthest: u32,
}

impl<'s> Matcher<'s> {
    fn new(schema: &'s Schema, max_recorded: usize) -> Self {
        Self {
            rules: &schema.rules,
            types: &schema.types,
            groups: &schema.groups,
            patterns: &schema.patterns,
            recorded: Vec::new(),
            max_recorded,
            total: 0,
            is_brief: false,
            probes: 0,
            furthest: 0,
            rule: "",
            depth: 0,
            labels: HashMap::new(),
            memo: HashMap::new(),
            document: 0,
            documents: HashMap::new(),
        }
    }

    pub(crate) fn rule_of(&self, RuleId(id): RuleId) -> &'s Rule {
        &self.rules[id as usize]
    }

    #[inline]
    pub(crate) fn type_of(&self, TypeId(id): TypeId) -> &'s Type {
        &self.types[id as usize]
    }

    pub(crate) fn group_of(&self, GroupId(id): GroupId) -> &'s Group {
        &self.groups[id as usize]
    }

    pub(crate) fn pattern_of(&self, PatternId(id): PatternId) -> &'s Pattern {
        &self.patterns[id as usize]
    }

    fn is_probing(&self) -> bool {
        self.probes > 0
    }

    /// Whether the answer is known, so that the rest need not be checked.
    fn is_done(&self) -> bool {
        self.is_probing() || (self.is_brief && self.total > 0)
    }

    /// Checks a node against a type.
    fn check(&mut self, id: TypeId, node: Node<'_, '_>) -> bool {
        let ty = self.type_of(id);
        if ty.is_scalar {
            return self.accepts(id, node) || self.scalar_mismatch(id, node);
        }
        match &ty.kind {
            TypeKind::Rule(rule) => self.rule(*rule, node),
            _ if self.is_probing() => self.check_remembering(id, ty, node),
            kind => self.look_inside(id, kind, node),
        }
    }

    fn rule(&mut self, id: RuleId, node: Node<'_, '_>) -> bool {
        let rule = self.rule_of(id);
        if rule.is_prelude {
            return self.check(rule.body, node);
        }
        let around = std::mem::replace(&mut self.rule, &rule.name);
        let is_valid = self.check(rule.body, node);
        self.rule = around;
        is_valid
    }

    /// Checks in probe mode. The verdict is remembered, because alternatives often have
    /// parts in common.
    fn check_remembering(&mut self, id: TypeId, ty: &'s Type, node: Node<'_, '_>) -> bool {
        if !ty.kinds.contains(node.kind()) {
            return self.mismatch(id, node);
        }
        let key = (id, self.document, node.index());
        let verdict = match self.memo.get(&key) {
            Some(verdict) => *verdict,
            None => {
                let verdict = self.probe(|matcher| matcher.look_inside(id, &ty.kind, node));
                self.memo.insert(key, verdict);
                verdict
            }
        };
        self.note(verdict);
        verdict.is_valid
    }

    fn look_inside(&mut self, id: TypeId, kind: &'s TypeKind, node: Node<'_, '_>) -> bool {
        match kind {
            TypeKind::Choice { alternatives, selector } => {
                self.choice(id, alternatives, selector.as_ref(), node)
            }
            TypeKind::Map(group) => match node.kind() {
                Kind::Map => self.container(id, self.group_of(*group), node),
                _ => self.mismatch(id, node),
            },
            TypeKind::Array(group) => match node.kind() {
                Kind::Array => self.container(id, self.group_of(*group), node),
                _ => self.mismatch(id, node),
            },
            TypeKind::Tag { number, content } => self.tag(id, *number, *content, node),
            TypeKind::Control { target, control } => self.control(id, *target, control, node),
            TypeKind::Rule(rule) => self.rule(*rule, node),
            TypeKind::Any
            | TypeKind::Literal(_)
            | TypeKind::Range { .. }
            | TypeKind::Simple(_)
            | TypeKind::Major { .. } => self.accepts(id, node) || self.mismatch(id, node),
        }
    }

    fn control(
        &mut self,
        id: TypeId,
        target: TypeId,
        control: &Control,
        node: Node<'_, '_>,
    ) -> bool {
        if !self.check(target, node) {
            return false;
        }
        match control {
            Control::Cbor(content) => self.embedded_item(*content, node),
            Control::Cborseq(content) => self.embedded_sequence(*content, node),
            Control::And(other) => self.check(*other, node),
            control => self.agrees(control, node) || self.mismatch(id, node),
        }
    }

    /// Checks a map or an array against the alternatives of a group.
    fn container(&mut self, id: TypeId, group: &'s Group, node: Node<'_, '_>) -> bool {
        self.depth += 1;
        let is_valid = match &*group.choices {
            [] => self.mismatch(id, node),
            [only] => self.sequence(only, node),
            choices => self.sequences(choices, node),
        };
        self.depth -= 1;
        is_valid
    }

    fn sequences(&mut self, choices: &'s [Sequence], node: Node<'_, '_>) -> bool {
        let mut best: Option<(u32, &'s Sequence)> = None;
        for sequence in choices {
            let verdict = self.probe(|matcher| matcher.sequence(sequence, node));
            if verdict.is_valid {
                return true;
            }
            if best.is_none_or(|(furthest, _)| verdict.furthest > furthest) {
                best = Some((verdict.furthest, sequence));
            }
        }
        let Some((furthest, sequence)) = best else { return false };
        if self.is_probing() {
            self.furthest = self.furthest.max(furthest);
            return false;
        }
        self.sequence(sequence, node)
    }

    fn sequence(&mut self, sequence: &'s Sequence, node: Node<'_, '_>) -> bool {
        match node.kind() {
            Kind::Map => self.whole_map(sequence, node),
            _ => self.whole_array(sequence, node),
        }
    }

    /// Records that a scalar type does not accept a node. The violation names the rule that
    /// the type is defined by.
    #[cold]
    fn scalar_mismatch(&mut self, id: TypeId, node: Node<'_, '_>) -> bool {
        let around = self.rule;
        let mut body = id;
        while let TypeKind::Rule(rule) = &self.type_of(body).kind
            && !self.rule_of(*rule).is_prelude
        {
            self.rule = &self.rule_of(*rule).name;
            body = self.rule_of(*rule).body;
        }
        self.mismatch(body, node);
        self.rule = around;
        false
    }

    /// Records that a type does not accept a node.
    #[cold]
    fn mismatch(&mut self, id: TypeId, node: Node<'_, '_>) -> bool {
        self.fail(node, |matcher| (matcher.describe(id), found(node)))
    }

    /// Records a violation, or in probe mode how far the probe came. Returns false.
    #[cold]
    fn fail(
        &mut self,
        node: Node<'_, '_>,
        describe: impl FnOnce(&Self) -> (String, String),
    ) -> bool {
        if self.is_probing() {
            self.furthest = self.furthest.max(node.index());
            return false;
        }
        self.total += 1;
        if self.recorded.len() < self.max_recorded {
            let (expected, found) = describe(self);
            let (path, rule) = (String::new(), self.rule.to_owned());
            let violation = Violation { path, expected, found, rule, others: Vec::new() };
            self.recorded.push(Recorded { place: node.index(), violation, others: Vec::new() });
        }
        false
    }

    /// Runs a check in probe mode.
    fn probe(&mut self, check: impl FnOnce(&mut Self) -> bool) -> Verdict {
        let before = std::mem::take(&mut self.furthest);
        self.probes += 1;
        let is_valid = check(self);
        self.probes -= 1;
        let furthest = std::mem::replace(&mut self.furthest, before);
        Verdict { is_valid, furthest }
    }

    /// Adds how far a failed probe came to the probe around it.
    fn note(&mut self, verdict: Verdict) {
        if !verdict.is_valid {
            self.furthest = self.furthest.max(verdict.furthest);
        }
    }

    /// Checks a node that a path shows by label or index, and remembers its name.
    fn check_labelled(&mut self, name: &'s str, id: TypeId, node: Node<'_, '_>) -> bool {
        self.label(name, node);
        self.check(id, node)
    }

    /// Remembers the schema's name of a node that a path shows by label or index.
    fn label(&mut self, name: &'s str, node: Node<'_, '_>) {
        if !name.is_empty() && !self.is_probing() && node.encoding() == Encoding::Cbor {
            self.labels.insert(node.index(), name);
        }
    }

    /// Records every key at any depth inside a node that an earlier key of its map equals.
    fn duplicate_keys(&mut self, node: Node<'_, '_>) -> bool {
        let count = node.duplicate_keys().len();
        if count > 0 && self.is_probing() {
            self.furthest = self.furthest.max(node.index());
        } else if count > 0 {
            self.total += count;
            for key in node.duplicate_keys().take(self.max_recorded - self.recorded.len()) {
                let violation = Violation::duplicate_key(String::new(), key);
                self.recorded.push(Recorded { place: key.after(), violation, others: Vec::new() });
            }
        }
        count == 0
    }
}
