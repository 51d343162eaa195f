//! Saying why a document does not match: a list of places to look into, each
//! with a type that is known to fail there.

use vac_value::path::Locator;
use vac_value::{Kind, Node, Violation, found};

use crate::ir::{Control, Element, Group, Origin, TagNumber, Type, TypeKind, Value};

use super::choice::{Alternative, Rejected};
use super::describe::{self, describe};
use super::judge::{Carrier, Judge, carried};

/// Something to be explained.
pub(super) struct Task<'s, 'd, 'a> {
    pub what: What<'s, 'd, 'a>,
    pub node: Node<'d, 'a>,
    /// The innermost rule that has a name of the specification.
    pub rule: &'s str,
    /// The containers around the node.
    pub depth: usize,
    /// The alternatives that got less far.
    pub others: Vec<Rejected<'s, 'd, 'a>>,
}

/// What is wrong with a node.
pub(super) enum What<'s, 'd, 'a> {
    /// It does not match.
    Type(&'s Type),
    /// It does not match this alternative of a map's or an array's group.
    Sequence(&'s Type, &'s [Element]),
    /// It matches none of these.
    OneOf(Vec<&'s Type>),
    /// It is a map without this key.
    Missing(&'s Value),
    /// It is the value of a key that should not be there.
    Extra(Node<'d, 'a>),
    /// It is a byte string, and what it holds does not match.
    Embedded(&'s Type, Carrier),
    /// Whatever this says.
    Other { expected: String, found: String },
}

impl<'s, 'd, 'a> Task<'s, 'd, 'a> {
    pub fn new(what: What<'s, 'd, 'a>, node: Node<'d, 'a>, rule: &'s str, depth: usize) -> Self {
        Self { what, node, rule, depth, others: Vec::new() }
    }

    /// The same about something inside of this.
    pub fn inside(&self, what: What<'s, 'd, 'a>, node: Node<'d, 'a>) -> Self {
        Self::new(what, node, self.rule, self.depth + 1)
    }

    /// The same about this node.
    pub fn narrowed(self, what: What<'s, 'd, 'a>) -> Self {
        Self { what, ..self }
    }
}

/// Tasks that are left; the next one is the last.
pub(super) type Tasks<'s, 'd, 'a> = Vec<Task<'s, 'd, 'a>>;

/// Turns tasks into violations.
pub(super) struct Explainer<'j, 'i, 's> {
    pub judge: &'j mut Judge<'i, 's>,
    /// The pointer to the byte string that the document at hand is in.
    prefix: String,
    /// Finds nodes of the document at hand.
    locator: Locator,
    most: usize,
    /// Whether to leave other alternatives out.
    brief: bool,
    violations: Vec<Violation>,
}

impl<'j, 'i, 's> Explainer<'j, 'i, 's> {
    pub fn new(judge: &'j mut Judge<'i, 's>, most: usize) -> Self {
        Self {
            judge,
            prefix: String::new(),
            locator: Locator::default(),
            most,
            brief: false,
            violations: Vec::new(),
        }
    }

    pub fn into_violations(self) -> Vec<Violation> {
        self.violations
    }

    pub fn explain<'d, 'a>(&mut self, task: Task<'s, 'd, 'a>) {
        let mut open = vec![task];
        while let Some(task) = open.pop() {
            if self.violations.len() >= self.most || !self.judge.budget.spend(1) {
                return;
            }
            self.judge.depth = task.depth;
            // Only this calls for another list: the nodes are of another document.
            if let What::Embedded(ty, carrier) = task.what {
                self.of_embedded(ty, carrier, &task);
            } else {
                self.step(task, &mut open);
            }
        }
    }

    fn step<'d, 'a>(&mut self, mut task: Task<'s, 'd, 'a>, open: &mut Tasks<'s, 'd, 'a>) {
        let what = std::mem::replace(&mut task.what, What::OneOf(Vec::new()));
        match what {
            What::Type(ty) => self.of_type(ty, task, open),
            What::Sequence(ty, elements) => self.of_sequence(ty, elements, task, open),
            What::OneOf(types) => self.of_choice(&types, task, open),
            What::Missing(key) => {
                let expected = format!("key {}", describe::value(key));
                self.report(&task, expected, "no such key".to_owned());
            }
            What::Extra(key) => {
                self.report(&task, "no such key".to_owned(), describe::key(key));
            }
            What::Other { expected, found } => self.report(&task, expected, found),
            What::Embedded(ty, carrier) => self.of_embedded(ty, carrier, &task),
        }
    }

    fn of_type<'d, 'a>(
        &mut self,
        ty: &'s Type,
        mut task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        let ty = self.named(ty, &mut task.rule);
        match &ty.kind {
            TypeKind::Choice(alternatives) if self.judge.is_list_of_literals(alternatives) => {
                self.mismatch(ty, &task);
            }
            TypeKind::Choice(alternatives) => {
                self.of_choice(&alternatives.iter().collect::<Vec<_>>(), task, open);
            }
            TypeKind::Map(group) if task.node.kind() == Kind::Map => {
                self.of_group(ty, group, task, open);
            }
            TypeKind::Array(group) if task.node.kind() == Kind::Array => {
                self.of_group(ty, group, task, open);
            }
            TypeKind::Tag { number, content } => self.of_tag(ty, number, content, task, open),
            TypeKind::Control { target, control } => {
                self.of_control(ty, target, control, task, open);
            }
            _ => self.mismatch(ty, &task),
        }
    }

    /// Follows references into rules of the specification and keeps their name.
    pub fn named(&self, mut ty: &'s Type, name: &mut &'s str) -> &'s Type {
        for _ in 0..self.judge.schema().rules.len() {
            let TypeKind::Rule(id) = &ty.kind else { break };
            let Some(rule) = self.judge.rule(*id) else { break };
            if rule.origin == Origin::Prelude {
                break;
            }
            *name = &rule.name;
            ty = &rule.body;
        }
        ty
    }

    fn of_group<'d, 'a>(
        &mut self,
        ty: &'s Type,
        group: &'s Group,
        task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        match &*group.choices {
            [] => self.mismatch_as("nothing", &task),
            [elements] => self.of_sequence(ty, elements, task, open),
            _ => self.of_choice(&[ty], task, open),
        }
    }

    fn of_tag<'d, 'a>(
        &mut self,
        ty: &'s Type,
        number: &'s TagNumber,
        content: &'s Type,
        mut task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        match task.node.tag() {
            Some((found, inner)) if self.judge.takes_tag(number, found) => {
                task.node = inner;
                task.depth += 1;
                open.push(task.narrowed(What::Type(content)));
            }
            _ => self.mismatch(ty, &task),
        }
    }

    fn of_control<'d, 'a>(
        &mut self,
        ty: &'s Type,
        target: &'s Type,
        control: &'s Control,
        task: Task<'s, 'd, 'a>,
        open: &mut Tasks<'s, 'd, 'a>,
    ) {
        let is_target = self.judge.check(target, task.node).is_ok();
        match control {
            Control::Cbor(inner) if is_target => {
                open.push(task.narrowed(What::Embedded(inner, Carrier::Item)));
            }
            Control::Cborseq(inner) if is_target => {
                open.push(task.narrowed(What::Embedded(inner, Carrier::Sequence)));
            }
            Control::Within(other) | Control::And(other) if is_target => {
                open.push(task.narrowed(What::Type(other)));
            }
            Control::Cbor(_)
            | Control::Cborseq(_)
            | Control::Within(_)
            | Control::And(_)
            | Control::Default(_)
            | Control::Feature(_) => open.push(task.narrowed(What::Type(target))),
            _ => self.mismatch(ty, &task),
        }
    }

    fn of_embedded(&mut self, ty: &'s Type, carrier: Carrier, task: &Task<'s, '_, '_>) {
        let Some(source) = carried(task.node, carrier) else {
            return self.mismatch_as("bytes", task);
        };
        let document = match self.judge.scan(&source) {
            Ok(document) => document,
            Err(error) => {
                let expected = match carrier {
                    Carrier::Item => "bytes that hold one CBOR item",
                    Carrier::Sequence => "bytes that hold a CBOR sequence",
                };
                let found = format!("bytes that do not ({})", error.problem);
                return self.report(task, expected.to_owned(), found);
            }
        };
        let first = self.violations.len();
        let outer_prefix = self.prefix.len();
        let pointer = self.pointer(task.node);
        self.prefix.push_str(&pointer);
        let outer_locator = std::mem::take(&mut self.locator);
        let outside = self.judge.enter(task.node, carrier);
        let root = document.root();
        let left = self.most - self.violations.len();
        self.violations.extend(Violation::duplicate_keys(root, left).into_iter().map(
            |mut found| {
                found.path.insert_str(0, &self.prefix);
                found
            },
        ));
        if self.judge.check(ty, root).is_err() {
            self.explain(Task::new(What::Type(ty), root, task.rule, self.judge.depth));
        }
        self.judge.depth = task.depth + 1;
        self.judge.leave(outside);
        self.prefix.truncate(outer_prefix);
        self.locator = outer_locator;
        let others = self.lines(&task.others);
        if let Some(violation) = self.violations.get_mut(first)
            && violation.others.is_empty()
        {
            violation.others = others;
        }
    }

    /// The node is not what the type wants, and that is all there is to say.
    pub fn mismatch(&mut self, ty: &'s Type, task: &Task<'s, '_, '_>) {
        let expected = describe(self.judge.schema(), ty);
        self.mismatch_as(&expected, task);
    }

    pub fn mismatch_as(&mut self, expected: &str, task: &Task<'s, '_, '_>) {
        let found = found(task.node);
        self.report(task, expected.to_owned(), found);
    }

    fn report(&mut self, task: &Task<'s, '_, '_>, expected: String, found: String) {
        let pointer = self.pointer(task.node);
        let path = format!("{}{pointer}", self.prefix);
        let rule = task.rule.to_owned();
        let others = self.lines(&task.others);
        self.violations.push(Violation {
            kind: vac_value::ViolationKind::Mismatch,
            path,
            expected,
            found,
            rule,
            others,
        });
    }

    fn pointer(&mut self, node: Node<'_, '_>) -> String {
        let before = self.locator.moves();
        let pointer = self.locator.pointer(node);
        self.judge.budget.spend((self.locator.moves() - before) as u64);
        pointer
    }

    /// One line for each alternative that was not the best.
    fn lines(&mut self, others: &[Rejected<'s, '_, '_>]) -> Vec<String> {
        if self.brief {
            return Vec::new();
        }
        others.iter().filter_map(|rejected| self.line(rejected)).collect()
    }

    fn line(&mut self, rejected: &Rejected<'s, '_, '_>) -> Option<String> {
        let mut brief = Explainer {
            judge: &mut *self.judge,
            prefix: self.prefix.clone(),
            locator: std::mem::take(&mut self.locator),
            most: 1,
            brief: true,
            violations: Vec::new(),
        };
        let Alternative { what, rule } = rejected.alternative;
        brief.explain(Task::new(what.into(), rejected.node, rule, rejected.depth));
        let Explainer { locator, mut violations, .. } = brief;
        self.locator = locator;
        violations.pop().map(|violation| violation.to_string())
    }
}
