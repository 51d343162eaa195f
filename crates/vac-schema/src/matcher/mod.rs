//! Checks nodes of a document against types of a schema.

mod array;
mod assign;
mod budget;
mod choice;
mod embedded;
mod flat_map;
mod join;
mod map;
mod open_members;
mod paths;
mod text;

pub(crate) use array::ArrayState;
pub(crate) use assign::Assignment;
pub use budget::Budget;
pub(crate) use embedded::Inside;
pub(crate) use flat_map::MAX_FLAT;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use vac_value::{Encoding, Kind, Node, Violation, ViolationKind, found, printable};

use crate::Violations;
use crate::features::Features;
use crate::pattern::Pattern;
use crate::tables::{
    Control, Group, GroupId, PatternId, Rule, RuleId, Schema, Sequence, Type, TypeId, TypeKind,
};

impl Schema {
    /// Checks a node against a rule. Records at most `max_violations`, counts all. Paths
    /// begin at the root of the node's document.
    ///
    /// Duplicate keys at any depth are violations, too, and come first.
    pub fn validate(
        &self,
        rule: RuleId,
        node: Node<'_, '_>,
        max_violations: usize,
    ) -> Result<(), Violations> {
        self.validate_within(rule, node, max_violations, &mut Budget::new(node))
    }

    /// Checks a node against a rule within the given budget.
    pub fn validate_within(
        &self,
        rule: RuleId,
        node: Node<'_, '_>,
        max_violations: usize,
        budget: &mut Budget,
    ) -> Result<(), Violations> {
        let type_id = self.rules[rule.0 as usize].body;
        Matcher::new(self, max_violations, budget).validate(rule, type_id, node)
    }

    /// Checks a node against a type that is part of a rule.
    pub fn validate_type(
        &self,
        rule: RuleId,
        id: TypeId,
        node: Node<'_, '_>,
        max_violations: usize,
    ) -> Result<(), Violations> {
        let mut budget = Budget::new(node);
        Matcher::new(self, max_violations, &mut budget).validate(rule, id, node)
    }

    /// Checks a node against a rule as [`Schema::validate`] does, and accepts only the given
    /// features of the schema.
    pub fn validate_with(
        &self,
        features: &Features,
        rule: RuleId,
        node: Node<'_, '_>,
        max_violations: usize,
    ) -> Result<(), Violations> {
        let type_id = self.rules[rule.0 as usize].body;
        let mut budget = Budget::new(node);
        let mut matcher = Matcher::new(self, max_violations, &mut budget);
        matcher.features = features;
        matcher.validate(rule, type_id, node)
    }

    /// Checks a node against a rule, but does not search for duplicate keys where the schema
    /// accepts anything. For callers that have searched the whole document for them.
    pub fn validate_rule(
        &self,
        rule: RuleId,
        node: Node<'_, '_>,
        max_violations: usize,
    ) -> Result<(), Violations> {
        let mut budget = Budget::new(node);
        let mut matcher = Matcher::new(self, max_violations, &mut budget);
        matcher.enter_rule(rule);
        matcher.check(self.rules[rule.0 as usize].body, node);
        matcher.finish(node)
    }
}

/// Checks that the maps inside a node, at any depth, have no duplicate keys.
pub fn validate_keys(node: Node<'_, '_>, max_violations: usize) -> Result<(), Violations> {
    let violations = Violation::duplicate_keys(node, max_violations);
    Violations::verdict(violations, node.duplicate_keys().len())
}

