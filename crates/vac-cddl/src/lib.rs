//! CDDL, the notation of RFC 8610 for the shape of CBOR and JSON data, read
//! into plain data.
//!
//! [`parse`] takes the text of a specification and returns an [`ir::Schema`]:
//! the rules with everything resolved that is only notation, and with the place
//! in the text from which each part comes.
//!
//! ```
//! use vac_cddl::ir::TypeKind;
//!
//! let schema = vac_cddl::parse("point.cddl", "point = { x: int, ? y: int }")?;
//!
//! let point = &schema.rules[schema.root.0];
//! assert_eq!(point.name, "point");
//! let TypeKind::Map(members) = &point.body.kind else { panic!("point is a map") };
//! assert_eq!(members.choices[0].len(), 2);
//!
//! let error = vac_cddl::parse("point.cddl", "point = { x: interger }").unwrap_err();
//! assert_eq!(error.to_string(), "point.cddl:1:14: `interger` is not defined");
//! # Ok::<(), vac_cddl::Error>(())
//! ```
//!
//! # Decisions
//!
//! * **Two halves.** Crate `cddl` parses; its syntax tree ends in the module
//!   `lower`. Nothing else knows it, so that another parser could take its place.
//! * **The parser sees a mask.** It misreads some tokens and drops others. The
//!   module `lower::scan` therefore reads literals, comments and control
//!   operators itself and hands the parser a text of the same length in which
//!   they are replaced by something that it reads well.
//! * **All or nothing.** What is not supported is an error with a place, never
//!   something that is quietly skipped.
//! * **Bounded.** Depth, expansion, patterns and the parser's effort have limits (modules
//!   `lower::limits` and `compile`), and so has matching (module `interpret::budget`), so
//!   that no text takes the process down.
//! * **Control operators** are those of RFC 8610, `.plus`, `.cat`, `.det` and
//!   `.feature` of RFC 9165. `.regexp` takes the regular expressions of XML
//!   Schema, which are translated for crate `regex` and compiled once to make
//!   sure that they can be.

mod compile;
mod error;
pub mod interpret;
pub mod ir;
mod lower;
mod xsd;

pub use error::Error;
pub use interpret::Interpreter;

/// The longest text that [`parse`] takes, in bytes.
pub const MAX_TEXT_BYTES: usize = lower::MAX_TEXT_BYTES;

/// Reads the text of a specification; `file_name` is only for locations.
pub fn parse(file_name: &str, source: &str) -> Result<ir::Schema, Error> {
    lower::schema(file_name, source)
}
