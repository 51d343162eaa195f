//! Predicates over scalars, which the matcher consists of. Each is false for nodes of another
//! kind.

use std::cmp::Ordering;

use crate::document::Kind;
use crate::node::Node;

/// Text that is Unicode text.
#[inline]
pub fn text(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Text && !node.has_lone_surrogate()
}

/// An integer of 0 to 2^64 - 1.
#[inline]
pub fn uint(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Integer && !is_negative(node)
}

fn is_negative(node: Node<'_, '_>) -> bool {
    node.integer().is_some_and(|value| value < 0)
}

/// A float whose value half precision has.
pub fn float16(node: Node<'_, '_>) -> bool {
    node.float().is_some_and(|value| value.is_nan() || crate::cbor::double_to_half(value).is_some())
}

/// A float whose value single precision has.
pub fn float32(node: Node<'_, '_>) -> bool {
    node.float()
        .is_some_and(|value| value.is_nan() || crate::cbor::double_to_single(value).is_some())
}

/// Anything of major type 7: floats and simple values.
pub fn float_or_simple(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Float || node.simple().is_some()
}

/// These bytes.
pub fn is_bytes(node: Node<'_, '_>, value: &[u8]) -> bool {
    node.bytes().is_some_and(|bytes| *bytes == *value)
}

/// This integer.
pub fn is_integer(node: Node<'_, '_>, value: i128) -> bool {
    node.integer() == Some(value)
}

/// This float; NaN is NaN, and 0.0 is -0.0.
#[allow(clippy::float_cmp)] // a literal is one value
pub fn is_float(node: Node<'_, '_>, value: f64) -> bool {
    node.float().is_some_and(|found| found == value || (found.is_nan() && value.is_nan()))
}

/// A float between two; the upper end is included or not.
pub fn float_range(node: Node<'_, '_>, low: f64, high: f64, inclusive: bool) -> bool {
    node.float().is_some_and(|value| low <= value && (value < high || (inclusive && value <= high)))
}

/// How a number compares to an integer; `None` for anything else.
pub fn compare_integer(node: Node<'_, '_>, to: i128) -> Option<Ordering> {
    match node.integer() {
        Some(value) => Some(value.cmp(&to)),
        None => float_to_integer(node.float()?, to),
    }
}

/// How a number compares to a float; `None` for anything else.
pub fn compare_float(node: Node<'_, '_>, to: f64) -> Option<Ordering> {
    match node.integer() {
        Some(value) => float_to_integer(to, value).map(Ordering::reverse),
        None => node.float()?.partial_cmp(&to),
    }
}

/// Compares without rounding either.
#[allow(clippy::cast_possible_truncation)] // saturates, which compares right
fn float_to_integer(float: f64, integer: i128) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    let whole = float.floor();
    match (whole as i128).cmp(&integer) {
        Ordering::Equal if float > whole => Some(Ordering::Greater),
        ordering => Some(ordering),
    }
}

/// The sequence of CBOR items that a byte string holds, as one array.
pub fn sequence_as_array(bytes: &[u8]) -> Vec<u8> {
    let mut array = Vec::with_capacity(bytes.len() + 2);
    array.push(0x9f);
    array.extend_from_slice(bytes);
    array.push(0xff);
    array
}

/// How many elements or members a container has.
pub fn length(node: Node<'_, '_>) -> u64 {
    match node.kind() {
        Kind::Array => node.elements().count() as u64,
        Kind::Map => node.members().count() as u64,
        Kind::Text => node.text().map_or(0, |text| text.len() as u64),
        Kind::Bytes => node.bytes().map_or(0, |bytes| bytes.len() as u64),
        _ => 0,
    }
}
