//! What a scalar can be asked: the predicates that generated decoders and
//! validators are made of. Each is false for nodes of another kind.

use std::cmp::Ordering;

use crate::document::{Kind, Node};
use crate::pattern::Pattern;

/// Text that is Unicode text.
#[inline]
pub fn text(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Text && !node.has_lone_surrogate()
}

/// A byte string.
#[inline]
pub fn bytes(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Bytes
}

/// An integer of 0 to 2^64 - 1.
#[inline]
pub fn uint(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Integer && !is_negative(node)
}

/// An integer of -2^64 to -1.
pub fn nint(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Integer && is_negative(node)
}

fn is_negative(node: Node<'_, '_>) -> bool {
    node.integer().is_some_and(|value| value < 0)
}

/// An integer of -2^64 to 2^64 - 1.
pub fn int(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Integer
}

/// A non-negative integer beyond 64 bits: tag 2, or such a token in JSON.
pub fn biguint(node: Node<'_, '_>) -> bool {
    bignum(node, 2, false)
}

/// A negative integer beyond 64 bits: tag 3, or such a token in JSON.
pub fn bignint(node: Node<'_, '_>) -> bool {
    bignum(node, 3, true)
}

fn bignum(node: Node<'_, '_>, tag: u64, negative: bool) -> bool {
    match node.kind() {
        Kind::BigInteger => node.raw().starts_with(b"-") == negative,
        _ => node.tag().is_some_and(|(number, content)| number == tag && bytes(content)),
    }
}

/// A float of any width.
pub fn float(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Float
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

/// `true` or `false`.
pub fn bool(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Bool
}

/// The simple value of a number: 20 is `false`, 21 `true`, 22 `null`, 23
/// `undefined`.
pub fn simple(node: Node<'_, '_>, number: u8) -> bool {
    node.simple() == Some(number)
}

/// Anything of major type 7: floats and simple values.
pub fn float_or_simple(node: Node<'_, '_>) -> bool {
    float(node) || node.simple().is_some()
}

/// This text.
#[inline]
pub fn is_text(node: Node<'_, '_>, value: &str) -> bool {
    node.is_text(value)
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

/// An integer between two, both included.
pub fn integer_range(node: Node<'_, '_>, low: i128, high: i128) -> bool {
    node.integer().is_some_and(|value| (low..=high).contains(&value))
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

/// `.size`: a string of so many bytes, or an unsigned integer that fits in so
/// many.
pub fn size(node: Node<'_, '_>, least: u64, most: u64) -> bool {
    let length = match node.kind() {
        Kind::Text => node.text().map(|text| text.len()),
        Kind::Bytes => node.bytes().map(|bytes| bytes.len()),
        _ => {
            let limit =
                u32::try_from(most.saturating_mul(8)).ok().and_then(|bits| 1u128.checked_shl(bits));
            return node
                .uint()
                .is_some_and(|value| limit.is_none_or(|limit| u128::from(value) < limit));
        }
    };
    length.is_some_and(|length| (least..=most).contains(&(length as u64)))
}

/// `.bits`: the set bits of a byte string or unsigned integer are all allowed.
pub fn bits(node: Node<'_, '_>, allowed: impl Fn(u64) -> bool) -> bool {
    let all = |bytes: &[u8]| {
        bytes
            .iter()
            .zip(0u64..)
            .all(|(byte, at)| (0..8).all(|bit| byte >> bit & 1 == 0 || allowed(at * 8 + bit)))
    };
    match node.uint() {
        Some(value) => all(&value.to_le_bytes()),
        None => node.bytes().is_some_and(|bytes| all(&bytes)),
    }
}

/// `.regexp`: text that an anchored pattern matches.
pub fn regexp(node: Node<'_, '_>, pattern: &Pattern) -> bool {
    node.text().is_some_and(|text| pattern.is_match(&text))
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
