//! Validates files and standard input, and writes the report of `vac validate`.

pub mod report;
pub mod run;
