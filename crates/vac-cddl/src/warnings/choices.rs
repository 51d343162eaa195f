//! Finds alternatives that are never reached, because an earlier one accepts the same values.
//!
//! Only cases that are certain and cheap to decide are reported: equal alternatives, values and
//! ranges within others, and types of which earlier alternatives accept every value.

use std::collections::HashSet;

use super::kinds::{Kinds, Set};
use super::shape::Shapes;
use crate::ir::{
    Control, Element, ElementKind, Group, LiteralValue, Location, MemberKey, RuleId, RuleOrigin,
    Schema, TagNumber, Type, TypeKind, Warning, WarningKind,
};

/// Maximum number of types that are visited for the choices of a schema, beyond the choices
/// themselves.
const MAX_STEPS: usize = 2_000_000;

/// Maximum number of ranges of a choice that others are compared with.
const MAX_RANGES: usize = 32;

/// Maximum number of rules that are followed from an alternative.
const MAX_DEPTH: usize = 16;

/// The maximum number of warnings that are collected.
const MAX_WARNINGS: usize = 1_000;

/// Finds alternatives that are never reached in the rules that a specification contains.
/// An alternative that is superfluous only for some arguments of a generic rule is not a mistake.
pub(super) fn unreachable(schema: &Schema, kinds: &Kinds) -> Vec<Warning> {
    let mut search =
        Search { schema, kinds, shapes: Shapes::new(), steps: MAX_STEPS, warnings: Vec::new() };
    for rule in schema.rules.iter().filter(|rule| rule.origin == RuleOrigin::Spec) {
        if search.warnings.len() >= MAX_WARNINGS {
            break;
        }
        search.type_(&rule.body);
    }
    search.warnings
}

struct Search<'s> {
    schema: &'s Schema,
    kinds: &'s Kinds,
    shapes: Shapes,
    steps: usize,
    warnings: Vec<Warning>,
}

/// The values that earlier alternatives accept.
#[derive(Default)]
struct Accepted {
    /// Kinds of which every value is accepted.
    complete: Set,
    values: HashSet<String>,
    /// Ranges of integers, both ends included.
    ranges: Vec<(i128, i128)>,
    rules: HashSet<RuleId>,
    shapes: HashSet<String>,
}

