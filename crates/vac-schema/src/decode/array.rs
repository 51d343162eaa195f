//! The elements of an array.

use vac_value::Node;

use super::{Build, Built, Mismatch, Reader};
use crate::matcher::ArrayState;
use crate::tables::{GroupId, TypeId};

/// An array whose elements are built one after the other. A repetition takes as many elements as
/// match, as in the matcher.
pub struct ArrayReader<'r, 's, 'd, 'a> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) node: Node<'d, 'a>,
    pub(super) state: ArrayState<'d, 'a>,
    /// The position of the next element.
    pub(super) at: usize,
    /// The alternative of the outermost group that accepts the whole array.
    pub(super) chosen: Option<(GroupId, usize)>,
}

impl Drop for ArrayReader<'_, '_, '_, '_> {
    fn drop(&mut self) {
        self.reader.matcher.depth -= 1;
    }
}

impl<'d, 'a> ArrayReader<'_, '_, 'd, 'a> {
    /// Builds the next element.
    pub fn one<T: Build<'a>>(&mut self) -> Built<T> {
        let node = self.next()?;
        T::build(self.reader, node)
    }

    /// Skips the next element, which can have one value only.
    pub fn skip(&mut self) -> Built<()> {
        self.next().map(drop)
    }

    fn next(&mut self) -> Built<Node<'d, 'a>> {
        let node = self.state.elements.get(self.at).ok_or_else(|| self.mismatch())?;
        self.at += 1;
        Ok(*node)
    }

    /// Builds the next element if it is of a type.
    pub fn optional<T: Build<'a>>(&mut self, id: TypeId) -> Built<Option<T>> {
        match self.state.elements.get(self.at) {
            Some(node) if self.reader.matcher.accepts_node(id, *node) => self.one().map(Some),
            _ => Ok(None),
        }
    }

    /// Builds the next elements that are of a type, at most `max`.
    pub fn many<T: Build<'a>>(&mut self, id: TypeId, max: u64) -> Built<Vec<T>> {
        let mut values = Vec::new();
        for _ in 0..max {
            match self.optional(id)? {
                Some(value) => values.push(value),
                None => break,
            }
        }
        Ok(values)
    }

    /// Returns the index of the alternative of a group that comes next.
    pub fn alternative(&mut self, id: GroupId) -> Built<usize> {
        match self.chosen.take() {
            Some((group, choice)) if group == id => Ok(choice),
            _ => self.next_group(id).map(|(choice, _)| choice).ok_or_else(|| self.mismatch()),
        }
    }

    /// Returns the alternative of a group that matches the next elements, and the position after
    /// it.
    fn next_group(&mut self, id: GroupId) -> Option<(usize, usize)> {
        self.chosen = None;
        let matcher = &mut self.reader.matcher;
        matcher.choose_group(matcher.group(id), self.at, &mut self.state)
    }

    /// Builds a group if it comes next.
    pub fn optional_group<T>(
        &mut self,
        id: GroupId,
        read: impl FnOnce(&mut Self) -> Built<T>,
    ) -> Built<Option<T>> {
        match self.next_group(id) {
            Some(_) => read(self).map(Some),
            None => Ok(None),
        }
    }

    /// Builds a group as often as it comes next, at most `max` times.
    pub fn groups<T>(
        &mut self,
        id: GroupId,
        max: u64,
        read: impl Fn(&mut Self) -> Built<T>,
    ) -> Built<Vec<T>> {
        let mut values = Vec::new();
        for _ in 0..max {
            match self.next_group(id) {
                // A group that takes no elements is treated as absent.
                Some((_, end)) if end > self.at => values.push(read(self)?),
                _ => break,
            }
        }
        Ok(values)
    }

    /// Checks that every element was built.
    pub fn end(self) -> Built<()> {
        if self.at == self.state.elements.len() { Ok(()) } else { Err(self.mismatch()) }
    }

    /// Returns the error for an array that does not fit.
    pub fn mismatch(&self) -> Mismatch {
        Mismatch::new(self.node)
    }
}
