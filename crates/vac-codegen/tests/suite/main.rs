//! Generates modules for many schemas, compiles them in one crate, and decodes documents
//! with them.

mod compile;
mod data;
mod edn;
mod names;
mod project;
mod readme;
mod sample;
