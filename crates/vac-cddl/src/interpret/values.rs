//! Scalars: what a single value, a range or a major type says about a node.

use std::cmp::Ordering;

use vac_value::{Kind, Node};

use crate::ir::Value;

/// Whether a node is this value. Integers and floats are never equal; zero has
/// one sign, and NaN is itself.
pub(super) fn equals(value: &Value, node: Node<'_, '_>) -> bool {
    match value {
        Value::Integer(integer) => node.integer() == Some(*integer),
        Value::Float(float) => node.float().is_some_and(|found| same_float(*float, found)),
        Value::Text(text) => node.is_text(text),
        Value::Bytes(bytes) => node.bytes().is_some_and(|found| *found == **bytes),
    }
}

#[allow(clippy::float_cmp)] // exactly this value is meant
fn same_float(one: f64, other: f64) -> bool {
    one == other || (one.is_nan() && other.is_nan())
}

pub(super) fn in_range(low: &Value, high: &Value, inclusive: bool, node: Node<'_, '_>) -> bool {
    match (low, high) {
        (Value::Integer(low), Value::Integer(high)) => {
            node.integer().is_some_and(|found| integer_in_range(*low, *high, inclusive, found))
        }
        (Value::Float(low), Value::Float(high)) => node
            .float()
            .is_some_and(|found| *low <= found && (found < *high || (inclusive && found <= *high))),
        _ => false,
    }
}

pub(super) fn integer_in_range(low: i128, high: i128, inclusive: bool, found: i128) -> bool {
    low <= found && (found < high || (inclusive && found == high))
}

/// How a number compares to a value; `None` if either is no number, or NaN.
pub(super) fn compare(node: Node<'_, '_>, value: &Value) -> Option<Ordering> {
    match (node.integer(), node.float(), value) {
        (Some(found), _, Value::Integer(value)) => Some(found.cmp(value)),
        (Some(found), _, Value::Float(value)) => compare_mixed(found, *value),
        (_, Some(found), Value::Integer(value)) => {
            compare_mixed(*value, found).map(Ordering::reverse)
        }
        (_, Some(found), Value::Float(value)) => found.partial_cmp(value),
        _ => None,
    }
}

/// Compares without rounding the integer, which is less than 2^65 away from 0.
#[allow(clippy::cast_possible_truncation)] // the float is whole and small by then
pub(super) fn compare_mixed(integer: i128, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 36_893_488_147_419_103_232.0; // 2^65
    if float.is_nan() {
        return None;
    }
    if float.abs() >= BEYOND {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = float.floor();
    let by_whole = integer.cmp(&(whole as i128));
    Some(if by_whole == Ordering::Equal && float > whole { Ordering::Less } else { by_whole })
}

/// Whether a node is of a major type (`#major`, `#major.info`).
pub(super) fn is_major(major: u8, info: Option<u64>, node: Node<'_, '_>) -> bool {
    match major {
        0 => is_unsigned(info, node),
        1 => is_negative(info, node),
        2 => node.kind() == Kind::Bytes && has_length(info, || length_of_bytes(node)),
        3 => is_text(node) && has_length(info, || length_of_text(node)),
        4 => node.kind() == Kind::Array && has_length(info, || node.elements().count()),
        5 => node.kind() == Kind::Map && has_length(info, || node.members().count()),
        7 => is_simple_or_float(info, node),
        _ => false,
    }
}

/// Text with a lone surrogate is not text of CDDL.
pub(super) fn is_text(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Text && !node.has_lone_surrogate()
}

fn is_unsigned(value: Option<u64>, node: Node<'_, '_>) -> bool {
    node.uint().is_some_and(|found| value.is_none_or(|value| value == found))
}

fn is_negative(argument: Option<u64>, node: Node<'_, '_>) -> bool {
    node.integer().is_some_and(|found| {
        found < 0 && argument.is_none_or(|argument| found == -1 - i128::from(argument))
    })
}

fn has_length(info: Option<u64>, length: impl FnOnce() -> usize) -> bool {
    info.is_none_or(|expected| u64::try_from(length()) == Ok(expected))
}

pub(super) fn length_of_bytes(node: Node<'_, '_>) -> usize {
    node.bytes().map_or(0, |bytes| bytes.len())
}

/// Bytes of UTF-8.
pub(super) fn length_of_text(node: Node<'_, '_>) -> usize {
    node.text().map_or(0, |text| text.len())
}

fn is_simple_or_float(info: Option<u64>, node: Node<'_, '_>) -> bool {
    match info {
        None => node.kind() == Kind::Float || node.simple().is_some(),
        Some(25) => node.float().is_some_and(fits_half),
        Some(26) => node.float().is_some_and(fits_single),
        Some(27) => node.kind() == Kind::Float,
        Some(number) => node.simple().is_some_and(|found| u64::from(found) == number),
    }
}

#[allow(clippy::cast_possible_truncation)] // whether it is lossless is the question
fn fits_single(float: f64) -> bool {
    same_float(f64::from(float as f32), float)
}

/// Half precision: eleven significant bits, from 2^-24 up to below 2^16.
fn fits_half(float: f64) -> bool {
    const FRACTION_BITS: i32 = 52;
    const BIAS: i32 = 1023;
    if float == 0.0 || !float.is_finite() {
        return true;
    }
    let bits = float.to_bits();
    let exponent = i32::try_from((bits >> FRACTION_BITS) & 0x7ff).unwrap_or(0) - BIAS;
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let used =
        if fraction == 0 { 0 } else { FRACTION_BITS - fraction.trailing_zeros().cast_signed() };
    exponent <= 15 && used <= 10 && exponent - used >= -24
}
