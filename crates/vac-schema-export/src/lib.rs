//! Exports CDDL as JSON Schema (draft 2020-12) and as TypeScript, for programs that do not read
//! CDDL.
//!
//! ```
//! let text = "point = { x: int, ? label: tstr .size (0..20) }";
//! let schema = vac_cddl::parse("point.cddl", text)?;
//!
//! let exported = vac_schema_export::json_schema(&schema)?;
//! assert!(exported.text.contains(r#""required": ["#));
//! // JSON Schema counts characters, and CDDL bytes.
//! assert_eq!(exported.notes.len(), 1);
//!
//! let exported = vac_schema_export::typescript(&schema)?;
//! assert!(exported.text.contains("label?: string;"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * **Never stricter.** An exported schema accepts every JSON document that the CDDL accepts.
//!   Where it accepts more, a [`Note`] states it, and so does the output, as `$comment` or as a
//!   comment. `EXPORT.md` lists what these formats cannot express.
//! * **JSON only.** Byte strings, tags and keys that are not texts do not exist in JSON. A choice
//!   without an alternative for JSON accepts nothing.
//! * **One reader of CDDL.** The input is the intermediate representation of `vac-cddl`, from which
//!   the validator's tables are made, too. Tests compare verdicts over all golden schemas.
//! * **Bounded.** Alternatives inside of maps and arrays are multiplied out up to a limit, and the
//!   size of the whole output is limited ([`Error::TooLarge`]).
#![doc = include_str!("../EXPORT.md")]

mod array_shape;
mod json;
mod json_schema;
mod kinds;
mod map_shape;
mod names;
mod shapes;
mod typescript;

use std::fmt;

use vac_cddl::ir::{Location, Schema};

use crate::shapes::Shapes;

/// A schema in another notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedSchema {
    /// The text.
    pub text: String,
    /// Notes on the constructs of which it accepts more than the CDDL does.
    pub notes: Vec<Note>,
}

/// A construct of which an exported schema accepts more than the CDDL does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The location of the construct.
    pub location: Location,
    /// A description of what the exported schema does not express.
    pub message: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// A reason why a schema cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The output would have too many parts.
    TooLarge,
    /// No JSON document matches the start rule.
    NotJson {
        /// The name of the rule.
        rule: String,
        /// The location of the rule.
        location: Location,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => {
                write!(
                    f,
                    "the schema has too many alternatives to be exported (max {MAX_PARTS} parts)"
                )
            }
            Self::NotJson { rule, location } => {
                write!(f, "{location}: no JSON document matches `{rule}`: it is for CBOR only")
            }
        }
    }
}

impl std::error::Error for Error {}

/// The maximum number of types in an exported schema.
const MAX_PARTS: usize = 500_000;

/// Exports a schema as JSON Schema, draft 2020-12.
///
/// # Errors
/// If no JSON document matches the start rule, or the output would be too large.
pub fn json_schema(schema: &Schema) -> Result<ExportedSchema, Error> {
    json_schema::export(schema)
}

/// Exports a schema as TypeScript declarations, a type for each rule.
///
/// # Errors
/// If no JSON document matches the start rule, or the output would be too large.
pub fn typescript(schema: &Schema) -> Result<ExportedSchema, Error> {
    typescript::export(schema)
}

/// Fails if no JSON document matches the start rule.
fn check_root(shapes: &Shapes<'_>) -> Result<(), Error> {
    let schema = shapes.schema;
    let rule = &schema.rules[schema.root.0];
    if shapes.kinds.rule(schema.root) == 0 {
        return Err(Error::NotJson { rule: rule.name.clone(), location: rule.location.clone() });
    }
    Ok(())
}