/// The state of one check.
pub(crate) struct Matcher<'s, 'b> {
    rules: &'s [Rule],
    types: &'s [Type],
    groups: &'s [Group],
    pub(crate) patterns: &'s [Pattern],
    /// The features that documents may use.
    pub(crate) features: &'s Features,
    /// The nodes that use a disabled feature, with its name.
    disabled: RefCell<HashMap<(u64, u32), &'s str>>,
    recorded: Vec<Recorded<'s>>,
    max_recorded: usize,
    total: usize,
    /// The number of duplicate keys outside of embedded documents, which come first.
    duplicates: usize,
    /// Whether only the first violation is wanted. Alternatives that got less far are not described
    /// then.
    is_brief: bool,
    /// The number of probes under way; 0 in report mode.
    probes: usize,
    /// The last node in document order at which the current probe failed.
    furthest: u32,
    /// The innermost rule that is not of the prelude.
    rule: &'s str,
    /// Containers, tags and byte strings around the current node.
    pub(crate) depth: usize,
    /// The schema's names of nodes that a path shows by label or index.
    labels: HashMap<u32, &'s str>,
    memo: HashMap<(TypeId, u64, u32), Verdict>,
    /// The number of the current document. Each embedded document has its own nodes.
    pub(crate) document: u64,
    /// The numbers of embedded documents, by the string that contains them.
    documents: HashMap<(u64, u32, Inside), u64>,
    /// The last number of an embedded document.
    last_document: u64,
    pub(crate) budget: &'b mut Budget,
    /// The number of types in the current description.
    pub(crate) described: Cell<usize>,
}

/// A violation whose path is completed when its document has been checked.
#[derive(Debug)]
struct Recorded<'s> {
    /// The node, in the document that is being checked.
    place: u32,
    /// The path below that node, if the violation is inside an embedded document.
    violation: Violation,
    /// The first violation of each alternative that got less far, with the alternative's name.
    others: Vec<(&'s str, Recorded<'s>)>,
}

