//! Texts that are only compared are kept as a number.

use std::hash::{DefaultHasher, Hasher};

use vac_value::Node;

/// Stands for a text.
pub(crate) fn mark(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Stands for a node's text, if it has one.
pub(crate) fn of(node: Node<'_, '_>) -> Option<u64> {
    node.text().map(|text| mark(&text))
}
