//! Merkle trees with SHA-256 (RFC 9162).
//!
//! ```
//! use vac_sign::merkle::{MerkleTree, leaf, root};
//!
//! let entries = [b"one", b"two", b"six"];
//! let leaves: Vec<_> = entries.iter().map(|entry| leaf(&entry[..])).collect();
//! let tree = MerkleTree::new(leaves);
//! let path = tree.inclusion_path(1).ok_or("not in the tree")?;
//! assert_eq!(root(b"two", 1, 3, &path), Some(tree.root()));
//! # Ok::<(), &str>(())
//! ```

use sha2::{Digest as _, Sha256};

/// The hash of a node.
pub type Hash = [u8; 32];

/// A Merkle tree that leaves can be appended to. Keeps only the roots of its complete subtrees,
/// from left to right: one for each bit that is set in the number of leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peaks {
    size: u64,
    hashes: Vec<Hash>,
}

impl Peaks {
    /// Restores a tree from its number of leaves and its [hashes](Self::hashes); `None` if there
    /// are too many or too few of these.
    pub fn new(size: u64, hashes: Vec<Hash>) -> Option<Self> {
        (usize::try_from(size.count_ones()) == Ok(hashes.len())).then_some(Self { size, hashes })
    }

    /// Returns the roots of the complete subtrees, from left to right.
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Returns the number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        // Two subtrees of the same size are merged.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.hashes.pop() {
                hash = node(&left, &hash);
            }
        }
        self.hashes.push(hash);
        self.size += 1;
    }

    /// Returns the root of the tree (section 2.1.1).
    pub fn root(&self) -> Hash {
        let mut peaks = self.hashes.iter().rev();
        match peaks.next() {
            None => Sha256::digest([]).into(),
            Some(last) => peaks.fold(*last, |right, left| node(left, &right)),
        }
    }
}

impl FromIterator<Hash> for Peaks {
    fn from_iter<I: IntoIterator<Item = Hash>>(leaves: I) -> Self {
        let mut peaks = Self::default();
        for leaf in leaves {
            peaks.push(leaf);
        }
        peaks
    }
}

/// A Merkle tree that keeps all of its nodes, so that a proof takes only as many steps as the tree
/// has levels.
#[derive(Clone, Debug)]
pub struct MerkleTree {
    /// The levels of nodes, from the leaves to the root. A last node without a sibling is also the
    /// last node of the next level.
    levels: Vec<Vec<Hash>>,
}

impl MerkleTree {
    /// Creates the tree of these leaves.
    pub fn new(leaves: Vec<Hash>) -> Self {
        let mut levels = vec![leaves];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let next = last.chunks(2).map(|pair| match pair {
                [left, right] => node(left, right),
                _ => pair[0],
            });
            let next = next.collect();
            levels.push(next);
        }
        Self { levels }
    }

    /// Returns the root of the tree (section 2.1.1).
    pub fn root(&self) -> Hash {
        let root = self.levels.last().and_then(|level| level.first());
        root.copied().unwrap_or_else(|| Sha256::digest([]).into())
    }

    /// Returns the inclusion proof for the leaf with this index (section 2.1.3.1); `None` if the
    /// tree does not have this leaf.
    pub fn inclusion_path(&self, index: usize) -> Option<Vec<Hash>> {
        self.levels.first()?.get(index)?;
        let siblings = self.levels.iter().enumerate();
        Some(siblings.filter_map(|(at, level)| level.get((index >> at) ^ 1).copied()).collect())
    }
}

/// Returns the root that an inclusion proof leads to (RFC 9162 section 2.1.3.2); `None` if its
/// length does not fit the index and the tree size.
pub fn root(entry: &[u8], index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    let mut number = index;
    let mut last = size.checked_sub(1)?;
    if number > last {
        return None;
    }
    let mut hash = leaf(entry);
    for sibling in path {
        if last == 0 {
            return None;
        }
        if number & 1 == 1 || number == last {
            hash = node(sibling, &hash);
            while number & 1 == 0 && number != 0 {
                number >>= 1;
                last >>= 1;
            }
        } else {
            hash = node(&hash, sibling);
        }
        number >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

/// Returns the hash of a leaf.
pub fn leaf(entry: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(entry).finalize().into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the root of a whole tree, by its definition (section 2.1.1).
    fn tree(entries: &[Vec<u8>]) -> Hash {
        match entries {
            [] => Sha256::digest([]).into(),
            [entry] => leaf(entry),
            _ => {
                let (left, right) = entries.split_at(entries.len().next_power_of_two() / 2);
                node(&tree(left), &tree(right))
            }
        }
    }

    /// Returns the proof for an entry, by its definition (section 2.1.3.1).
    fn proof(index: usize, entries: &[Vec<u8>]) -> Vec<Hash> {
        if entries.len() <= 1 {
            return Vec::new();
        }
        let (left, right) = entries.split_at(entries.len().next_power_of_two() / 2);
        let (inside, at, sibling) = if index < left.len() {
            (left, index, right)
        } else {
            (right, index - left.len(), left)
        };
        let mut path = proof(at, inside);
        path.push(tree(sibling));
        path
    }

    #[test]
    fn appended_trees_have_the_root_and_the_proofs_of_the_definition() {
        for size in 0..=70_usize {
            let entries: Vec<_> = (0..size).map(|entry| vec![entry.to_le_bytes()[0]]).collect();
            let leaves: Vec<_> = entries.iter().map(|entry| leaf(entry)).collect();
            let peaks: Peaks = leaves.iter().copied().collect();
            assert_eq!((peaks.size(), peaks.root()), (size as u64, tree(&entries)));
            let kept = MerkleTree::new(leaves);
            assert_eq!(kept.root(), peaks.root());
            for index in 0..size {
                assert_eq!(kept.inclusion_path(index), Some(proof(index, &entries)));
            }
            assert_eq!(kept.inclusion_path(size), None);
        }
    }

    #[test]
    fn only_correct_proofs_lead_to_the_root() {
        for size in 1..=17u64 {
            let entries: Vec<_> =
                (0..size).map(|entry| vec![u8::try_from(entry).unwrap()]).collect();
            let expected = tree(&entries);
            for (index, entry) in (0..size).zip(&entries) {
                let path = proof(usize::try_from(index).unwrap(), &entries);
                assert_eq!(root(entry, index, size, &path), Some(expected));
                // Another entry, another place, a longer or shorter path.
                assert_ne!(root(b"other", index, size, &path), Some(expected));
                for other in (0..size + 2).filter(|other| *other != index) {
                    assert_ne!(root(entry, other, size, &path), Some(expected));
                }
                let longer = [&path[..], &[[0; 32]]].concat();
                assert_eq!(root(entry, index, size, &longer), None);
                if let Some((_, shorter)) = path.split_last() {
                    assert_eq!(root(entry, index, size, shorter), None);
                }
            }
        }
        assert_eq!(root(b"", 0, 0, &[]), None);
        assert_eq!(root(b"", u64::MAX, u64::MAX, &[]), None);
    }
}
