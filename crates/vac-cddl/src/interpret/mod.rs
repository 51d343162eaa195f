//! Judging documents by a schema, straight from the intermediate representation.
//!
//! [`Interpreter::validate`] goes over a document up to twice. The first time it
//! only decides, and stops at the first thing that does not fit; only when there
//! is one, the second time finds out what to say about it.
//!
//! # Decisions
//!
//! * **One algorithm for both.** Maps and arrays are matched by the same code
//!   when deciding and when explaining; explaining is that code with a notebook.
//! * **Ordered and greedy.** Choices take the first alternative that matches,
//!   repetitions take what they can, and nothing is reopened. What a type says
//!   about a container is remembered, so that alternatives that share their
//!   parts do not multiply.
//! * **Bounded.** Deciding calls itself for each level of the document, levels inside of
//!   embedded CBOR included, and for each type on the way; explaining keeps a list. Steps
//!   and nesting have limits (module `budget`).
//! * **Duplicate keys** are violations at every depth and come first. The schema is matched
//!   against the first of equal keys.

mod arrays;
mod budget;
mod choice;
mod containers;
mod controls;
mod describe;
mod explain;
mod judge;
mod literals;
mod map_state;
mod maps;
mod patterns;
mod reach;
#[cfg(test)]
mod tests;
mod values;

use vac_value::{Document, Violation};

use crate::Error;
use crate::ir::{RuleId, Schema, Type, TypeKind};

use explain::{Explainer, Task, What};
use judge::Judge;
use literals::LongChoices;
use patterns::Patterns;

/// How many violations are told if nobody says otherwise.
const MOST_VIOLATIONS: usize = 20;

/// A schema that is ready to judge documents.
///
/// ```
/// use vac_cddl::interpret::Interpreter;
/// use vac_value::Document;
///
/// let schema = vac_cddl::parse("point.cddl", "point = { x: int, ? y: int }")?;
/// let interpreter = Interpreter::new(&schema)?;
///
/// let good = Document::json(br#"{"x": 1}"#)?;
/// assert!(interpreter.validate(&good).is_empty());
///
/// let bad = Document::json(br#"{"x": 1, "y": "2"}"#)?;
/// let violations = interpreter.validate(&bad);
/// assert_eq!(
///     violations[0].to_string(),
///     r#"/y: expected int, found text "2" (rule point)"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Interpreter<'s> {
    schema: &'s Schema,
    patterns: Patterns<'s>,
    /// For each rule the type that it names in the end.
    ends: Vec<&'s Type>,
    long_choices: LongChoices<'s>,
    most: usize,
    /// Steps that every document may take.
    steps: u64,
}

impl<'s> Interpreter<'s> {
    /// Compiles the regular expressions of a schema; fails where one cannot be.
    pub fn new(schema: &'s Schema) -> Result<Self, Error> {
        let patterns = Patterns::of(schema)?;
        let ends = ends(schema);
        let long_choices = LongChoices::new(schema, |ty| end(&ends, ty));
        let (most, steps) = (MOST_VIOLATIONS, budget::STEPS);
        Ok(Self { schema, patterns, ends, long_choices, most, steps })
    }

    /// Tells at most so many violations, and at least one: none would mean that
    /// the document is valid.
    #[must_use]
    pub fn max_violations(mut self, most: usize) -> Self {
        self.most = most.max(1);
        self
    }

    /// The rule of this name.
    pub fn rule(&self, name: &str) -> Option<RuleId> {
        self.schema.rules.iter().position(|rule| rule.name == name).map(RuleId)
    }

    /// What a document violates of the start rule; nothing if it is valid.
    pub fn validate(&self, document: &Document<'_>) -> Vec<Violation> {
        self.validate_rule(self.schema.root, document)
    }

    /// The same for another rule.
    pub fn validate_rule(&self, rule: RuleId, document: &Document<'_>) -> Vec<Violation> {
        self.judge(rule, document).0
    }

    /// The violations, and the judge that found them.
    fn judge(&self, id: RuleId, document: &Document<'_>) -> (Vec<Violation>, Judge<'_, 's>) {
        let mut judge = Judge::new(self, document);
        let mut violations = Violation::duplicate_keys(document.root(), self.most);
        let Some(rule) = self.schema.rules.get(id.0) else {
            return (vec![no_such_rule(id)], judge);
        };
        let is_valid = judge.check(&rule.body, document.root()).is_ok();
        if let Some(stopped) = judge.budget.violation() {
            violations.truncate(self.most - 1);
            violations.push(stopped);
        } else if !is_valid && violations.len() < self.most {
            judge.budget.renew();
            let mut explainer = Explainer::new(&mut judge, self.most - violations.len());
            explainer.explain(Task::new(What::Type(&rule.body), document.root(), &rule.name, 0));
            violations.append(&mut explainer.into_violations());
            if let Some(stopped) = judge.budget.violation() {
                violations.truncate(self.most - 1);
                violations.push(stopped);
            }
        }
        (violations, judge)
    }
}

/// For each rule the type that it names in the end.
fn ends(schema: &Schema) -> Vec<&Type> {
    let mut ends: Vec<Option<&Type>> = vec![None; schema.rules.len()];
    for start in 0..schema.rules.len() {
        let mut way = Vec::new();
        let mut at = start;
        let end = loop {
            if let Some(known) = ends[at] {
                break known;
            }
            let body = &schema.rules[at].body;
            match &body.kind {
                // Rules that only name each other in a circle end where the circle closes.
                TypeKind::Rule(next) if next.0 < ends.len() && way.len() < ends.len() => {
                    way.push(at);
                    at = next.0;
                }
                _ => break body,
            }
        };
        for rule in way.into_iter().chain([start]) {
            ends[rule] = Some(end);
        }
    }
    ends.into_iter().zip(&schema.rules).map(|(end, rule)| end.unwrap_or(&rule.body)).collect()
}

/// The type that a reference leads to in the end.
fn end<'s>(ends: &[&'s Type], ty: &'s Type) -> &'s Type {
    match &ty.kind {
        TypeKind::Rule(id) => ends.get(id.0).copied().unwrap_or(ty),
        _ => ty,
    }
}

/// For a schema that did not come from the parser.
fn no_such_rule(id: RuleId) -> Violation {
    Violation {
        kind: vac_value::ViolationKind::Mismatch,
        path: String::new(),
        expected: "a schema that has its own start rule".to_owned(),
        found: format!("no rule at {}", id.0),
        rule: String::new(),
        others: Vec::new(),
    }
}