impl Recorded<'_> {
    fn into_violation(self) -> Violation {
        let line = |(name, other): (&str, Self)| match name {
            "" => other.violation.to_string(),
            name => format!("{name}: {}", other.violation),
        };
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

impl<'s, 'b> Matcher<'s, 'b> {
    pub(crate) fn new(schema: &'s Schema, max_recorded: usize, budget: &'b mut Budget) -> Self {
        Self {
            rules: &schema.rules,
            types: &schema.types,
            groups: &schema.groups,
            patterns: &schema.patterns,
            features: &crate::features::ALL,
            disabled: RefCell::default(),
            recorded: Vec::new(),
            max_recorded,
            total: 0,
            duplicates: 0,
            is_brief: false,
            probes: 0,
            furthest: 0,
            rule: "",
            depth: 0,
            labels: HashMap::new(),
            memo: HashMap::new(),
            document: 0,
            documents: HashMap::new(),
            last_document: 0,
            budget,
            described: Cell::new(0),
        }
    }

    /// Checks a node against a type that is the body of a rule or part of it, and searches for
    /// duplicate keys.
    pub(crate) fn validate(
        &mut self,
        rule: RuleId,
        type_id: TypeId,
        node: Node<'_, '_>,
    ) -> Result<(), Violations> {
        self.duplicate_keys(node);
        self.duplicates = self.total;
        self.enter_rule(rule);
        self.check(type_id, node);
        self.finish(node)
    }

    /// Returns whether a type accepts a node.
    pub(crate) fn accepts_node(&mut self, id: TypeId, node: Node<'_, '_>) -> bool {
        self.probe(|matcher| matcher.check(id, node)).is_valid
    }

    /// Returns the first alternative of a group that accepts a whole map or array.
    pub(crate) fn choose_sequence(&mut self, id: GroupId, node: Node<'_, '_>) -> Option<usize> {
        let choices = &*self.group(id).choices;
        match choices {
            [_] => Some(0),
            _ => choices.iter().position(|sequence| {
                self.probe(|matcher| matcher.sequence(sequence, node)).is_valid
            }),
        }
    }

    /// Returns the verdict, after a node has been checked.
    fn finish(&mut self, node: Node<'_, '_>) -> Result<(), Violations> {
        if self.total == 0 && !self.budget.is_stopped() {
            return Ok(());
        }
        if let Some(violation) = self.budget.violation() {
            // Violations found before the stop may be wrong, except for duplicate keys.
            self.recorded.truncate(self.duplicates.min(self.max_recorded.saturating_sub(1)));
            self.total = self.duplicates + 1;
            self.record(node.index(), violation);
        }
        self.resolve_paths(0, node.document());
        let recorded = std::mem::take(&mut self.recorded);
        let violations = recorded.into_iter().map(Recorded::into_violation).collect();
        Violations::verdict(violations, self.total)
    }

    pub(crate) fn rule(&self, RuleId(id): RuleId) -> &'s Rule {
        &self.rules[id as usize]
    }

    #[inline]
    pub(crate) fn type_(&self, TypeId(id): TypeId) -> &'s Type {
        &self.types[id as usize]
    }

    pub(crate) fn group(&self, GroupId(id): GroupId) -> &'s Group {
        &self.groups[id as usize]
    }

    pub(crate) fn pattern(&self, PatternId(id): PatternId) -> &'s Pattern {
        &self.patterns[id as usize]
    }

    fn is_probing(&self) -> bool {
        self.probes > 0
    }

    /// Returns whether the answer is known, so that the rest need not be checked.
    fn is_done(&self) -> bool {
        self.is_probing() || (self.is_brief && self.total > 0) || self.budget.is_stopped()
    }

    fn enter_rule(&mut self, id: RuleId) {
        let rule = self.rule(id);
        if !rule.is_prelude {
            self.rule = &rule.name;
        }
    }

    /// Checks a node against a type.
    fn check(&mut self, id: TypeId, node: Node<'_, '_>) -> bool {
        if self.type_(id).is_scalar {
            return self.accepts(id, node) || self.scalar_mismatch(id, node);
        }
        if !self.budget.enter() {
            return false;
        }
        let around = self.rule;
        let id = self.follow(id);
        let ty = self.type_(id);
        let is_valid = if self.is_probing() {
            self.check_remembering(id, ty, node)
        } else {
            self.check_content(id, &ty.kind, node)
        };
        self.rule = around;
        self.budget.leave();
        is_valid
    }

    /// Returns the type that a reference to rules leads to.
    #[inline]
    pub(crate) fn resolve(&self, mut id: TypeId) -> TypeId {
        while let TypeKind::Rule(rule) = &self.type_(id).kind {
            id = self.rule(*rule).body;
        }
        id
    }

    /// Returns the type that a reference to rules leads to. The last of these rules that is not of
    /// the prelude becomes the current rule.
    fn follow(&mut self, mut id: TypeId) -> TypeId {
        while let TypeKind::Rule(rule) = &self.type_(id).kind {
            let rule = self.rule(*rule);
            if !rule.is_prelude {
                self.rule = &rule.name;
            }
            id = rule.body;
        }
        id
    }

    /// Checks in probe mode. The verdict is cached, because alternatives often have parts in
    /// common.
    fn check_remembering(&mut self, id: TypeId, ty: &'s Type, node: Node<'_, '_>) -> bool {
        if !ty.kinds.contains(node.kind()) {
            return self.mismatch(id, node);
        }
        let key = (id, self.document, node.index());
        let verdict = match self.memo.get(&key) {
            Some(verdict) => *verdict,
            None => {
                let verdict = self.probe(|matcher| matcher.check_content(id, &ty.kind, node));
                self.memo.insert(key, verdict);
                verdict
            }
        };
        self.note(verdict);
        verdict.is_valid
    }

    fn check_content(&mut self, id: TypeId, kind: &'s TypeKind, node: Node<'_, '_>) -> bool {
        match kind {
            TypeKind::Choice { alternatives, selector, literals } => {
                self.choice(id, alternatives, selector.as_ref(), literals.as_ref(), node)
            }
            TypeKind::Map(group) => match node.kind() {
                Kind::Map => self.container(id, self.group(*group), node),
                _ => self.mismatch(id, node),
            },
            TypeKind::Array(group) => match node.kind() {
                Kind::Array => self.container(id, self.group(*group), node),
                _ => self.mismatch(id, node),
            },
            TypeKind::Tag { number, content } => self.tag(id, *number, *content, node),
            TypeKind::Control { target, control } => self.control(id, *target, control, node),
            TypeKind::Rule(_)
            | TypeKind::Any
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
        control: &'s Control,
        node: Node<'_, '_>,
    ) -> bool {
        if !self.check(target, node) {
            return false;
        }
        match control {
            Control::Cbor(content) => self.embedded_item(*content, node),
            Control::Cborseq(content) => self.embedded_sequence(*content, node),
            Control::And(other) => self.check(*other, node),
            Control::Not(other) => {
                let is_other = self.accepts_node(*other, node);
                (!is_other && !self.budget.is_stopped()) || self.mismatch(id, node)
            }
            Control::Encoded(encoding, content) => self.encoded(id, *encoding, *content, node),
            Control::Base10(content) => self.base10(id, *content, node),
            Control::Json(content) => self.embedded_json(id, *content, node),
            Control::Printf(format, items) => {
                let text = node.text().filter(|_| node.kind() == Kind::Text);
                text.is_some_and(|text| self.is_printed(format, items, &text))
                    || self.mismatch(id, node)
            }
            Control::Join(array) => self.is_joined(*array, node) || self.mismatch(id, node),
            Control::Feature(name) => {
                self.has_feature(name, node) || {
                    // Everything except the feature matches, so no alternative gets further.
                    self.furthest = self.furthest.max(node.after());
                    self.mismatch(id, node)
                }
            }
            control => self.agrees(control, node) || self.mismatch(id, node),
        }
    }

    /// Returns whether a document may use a feature. A node that uses it and may not is remembered
    /// for messages.
    pub(crate) fn has_feature(&self, name: &'s str, node: Node<'_, '_>) -> bool {
        let is_enabled = self.features.is_enabled(name);
        if !is_enabled {
            self.disabled.borrow_mut().insert((self.document, node.index()), name);
        }
        is_enabled
    }

    /// Adds the disabled feature that a node uses, if there is one.
    fn with_feature(&self, found: String, node: Node<'_, '_>) -> String {
        match self.disabled.borrow().get(&(self.document, node.index())) {
            Some(name) => format!("{found} of the disabled feature \"{}\"", printable(name, 60)),
            None => found,
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
        // A rule of the prelude is described by its name.
        while let TypeKind::Rule(rule) = &self.type_(body).kind
            && !self.rule(*rule).is_prelude
        {
            self.rule = &self.rule(*rule).name;
            body = self.rule(*rule).body;
        }
        self.mismatch(body, node);
        self.rule = around;
        false
    }

    /// Records that a type does not accept a node.
    #[cold]
    fn mismatch(&mut self, id: TypeId, node: Node<'_, '_>) -> bool {
        self.fail(ViolationKind::Mismatch, node, |matcher| (matcher.describe(id), found(node)))
    }

    /// Records a violation, or in probe mode how far the probe came. Returns false.
    #[cold]
    fn fail(
        &mut self,
        kind: ViolationKind,
        node: Node<'_, '_>,
        describe: impl FnOnce(&Self) -> (String, String),
    ) -> bool {
        if self.is_probing() {
            self.furthest = self.furthest.max(node.index());
            return false;
        }
        if self.budget.is_stopped() {
            return false;
        }
        self.total += 1;
        if self.recorded.len() < self.max_recorded {
            let (expected, found) = describe(self);
            let found = self.with_feature(found, node);
            let (path, rule) = (String::new(), self.rule.to_owned());
            let others = Vec::new();
            let violation = Violation { kind, path, expected, found, rule, others };
            self.record(node.index(), violation);
        }
        false
    }

    fn record(&mut self, place: u32, violation: Violation) {
        self.recorded.push(Recorded { place, violation, others: Vec::new() });
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

    /// Passes the last node that a failed probe reached on to the probe around it.
    fn note(&mut self, verdict: Verdict) {
        if !verdict.is_valid {
            self.furthest = self.furthest.max(verdict.furthest);
        }
    }

    /// Checks a node that a path contains as a label or index, and stores its name.
    fn check_labelled(&mut self, name: &'s str, id: TypeId, node: Node<'_, '_>) -> bool {
        self.label(name, node);
        self.check(id, node)
    }

    /// Stores the schema's name of a node that a path contains as a label or index.
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
                self.record(key.after(), Violation::duplicate_key(String::new(), key));
            }
        }
        count == 0
    }
}
