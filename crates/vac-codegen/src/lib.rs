//! Generates Rust types, codecs and validators from CDDL.
//!
//! ```
//! let schema = vac_codegen::read("point.cddl", "point = { x: int, ? y: int }")?;
//! let module = vac_codegen::standalone(&schema, "point.cddl")?;
//! assert!(module.contains("pub struct Point {"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * Two parsers read every specification: [`vac_cddl`], from whose tree everything is
//!   generated, and crate `cddl`, which is used only as a cross-check
//!   ([`second_reader`]).
//! * The passes are: [`vac_cddl::ir`] -> `model` (which Rust types there are, with
//!   names, pointers and lifetimes) -> `emit` (one file for each output). The schema's
//!   tables, which documents are validated against, skip the model.
//! * A decoder first lets the matcher of `vac-schema` decide whether a document is valid,
//!   and then builds the value. Generated code contains no checks: where the kind of a node
//!   does not decide, the matcher decides which alternative, member or group it is. A decoder
//!   therefore accepts exactly what the validator accepts.
//! * Names are those of the specification: of rules, keys, named constants and group rules.
//!   Names that would be the same in Rust are distinguished by the rule that uses them, never by a
//!   number.
//! * [`files`] reads specifications and writes modules. The command `vac-codegen`, build
//!   scripts, `cargo xtask codegen` and the test that generated files are up to date all
//!   call it.
//! * Generated code is simple and uses absolute paths. The algorithms are in
//!   `vac_schema::decode`.

mod analysis;
mod describe;
mod emit;
pub mod files;
mod model;
mod names;
mod output;
mod scalar;
pub mod second_reader;

use std::fmt;

pub use files::generate;
use vac_cddl::ir::Schema;
use vac_cddl::{Errors, ParseOptions, TableIndex};

/// The reason why no code can be generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The schema has no tables: its types are nested too deeply.
    Tables(vac_cddl::Error),
    /// The generated code is not valid Rust: a defect of the generator.
    NotRust(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tables(error) => error.fmt(f),
            Self::NotRust(error) => {
                write!(f, "the generator wrote something that is not Rust: {error}")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Reads a specification with two parsers. The warnings of the schema include those of the second
/// parser.
pub fn read(file_name: &str, text: &str) -> Result<Schema, Errors> {
    read_files(&[vac_cddl::SpecFile::new(file_name, text)], &ParseOptions::default())
}

/// Reads files as one specification, with the modules that they name. The second parser
/// reads the given files, not the modules.
pub fn read_files(
    files: &[vac_cddl::SpecFile<'_>],
    options: &ParseOptions<'_>,
) -> Result<Schema, Errors> {
    let mut schema = vac_cddl::parse_files(files, options)?;
    for file in files {
        schema.warnings.extend(second_reader::warnings(&file.name, &file.text));
    }
    Ok(schema)
}

/// A generated file: its name and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Path below the crate's generated folder.
    pub name: &'static str,
    /// The content of the file.
    pub text: String,
}

/// Returns the generated files of crate `vac-record`: types, codecs, keys and tables.
pub fn record_files(schema: &Schema, spec: &str) -> Result<Vec<GeneratedFile>, Error> {
    let (tables, index) = indexed_tables(schema)?;
    let model = model::build(schema, &tables, &index);
    let path = quote::quote!(super::schema::SCHEMA);
    let outputs = [
        ("types.rs", emit::types::emit(&model, &path)),
        ("decode.rs", emit::decode::emit(&model, &tables, &path)),
        ("key_lists.rs", emit::keys::lists(&model)),
        ("accessors.rs", emit::accessors::emit(&model)),
        ("constructors.rs", emit::constructors::emit(&model)),
        ("conversions.rs", emit::conversions::emit(&model)),
        ("encode.rs", emit::encode::emit(&model)),
        ("owned.rs", emit::owned::emit(&model)),
    ];
    let from_types = quote::quote!(
        use super::types::*;
    );
    let mut files = Vec::new();
    for (name, tokens) in outputs {
        let inside = (name != "types.rs").then_some(&from_types);
        files.push(GeneratedFile {
            name,
            text: output::text(spec, &quote::quote!(#inside #tokens))?,
        });
    }
    let keys = output::text(spec, &emit::keys::modules(&model))?;
    files.push(GeneratedFile { name: "keys.rs", text: keys });
    let constants = model::constant_names(schema);
    let tables = output::text(spec, &emit::tables::emit(&tables, &constants))?;
    files.push(GeneratedFile { name: "schema.rs", text: tables });
    Ok(files)
}

/// Returns the tables that documents are matched against, and the index of the schema's types and
/// groups in them.
fn indexed_tables(schema: &Schema) -> Result<(vac_schema::Schema, TableIndex<'_>), Error> {
    vac_cddl::indexed_tables(schema).map_err(Error::Tables)
}

/// Returns the text of one module with everything for a schema: types, codecs, keys and tables. The
/// crate that contains it depends on `vac-value` and `vac-schema`.
pub fn standalone(schema: &Schema, spec: &str) -> Result<String, Error> {
    let (tables, index) = indexed_tables(schema)?;
    let model = model::build(schema, &tables, &index);
    let path = quote::quote!(schema::SCHEMA);
    let parts = [
        emit::types::root(&model),
        emit::types::emit(&model, &path),
        emit::keys::lists(&model),
        emit::accessors::emit(&model),
        emit::constructors::emit(&model),
        emit::conversions::emit(&model),
        emit::decode::emit(&model, &tables, &path),
        emit::encode::emit(&model),
        emit::owned::emit(&model),
    ];
    let types: proc_macro2::TokenStream = parts.into_iter().collect();
    let keys = emit::keys::modules(&model);
    let tables = emit::tables::emit(&tables, &model::constant_names(schema));
    let module = quote::quote! {
        #types

        /// The keys of maps, by the type of the map.
        pub mod keys {
            #keys
        }

        /// The schema as constants.
        pub mod schema {
            #tables
        }
    };
    output::text(spec, &module)
}

#[cfg(test)]
mod tests {
    use super::{read, standalone};

    #[test]
    fn heads_with_a_type_as_number_are_carried_as_any() {
        let schema = read("s.cddl", "a = {x: #6.<b>(int), y: #7.<0..5>}\nb = 1 / 2").expect("CDDL");
        let module = standalone(&schema, "s.cddl").expect("supported");
        assert!(module.contains("pub x: ::vac_value::Any<'a>"), "{module}");
        assert!(module.contains("pub y: ::vac_value::Any<'a>"), "{module}");
    }

    #[test]
    fn maps_with_a_recursive_group_are_named_after_it() {
        let schema = read("s.cddl", "a = { form }\nform = (x: int // y: { form })").expect("CDDL");
        let module = standalone(&schema, "s.cddl").expect("supported");
        assert!(module.contains("pub enum Form {"), "{module}");
    }

    #[test]
    fn warnings_of_both_readers_are_returned() {
        let deep = format!("a = {}int{}", "[".repeat(40), "]".repeat(40));
        let text = format!(";# import b\n{deep}");
        let warnings = read("s.cddl", &text).expect("CDDL").warnings;
        let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert!(shown[0].starts_with("s.cddl:1:1: the directive `import b`"), "{shown:?}");
        assert!(shown[1].starts_with("s.cddl:1:1: the second reader"), "{shown:?}");
    }
}
