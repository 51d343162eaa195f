//! A map that keeps the order of its members.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::{Index, IndexMut};
use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::encode::{Encode, EncodeError, Encoded};
use crate::encoder::Encoder;
use crate::map_encoder::{Key, MapEncoder};
use crate::{IntoOwned, cbor, json};

/// The maximum number of members of a map that is searched without a hash index.
const FEW: usize = 16;

/// A map that keeps the order of its members. Used for tables, and for the members of an open map
/// that its schema does not name.
///
/// Keys are equal if they are written as the same CBOR. Text keys are found by `&str`, without
/// allocating. Searching takes constant time on average; removing takes linear time, because it
/// keeps the order.
///
/// [`insert`](Self::insert) replaces the value of an equal key. [`push`](Self::push), `extend`
/// and `collect` do not search for equal keys and never drop a member: a key that is added twice
/// is an [`EncodeError::DuplicateKey`] when the map is written, and [`get`](Self::get) returns
/// its first value.
///
/// ```
/// use vac_value::{Encode, Map};
///
/// let mut prices: Map<String, u64> = Map::new();
/// prices.insert("tea".to_owned(), 3);
/// prices.insert("coffee".to_owned(), 4);
/// assert_eq!(prices.insert("tea".to_owned(), 5), Some(3));
/// assert_eq!(prices.get("tea"), Some(&5));
/// assert_eq!(prices["coffee"], 4);
/// assert_eq!(prices.to_json()?, r#"{"tea":5,"coffee":4}"#);
/// # Ok::<(), vac_value::EncodeError>(())
/// ```
pub struct Map<K, V> {
    members: Vec<(K, V)>,
    /// The positions of keys, computed by the first search in a map with more members.
    index: OnceLock<Box<KeyIndex>>,
}

/// The positions of keys by their hash.
#[derive(Clone, Default)]
struct KeyIndex {
    hasher: RandomState,
    positions: HashMap<u64, SmallVec<[usize; 2]>>,
}

/// The identity of a key: keys with the same identity are equal.
#[derive(PartialEq, Eq, Hash)]
enum Identity<'k> {
    Text(&'k str),
    Cbor(&'k [u8]),
    /// A key that only JSON can represent: text with a lone surrogate, or a container of it.
    Json(&'k [u8]),
}

/// Calls a function with the identity of a key. A key that no encoding can represent has none.
fn with_identity<K: Encode + ?Sized, T>(
    key: &K,
    use_it: impl FnOnce(Identity<'_>) -> T,
) -> Option<T> {
    if let Some(text) = key.as_text() {
        return Some(use_it(Identity::Text(text)));
    }
    match key.to_cbor() {
        Ok(bytes) if bytes.first().is_some_and(|first| first >> 5 == 3) => {
            let text = &bytes[cbor::head_length(&bytes, 0)..];
            let text = std::str::from_utf8(text).expect("text is encoded as UTF-8");
            Some(use_it(Identity::Text(text)))
        }
        Ok(bytes) => Some(use_it(Identity::Cbor(&bytes))),
        Err(_) => key.to_json().ok().map(|json| use_it(Identity::Json(&json::unescape(&json)))),
    }
}

fn is_same<K: Encode + ?Sized>(key: &K, identity: &Identity<'_>) -> bool {
    with_identity(key, |other| other == *identity).unwrap_or(false)
}

impl KeyIndex {
    fn add<K: Encode>(&mut self, key: &K, position: usize) {
        let hash = with_identity(key, |identity| self.hasher.hash_one(identity));
        if let Some(hash) = hash {
            self.positions.entry(hash).or_default().push(position);
        }
    }
}

impl<K, V> Map<K, V> {
    /// Creates an empty map.
    pub const fn new() -> Self {
        Self { members: Vec::new(), index: OnceLock::new() }
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Reserves memory for more members.
    pub fn reserve(&mut self, additional: usize) {
        self.members.reserve(additional);
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.members.clear();
        self.index.take();
    }

    /// Returns the members in their order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.members.iter())
    }

    /// Returns the members in their order, with values that can be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut(self.members.iter_mut())
    }

    /// Returns the keys in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.members.iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.members.iter().map(|(_, value)| value)
    }

    /// Returns the values in the order of their keys, to change them.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.members.iter_mut().map(|(_, value)| value)
    }

    /// Keeps the members for which a function returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.index.take();
        self.members.retain_mut(|(key, value)| keep(key, value));
    }
}

