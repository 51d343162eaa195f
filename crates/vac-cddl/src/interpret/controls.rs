//! Control operators.

use std::cmp::Ordering;

use vac_value::{Kind, Node};

use crate::ir::{Control, Type, TypeKind, Value};

use super::judge::{Carrier, Judge};
use super::reach::{Verdict, hit};
use super::values::{self, compare, equals};

impl<'s> Judge<'_, 's> {
    pub fn control(
        &mut self,
        target: &'s Type,
        control: &'s Control,
        node: Node<'_, '_>,
    ) -> Verdict {
        self.check(target, node)?;
        match control {
            Control::Cbor(inner) => self.embedded(inner, node, Carrier::Item),
            Control::Cborseq(inner) => self.embedded(inner, node, Carrier::Sequence),
            Control::Within(other) | Control::And(other) => self.check(other, node),
            scalar => hit(self.is_within(scalar, node), node),
        }
    }

    fn is_within(&mut self, control: &'s Control, node: Node<'_, '_>) -> bool {
        match control {
            Control::Size(size) => self.has_size(size, node),
            Control::Bits(bits) => self.has_bits(bits, node),
            Control::Regexp(pattern) => self.is_match(pattern, node),
            Control::Lt(value) => compare(node, value).is_some_and(Ordering::is_lt),
            Control::Le(value) => compare(node, value).is_some_and(Ordering::is_le),
            Control::Gt(value) => compare(node, value).is_some_and(Ordering::is_gt),
            Control::Ge(value) => compare(node, value).is_some_and(Ordering::is_ge),
            Control::Eq(value) => equals(value, node),
            Control::Ne(value) => !equals(value, node),
            Control::Default(_) | Control::Feature(_) => true,
            Control::Cbor(_) | Control::Cborseq(_) | Control::Within(_) | Control::And(_) => false,
        }
    }

    fn has_size(&mut self, size: &'s Type, node: Node<'_, '_>) -> bool {
        match node.kind() {
            Kind::Text if values::is_text(node) => {
                self.takes_length(size, values::length_of_text(node))
            }
            Kind::Bytes => self.takes_length(size, values::length_of_bytes(node)),
            Kind::Integer => {
                node.uint().is_some_and(|value| self.takes_from(size, least_bytes(value)))
            }
            _ => false,
        }
    }

    fn takes_length(&mut self, size: &'s Type, length: usize) -> bool {
        i128::try_from(length).is_ok_and(|length| self.takes_integer(size, length))
    }

    fn has_bits(&mut self, bits: &'s Type, node: Node<'_, '_>) -> bool {
        if let Some(bytes) = node.bytes() {
            return bytes.iter().zip(0i128..).all(|(byte, at)| {
                set_bits(u64::from(*byte)).all(|bit| self.takes_integer(bits, at * 8 + bit))
            });
        }
        node.uint().is_some_and(|value| set_bits(value).all(|bit| self.takes_integer(bits, bit)))
    }

    /// Whether a type matches an integer that no document holds.
    pub fn takes_integer(&mut self, ty: &'s Type, value: i128) -> bool {
        if !self.budget.enter() {
            return false;
        }
        let takes = self.takes_integer_within_budget(ty, value);
        self.budget.leave();
        takes
    }

    fn takes_integer_within_budget(&mut self, ty: &'s Type, value: i128) -> bool {
        match &self.resolve(ty).kind {
            TypeKind::Any => true,
            TypeKind::Literal(literal) => literal.value == Value::Integer(value),
            TypeKind::Range { low: Value::Integer(low), high: Value::Integer(high), inclusive } => {
                values::integer_in_range(*low, *high, *inclusive, value)
            }
            TypeKind::Choice(alternatives) => {
                alternatives.iter().any(|alternative| self.takes_integer(alternative, value))
            }
            TypeKind::Major { major: 0, info } => {
                value >= 0 && info.is_none_or(|info| i128::from(info) == value)
            }
            TypeKind::Control { target, control } => {
                self.takes_integer(target, value) && self.control_takes_integer(control, value)
            }
            _ => false,
        }
    }

    fn control_takes_integer(&mut self, control: &'s Control, value: i128) -> bool {
        let unsigned = u64::try_from(value);
        match control {
            Control::Size(size) => {
                unsigned.is_ok_and(|value| self.takes_from(size, least_bytes(value)))
            }
            Control::Bits(bits) => {
                unsigned.is_ok_and(|value| set_bits(value).all(|bit| self.takes_integer(bits, bit)))
            }
            Control::Within(other) | Control::And(other) => self.takes_integer(other, value),
            Control::Lt(bound) => order(value, bound).is_some_and(Ordering::is_lt),
            Control::Le(bound) => order(value, bound).is_some_and(Ordering::is_le),
            Control::Gt(bound) => order(value, bound).is_some_and(Ordering::is_gt),
            Control::Ge(bound) => order(value, bound).is_some_and(Ordering::is_ge),
            Control::Eq(other) => *other == Value::Integer(value),
            Control::Ne(other) => *other != Value::Integer(value),
            Control::Default(_) | Control::Feature(_) => true,
            Control::Regexp(_) | Control::Cbor(_) | Control::Cborseq(_) => false,
        }
    }

    /// Whether a type matches some integer that is not less than `least`.
    fn takes_from(&mut self, ty: &'s Type, least: i128) -> bool {
        /// More bytes than any integer has.
        const MANY: i128 = 64;
        if !self.budget.enter() {
            return false;
        }
        let takes = match &self.resolve(ty).kind {
            TypeKind::Literal(literal) => {
                matches!(literal.value, Value::Integer(size) if size >= least)
            }
            TypeKind::Range { low: Value::Integer(low), high: Value::Integer(high), inclusive } => {
                values::integer_in_range(*low, *high, *inclusive, least.max(*low))
            }
            TypeKind::Choice(alternatives) => {
                alternatives.iter().any(|alternative| self.takes_from(alternative, least))
            }
            TypeKind::Major { major: 0, info: Some(info) } => i128::from(*info) >= least,
            _ => (least..=MANY).any(|size| self.takes_integer(ty, size)),
        };
        self.budget.leave();
        takes
    }
}

/// How many bytes an integer takes; zero takes none.
fn least_bytes(value: u64) -> i128 {
    i128::from((u64::BITS - value.leading_zeros()).div_ceil(8))
}

/// The numbers of the bits that are set.
fn set_bits(value: u64) -> impl Iterator<Item = i128> {
    (0..u64::BITS).filter(move |bit| value >> bit & 1 == 1).map(i128::from)
}

fn order(value: i128, bound: &Value) -> Option<Ordering> {
    match bound {
        Value::Integer(bound) => Some(value.cmp(bound)),
        Value::Float(bound) => values::compare_mixed(value, *bound),
        Value::Text(_) | Value::Bytes(_) => None,
    }
}
