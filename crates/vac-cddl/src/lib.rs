//! Reads CDDL (RFC 8610), the notation for the structure of CBOR and JSON data, into plain data.
//!
//! [`parse`] takes the text of a specification and returns an [`ir::Schema`]:
//! the rules, in which everything that is only notation is resolved, and each part has its location
//! in the text.
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
//! # Ok::<(), vac_cddl::Errors>(())
//! ```
//!
//! # Decisions
//!
//! * **Two halves.** [`syntax`] parses the grammar, and the module `lower` resolves its meaning.
//!   Both report several errors in one run, with the line of the text.
//! * **All or nothing.** A construct that is not supported is an error with a location, and is
//!   never silently skipped.
//! * **No files.** Texts are given by the caller, and modules (`;# import`, `;# include`)
//!   by a [`ModuleLoader`]. With the feature `folders`, this crate has one that reads them from
//!   folders (`folders::ModuleFolders`).
//! * **Warnings are data.** [`ir::Schema::warnings`] lists constructs that are allowed, but
//!   probably mistakes: unused rules, alternatives that are never reached, constructs that JSON
//!   cannot express.
//! * **Bounded.** Time is linear in the length of the text and of what it expands to.
//!   Length, depth, expansion and patterns have limits (modules `lower::limits` and
//!   `compile`), and so has matching (`vac_schema::Budget`).
//! * **Control operators** are those of RFC 8610, RFC 9165 and RFC 9741. `.regexp` takes
//!   the regular expressions of XML Schema, which are translated for crate `regex`; they,
//!   ABNF grammars and `.printf` formats are compiled once to make sure that they can be.

mod compile;
mod error;
#[cfg(feature = "folders")]
pub mod folders;
pub mod ir;
mod lower;
mod modules;
mod source;
pub mod syntax;
mod tables;
mod warnings;
mod xsd;

pub use error::{Error, Errors};
pub use modules::{ModuleLoader, ParseOptions, SpecFile};
pub use tables::TableIndex;

/// The maximum size of a text that [`parse`] reads, in bytes.
pub const MAX_TEXT_BYTES: usize = lower::limits::TEXT_BYTES;

/// Returns the line and column of a byte offset in a text.
pub fn location(file_name: &str, text: &str, offset: usize) -> ir::Location {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    ir::Location {
        file: file_name.into(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// Reads the text of a specification. `file_name` is used only in locations.
pub fn parse(file_name: &str, source: &str) -> Result<ir::Schema, Errors> {
    parse_files(&[SpecFile::new(file_name, source)], &ParseOptions::default())
}

/// Reads texts as one specification, as if they followed each other, and the modules that
/// they name.
///
/// ```
/// use vac_cddl::{SpecFile, ParseOptions};
///
/// let modules = |name: &str| match name {
///     "geometry" => Ok(SpecFile::new("geometry.cddl", "point = { x: num, y: num }\nnum = int")),
///     _ => Err("not found".to_owned()),
/// };
/// let line = SpecFile::new("line.cddl", "line = [2* geo.point]\n;# import geometry as geo");
/// let options = ParseOptions { modules: Some(&modules), ..ParseOptions::default() };
/// let schema = vac_cddl::parse_files(&[line], &options)?;
/// let names: Vec<_> = schema.rules.iter().map(|rule| rule.name.as_str()).take(3).collect();
/// assert_eq!(names, ["line", "geo.point", "geo.num"]);
/// # Ok::<(), vac_cddl::Errors>(())
/// ```
pub fn parse_files(
    files: &[SpecFile<'_>],
    options: &ParseOptions<'_>,
) -> Result<ir::Schema, Errors> {
    lower::schema(files, options)
}

/// Builds the tables of a schema, which documents are checked against.
///
/// ```
/// use vac_value::Document;
///
/// let schema = vac_cddl::parse("point.cddl", "point = { x: int, ? y: int }")?;
/// let schema = vac_cddl::tables(&schema)?;
/// let document = Document::json(br#"{"x": 1, "y": "2"}"#)?;
/// let violations = schema.validate(schema.root, document.root(), 20).unwrap_err();
/// assert_eq!(
///     violations.to_string(),
///     r#"/y: expected int, found text "2" (rule point)"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tables(schema: &ir::Schema) -> Result<vac_schema::Schema, Error> {
    tables::tables(schema).map(|(tables, _)| tables)
}

/// Builds the tables of a schema, and an index that maps the types and groups of the schema to the
/// tables. Code generators refer to the tables by it.
pub fn indexed_tables(schema: &ir::Schema) -> Result<(vac_schema::Schema, TableIndex<'_>), Error> {
    tables::tables(schema)
}
