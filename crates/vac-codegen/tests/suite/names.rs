//! Rust names of generated items.
