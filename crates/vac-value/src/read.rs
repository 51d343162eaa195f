//! What generated decoders call.

use crate::decode::{Decode, DecodeError};
use crate::document::{Elements, Kind, Members, Node};
use crate::values::{Extensions, Tagged};

type Result<T> = std::result::Result<T, DecodeError>;

/// Reads a value that also has to satisfy a predicate.
pub fn guarded<'a, T: Decode<'a>>(
    node: Node<'_, 'a>,
    fits: bool,
    rule: &'static str,
    expected: &'static str,
) -> Result<T> {
    if fits { T::decode(node) } else { Err(DecodeError::expected(node, rule, expected)) }
}

/// The members of a map.
pub fn members<'d, 'a>(node: Node<'d, 'a>, rule: &'static str) -> Result<Members<'d, 'a>> {
    match node.kind() {
        Kind::Map => Ok(node.members()),
        _ => Err(DecodeError::expected(node, rule, "map")),
    }
}

/// A member that has to be there.
pub fn required<T>(
    value: Option<T>,
    map: Node<'_, '_>,
    rule: &'static str,
    key: &'static str,
) -> Result<T> {
    value.ok_or_else(|| DecodeError::missing(map, rule, key))
}

/// A map of any keys and values, at least and at most so many.
pub fn table<'a, K, V>(
    node: Node<'_, 'a>,
    rule: &'static str,
    min: usize,
    max: usize,
    key: impl Fn(Node<'_, 'a>) -> Result<K>,
    value: impl Fn(Node<'_, 'a>) -> Result<V>,
) -> Result<Extensions<K, V>> {
    let table: Extensions<K, V> = members(node, rule)?
        .map(|(name, node)| Ok((key(name)?, value(node)?)))
        .collect::<Result<_>>()?;
    if (min..=max).contains(&table.len()) {
        Ok(table)
    } else {
        Err(DecodeError::expected(node, rule, "another number of members"))
    }
}

/// An array of elements of one type.
pub fn each<'a, T>(
    node: Node<'_, 'a>,
    rule: &'static str,
    min: usize,
    max: usize,
    element: impl Fn(Node<'_, 'a>) -> Result<T>,
) -> Result<Vec<T>> {
    if node.kind() != Kind::Array {
        return Err(DecodeError::expected(node, rule, "array"));
    }
    let elements = node.elements().map(element).collect::<Result<Vec<_>>>()?;
    if (min..=max).contains(&elements.len()) {
        Ok(elements)
    } else {
        Err(DecodeError::expected(node, rule, "another number of elements"))
    }
}

/// `null` or a value.
pub fn nullable<'a, T>(
    node: Node<'_, 'a>,
    value: impl Fn(Node<'_, 'a>) -> Result<T>,
) -> Result<Option<T>> {
    if node.kind() == Kind::Null { Ok(None) } else { value(node).map(Some) }
}

/// A value under a tag.
pub fn tagged<'a, const NUMBER: u64, T>(
    node: Node<'_, 'a>,
    rule: &'static str,
    expected: &'static str,
    content: impl Fn(Node<'_, 'a>) -> Result<T>,
) -> Result<Tagged<NUMBER, T>> {
    match node.tag() {
        Some((number, inside)) if number == NUMBER => content(inside).map(Tagged),
        _ => Err(DecodeError::expected(node, rule, expected)),
    }
}

/// Reads a group of elements.
pub type Group<'d, 'a, T> = dyn Fn(&mut Sequence<'d, 'a>) -> Result<T>;

/// The elements of an array while the parts of a type take them.
#[derive(Clone, Debug)]
pub struct Sequence<'d, 'a> {
    array: Node<'d, 'a>,
    elements: Elements<'d, 'a>,
    rule: &'static str,
}

impl<'d, 'a> Sequence<'d, 'a> {
    /// All elements of an array.
    pub fn of(array: Node<'d, 'a>, rule: &'static str) -> Result<Self> {
        match array.kind() {
            Kind::Array => Ok(Self { array, elements: array.elements(), rule }),
            _ => Err(DecodeError::expected(array, rule, "array")),
        }
    }

    /// The next element has to be this.
    pub fn one<T>(
        &mut self,
        name: &'static str,
        value: impl Fn(Node<'d, 'a>) -> Result<T>,
    ) -> Result<T> {
        match self.elements.next() {
            Some(node) => value(node),
            None => Err(DecodeError::missing(self.array, self.rule, name)),
        }
    }

    /// The next element may be this.
    pub fn optional<T>(&mut self, value: impl Fn(Node<'d, 'a>) -> Result<T>) -> Option<T> {
        let mut behind = self.elements.clone();
        let value = value(behind.next()?).ok()?;
        self.elements = behind;
        Some(value)
    }

    /// So many of the next elements are these.
    pub fn many<T>(
        &mut self,
        name: &'static str,
        min: usize,
        max: usize,
        value: impl Fn(Node<'d, 'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut values = Vec::new();
        while values.len() < min {
            values.push(self.one(name, &value)?);
        }
        while values.len() < max {
            let Some(next) = self.optional(&value) else { break };
            values.push(next);
        }
        Ok(values)
    }

    /// A group of elements may come next.
    pub fn optional_group<T>(&mut self, group: impl Fn(&mut Self) -> Result<T>) -> Option<T> {
        let mut behind = self.clone();
        let value = group(&mut behind).ok()?;
        *self = behind;
        Some(value)
    }

    /// So many groups of elements come next.
    pub fn many_groups<T>(
        &mut self,
        min: usize,
        max: usize,
        group: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut values = Vec::new();
        while values.len() < min {
            values.push(group(self)?);
        }
        while values.len() < max {
            let before = self.elements.clone().count();
            let Some(next) = self.optional_group(&group) else { break };
            if self.elements.clone().count() == before {
                break;
            }
            values.push(next);
        }
        Ok(values)
    }

    /// The first group that fits.
    pub fn first_of<T>(&mut self, groups: &[&Group<'d, 'a, T>]) -> Result<T> {
        let mut error = DecodeError::expected(self.array, self.rule, "one of several groups");
        for group in groups {
            let mut behind = self.clone();
            match group(&mut behind) {
                Ok(value) => {
                    *self = behind;
                    return Ok(value);
                }
                Err(other) => error = error.or_further(other),
            }
        }
        Err(error)
    }

    /// Nothing is left.
    pub fn end(mut self) -> Result<()> {
        match self.elements.next() {
            None => Ok(()),
            Some(extra) => Err(DecodeError::unexpected(extra, self.rule)),
        }
    }
}
