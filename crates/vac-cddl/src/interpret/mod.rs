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
//! * **Bounded.** Deciding calls itself once for each level of the document;
//!   levels inside of embedded CBOR count as well. Explaining keeps a list.

mod arrays;
mod choice;
mod containers;
mod controls;
mod describe;
mod explain;
mod judge;
mod map_state;
mod maps;
mod patterns;
mod reach;
#[cfg(test)]
mod tests;
mod values;

use vac_value::{Document, Violation};

use crate::Error;
use crate::ir::{RuleId, Schema};

use explain::{Explainer, Task, What};
use judge::Judge;
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
    most: usize,
}

impl<'s> Interpreter<'s> {
    /// Compiles the regular expressions of a schema; fails where one cannot be.
    pub fn new(schema: &'s Schema) -> Result<Self, Error> {
        Ok(Self { schema, patterns: Patterns::of(schema)?, most: MOST_VIOLATIONS })
    }

    /// Tells at most so many violations, and at least one: none would mean that
    /// the document is valid.
    #[must_use]
    pub fn max_violations(mut self, most: usize) -> Self {
        self.most = most.max(1);
        self
    }

    /// What a document violates of the start rule; nothing if it is valid.
    pub fn validate(&self, document: &Document<'_>) -> Vec<Violation> {
        self.judge(self.schema.root, document)
    }

    /// The same for the rule of this name; `None` if there is no such rule.
    pub fn validate_rule(&self, rule: &str, document: &Document<'_>) -> Option<Vec<Violation>> {
        let index = self.schema.rules.iter().position(|candidate| candidate.name == rule)?;
        Some(self.judge(RuleId(index), document))
    }

    fn judge(&self, id: RuleId, document: &Document<'_>) -> Vec<Violation> {
        let mut judge = Judge::new(self.schema, &self.patterns);
        let Some(rule) = self.schema.rules.get(id.0) else {
            return vec![no_such_rule(id)];
        };
        if judge.check(&rule.body, document.root()).is_ok() {
            return Vec::new();
        }
        let mut explainer = Explainer::new(&mut judge, self.most);
        explainer.explain(Task::new(What::Type(&rule.body), document.root(), &rule.name, 0));
        explainer.into_violations()
    }
}

/// For a schema that did not come from the parser.
fn no_such_rule(id: RuleId) -> Violation {
    Violation {
        path: String::new(),
        expected: "a schema that has its own start rule".to_owned(),
        found: format!("no rule at {}", id.0),
        rule: String::new(),
        others: Vec::new(),
    }
}