impl<K: Encode, V> Map<K, V> {
    /// Returns the value of a key. The key is a `&str` or a `&K`.
    pub fn get<Q: Encode + ?Sized>(&self, key: &Q) -> Option<&V> {
        self.position(key).map(|at| &self.members[at].1)
    }

    /// Returns the value of a key, to change it.
    pub fn get_mut<Q: Encode + ?Sized>(&mut self, key: &Q) -> Option<&mut V> {
        self.position(key).map(|at| &mut self.members[at].1)
    }

    /// Returns whether there is a member with a key.
    pub fn contains_key<Q: Encode + ?Sized>(&self, key: &Q) -> bool {
        self.position(key).is_some()
    }

    /// Adds a member whose key is known to be new. See the type for what happens if it is not.
    pub fn push(&mut self, member: (K, V)) {
        if let Some(index) = self.index.get_mut() {
            index.add(&member.0, self.members.len());
        }
        self.members.push(member);
    }

    /// Adds a member, or replaces the value of a member with an equal key and returns the old
    /// value. The member keeps its place.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(old) = self.get_mut(&key) {
            return Some(std::mem::replace(old, value));
        }
        self.push((key, value));
        None
    }

    /// Finds the place of a key, to add or change its value.
    ///
    /// ```
    /// # use vac_value::Map;
    /// let mut counts: Map<String, u64> = Map::new();
    /// for word in ["tea", "coffee", "tea"] {
    ///     *counts.entry(word.to_owned()).or_default() += 1;
    /// }
    /// assert_eq!((counts["tea"], counts["coffee"]), (2, 1));
    /// ```
    pub fn entry(&mut self, key: K) -> MapEntry<'_, K, V> {
        MapEntry { position: self.position(&key), key, map: self }
    }

    /// Removes a member and returns its value. The others keep their order.
    pub fn remove<Q: Encode + ?Sized>(&mut self, key: &Q) -> Option<V> {
        let at = self.position(key)?;
        if let Some(index) = self.index.get_mut() {
            index.positions.retain(|_, positions| {
                positions.retain(|position| *position != at);
                for position in positions.iter_mut().filter(|position| **position > at) {
                    *position -= 1;
                }
                !positions.is_empty()
            });
        }
        Some(self.members.remove(at).1)
    }

    /// Returns the position of the first member with a key.
    fn position<Q: Encode + ?Sized>(&self, key: &Q) -> Option<usize> {
        with_identity(key, |identity| self.positions(&identity, |positions| positions.next()))?
    }

    /// Returns the values of all members with a key, in order.
    fn values_of(&self, key: &K) -> Vec<&V> {
        let positions = with_identity(key, |identity| {
            self.positions(&identity, |positions| positions.collect::<Vec<_>>())
        });
        positions.into_iter().flatten().map(|at| &self.members[at].1).collect()
    }

    /// Calls a function with the positions of all members with a key, in order.
    fn positions<T>(
        &self,
        identity: &Identity<'_>,
        read: impl FnOnce(&mut dyn Iterator<Item = usize>) -> T,
    ) -> T {
        let is_it = |at: &usize| is_same(&self.members[*at].0, identity);
        if self.members.len() <= FEW {
            return read(&mut (0..self.members.len()).filter(is_it));
        }
        let index = self.index.get_or_init(|| {
            let mut index = KeyIndex::default();
            for (at, (key, _)) in self.members.iter().enumerate() {
                index.add(key, at);
            }
            Box::new(index)
        });
        let hash = index.hasher.hash_one(identity);
        let positions = index.positions.get(&hash).into_iter().flatten();
        read(&mut positions.copied().filter(is_it))
    }

    /// Adds the members to a map that is being written.
    pub fn add_to<'v>(&'v self, map: &mut MapEncoder<'_, '_, 'v>) -> Result<(), EncodeError>
    where
        V: Encode,
    {
        for (key, value) in &self.members {
            let key = key.as_text().map_or(Key::Other(key), Key::Text);
            map.extension(key, value)?;
        }
        Ok(())
    }
}

