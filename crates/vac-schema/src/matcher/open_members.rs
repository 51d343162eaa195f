//! Keeps track of the members of a map that the elements of a group have not taken yet.
//!
//! Every operation takes constant or logarithmic time, so that a repeated group over a large
//! map, or one that takes members and gives them back, does not become quadratic.

use std::borrow::Cow;
use std::collections::HashMap;

use vac_value::Node;

use crate::tables::LiteralValue;

/// The members of one map, some of them taken. Duplicate keys are not included: they are violations
/// in every schema.
#[derive(Debug)]
pub struct OpenMembers<'d, 'a> {
    members: Vec<(Node<'d, 'a>, Node<'d, 'a>)>,
    taken: Vec<bool>,
    named: Vec<bool>,
    /// The members that were taken, in that order.
    log: Vec<usize>,
    /// Members by the value of their key; built when the first is searched for.
    by_key: Option<HashMap<KeyValue<'a>, usize>>,
    /// Results of [`OpenMembers::find_with`].
    found: HashMap<usize, Option<usize>>,
    /// For each element with a key type that was tried: the members left for it.
    left: HashMap<usize, Left>,
    /// For each group with many alternatives that was tried: the alternatives left for it.
    alternatives: HashMap<usize, Alternatives>,
    steps: u64,
}

/// The keys that most members have.
#[derive(Debug, PartialEq, Eq, Hash)]
enum KeyValue<'a> {
    Text(Cow<'a, str>),
    Integer(i128),
}

/// The members that are left for one element of a group.
#[derive(Debug)]
struct Left {
    /// Members that are open and that the element has not refused.
    candidates: BitSet,
    /// Members that are not of the element's type, and never will be.
    refused: Vec<bool>,
}

/// The alternatives of a group by the key that each requires.
#[derive(Debug)]
struct Alternatives {
    /// The alternatives that require no key, and those whose key is open.
    candidates: BitSet,
    /// The alternatives that require the key of a member.
    by_member: HashMap<usize, Vec<usize>>,
}

impl<'d, 'a> OpenMembers<'d, 'a> {
    /// Lists the members of a map, none of them taken.
    pub fn new(map: Node<'d, 'a>) -> Self {
        let members: Vec<_> = map.members().filter(|(key, _)| !key.is_duplicate_key()).collect();
        Self {
            taken: vec![false; members.len()],
            named: vec![false; members.len()],
            log: Vec::new(),
            by_key: None,
            found: HashMap::new(),
            left: HashMap::new(),
            alternatives: HashMap::new(),
            steps: members.len() as u64,
            members,
        }
    }

    /// Returns the key of a member.
    pub fn key(&self, member: usize) -> Node<'d, 'a> {
        self.members[member].0
    }

    /// Returns the value of a member.
    pub fn value(&self, member: usize) -> Node<'d, 'a> {
        self.members[member].1
    }

    /// Returns the number of members that are taken.
    pub fn taken(&self) -> usize {
        self.log.len()
    }

    /// Returns the amount of work so far: members visited, taken and given back.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the open member with this text for its key.
    pub fn find_text(&mut self, key: &str) -> Option<usize> {
        self.find(&KeyValue::Text(Cow::Borrowed(key)))
    }

    /// Returns the open member with this integer for its key.
    pub fn find_integer(&mut self, key: i128) -> Option<usize> {
        self.find(&KeyValue::Integer(key))
    }

    fn find(&mut self, key: &KeyValue<'_>) -> Option<usize> {
        self.position(key).filter(|member| !self.taken[*member])
    }

    /// Returns the member with this key, open or not.
    fn position(&mut self, key: &KeyValue<'_>) -> Option<usize> {
        self.steps += 1;
        let by_key = self.by_key.get_or_insert_with(|| {
            self.steps += self.members.len() as u64;
            let keys = self.members.iter().enumerate();
            keys.filter_map(|(member, (key, _))| Some((key_value(*key)?, member))).collect()
        });
        by_key.get(key).copied()
    }

