//! Predicates over scalars, for matchers. Each returns false for nodes of another kind.

use std::cmp::Ordering;

use crate::document::Kind;
use crate::node::Node;

/// Returns whether a node is Unicode text.
#[inline]
pub fn text(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Text && !node.has_lone_surrogate()
}

/// Returns whether a node is an integer of 0 to 2^64 - 1.
#[inline]
pub fn uint(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Integer && !is_negative(node)
}

fn is_negative(node: Node<'_, '_>) -> bool {
    node.integer().is_some_and(|value| value < 0)
}

/// Returns whether a node is a float that half precision can represent.
pub fn float16(node: Node<'_, '_>) -> bool {
    node.float().is_some_and(|value| value.is_nan() || crate::cbor::double_to_half(value).is_some())
}

/// Returns whether a node is a float that single precision can represent.
pub fn float32(node: Node<'_, '_>) -> bool {
    node.float()
        .is_some_and(|value| value.is_nan() || crate::cbor::double_to_single(value).is_some())
}

/// Returns whether a node is a float or a simple value (major type 7).
pub fn float_or_simple(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Float || node.simple().is_some()
}

/// Returns whether a node is a byte string with this content.
pub fn is_bytes(node: Node<'_, '_>, value: &[u8]) -> bool {
    node.bytes().is_some_and(|bytes| *bytes == *value)
}

/// Returns whether a node is this integer.
pub fn is_integer(node: Node<'_, '_>, value: i128) -> bool {
    node.integer() == Some(value)
}

/// Returns whether a node is this float. All NaNs are equal, and so are `0.0` and `-0.0`.
#[allow(clippy::float_cmp)] // a literal is compared exactly
pub fn is_float(node: Node<'_, '_>, value: f64) -> bool {
    node.float().is_some_and(|found| found == value || (found.is_nan() && value.is_nan()))
}

/// Returns whether a node is a float between two others. `inclusive` states whether `high` is part
/// of the range.
pub fn float_range(node: Node<'_, '_>, low: f64, high: f64, inclusive: bool) -> bool {
    node.float().is_some_and(|value| low <= value && (value < high || (inclusive && value <= high)))
}

/// Compares a number to an integer. `None` for other kinds and for NaN.
pub fn compare_integer(node: Node<'_, '_>, to: i128) -> Option<Ordering> {
    match node.integer() {
        Some(value) => Some(value.cmp(&to)),
        None => float_to_integer(node.float()?, to),
    }
}

/// Compares a number to a float. `None` for other kinds and for NaN.
pub fn compare_float(node: Node<'_, '_>, to: f64) -> Option<Ordering> {
    match node.integer() {
        Some(value) => float_to_integer(to, value).map(Ordering::reverse),
        None => node.float()?.partial_cmp(&to),
    }
}

/// Compares a float to an integer without rounding.
#[allow(clippy::cast_possible_truncation)] // a saturated value compares correctly
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

/// Returns the CBOR sequence in a byte string as an array of indefinite length.
pub fn sequence_as_array(bytes: &[u8]) -> Vec<u8> {
    let mut array = Vec::with_capacity(bytes.len() + 2);
    array.push(0x9f);
    array.extend_from_slice(bytes);
    array.push(0xff);
    array
}

/// Returns the number of elements, members or bytes. `None` for other scalars, and for text with
/// a lone surrogate, which has no UTF-8 form.
pub fn length(node: Node<'_, '_>) -> Option<u64> {
    match node.kind() {
        Kind::Array => Some(node.elements().count() as u64),
        Kind::Map => Some(node.members().count() as u64),
        Kind::Text => node.text().map(|text| text.len() as u64),
        Kind::Bytes => node.bytes().map(|bytes| bytes.len() as u64),
        _ => None,
    }
}
