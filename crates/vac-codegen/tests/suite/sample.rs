//! Generates random documents that match a schema, or nearly do.

use fastrand::Rng;
use vac_cddl::ir::{
    Control, ElementKind, Group, LiteralValue, MemberKey, Occurrence, Schema, TagNumber, Type,
    TypeKind,
};

use crate::edn::Item;

/// The depth at which containers are left empty, so that recursive types end.
const MAX_DEPTH: usize = 12;

/// Returns a document for a type. It is valid unless the type is restricted by more than one rule
/// (`.and`, a cut) or by a regular expression.
pub fn sample(schema: &Schema, ty: &Type, rng: &mut Rng) -> Item {
    Sampler { schema, rng }.item(ty, 0)
}

struct Sampler<'s, 'r> {
    schema: &'s Schema,
    rng: &'r mut Rng,
}

impl Sampler<'_, '_> {
    fn item(&mut self, ty: &Type, depth: usize) -> Item {
        match &ty.kind {
            TypeKind::Any => scalar(self.rng),
            TypeKind::Rule(id) if depth > 4 * MAX_DEPTH => {
                sample_scalar(&self.schema.rules[id.0].body.kind)
            }
            TypeKind::Rule(id) => {
                let schema = self.schema;
                self.item(&schema.rules[id.0].body, depth + 1)
            }
            TypeKind::Literal(literal) => value(&literal.value),
            TypeKind::Range { low, high, .. } => {
                let end = if self.rng.bool() { low } else { high };
                value(end)
            }
            TypeKind::Choice(alternatives) => match alternatives.as_slice() {
                [] => Item::NULL,
                alternatives => {
                    let at = self.rng.usize(..alternatives.len());
                    self.item(&alternatives[at], depth + 1)
                }
            },
            TypeKind::Map(group) => {
                let mut entries = Vec::new();
                self.group(group, depth, &mut |key, value| {
                    let key = key.unwrap_or(Item::NULL);
                    if entries.iter().all(|(other, _)| *other != key) {
                        entries.push((key, value));
                    }
                });
                Item::Map(entries)
            }
            TypeKind::Array(group) => {
                let mut items = Vec::new();
                self.group(group, depth, &mut |_, value| items.push(value));
                Item::Array(items)
            }
            TypeKind::Major { major, info } => self.major(*major, *info),
            TypeKind::Simple(numbers) => match self.item(numbers, depth + 1) {
                Item::Integer(number @ 0..=23) => Item::Simple(number.try_into().expect("small")),
                _ => Item::Simple(99),
            },
            TypeKind::Tag { number, content } => {
                let number = match number {
                    TagNumber::Any => 99,
                    TagNumber::One(number) => *number,
                    TagNumber::Of(numbers) => match self.item(numbers, depth + 1) {
                        Item::Integer(number) => u64::try_from(number).unwrap_or(0),
                        _ => 0,
                    },
                };
                let content = match number {
                    // Smaller integers are written without a tag.
                    2 | 3 => Item::Bytes(vec![3; 9]),
                    _ => self.item(content, depth + 1),
                };
                Item::Tag(number, Box::new(content))
            }
            TypeKind::Control { target, control } => self.controlled(target, control, depth + 1),
        }
    }

    fn group(&mut self, group: &Group, depth: usize, add: &mut dyn FnMut(Option<Item>, Item)) {
        if group.choices.is_empty() {
            return;
        }
        let at = self.rng.usize(..group.choices.len());
        for element in &group.choices[at] {
            let Occurrence { min, max } = element.occurrence;
            let extra = if depth > MAX_DEPTH { 0 } else { self.rng.u64(..3) };
            let count = min.min(6).saturating_add(extra).min(max.unwrap_or(u64::MAX));
            for _ in 0..count {
                match &element.kind {
                    ElementKind::Group { group, .. } => self.group(group, depth + 1, add),
                    ElementKind::Member(member) => {
                        let key = match &member.key {
                            None => None,
                            Some(MemberKey::Literal(literal)) => Some(value(&literal.value)),
                            Some(MemberKey::Type(key)) => Some(self.item(key, depth + 1)),
                        };
                        add(key, self.item(&member.value, depth + 1));
                    }
                }
            }
        }
    }

    fn major(&mut self, major: u8, info: Option<u64>) -> Item {
        match (major, info) {
            (0, Some(number)) => Item::Integer(number.into()),
            (0, None) => Item::Integer(self.rng.u16(..).into()),
            (1, Some(number)) => Item::Integer(-1 - i128::from(number)),
            (1, None) => Item::Integer(-1 - i128::from(self.rng.u16(..))),
            (2, length) => Item::Bytes(vec![1; small(length)]),
            (3, length) => Item::Text("x".repeat(small(length))),
            (4, length) => Item::Array(vec![Item::Integer(1); small(length)]),
            (5, length) => Item::Map(
                (0..small(length)).map(|at| (Item::Integer(at as i128), Item::NULL)).collect(),
            ),
            (_, Some(25..=27)) => Item::Float(f64::from(self.rng.u8(..)) / 2.0),
            (_, Some(number)) => Item::Simple(u8::try_from(number).unwrap_or(99)),
            (_, None) => Item::Simple([20, 21, 22, 23, 99][self.rng.usize(..5)]),
        }
    }

