//! Validates agent records against the schema that is generated from its CDDL.
//!
//! ```
//! use vac_validate::{Encoding, Error, validate};
//!
//! let error = validate(br#"{"version": "3.0.0-draft", "id": 7}"#, Encoding::Json).unwrap_err();
//! let Error::Invalid(violations) = error else { panic!("it is JSON") };
//! assert_eq!(
//!     violations.to_string(),
//!     "/id: expected text, found integer 7 (rule verifiable-agent-record)\n\
//!      /: missing key \"session\" (rule verifiable-agent-record)",
//! );
//! ```
//!
//! # Decisions
//!
//! * The schema is a constant ([`SCHEMA`], tables made from the CDDL), and [`vac_schema`] does
//!   the matching. This crate adds what is specific to records: [`lint`], [`signed`] envelopes, and
//!   validation while a record is read ([`stream`]).
//! * A document is scanned once ([`vac_value::Document`]); the walk over its index visits typed
//!   parts only, so that an `any` of megabytes takes one step.
//! * A duplicate key is a violation at any depth, also inside an `any`: readers would
//!   disagree about its value. Duplicate keys come first. The schema is matched against the
//!   first of equal keys.

mod encoding;
pub mod lint;
pub mod signed;
pub mod stream;

use std::fmt;

pub use encoding::detect_encoding;
pub use vac_record::schema::{SCHEMA, rules};
pub use vac_schema::{RuleId, Violations};
pub use vac_value::{Document, Encoding, SyntaxError, Violation, ViolationKind};

use vac_record::keys::{session_trace, verifiable_agent_record};
use vac_value::Node;

/// The number of violations that are recorded by default.
pub const MAX_VIOLATIONS: usize = 20;

/// The reason why bytes are not a valid record.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The bytes are not a well-formed document.
    Syntax(SyntaxError),
    /// The document violates the schema.
    Invalid(Violations),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Invalid(violations) => violations.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Invalid(violations) => Some(violations),
        }
    }
}

/// Returns the list of entries of a record, which need not be valid.
pub fn entries<'d, 'a>(record: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    record.member(verifiable_agent_record::SESSION)?.member(session_trace::ENTRIES)
}

/// Validates bytes against the schema's start rule: a record, or a signed record.
pub fn validate(bytes: &[u8], encoding: Encoding) -> Result<(), Error> {
    let document = Document::scan(bytes, encoding).map_err(Error::Syntax)?;
    validate_document(&document, rules::ROOT, MAX_VIOLATIONS).map_err(Error::Invalid)
}

/// Validates a scanned document against a rule. Returns at most `max_violations` violations and the
/// number of all.
pub fn validate_document(
    document: &Document<'_>,
    rule: RuleId,
    max_violations: usize,
) -> Result<(), Violations> {
    validate_node(document.root(), rule, max_violations)
}

/// Validates a part of a document against a rule. Paths begin at the root of the document.
pub fn validate_node(
    node: Node<'_, '_>,
    rule: RuleId,
    max_violations: usize,
) -> Result<(), Violations> {
    SCHEMA.validate(rule, node, max_violations)
}
