//! Builds the values that generated types consist of.

use std::borrow::Cow;

use vac_value::{
    Any, Bytes, Embedded, IntoOwned, Kind, Map, Node, Null, Number, Tagged, Undefined,
};

use super::{Mismatch, Reader};

/// The result of building a value.
pub type Built<T> = Result<T, Mismatch>;

/// A value that can be built from a valid node.
pub trait Build<'a>: Sized {
    /// Builds the value. The node is known to match the schema.
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self>;
}

/// A value that can be built from a valid node, and can outlive the node's source.
pub trait BuildOwned: Sized {
    /// Builds the value, and copies bytes that it would otherwise borrow.
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self>;
}

/// Implements [`Build`] and [`BuildOwned`] for a scalar.
macro_rules! build_scalar {
    ($type:ty, |$node:ident| $value:expr) => {
        impl<'a> Build<'a> for $type {
            fn build(_: &mut Reader<'_>, $node: Node<'_, 'a>) -> Built<Self> {
                $value.ok_or_else(|| Mismatch::new($node))
            }
        }

        impl BuildOwned for $type {
            fn build_owned(_: &mut Reader<'_>, $node: Node<'_, '_>) -> Built<Self> {
                $value.map(IntoOwned::into_owned).ok_or_else(|| Mismatch::new($node))
            }
        }
    };
}

build_scalar!(u64, |node| node.uint());
build_scalar!(i128, |node| node.integer());
build_scalar!(bool, |node| node.bool());
build_scalar!(Null, |node| (node.kind() == Kind::Null).then_some(Null));
build_scalar!(Undefined, |node| (node.kind() == Kind::Undefined).then_some(Undefined));

/// Implements [`Build`] and [`BuildOwned`] for a scalar that can borrow.
macro_rules! build_borrowed_scalar {
    ($type:ty, $owned:ty, |$node:ident| $value:expr) => {
        impl<'a> Build<'a> for $type {
            fn build(_: &mut Reader<'_>, $node: Node<'_, 'a>) -> Built<Self> {
                $value.ok_or_else(|| Mismatch::new($node))
            }
        }

        impl BuildOwned for $owned {
            fn build_owned(_: &mut Reader<'_>, $node: Node<'_, '_>) -> Built<Self> {
                let value = $value.ok_or_else(|| Mismatch::new($node))?;
                Ok(IntoOwned::into_owned(value))
            }
        }
    };
}

build_borrowed_scalar!(Cow<'a, str>, Cow<'_, str>, |node| node.text());
build_borrowed_scalar!(Bytes<'a>, Bytes<'_>, |node| node.bytes().map(Bytes::from));
build_borrowed_scalar!(Number<'a>, Number<'_>, |node| node.number());
build_borrowed_scalar!(Any<'a>, Any<'_>, |node| Some(node.lift()));

impl<'a, T: Build<'a>> Build<'a> for Box<T> {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        T::build(reader, node).map(Self::new)
    }
}

impl<T: BuildOwned> BuildOwned for Box<T> {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        T::build_owned(reader, node).map(Self::new)
    }
}

/// Builds `None` from `null`, and a value from any other node.
impl<'a, T: Build<'a>> Build<'a> for Option<T> {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        match node.kind() {
            Kind::Null => Ok(None),
            _ => T::build(reader, node).map(Some),
        }
    }
}

impl<T: BuildOwned> BuildOwned for Option<T> {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        match node.kind() {
            Kind::Null => Ok(None),
            _ => T::build_owned(reader, node).map(Some),
        }
    }
}

/// Returns the elements of an array, each built by a function.
fn vec<'d, 'a, T>(
    reader: &mut Reader<'_>,
    node: Node<'d, 'a>,
    build: fn(&mut Reader<'_>, Node<'d, 'a>) -> Built<T>,
) -> Built<Vec<T>> {
    if node.kind() != Kind::Array {
        return Err(Mismatch::new(node));
    }
    reader.inside(|reader| {
        // Values can be large, and a vector that grows would copy them.
        let mut values = Vec::with_capacity(node.elements().count());
        for element in node.elements() {
            values.push(build(reader, element)?);
        }
        Ok(values)
    })
}

impl<'a, T: Build<'a>> Build<'a> for Vec<T> {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        vec(reader, node, |reader, node| T::build(reader, node))
    }
}

impl<T: BuildOwned> BuildOwned for Vec<T> {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        vec(reader, node, |reader, node| T::build_owned(reader, node))
    }
}

/// Returns the members of a map, each built by a function.
fn table<'d, 'a, K, V>(
    reader: &mut Reader<'_>,
    node: Node<'d, 'a>,
    build: fn(&mut Reader<'_>, Node<'d, 'a>, Node<'d, 'a>) -> Built<(K, V)>,
) -> Built<Map<K, V>> {
    if node.kind() != Kind::Map {
        return Err(Mismatch::new(node));
    }
    reader.inside(|reader| node.members().map(|(key, value)| build(reader, key, value)).collect())
}

/// Builds all entries of a map.
impl<'a, K: Build<'a>, V: Build<'a>> Build<'a> for Map<K, V> {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        table(reader, node, |reader, key, value| {
            Ok((K::build(reader, key)?, V::build(reader, value)?))
        })
    }
}

impl<K: BuildOwned, V: BuildOwned> BuildOwned for Map<K, V> {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        table(reader, node, |reader, key, value| {
            Ok((K::build_owned(reader, key)?, V::build_owned(reader, value)?))
        })
    }
}

/// Returns the content of a tag.
fn content<'d, 'a>(node: Node<'d, 'a>, expected: u64) -> Built<Node<'d, 'a>> {
    match node.tag() {
        Some((number, content)) if number == expected => Ok(content),
        _ => Err(Mismatch::new(node)),
    }
}

impl<'a, const NUMBER: u64, T: Build<'a>> Build<'a> for Tagged<NUMBER, T> {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        let content = content(node, NUMBER)?;
        reader.inside(|reader| T::build(reader, content)).map(Self)
    }
}

impl<const NUMBER: u64, T: BuildOwned> BuildOwned for Tagged<NUMBER, T> {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        let content = content(node, NUMBER)?;
        reader.inside(|reader| T::build_owned(reader, content)).map(Self)
    }
}

impl<'a, T: Build<'a> + BuildOwned> Build<'a> for Embedded<'a, T> {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        match node.bytes() {
            Some(Cow::Borrowed(bytes)) => {
                let value = reader.embedded(node, bytes, T::build)?;
                Ok(Self::with_bytes(value, bytes.into()))
            }
            // The bytes are in chunks, so that the value cannot borrow from them.
            _ => Self::build_owned(reader, node),
        }
    }
}

impl<T: BuildOwned> BuildOwned for Embedded<'_, T> {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        let Some(bytes) = node.bytes() else { return Err(Mismatch::new(node)) };
        let value = reader.embedded(node, &bytes, T::build_owned)?;
        Ok(Self::with_bytes(value, bytes.into_owned().into()))
    }
}