    fn controlled(&mut self, target: &Type, control: &Control, depth: usize) -> Item {
        match control {
            Control::Size(sizes) => {
                let size = match self.item(sizes, depth) {
                    Item::Integer(size) => usize::try_from(size.clamp(0, 64)).expect("small"),
                    _ => 1,
                };
                match self.item(target, depth) {
                    Item::Bytes(_) => Item::Bytes(vec![7; size]),
                    Item::Text(_) => Item::Text("t".repeat(size)),
                    Item::Integer(_) if size > 0 => Item::Integer(self.rng.u8(..).into()),
                    item => item,
                }
            }
            Control::Bits(_) => match self.item(target, depth) {
                Item::Bytes(_) => Item::Bytes(vec![self.rng.u8(..) & 3]),
                _ => Item::Integer(i128::from(self.rng.u8(..) & 7)),
            },
            Control::Regexp(_) => {
                let texts = ["", "a", "abc", "7", "2026-01-02T03:04:05Z", "a@b.example", "#abcdef"];
                Item::Text(texts[self.rng.usize(..texts.len())].to_owned())
            }
            Control::Cbor(inside) => Item::Bytes(self.item(inside, depth).to_cbor()),
            Control::Cborseq(inside) => match self.item(inside, depth) {
                Item::Array(items) => Item::Bytes(items.iter().flat_map(Item::to_cbor).collect()),
                item => item,
            },
            Control::Within(other) | Control::And(other) if self.rng.bool() => {
                self.item(other, depth)
            }
            Control::Lt(bound) | Control::Ne(bound) => shift_bound(bound, -1),
            Control::Gt(bound) => shift_bound(bound, 1),
            Control::Le(bound) | Control::Ge(bound) | Control::Eq(bound) => value(bound),
            // Operators whose effect cannot be sampled give documents that are often invalid.
            _ => self.item(target, depth),
        }
    }
}

fn small(length: Option<u64>) -> usize {
    usize::try_from(length.unwrap_or(2).min(40)).expect("small")
}

fn shift_bound(bound: &LiteralValue, by: i8) -> Item {
    match bound {
        LiteralValue::Integer(integer) => Item::Integer(integer + i128::from(by)),
        LiteralValue::Float(float) => Item::Float(float + f64::from(by)),
        other => value(other),
    }
}

fn value(value: &LiteralValue) -> Item {
    match value {
        LiteralValue::Integer(integer) => Item::Integer(*integer),
        LiteralValue::Float(float) => Item::Float(*float),
        LiteralValue::Text(text) => Item::Text(text.clone()),
        LiteralValue::Bytes(bytes) => Item::Bytes(bytes.clone()),
    }
}

/// Returns the smallest value of the kind of a type.
fn sample_scalar(kind: &TypeKind) -> Item {
    match kind {
        TypeKind::Map(_) => Item::Map(Vec::new()),
        TypeKind::Array(_) => Item::Array(Vec::new()),
        _ => Item::NULL,
    }
}

fn scalar(rng: &mut Rng) -> Item {
    match rng.u8(..12) {
        0 => Item::Integer(rng.u8(..).into()),
        1 => Item::Integer(-1 - i128::from(rng.u8(..))),
        2 => Item::Integer(u64::MAX.into()),
        3 => Item::Float(1.5),
        4 => Item::Text("x".to_owned()),
        5 => Item::Bytes(vec![0xff]),
        6 => Item::NULL,
        7 => Item::Simple(if rng.bool() { 20 } else { 21 }),
        8 => Item::Array(vec![Item::Integer(1)]),
        9 => Item::Map(vec![(Item::Text("k".to_owned()), Item::Integer(1))]),
        10 => Item::Tag(rng.u64(..40), Box::new(Item::Bytes(vec![3; 9]))),
        _ => Item::UNDEFINED,
    }
}

/// Changes one item of a document.
pub fn mutate(item: &mut Item, rng: &mut Rng) {
    let count = rng.usize(..size(item));
    let mut left = count;
    change_nth(item, &mut left, rng);
}

fn size(item: &Item) -> usize {
    1 + match item {
        Item::Array(items) => items.iter().map(size).sum(),
        Item::Map(entries) => entries.iter().map(|(key, value)| size(key) + size(value)).sum(),
        Item::Tag(2 | 3, _) => 0,
        Item::Tag(_, content) => size(content),
        _ => 0,
    }
}

fn change_nth(item: &mut Item, left: &mut usize, rng: &mut Rng) -> bool {
    if *left == 0 {
        change(item, rng);
        return true;
    }
    *left -= 1;
    match item {
        Item::Array(items) => items.iter_mut().any(|item| change_nth(item, left, rng)),
        Item::Map(entries) => entries
            .iter_mut()
            .any(|(key, value)| change_nth(key, left, rng) || change_nth(value, left, rng)),
        Item::Tag(2 | 3, _) => false,
        Item::Tag(_, content) => change_nth(content, left, rng),
        _ => false,
    }
}

fn change(item: &mut Item, rng: &mut Rng) {
    match item {
        Item::Array(items) if !items.is_empty() && rng.u8(..4) > 0 => {
            let at = rng.usize(..items.len());
            match rng.u8(..3) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => items.insert(at, scalar(rng)),
            }
        }
        Item::Map(entries) if rng.u8(..4) > 0 => {
            if !entries.is_empty() && rng.bool() {
                entries.remove(rng.usize(..entries.len()));
            } else {
                entries.push((Item::Text("new".to_owned()), scalar(rng)));
            }
        }
        Item::Integer(integer) if rng.bool() && integer.unsigned_abs() < 1 << 60 => {
            *integer += if rng.bool() { 1 } else { -1 };
        }
        Item::Text(text) if rng.bool() => text.push('x'),
        Item::Bytes(bytes) if rng.bool() && !bytes.is_empty() => {
            let at = rng.usize(..bytes.len());
            bytes[at] ^= 1;
        }
        Item::Tag(number, _) if rng.bool() => *number += 1,
        _ => *item = scalar(rng),
    }
}
