//! Hashes that are kept instead of texts, so that each line takes little memory.

use std::array;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A hash of 64 bits of an id, or of several values.
///
/// Of a million different values, two have the same hash with a probability of 1 in 37 million.
/// Then a message is linked to the wrong one, or its usage is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShortHash(u64);

impl ShortHash {
    /// Hashes a value.
    pub fn new(value: &(impl Hash + ?Sized)) -> Self {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The number of maps that a [`ShortHashMap`] consists of.
const MAPS: u8 = 16;

/// Values by hashes.
///
/// A map that grows is in memory twice while it moves its values, at half the size and at the new
/// one. Of several maps only one grows at a time.
#[derive(Debug)]
pub(crate) struct ShortHashMap<V>([HashMap<ShortHash, V>; MAPS as usize]);

impl<V> Default for ShortHashMap<V> {
    fn default() -> Self {
        Self(array::from_fn(|_| HashMap::new()))
    }
}

impl<V> ShortHashMap<V> {
    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(HashMap::is_empty)
    }

    /// Returns the value of a hash.
    pub fn get(&self, hash: ShortHash) -> Option<&V> {
        self.0[Self::map(hash)].get(&hash)
    }

    /// Sets the value of a hash. Returns the value that it had before.
    pub fn insert(&mut self, hash: ShortHash, value: V) -> Option<V> {
        self.0[Self::map(hash)].insert(hash, value)
    }

    /// Returns the place of a hash, to set its value if it has none.
    pub fn entry(&mut self, hash: ShortHash) -> Entry<'_, ShortHash, V> {
        self.0[Self::map(hash)].entry(hash)
    }

    /// Returns the number of the map that a hash belongs to.
    fn map(ShortHash(hash): ShortHash) -> usize {
        usize::try_from(hash % u64::from(MAPS)).expect("less than the number of maps")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_hashes() {
        let mut map = ShortHashMap::default();
        assert!(map.is_empty());
        for number in 0..1000 {
            assert_eq!(map.insert(ShortHash::new(&number), number), None);
        }
        assert!(!map.is_empty());
        assert!((0..1000).all(|number| map.get(ShortHash::new(&number)) == Some(&number)));
        assert_eq!(map.get(ShortHash::new(&1000)), None);
        assert_eq!(*map.entry(ShortHash::new(&7)).or_insert(8), 7);
        assert_eq!(map.insert(ShortHash::new(&7), 9), Some(7));
    }

    #[test]
    fn values_are_divided_among_all_maps() {
        let mut map = ShortHashMap::default();
        for number in 0..16_000 {
            map.insert(ShortHash::new(&number), ());
        }
        assert!(map.0.iter().all(|map| (800..1200).contains(&map.len())));
    }
}
