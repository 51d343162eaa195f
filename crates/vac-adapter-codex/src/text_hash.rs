//! Keeps texts that are only compared as their SHA-256, which has a fixed size.

use sha2::{Digest, Sha256};
use vac_value::Node;

/// The SHA-256 of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextHash([u8; 32]);

impl TextHash {
    /// Hashes a text.
    pub fn new(text: &str) -> Self {
        Self::from_parts([text.as_bytes()])
    }

    /// Hashes the text of a node. `None` if it is not a text.
    pub fn from_node(node: Node<'_, '_>) -> Option<Self> {
        node.text().map(|text| Self::new(&text))
    }

    /// Hashes bytes that are given in parts.
    pub fn from_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hasher = Sha256::new();
        parts.into_iter().for_each(|part| hasher.update(part));
        Self(hasher.finalize().into())
    }
}
