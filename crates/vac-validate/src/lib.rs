//! The validator of agent records.

pub mod runtime;
