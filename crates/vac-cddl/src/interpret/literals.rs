//! Choices between many literals, looked up instead of tried one after the other.

use std::collections::{HashMap, HashSet};

use vac_value::Node;

use crate::ir::{Schema, Type, TypeKind, Value};

use super::patterns::types;

/// Choices with fewer alternatives are tried.
const MANY: usize = 8;

/// The choices of a schema that have many alternatives, by address.
#[derive(Debug, Default)]
pub(super) struct LongChoices<'s> {
    by_address: HashMap<usize, LongChoice<'s>>,
}

/// A choice with many alternatives.
#[derive(Debug, Default)]
pub(super) struct LongChoice<'s> {
    texts: HashSet<&'s str>,
    integers: HashSet<i128>,
    bytes: HashSet<&'s [u8]>,
    floats: HashSet<u64>,
    /// The alternatives that are not literals.
    pub others: Vec<&'s Type>,
}

impl<'s> LongChoices<'s> {
    pub fn new(schema: &'s Schema, resolve: impl Fn(&'s Type) -> &'s Type) -> Self {
        let mut by_address = HashMap::new();
        for ty in types(schema) {
            let TypeKind::Choice(alternatives) = &ty.kind else { continue };
            if alternatives.len() < MANY {
                continue;
            }
            let mut choice = LongChoice::default();
            for alternative in alternatives {
                match &resolve(alternative).kind {
                    TypeKind::Literal(literal) => choice.add(&literal.value),
                    _ => choice.others.push(alternative),
                }
            }
            by_address.insert(address(alternatives), choice);
        }
        Self { by_address }
    }

    /// The choice with these alternatives, if they are many.
    pub fn get(&self, alternatives: &[Type]) -> Option<&LongChoice<'s>> {
        if alternatives.len() < MANY {
            return None;
        }
        self.by_address.get(&address(alternatives))
    }
}

impl<'s> LongChoice<'s> {
    fn add(&mut self, value: &'s Value) {
        match value {
            Value::Integer(integer) => self.integers.insert(*integer),
            Value::Float(float) => self.floats.insert(bits(*float)),
            Value::Text(text) => self.texts.insert(text),
            Value::Bytes(bytes) => self.bytes.insert(bytes),
        };
    }

    /// Whether a node is one of the literals.
    pub fn contains(&self, node: Node<'_, '_>) -> bool {
        if let Some(integer) = node.integer() {
            self.integers.contains(&integer)
        } else if let Some(text) = node.text() {
            self.texts.contains(&*text)
        } else if let Some(bytes) = node.bytes() {
            self.bytes.contains(&*bytes)
        } else {
            node.float().is_some_and(|float| self.floats.contains(&bits(float)))
        }
    }
}

/// The same for floats that are the same literal: zero has one sign, and NaN is itself.
fn bits(float: f64) -> u64 {
    if float == 0.0 {
        0
    } else if float.is_nan() {
        f64::NAN.to_bits()
    } else {
        float.to_bits()
    }
}

fn address(alternatives: &[Type]) -> usize {
    alternatives.as_ptr().addr()
}
