//! The validator of agent records, generated from the schema's CDDL.
//!
//! ```
//! use vac_validate::{Encoding, validate};
//!
//! let report = validate(br#"{"version": "3.0.0-draft", "id": 7}"#, Encoding::Json)?;
//! assert_eq!(
//!     report.violations[0].to_string(),
//!     "/id: expected text, found integer 7 (rule verifiable-agent-record)",
//! );
//! assert_eq!(report.total, 2, "and the session is missing");
//! # Ok::<(), vac_validate::SyntaxError>(())
//! ```
//!
//! # Decisions
//!
//! * Rules are generated functions, groups are generated tables; [`runtime`] holds
//!   everything that takes thought. The crate knows neither crate `cddl` nor the types
//!   of `vac-record`.
//! * A document is scanned once ([`vac_value::Document`]); the walk over its index
//!   touches typed parts only, so that an `any` of megabytes costs one step.
//! * Maps take members by key: those with one literal key first, then groups, then
//!   key types, each greedily and in the schema's order. Arrays are matched the same
//!   way in order, without backtracking (parsing expressions, as RFC 8610 has it). The
//!   top alternatives of a map or an array are each tried for the whole of it.
//! * A choice that only trying can decide remembers its verdict for each node: time
//!   stays linear in the document however choices nest.
//! * A duplicate key is a violation at any depth, also inside an `any`: readers would
//!   disagree about its value. Duplicate keys come first in a report. The schema is matched
//!   against the first of equal keys.

mod generated {
    /// The schema's rules: a constant for each of them, the start rule, and a table by name.
    #[rustfmt::skip]
    pub mod rules;
}
pub mod lint;
pub mod runtime;
pub mod signed;
mod sniff;
pub mod stream;

pub use generated::rules;
pub use generated::rules::{ROOT, RULES};
pub use sniff::sniff;
pub use vac_value::{Document, Encoding, SyntaxError, Violation};

use runtime::{Check, Context};
use vac_value::Node;

/// How many violations a report keeps unless it is told otherwise.
pub const MOST_VIOLATIONS: usize = 20;

/// What a validation found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The first violations, in document order of where they were noticed.
    pub violations: Vec<Violation>,
    /// How many there were in all.
    pub total: usize,
}

impl Report {
    /// Whether there were none.
    pub fn is_valid(&self) -> bool {
        self.total == 0
    }
}

/// Validates bytes against the schema's start rule.
pub fn validate(bytes: &[u8], encoding: Encoding) -> Result<Report, SyntaxError> {
    let document = Document::scan(bytes, encoding)?;
    Ok(check(&document, ROOT, MOST_VIOLATIONS))
}

/// Finds the check of a rule whose name is input. Code that needs one rule in particular
/// names its constant in [`rules`] instead, which cannot be missing.
pub fn rule(name: &str) -> Option<Check> {
    RULES.iter().find(|(rule, _)| *rule == name).map(|(_, check)| *check)
}

/// Validates a scanned document with any generated check, keeping so many
/// violations.
pub fn check(document: &Document<'_>, check: Check, most: usize) -> Report {
    check_node(document.root(), check, most)
}

/// The same for a part of a document. Paths still begin at its root.
pub fn check_node(node: Node<'_, '_>, check: Check, most: usize) -> Report {
    report(most, |context| context.duplicate_keys(node) & check(context, node))
}

/// The duplicate keys inside a node.
pub(crate) fn duplicate_keys(node: Node<'_, '_>, most: usize) -> Report {
    report(most, |context| context.duplicate_keys(node))
}

/// What a rule says of a node, duplicate keys aside.
pub(crate) fn check_rule(node: Node<'_, '_>, check: Check, most: usize) -> Report {
    report(most, |context| check(context, node))
}

fn report(most: usize, check: impl FnOnce(&mut Context) -> bool) -> Report {
    let mut context = Context::new(most);
    let valid = check(&mut context);
    let (violations, total) = context.finish();
    debug_assert_eq!(valid, total == 0, "a bad verdict has a reason");
    Report { violations, total }
}
