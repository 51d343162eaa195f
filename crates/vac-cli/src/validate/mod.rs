//! Validation of files and standard input, and the report of `vac validate`.

pub mod report;
pub mod run;
