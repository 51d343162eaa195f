//! Rust types, codecs and validators from lowered CDDL.
//!
//! ```
//! let schema = vac_cddl::parse("point.cddl", "point = { x: int, ? y: int }")?;
//! let module = vac_codegen::standalone(&schema, "point.cddl")?;
//! assert!(module.contains("pub struct Point {"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * The passes are: [`vac_cddl::ir`] -> `model` (which Rust types there are, with
//!   names, pointers and lifetimes) -> `emit` (one file for each output). Validators
//!   skip the model: a function for each rule, a table for each group, straight from
//!   the IR, so that types and validator are two products that can check each other.
//! * Scalars are predicates (`scalar`), written once for decoders and validators.
//! * What a decoder accepts is what the rule says, with exceptions that only the
//!   validator judges: groups that repeat inside a map (their members are all optional
//!   fields), keys that a cut in an absent group names (they can be extensions), maps
//!   with more than 16 alternatives (carried as `Any`), and what is in a `.cborseq`.
//!   What is valid is always decoded.
//! * A choice of maps that a literal member tells apart becomes a look at that
//!   member, in decoder and validator; any other choice is tried in order, among the
//!   alternatives that can match the kind of node at all.
//! * Generated code is dull. What takes thought is in `vac_value::read`,
//!   `vac_value::check` and `vac_validate::runtime`.

mod analysis;
mod describe;
mod emit;
mod model;
mod names;
mod output;
mod scalar;

use std::fmt;

use vac_cddl::ir::{Location, Schema};

/// What the generator cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A construct that it has no Rust for.
    Unsupported {
        /// Where it stands.
        location: Location,
        /// What it is.
        construct: String,
    },
    /// It wrote something that is not Rust: a defect of the generator.
    NotRust(String),
}

impl Error {
    fn unsupported(location: &Location, construct: &str) -> Self {
        Self::Unsupported { location: location.clone(), construct: construct.to_owned() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { location, construct } => {
                write!(f, "{location}: {construct} cannot be expressed in Rust")
            }
            Self::NotRust(error) => {
                write!(f, "the generator wrote something that is not Rust: {error}")
            }
        }
    }
}

impl std::error::Error for Error {}

/// One generated file: its name and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path below the crate's generated folder.
    pub name: &'static str,
    /// What belongs in it.
    pub text: String,
}

/// The files of crate `vac-record`: types, codecs, serde.
pub fn record_files(schema: &Schema, spec: &str) -> Result<Vec<File>, Error> {
    let model = model::build(schema);
    let outputs = [
        ("types.rs", emit::types::emit(&model)),
        ("decode.rs", emit::decode::emit(&model)),
        ("encode.rs", emit::encode::emit(&model)),
        ("owned.rs", emit::owned::emit(&model)),
        ("serde.rs", emit::serde_impls::emit(&model)),
    ];
    let from_types = quote::quote!(
        use super::types::*;
    );
    outputs
        .into_iter()
        .map(|(name, tokens)| {
            let inside = (name != "types.rs").then_some(&from_types);
            Ok(File { name, text: output::file(spec, inside, &tokens)? })
        })
        .collect()
}

/// The file of crate `vac-validate`.
pub fn validate_files(schema: &Schema, spec: &str) -> Result<Vec<File>, Error> {
    let runtime = quote::quote!(crate::runtime);
    let rules = emit::rules::emit(schema, &runtime)?;
    Ok(vec![File { name: "rules.rs", text: output::file(spec, None, &rules)? }])
}

/// Everything for a schema in one module, for any other crate that depends on
/// `vac-value`, `vac-validate`, `serde` and `regex`.
pub fn standalone(schema: &Schema, spec: &str) -> Result<String, Error> {
    let model = model::build(schema);
    let parts = [
        emit::types::root(&model),
        emit::types::emit(&model),
        emit::decode::emit(&model),
        emit::encode::emit(&model),
        emit::owned::emit(&model),
        emit::serde_impls::emit(&model),
    ];
    let types = output::with_imports(None, &parts.into_iter().collect());
    let runtime = quote::quote!(vac_validate::runtime);
    let rules = output::with_imports(None, &emit::rules::emit(schema, &runtime)?);
    let module = quote::quote! {
        #types

        /// The validator.
        pub mod rules {
            #rules
        }
    };
    output::text(spec, &module)
}
