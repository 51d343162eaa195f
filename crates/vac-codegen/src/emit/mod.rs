//! From lowered CDDL to Rust: one emitter a file, each a pure function.

pub mod codecs;
pub mod rules;
pub mod serde_impls;
pub mod types;
