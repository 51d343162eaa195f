//! Generates modules for many schemas, compiles them in one crate, and decodes documents
//! with them.

#[expect(dead_code, reason = "it is compiled here, and run by cargo in other crates")]
mod build_script;
mod compile;
mod data;
mod edn;
mod names;
mod project;
mod readme;
mod sample;
