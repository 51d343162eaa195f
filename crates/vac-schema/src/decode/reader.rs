//! The reader that generated code uses to build values of valid nodes.

use vac_value::{Document, Encoding, Kind, Node};

use super::{ArrayReader, Build, Built, MapReader, Mismatch};
use crate::matcher::{ArrayState, Inside, Matcher};
use crate::scalar::{equals, find_case};
use crate::tables::{GroupId, LiteralValue, TypeId, TypeKind};

/// Builds values from a valid document. Uses the matcher where the kind of a node does not decide
/// between alternatives.
pub struct Reader<'s> {
    pub(super) matcher: Matcher<'s, 's>,
}

impl<'s> Reader<'s> {
    /// Builds a value from a node.
    pub fn build<'a, T: Build<'a>>(&mut self, node: Node<'_, 'a>) -> Built<T> {
        T::build(self, node)
    }

    /// Returns the index of the first alternative of a choice that accepts a node.
    pub fn choose(&mut self, choice: TypeId, node: Node<'_, '_>) -> Built<usize> {
        let TypeKind::Choice { alternatives, selector, .. } = &self.matcher.type_(choice).kind
        else {
            return Err(Mismatch::new(node));
        };
        if let (Kind::Map, Some(selector)) = (node.kind(), selector)
            && let Some((_, value)) =
                node.members().find(|(key, _)| equals(&selector.key.value, *key))
            && let Some(case) = find_case(&selector.cases, value)
            && let Some(at) = alternatives.iter().position(|id| *id == case.alternative)
        {
            return Ok(at);
        }
        let kind = node.kind();
        let can_accept = |id: &TypeId| self.matcher.type_(*id).kinds.contains(kind);
        let mut candidates = (0..).zip(&**alternatives).filter(|(_, id)| can_accept(id));
        match (candidates.next(), candidates.next()) {
            (Some((only, _)), None) => return Ok(only),
            (None, _) => return Err(Mismatch::new(node)),
            _ => {}
        }
        let accepts = |id: &TypeId| self.matcher.accepts_node(*id, node);
        alternatives.iter().position(accepts).ok_or_else(|| Mismatch::new(node))
    }

    /// Returns the index of the literal that a node is equal to.
    pub fn find(&self, literals: &[LiteralValue], node: Node<'_, '_>) -> Built<usize> {
        let is_it = |literal: &LiteralValue| equals(literal, node);
        literals.iter().position(is_it).ok_or_else(|| Mismatch::new(node))
    }

    /// Opens a map, and assigns its entries to the members of a group.
    pub fn map<'r, 'd, 'a>(
        &'r mut self,
        group: GroupId,
        node: Node<'d, 'a>,
    ) -> Built<MapReader<'r, 's, 'd, 'a>> {
        if node.kind() != Kind::Map {
            return Err(Mismatch::new(node));
        }
        self.matcher.depth += 1;
        let Some(assignment) = self.matcher.assign(group, node) else {
            self.matcher.depth -= 1;
            return Err(Mismatch::new(node));
        };
        Ok(MapReader { reader: self, node, assignment })
    }

    /// Opens an array, whose elements are those of a group.
    pub fn array<'r, 'd, 'a>(
        &'r mut self,
        group: GroupId,
        node: Node<'d, 'a>,
    ) -> Built<ArrayReader<'r, 's, 'd, 'a>> {
        if node.kind() != Kind::Array {
            return Err(Mismatch::new(node));
        }
        self.matcher.depth += 1;
        let Some(choice) = self.matcher.choose_sequence(group, node) else {
            self.matcher.depth -= 1;
            return Err(Mismatch::new(node));
        };
        Ok(ArrayReader {
            reader: self,
            node,
            state: ArrayState::new(node),
            at: 0,
            chosen: Some((group, choice)),
        })
    }

    /// Builds the content of a container or of a tag.
    pub(super) fn inside<T>(&mut self, build: impl FnOnce(&mut Self) -> Built<T>) -> Built<T> {
        self.matcher.depth += 1;
        let value = build(self);
        self.matcher.depth -= 1;
        value
    }

    /// Builds a value of the document inside a byte string.
    pub(super) fn embedded<'b, T>(
        &mut self,
        node: Node<'_, '_>,
        bytes: &'b [u8],
        build: impl FnOnce(&mut Self, Node<'_, 'b>) -> Built<T>,
    ) -> Built<T> {
        let document: Document<'b> =
            self.matcher.scan_embedded(bytes, Encoding::Cbor).map_err(|_| Mismatch::new(node))?;
        let number = self.matcher.document_number(node, Inside::Item);
        let outer = std::mem::replace(&mut self.matcher.document, number);
        let value = self.inside(|reader| build(reader, document.root()));
        self.matcher.document = outer;
        value
    }
}