    /// Returns the first alternative of a group from `from` on that requires no key, or one that is
    /// open. `group` identifies the group, `keys` are the keys that its alternatives require.
    pub fn next_alternative<'k>(
        &mut self,
        group: usize,
        from: usize,
        keys: impl ExactSizeIterator<Item = Option<&'k LiteralValue>>,
    ) -> Option<usize> {
        self.steps += 1;
        if !self.alternatives.contains_key(&group) {
            self.steps += keys.len() as u64;
            let mut candidates = BitSet::new(keys.len());
            let mut by_member: HashMap<usize, Vec<usize>> = HashMap::new();
            for (alternative, key) in keys.enumerate() {
                let Some(key) = key.and_then(literal_key) else {
                    candidates.insert(alternative);
                    continue;
                };
                let Some(member) = self.position(&key) else { continue };
                by_member.entry(member).or_default().push(alternative);
                if !self.taken[member] {
                    candidates.insert(alternative);
                }
            }
            self.alternatives.insert(group, Alternatives { candidates, by_member });
        }
        self.alternatives[&group].candidates.next(from)
    }

    /// Returns the open member with this text or integer for its key.
    pub fn find_value(&mut self, key: &LiteralValue) -> Option<usize> {
        self.find(&literal_key(key)?)
    }

    /// Notes that an alternative which requires the key of a member never matches.
    pub fn drop_alternative(&mut self, group: usize, alternative: usize, member: usize) {
        if let Some(alternatives) = self.alternatives.get_mut(&group) {
            alternatives.candidates.remove(alternative);
            if let Some(requiring) = alternatives.by_member.get_mut(&member) {
                self.steps += requiring.len() as u64;
                requiring.retain(|it| *it != alternative);
            }
        }
    }

    /// Returns the open member whose key is the one that an element names, for keys that are
    /// neither text nor integers. `element` identifies the element. All members are tried once per
    /// element.
    pub fn find_with(
        &mut self,
        element: usize,
        mut is_key: impl FnMut(Node<'d, 'a>) -> bool,
    ) -> Option<usize> {
        self.steps += 1;
        let found = self.found.entry(element).or_insert_with(|| {
            self.steps += self.members.len() as u64;
            self.members.iter().position(|(key, _)| is_key(*key))
        });
        found.filter(|member| !self.taken[*member])
    }

    /// Returns the first member from `from` on that is left for an element with a key type: open,
    /// not named by a cut, and not refused before. `element` identifies the element.
    pub fn next(&mut self, element: usize, from: usize) -> Option<usize> {
        self.steps += 1;
        let left = self.left.entry(element).or_insert_with(|| {
            self.steps += self.members.len() as u64;
            let mut candidates = BitSet::new(self.members.len());
            for member in 0..self.members.len() {
                if !self.taken[member] && !self.named[member] {
                    candidates.insert(member);
                }
            }
            Left { candidates, refused: vec![false; self.members.len()] }
        });
        left.candidates.next(from)
    }

    /// Notes that a member is not of an element's type, so that the element is not tried on
    /// it again.
    pub fn refuse(&mut self, element: usize, member: usize) {
        if let Some(left) = self.left.get_mut(&element) {
            left.refused[member] = true;
            left.candidates.remove(member);
        }
    }

    /// Records that an element with a cut names this member's key: from now on, no key type may
    /// take the member, regardless of the result of that element.
    pub fn name(&mut self, member: usize) {
        self.named[member] = true;
        for left in self.left.values_mut() {
            left.candidates.remove(member);
        }
    }

    /// Takes an open member.
    pub fn take(&mut self, member: usize) {
        self.taken[member] = true;
        self.log.push(member);
        self.steps += 1 + self.left.len() as u64;
        for left in self.left.values_mut() {
            left.candidates.remove(member);
        }
        for alternatives in self.alternatives.values_mut() {
            let requiring = alternatives.by_member.get(&member).map_or(&[][..], Vec::as_slice);
            self.steps += 1 + requiring.len() as u64;
            for at in requiring {
                alternatives.candidates.remove(*at);
            }
        }
    }

    /// Returns a point to which [`OpenMembers::roll_back`] returns.
    pub fn point(&self) -> usize {
        self.log.len()
    }

    /// Gives back the members that were taken since a point.
    pub fn roll_back(&mut self, point: usize) {
        let members = self.log.split_off(point);
        for member in members {
            self.taken[member] = false;
            self.steps += 1 + self.left.len() as u64;
            for alternatives in self.alternatives.values_mut() {
                let requiring = alternatives.by_member.get(&member).map_or(&[][..], Vec::as_slice);
                self.steps += 1 + requiring.len() as u64;
                for at in requiring {
                    alternatives.candidates.insert(*at);
                }
            }
            for left in self.left.values_mut() {
                if !left.refused[member] && !self.named[member] {
                    left.candidates.insert(member);
                }
            }
        }
    }

    /// Returns the members that were taken since a point, in that order.
    pub fn taken_since(&self, point: usize) -> &[usize] {
        &self.log[point..]
    }

    /// Returns the number of members, taken or not.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether a member is taken.
    pub fn is_taken(&self, member: usize) -> bool {
        self.taken[member]
    }
}

