//! Matches scalar types: those that are decided without looking inside a node.

use std::cmp::Ordering;

use vac_value::{Kind, Node, check};

use crate::matcher::Matcher;
use crate::tables::{Case, Control, LiteralValue, Literals, PatternId, TypeId, TypeKind};

/// The maximum number of cases of a selector that are kept in the order of the schema.
pub(crate) const MAX_UNSORTED_CASES: usize = 16;

impl<'s> Matcher<'s, '_> {
    /// Returns whether a scalar type accepts a node. A type that has to look inside the node
    /// accepts nothing here.
    pub(crate) fn accepts(&self, id: TypeId, node: Node<'_, '_>) -> bool {
        if !self.budget.spend(1) {
            return false;
        }
        let ty = self.type_(self.resolve(id));
        match &ty.kind {
            TypeKind::Any => true,
            TypeKind::Rule(_) => unreachable!("references were followed"),
            TypeKind::Literal(value) => equals(value, node),
            TypeKind::Range { low, high, is_inclusive } => {
                is_in_range(low, high, *is_inclusive, node)
            }
            TypeKind::Choice { alternatives, literals, .. } => {
                let tried = match literals {
                    Some(literals) if literals.contains(node) => return true,
                    Some(literals) => &literals.others,
                    None => alternatives,
                };
                ty.kinds.contains(node.kind()) && tried.iter().any(|id| self.accepts(*id, node))
            }
            TypeKind::Major { major, info } => is_major(*major, *info, node),
            TypeKind::Simple(number) => self.is_simple(*number, node),
            TypeKind::Control { target, control } => {
                self.accepts(*target, node) && self.agrees(control, node)
            }
            TypeKind::Map(_) | TypeKind::Array(_) | TypeKind::Tag { .. } => false,
        }
    }

    /// Returns whether a type accepts the number of a simple value (`#7.<type>`). That of a float
    /// is the number in the head for its size.
    fn is_simple(&self, number: TypeId, node: Node<'_, '_>) -> bool {
        let accepts = |found| self.accepts_integer(number, found);
        match node.simple() {
            Some(found) => accepts(i128::from(found)),
            None if node.kind() == Kind::Float => {
                (check::float16(node) && accepts(25))
                    || (check::float32(node) && accepts(26))
                    || accepts(27)
            }
            None => false,
        }
    }

    /// Returns whether a control operator that does not depend on the content of a container
    /// accepts a node.
    pub(crate) fn agrees(&self, control: &'s Control, node: Node<'_, '_>) -> bool {
        let compares = |value: &LiteralValue, is_it: fn(Ordering) -> bool| {
            compare(node, value).is_some_and(is_it)
        };
        match control {
            Control::Size(size) => self.has_size(*size, node),
            Control::Bits(bits) => self.has_bits(*bits, node),
            Control::Regexp(pattern) => {
                let text = node.text().filter(|_| node.kind() == Kind::Text);
                text.is_some_and(|text| self.matches_pattern(*pattern, &text))
            }
            Control::And(other) => self.accepts(*other, node),
            Control::Less(value) => compares(value, Ordering::is_lt),
            Control::AtMost(value) => compares(value, Ordering::is_le),
            Control::Greater(value) => compares(value, Ordering::is_gt),
            Control::AtLeast(value) => compares(value, Ordering::is_ge),
            Control::Equal(value) => equals(value, node),
            Control::NotEqual(value) => !equals(value, node),
            Control::Not(other) => !self.accepts(*other, node) && !self.budget.is_stopped(),
            Control::Feature(name) => self.has_feature(name, node),
            Control::Abnf(grammar) => {
                let bytes = Self::string_bytes(node);
                bytes.is_some_and(|bytes| grammar.is_match(&bytes, self.budget))
            }
            Control::Cbor(_)
            | Control::Cborseq(_)
            | Control::Encoded(..)
            | Control::Base10(_)
            | Control::Printf(..)
            | Control::Json(_)
            | Control::Join(_) => false,
        }
    }

    fn matches_pattern(&self, PatternId(id): PatternId, text: &str) -> bool {
        /// The number of bytes that a regular expression matches in one step.
        const BYTES_PER_STEP: u64 = 16;
        self.budget.spend(text.len() as u64 / BYTES_PER_STEP)
            && self.patterns[id as usize].is_match(text, self.patterns.len())
    }

    /// Returns whether a type accepts the number of bytes of a string, or those that an unsigned
    /// integer needs (`.size`).
    fn has_size(&self, size: TypeId, node: Node<'_, '_>) -> bool {
        match node.kind() {
            Kind::Text => node.text().is_some_and(|text| self.accepts_length(size, text.len())),
            Kind::Bytes => node.bytes().is_some_and(|bytes| self.accepts_length(size, bytes.len())),
            Kind::Integer => {
                node.uint().is_some_and(|value| self.accepts_from(size, needed_bytes(value)))
            }
            _ => false,
        }
    }

    fn accepts_length(&self, size: TypeId, length: usize) -> bool {
        i128::try_from(length).is_ok_and(|length| self.accepts_integer(size, length))
    }

    /// Returns whether a type accepts the number of every bit that is set (`.bits`).
    fn has_bits(&self, bits: TypeId, node: Node<'_, '_>) -> bool {
        let all = |value: u64, first: i128| {
            set_bits(value).all(|bit| self.accepts_integer(bits, first + bit))
        };
        match node.bytes() {
            Some(bytes) => {
                bytes.iter().zip(0i128..).all(|(byte, at)| all(u64::from(*byte), at * 8))
            }
            None => node.uint().is_some_and(|value| all(value, 0)),
        }
    }

    /// Returns whether a type accepts an integer that is not part of a document.
    pub(crate) fn accepts_integer(&self, id: TypeId, value: i128) -> bool {
        if !self.budget.spend(1) {
            return false;
        }
        match &self.type_(self.resolve(id)).kind {
            TypeKind::Any => true,
            TypeKind::Literal(literal) => *literal == LiteralValue::Integer(value),
            TypeKind::Range {
                low: LiteralValue::Integer(low),
                high: LiteralValue::Integer(high),
                is_inclusive,
            } => *low <= value && (value < *high || (*is_inclusive && value == *high)),
            TypeKind::Choice { alternatives, .. } => {
                alternatives.iter().any(|alternative| self.accepts_integer(*alternative, value))
            }
            TypeKind::Major { major: 0, info } => {
                value >= 0 && info.is_none_or(|info| i128::from(info) == value)
            }
            TypeKind::Control { target, control } => {
                self.accepts_integer(*target, value) && self.agrees_with_integer(control, value)
            }
            _ => false,
        }
    }

    fn agrees_with_integer(&self, control: &Control, value: i128) -> bool {
        let unsigned = u64::try_from(value);
        let compares = |bound: &LiteralValue, is_it: fn(Ordering) -> bool| match bound {
            LiteralValue::Integer(bound) => is_it(value.cmp(bound)),
            LiteralValue::Float(bound) => compare_mixed(value, *bound).is_some_and(is_it),
            LiteralValue::Text(_) | LiteralValue::Bytes(_) => false,
        };
        match control {
            Control::Size(size) => {
                unsigned.is_ok_and(|value| self.accepts_from(*size, needed_bytes(value)))
            }
            Control::Bits(bits) => unsigned
                .is_ok_and(|value| set_bits(value).all(|bit| self.accepts_integer(*bits, bit))),
            Control::And(other) => self.accepts_integer(*other, value),
            Control::Less(bound) => compares(bound, Ordering::is_lt),
            Control::AtMost(bound) => compares(bound, Ordering::is_le),
            Control::Greater(bound) => compares(bound, Ordering::is_gt),
            Control::AtLeast(bound) => compares(bound, Ordering::is_ge),
            Control::Equal(other) => *other == LiteralValue::Integer(value),
            Control::NotEqual(other) => *other != LiteralValue::Integer(value),
            Control::Not(other) => {
                !self.accepts_integer(*other, value) && !self.budget.is_stopped()
            }
            Control::Feature(name) => self.features.is_enabled(name),
            Control::Regexp(_)
            | Control::Cbor(_)
            | Control::Cborseq(_)
            | Control::Encoded(..)
            | Control::Base10(_)
            | Control::Printf(..)
            | Control::Json(_)
            | Control::Join(_)
            | Control::Abnf(_) => false,
        }
    }

    /// Returns whether a type accepts some integer that is not less than `least`.
    fn accepts_from(&self, id: TypeId, least: i128) -> bool {
        /// A number of bytes that is greater than that of any integer.
        const MANY: i128 = 64;
        match &self.type_(self.resolve(id)).kind {
            TypeKind::Literal(literal) => {
                matches!(literal, LiteralValue::Integer(size) if *size >= least)
            }
            TypeKind::Range {
                low: LiteralValue::Integer(low),
                high: LiteralValue::Integer(high),
                is_inclusive,
            } => {
                let least = least.max(*low);
                least < *high || (*is_inclusive && least == *high)
            }
            TypeKind::Choice { alternatives, .. } => {
                alternatives.iter().any(|alternative| self.accepts_from(*alternative, least))
            }
            TypeKind::Major { major: 0, info: Some(info) } => i128::from(*info) >= least,
            _ => (least..=MANY).any(|size| self.accepts_integer(id, size)),
        }
    }
}