/// The entry of a key in a [`Map`], with or without a value.
#[must_use = "an entry does nothing by itself"]
pub struct MapEntry<'m, K, V> {
    map: &'m mut Map<K, V>,
    key: K,
    position: Option<usize>,
}

impl<'m, K: Encode, V> MapEntry<'m, K, V> {
    /// Returns the key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Changes the value, if there is one.
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Some(at) = self.position {
            change(&mut self.map.members[at].1);
        }
        self
    }

    /// Returns the value. If the key is absent, first adds the given value.
    pub fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    /// Returns the value. If the key is absent, first adds the value that the function returns.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'m mut V {
        let at = self.position.unwrap_or_else(|| {
            self.map.push((self.key, value()));
            self.map.len() - 1
        });
        &mut self.map.members[at].1
    }

    /// Returns the value. If the key is absent, first adds the default value.
    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: std::fmt::Debug, V> std::fmt::Debug for MapEntry<'_, K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MapEntry").field("key", &self.key).finish_non_exhaustive()
    }
}

impl<K: Encode, V: Encode> Encode for Map<K, V> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        let mut map = MapEncoder::new(to);
        self.add_to(&mut map)?;
        map.end()
    }
}

/// Maps are equal if they have the same members in any order. A key that was added several times
/// has to have the same values in the same order. A key that no encoding can represent equals no
/// key, not even itself, so maps do not implement `Eq`.
impl<K: Encode, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let has_same_values = |(at, (key, _)): (usize, &(K, V))| match self.position(key) {
            Some(first) if first < at => true, // all its values were compared before
            Some(_) => self.values_of(key) == other.values_of(key),
            None => false,
        };
        self.len() == other.len() && self.members.iter().enumerate().all(has_same_values)
    }
}

impl<K: Clone, V: Clone> Clone for Map<K, V> {
    fn clone(&self) -> Self {
        Self { members: self.members.clone(), index: OnceLock::new() }
    }
}

impl<K: std::fmt::Debug, V: std::fmt::Debug> std::fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the value of a key.
///
/// # Panics
/// If the key is absent.
impl<K: Encode, V, Q: Encode + ?Sized> Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: Encode, V, Q: Encode + ?Sized> IndexMut<&Q> for Map<K, V> {
    fn index_mut(&mut self, key: &Q) -> &mut V {
        self.get_mut(key).expect("the map has the key")
    }
}

impl<K, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self { members: members.into_iter().collect(), index: OnceLock::new() }
    }
}

impl<K, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(members: [(K, V); N]) -> Self {
        members.into_iter().collect()
    }
}

impl<K, V> From<Vec<(K, V)>> for Map<K, V> {
    fn from(members: Vec<(K, V)>) -> Self {
        Self { members, index: OnceLock::new() }
    }
}

impl<K: Encode, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        if self.index.get().is_none() {
            return self.members.extend(members);
        }
        members.into_iter().for_each(|member| self.push(member));
    }
}

impl<K: IntoOwned, V: IntoOwned> IntoOwned for Map<K, V> {
    type Owned = Map<K::Owned, V::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'m, K, V> IntoIterator for &'m mut Map<K, V> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = IterMut<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Iterator over the members of a map.
#[derive(Debug)]
pub struct Iter<'m, K, V>(std::slice::Iter<'m, (K, V)>);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Iterator over the members of a map, whose values can be changed.
#[derive(Debug)]
pub struct IterMut<'m, K, V>(std::slice::IterMut<'m, (K, V)>);

/// Implements the traits of an iterator over a slice of members.
macro_rules! iterator {
    ($name:ident, $item:ty, |$member:ident| $pair:expr) => {
        impl<'m, K, V> Iterator for $name<'m, K, V> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$member| $pair)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<K, V> DoubleEndedIterator for $name<'_, K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$member| $pair)
            }
        }

        impl<K, V> ExactSizeIterator for $name<'_, K, V> {}
    };
}

iterator!(Iter, (&'m K, &'m V), |member| (&member.0, &member.1));
iterator!(IterMut, (&'m K, &'m mut V), |member| (&member.0, &mut member.1));
