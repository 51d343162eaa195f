//! Numbers an entry and the entries inside of it.

use vac_record::Entry;
use vac_view::Position;

/// An entry of the session's list with all that it contains, in preorder.
#[derive(Default)]
pub(crate) struct EntryTree {
    nodes: Vec<TreeNode>,
}

/// The place of an entry in the tree.
pub(crate) struct TreeNode {
    /// The index of its parent.
    pub parent: Option<usize>,
    /// The number of entries that contain it.
    pub depth: usize,
    /// The indices of its children.
    children: Vec<usize>,
}

impl EntryTree {
    /// Replaces the tree by that of another entry. Returns the number of its entries.
    pub fn set(&mut self, entry: &Entry<'_>) -> usize {
        self.nodes.clear();
        self.add(entry, None, 0);
        self.nodes.len()
    }

    fn add(&mut self, entry: &Entry<'_>, parent: Option<usize>, depth: usize) -> usize {
        let index = self.nodes.len();
        self.nodes.push(TreeNode { parent, depth, children: Vec::new() });
        for child in entry.children().unwrap_or_default() {
            let child = self.add(child, Some(index), depth + 1);
            self.nodes[index].children.push(child);
        }
        index
    }

    /// Returns the place of an entry in the tree.
    pub fn node(&self, index: usize) -> &TreeNode {
        &self.nodes[index]
    }

    /// Returns the index of the entry at a position.
    pub fn index(&self, position: &Position<'_>) -> usize {
        match position.around {
            None => 0,
            Some(around) => self.nodes[self.index(around)].children[position.index],
        }
    }
}