fn literal_key(key: &LiteralValue) -> Option<KeyValue<'_>> {
    match key {
        LiteralValue::Text(text) => Some(KeyValue::Text(Cow::Borrowed(text))),
        LiteralValue::Integer(integer) => Some(KeyValue::Integer(*integer)),
        LiteralValue::Float(_) | LiteralValue::Bytes(_) => None,
    }
}

fn key_value<'a>(key: Node<'_, 'a>) -> Option<KeyValue<'a>> {
    match key.integer() {
        Some(integer) => Some(KeyValue::Integer(integer)),
        None => key.text().map(KeyValue::Text),
    }
}

/// A set of small numbers that finds the next one in logarithmic time: a bit for each
/// number, a bit for each word of those that is not zero, and so on.
#[derive(Debug)]
struct BitSet {
    levels: Vec<Vec<u64>>,
}

impl BitSet {
    /// Creates an empty set of numbers below a limit.
    fn new(limit: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = limit.div_ceil(64).max(1);
        levels.push(vec![0; words]);
        while words > 1 {
            words = words.div_ceil(64);
            levels.push(vec![0; words]);
        }
        Self { levels }
    }

    fn insert(&mut self, number: usize) {
        let mut at = number;
        for level in &mut self.levels {
            level[at / 64] |= 1 << (at % 64);
            at /= 64;
        }
    }

    fn remove(&mut self, number: usize) {
        let mut at = number;
        for level in &mut self.levels {
            level[at / 64] &= !(1 << (at % 64));
            at /= 64;
            if level[at] != 0 {
                break;
            }
        }
    }

    /// Returns the least number of the set that is not less than this one.
    fn next(&self, from: usize) -> Option<usize> {
        let mut at = from;
        for (height, level) in self.levels.iter().enumerate() {
            let word = at / 64;
            let rest = level.get(word)? & (u64::MAX << (at % 64));
            if rest != 0 {
                let first = word * 64 + rest.trailing_zeros() as usize;
                let below = self.levels[..height].iter().rev();
                return Some(below.fold(first, |found, level| {
                    found * 64 + level[found].trailing_zeros() as usize
                }));
            }
            at = word + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn a_bit_set_finds_the_next_number() {
        let mut set = BitSet::new(300_000);
        let numbers = [0, 63, 64, 4095, 4096, 5000, 262_143, 262_144, 299_999];
        for number in numbers {
            set.insert(number);
        }
        let all = |set: &BitSet| {
            let mut found = Vec::new();
            let mut from = 0;
            while let Some(next) = set.next(from) {
                found.push(next);
                from = next + 1;
            }
            found
        };
        assert_eq!(all(&set), numbers);
        assert_eq!(set.next(300_000), None);
        for number in [0, 64, 262_144, 299_999] {
            set.remove(number);
        }
        assert_eq!(all(&set), [63, 4095, 4096, 5000, 262_143]);
        assert_eq!(BitSet::new(0).next(0), None);
    }

    #[test]
    fn members_are_taken_given_back_refused_and_named() {
        let document = Document::json(br#"{"a": 1, "b": 2, "a": 3, "c": 4}"#).unwrap();
        let mut members = OpenMembers::new(document.root());
        assert_eq!((members.len(), members.find_text("c")), (3, Some(2)), "the first `a` only");
        let (one, other) = (1, 2);
        assert_eq!(members.next(one, 0), Some(0));
        members.refuse(one, 0);
        let point = members.point();
        members.take(1);
        members.take(2);
        assert_eq!((members.next(one, 0), members.find_text("c")), (None, None));
        assert_eq!(members.next(other, 0), Some(0));
        members.roll_back(point);
        assert_eq!((members.next(one, 0), members.next(other, 2)), (Some(1), Some(2)));
        members.name(1);
        assert_eq!((members.next(one, 0), members.find_text("b")), (Some(2), Some(1)));
        assert!((0..3).all(|member| !members.is_taken(member)));
    }
}
