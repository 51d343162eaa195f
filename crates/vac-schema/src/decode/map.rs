//! The members of a map.

use vac_value::{Map, Node};

use super::{Build, Built, Mismatch, Reader};
use crate::matcher::Assignment;

/// A map whose entries are assigned to the members of its group. Generated code refers to
/// the members by their number in the group.
pub struct MapReader<'r, 's, 'd, 'a> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) node: Node<'d, 'a>,
    pub(super) assignment: Assignment<'d, 'a>,
}

impl Drop for MapReader<'_, '_, '_, '_> {
    fn drop(&mut self) {
        self.reader.matcher.depth -= 1;
    }
}

impl<'a> MapReader<'_, '_, '_, 'a> {
    /// Builds the value of a member that is always present.
    pub fn required<T: Build<'a>>(&mut self, member: usize) -> Built<T> {
        match self.assignment.value(member) {
            Some(value) => T::build(self.reader, value),
            None => Err(self.mismatch()),
        }
    }

    /// Builds the value of a member if it is present.
    pub fn optional<T: Build<'a>>(&mut self, member: usize) -> Built<Option<T>> {
        match self.assignment.value(member) {
            Some(value) => T::build(self.reader, value).map(Some),
            None => Ok(None),
        }
    }

    /// Builds the value of a member that is always present, and whose key is a type with few
    /// values.
    pub fn required_entry<T: Build<'a>>(&mut self, member: usize) -> Built<T> {
        match self.optional_entry(member)? {
            Some(value) => Ok(value),
            None => Err(self.mismatch()),
        }
    }

    /// Builds the value of a member if it is present, and whose key is a type with few
    /// values. A repeated group can match it under each of them, and then the map does not
    /// fit.
    pub fn optional_entry<T: Build<'a>>(&mut self, member: usize) -> Built<Option<T>> {
        let mut entries = self.assignment.entries(member);
        let (first, second) = (entries.next(), entries.next());
        drop(entries);
        match (first, second) {
            (None, _) => Ok(None),
            (Some((_, value)), None) => T::build(self.reader, value).map(Some),
            (Some(_), Some(_)) => Err(Mismatch::with_both_keys(self.node)),
        }
    }

    /// Builds the value of the first of several members with the same key that is present.
    pub fn read_first<T: Build<'a>>(&mut self, members: &[usize]) -> Built<Option<T>> {
        match members.iter().find_map(|member| self.assignment.value(*member)) {
            Some(value) => T::build(self.reader, value).map(Some),
            None => Ok(None),
        }
    }

    /// Builds the entries whose keys are of a type.
    pub fn rest<K: Build<'a>, V: Build<'a>>(&mut self, member: usize) -> Built<Map<K, V>> {
        let reader = &mut *self.reader;
        let entries = self.assignment.entries(member);
        entries.map(|(key, value)| Ok((reader.build(key)?, reader.build(value)?))).collect()
    }

    /// Returns whether the `required` members are all present, and no others than `members`.
    pub fn is_within(&self, required: &[usize], members: &[usize]) -> bool {
        self.assignment.is_within(required, members)
    }

    /// Returns the error for a map that does not fit.
    pub fn mismatch(&self) -> Mismatch {
        Mismatch::new(self.node)
    }
}
