//! Keeps hashes instead of texts, so that each line takes little memory.

use std::array;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A hash of 64 bits of an id, or of several values.
///
/// Of a million different values, two have the same hash with a probability of 1 in 37 million.
/// If that happens, a message is linked to the wrong one, or its usage is not counted.
///
/// It is stored as bytes, because a map with integers as keys aligns its values to eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShortHash([u8; 8]);

impl ShortHash {
    /// Hashes a value.
    pub fn new(value: &(impl Hash + ?Sized)) -> Self {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        Self(hasher.finish().to_be_bytes())
    }
}

/// The number of maps that a [`ShortHashMap`] consists of.
const MAPS: usize = 16;

/// The first two bytes of the smallest hash in each map except the first: 2^(n / 16) - 1 of their
/// range, for n from 1 to 15.
const FIRST_HASHES: [u16; MAPS - 1] = [
    2902, 5932, 9096, 12400, 15850, 19454, 23216, 27146, 31249, 35534, 40009, 44682, 49562, 54658,
    59979,
];

/// Values by hashes.
///
/// A map doubles its memory when it grows, and both its old and its new table are in memory
/// meanwhile. These maps have different numbers of values, the last nearly twice as many as the first,
/// so that they grow one after the other.
#[derive(Debug)]
pub(crate) struct ShortHashMap<V>([HashMap<ShortHash, V>; MAPS]);

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
    fn map(ShortHash([first, second, ..]): ShortHash) -> usize {
        let start = u16::from_be_bytes([first, second]);
        FIRST_HASHES.partition_point(|first| *first <= start)
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
    fn maps_grow_one_after_the_other() {
        let mut map = ShortHashMap::default();
        let (mut steps, mut before) = (0, 0);
        for number in 0..30_000_usize {
            map.insert(ShortHash::new(&number), number);
            let capacity: usize = map.0.iter().map(HashMap::capacity).sum();
            if number >= 10_000 && capacity > before {
                steps += 1;
                assert!(10 * capacity < 17 * number, "{capacity} places for {number} values");
            }
            before = capacity;
        }
        assert!(steps >= MAPS, "{steps}");
        let (first, last) = (map.0[0].len(), map.0[MAPS - 1].len());
        assert!((160..240).contains(&(100 * last / first)), "{first} {last}");
    }
}
