//! How far a type got in a document before it failed.

use vac_value::Node;

/// Whether a type matches a node, and if not, how far it got.
pub(super) type Verdict = Result<(), Reach>;

/// A place of failure; the greater, the further into the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reach {
    index: u32,
    inside: u32,
}

impl Reach {
    /// The node is something else altogether.
    pub fn at(node: Node<'_, '_>) -> Self {
        Self { index: node.index(), inside: 0 }
    }

    /// The node is of the right kind and lacks something, or has too much.
    pub fn within(index: u32) -> Self {
        Self { index, inside: 1 }
    }

    /// An array ended too early.
    pub fn behind(node: Node<'_, '_>) -> Self {
        Self { index: node.after(), inside: 0 }
    }

    /// The failure of what a byte string holds, as one of the byte string.
    pub fn embedded(node: Node<'_, '_>, inner: Self) -> Self {
        Self { index: node.index(), inside: inner.index.saturating_add(2) }
    }
}

/// The verdict on a node that is not taken apart.
pub(super) fn hit(matches: bool, node: Node<'_, '_>) -> Verdict {
    if matches { Ok(()) } else { Err(Reach::at(node)) }
}
