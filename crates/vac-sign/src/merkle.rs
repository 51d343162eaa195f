//! Merkle trees with SHA-256 (RFC 9162).

use sha2::{Digest as _, Sha256};

/// The hash of a node.
pub(crate) type Hash = [u8; 32];

/// Returns the root that an inclusion proof leads to (RFC 9162 section 2.1.3.2); `None` if its
/// length does not fit the index and the tree size.
pub(crate) fn root(entry: &[u8], index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
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

fn leaf(entry: &[u8]) -> Hash {
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
