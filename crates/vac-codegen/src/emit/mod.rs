//! Emits Rust code from the model: one emitter per file, each a pure function.

pub mod accessors;
pub mod constructors;
pub mod conversions;
pub mod decode;
pub mod encode;
pub mod keys;
pub mod owned;
pub mod tables;
pub mod types;