impl Search<'_> {
    /// Visits the choices in a type.
    fn type_(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Choice(alternatives) => {
                self.choice(alternatives);
                for alternative in alternatives {
                    self.type_(alternative);
                }
            }
            TypeKind::Map(group) => self.group(group, Some(true)),
            TypeKind::Array(group) => self.group(group, Some(false)),
            TypeKind::Tag { number, content } => {
                if let TagNumber::Of(numbers) = number {
                    self.type_(numbers);
                }
                self.type_(content);
            }
            TypeKind::Control { target, control } => {
                self.type_(target);
                if let Control::Size(argument)
                | Control::Cbor(argument)
                | Control::Cborseq(argument)
                | Control::And(argument) = control
                {
                    self.type_(argument);
                }
            }
            _ => {}
        }
    }

    fn choice(&mut self, alternatives: &[Type]) {
        let mut accepted = Accepted::default();
        for (at, alternative) in alternatives.iter().enumerate() {
            if at > 0 && self.is_accepted(alternative, &mut accepted, 0) {
                self.warn(&alternative.location);
            } else {
                self.accept(alternative, &mut accepted, 0);
            }
        }
    }

    /// Visits the alternatives of a group: the content of a map (`Some(true)`) or of an array, or a
    /// part of one.
    fn group(&mut self, group: &Group, container: Option<bool>) {
        let mut shapes = HashSet::new();
        let mut is_open = false;
        for elements in &group.choices {
            let is_new = match self.shapes.of_elements(elements) {
                Some(shape) if group.choices.len() > 1 => shapes.insert(shape),
                _ => true,
            };
            if is_open || !is_new {
                let first = elements.first().map_or(&group.location, |element| &element.location);
                self.warn(first);
            }
            is_open |= container.is_some_and(|is_map| self.kinds.is_open_choice(elements, is_map));
            for element in elements {
                self.element(element);
            }
        }
    }

    fn element(&mut self, element: &Element) {
        match &element.kind {
            ElementKind::Group { group, .. } => self.group(group, None),
            ElementKind::Member(member) => {
                if let Some(MemberKey::Type(key)) = &member.key {
                    self.type_(key);
                }
                self.type_(&member.value);
            }
        }
    }

    fn warn(&mut self, location: &Location) {
        let message = "this alternative is never reached: one before it accepts the same values \
                       (remove it, or put it first)";
        let kind = WarningKind::UnreachableAlternative;
        let location = location.clone();
        self.warnings.push(Warning { kind, location, message: message.to_owned() });
    }

    /// Counts a visited type.
    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    /// Adds what an alternative accepts.
    fn accept(&mut self, ty: &Type, accepted: &mut Accepted, depth: usize) {
        if depth > MAX_DEPTH || !self.step() {
            return;
        }
        accepted.complete |= self.kinds.get(ty).complete;
        match &ty.kind {
            TypeKind::Literal(literal) => {
                accepted.values.insert(format!("{:?}", literal.value));
            }
            TypeKind::Range { .. } => {
                let range = integers(ty).filter(|_| accepted.ranges.len() < MAX_RANGES);
                accepted.ranges.extend(range);
            }
            TypeKind::Choice(alternatives) => {
                for alternative in alternatives {
                    self.accept(alternative, accepted, depth + 1);
                }
            }
            TypeKind::Rule(id) => {
                if accepted.rules.insert(*id) {
                    let schema = self.schema;
                    self.accept(&schema.rules[id.0].body, accepted, depth + 1);
                }
            }
            TypeKind::Control { target, control: Control::Default(_) } => {
                self.accept(target, accepted, depth + 1);
            }
            _ => accepted.shapes.extend(self.shapes.of_type(ty)),
        }
    }

    /// Returns whether everything that an alternative accepts is accepted already.
    fn is_accepted(&mut self, ty: &Type, accepted: &mut Accepted, depth: usize) -> bool {
        let possible = self.kinds.get(ty).possible;
        // A socket that nothing is plugged into accepts nothing, on purpose.
        if possible == 0 || depth > MAX_DEPTH || !self.step() {
            return false;
        }
        if possible & !accepted.complete == 0 {
            return true;
        }
        match &ty.kind {
            TypeKind::Literal(literal) => {
                let is_within = |value: i128| {
                    accepted.ranges.iter().any(|(low, high)| (*low..=*high).contains(&value))
                };
                accepted.values.contains(&format!("{:?}", literal.value))
                    || matches!(literal.value, LiteralValue::Integer(value) if is_within(value))
            }
            TypeKind::Range { .. } => integers(ty).is_some_and(|(low, high)| {
                let is_around = |range: &(i128, i128)| range.0 <= low && high <= range.1;
                low <= high && accepted.ranges.iter().any(is_around)
            }),
            TypeKind::Choice(alternatives) => {
                alternatives.iter().all(|it| self.is_accepted(it, accepted, depth + 1))
            }
            TypeKind::Rule(id) => {
                let schema = self.schema;
                accepted.rules.contains(id)
                    || self.is_accepted(&schema.rules[id.0].body, accepted, depth + 1)
            }
            TypeKind::Control { target, .. } if self.is_accepted(target, accepted, depth + 1) => {
                true
            }
            _ => {
                let shape = self.shapes.of_type(ty);
                shape.is_some_and(|shape| accepted.shapes.contains(&shape))
            }
        }
    }
}

/// Returns the integers of a range, both ends included.
fn integers(ty: &Type) -> Option<(i128, i128)> {
    match &ty.kind {
        TypeKind::Range {
            low: LiteralValue::Integer(low),
            high: LiteralValue::Integer(high),
            inclusive,
        } => Some((*low, if *inclusive { *high } else { *high - 1 })),
        _ => None,
    }
}