impl Literals {
    /// Returns whether a node is one of the literals.
    pub(crate) fn contains(&self, node: Node<'_, '_>) -> bool {
        match node.kind() {
            Kind::Integer => {
                node.integer().is_some_and(|integer| self.integers.binary_search(&integer).is_ok())
            }
            Kind::Text => node
                .text()
                .is_some_and(|text| self.texts.binary_search_by(|it| (**it).cmp(&*text)).is_ok()),
            _ => false,
        }
    }
}

/// Returns the case with this value. Long lists of cases are sorted.
pub(crate) fn find_case<'s>(cases: &'s [Case], node: Node<'_, '_>) -> Option<&'s Case> {
    if cases.len() <= MAX_UNSORTED_CASES {
        return cases.iter().find(|case| equals(&case.value, node));
    }
    let value = match node.kind() {
        Kind::Integer => LiteralValue::Integer(node.integer()?),
        Kind::Text => LiteralValue::Text(node.text()?.into_owned().into()),
        _ => return None,
    };
    let found = cases.binary_search_by(|case| compare_cases(&case.value, &value)).ok()?;
    Some(&cases[found])
}

/// Compares the values of two cases for sorting long lists: integers come before texts.
pub(crate) fn compare_cases(one: &LiteralValue, other: &LiteralValue) -> Ordering {
    match (one, other) {
        (LiteralValue::Integer(one), LiteralValue::Integer(other)) => one.cmp(other),
        (LiteralValue::Text(one), LiteralValue::Text(other)) => one.cmp(other),
        (LiteralValue::Integer(_), _) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// Returns whether a node is this value. Integers and floats are never equal; 0.0 equals -0.0, and
/// NaN equals NaN.
pub(crate) fn equals(value: &LiteralValue, node: Node<'_, '_>) -> bool {
    match value {
        LiteralValue::Integer(integer) => check::is_integer(node, *integer),
        LiteralValue::Float(float) => check::is_float(node, *float),
        LiteralValue::Text(text) => node.is_text(text),
        LiteralValue::Bytes(bytes) => check::is_bytes(node, bytes),
    }
}

fn is_in_range(
    low: &LiteralValue,
    high: &LiteralValue,
    is_inclusive: bool,
    node: Node<'_, '_>,
) -> bool {
    match (low, high) {
        (LiteralValue::Integer(low), LiteralValue::Integer(high)) => {
            node.integer().is_some_and(|found| {
                *low <= found && (found < *high || is_inclusive && found == *high)
            })
        }
        (LiteralValue::Float(low), LiteralValue::Float(high)) => {
            check::float_range(node, *low, *high, is_inclusive)
        }
        _ => false,
    }
}

fn compare(node: Node<'_, '_>, value: &LiteralValue) -> Option<Ordering> {
    match value {
        LiteralValue::Integer(value) => check::compare_integer(node, *value),
        LiteralValue::Float(value) => check::compare_float(node, *value),
        LiteralValue::Text(_) | LiteralValue::Bytes(_) => None,
    }
}

/// Compares an integer, whose absolute value is less than 2^65, with a float without rounding it.
#[allow(clippy::cast_possible_truncation)] // the float is whole and small by then
fn compare_mixed(integer: i128, float: f64) -> Option<Ordering> {
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

fn is_major(major: u8, info: Option<u64>, node: Node<'_, '_>) -> bool {
    let has_length = || info.is_none_or(|expected| check::length(node) == Some(expected));
    match major {
        0 => node.kind() == Kind::Integer && is_unsigned(info, node),
        1 => node.integer().is_some_and(|found| {
            found < 0 && info.is_none_or(|argument| found == -1 - i128::from(argument))
        }),
        2 => node.kind() == Kind::Bytes && has_length(),
        3 => check::text(node) && has_length(),
        4 => node.kind() == Kind::Array && has_length(),
        5 => node.kind() == Kind::Map && has_length(),
        7 => match info {
            None => check::float_or_simple(node),
            Some(25) => check::float16(node),
            Some(26) => check::float32(node),
            Some(27) => node.kind() == Kind::Float,
            Some(number) => node.simple().is_some_and(|found| u64::from(found) == number),
        },
        _ => false,
    }
}

fn is_unsigned(value: Option<u64>, node: Node<'_, '_>) -> bool {
    match value {
        None => check::uint(node),
        Some(value) => node.uint() == Some(value),
    }
}

/// Returns the number of bytes that an integer needs; zero needs none.
fn needed_bytes(value: u64) -> i128 {
    i128::from((u64::BITS - value.leading_zeros()).div_ceil(8))
}

/// Returns the numbers of the bits that are set.
fn set_bits(value: u64) -> impl Iterator<Item = i128> {
    (0..u64::BITS).filter(move |bit| value >> bit & 1 == 1).map(i128::from)
}
