//! Choices become enums.

use vac_cddl::ir::{Literal, TagNumber, Type, TypeKind, Value};

use super::build::Builder;
use super::{Body, Content, Enum, Guard, Scalar, Shape, Variant};
use crate::analysis::{alternatives, discriminator, kinds, literals, prelude_name, rule};
use crate::describe;
use crate::names::{Names, camel_case};
use crate::scalar::predicate;

impl<'s> Builder<'s> {
    /// Nothing but literals: an enum without content.
    pub fn literal_choice(&mut self, ty: &'s Type, name: &str, slot: Option<usize>) -> Shape {
        let mut names = Names::default();
        let mut variants = Vec::new();
        for literal in literals(self.schema, ty).unwrap_or_default() {
            variants.push(Variant {
                name: names.type_name(&literal_name(literal)),
                docs: vec![format!("`{}`", describe::value(&literal.value))],
                content: self.literal_content(literal, ty),
            });
        }
        let expected = describe::expected(self.schema, ty);
        let body = Body::Enum(Enum { variants, select: None, of_sequences: false, expected });
        Shape::Item(self.item(name, slot, body))
    }

    fn literal_content(&mut self, literal: &Literal, near: &Type) -> Content {
        let ty = Type { kind: TypeKind::Literal(literal.clone()), location: near.location.clone() };
        let predicate = predicate(self.schema, &ty, &mut self.patterns).unwrap_or_default();
        Content::Literal(literal.value.clone(), predicate)
    }

    /// Any other choice.
    pub fn choice(
        &mut self,
        ty: &'s Type,
        choices: &'s [Type],
        name: &str,
        slot: Option<usize>,
    ) -> Shape {
        let is_null = |ty: &&Type| matches!(prelude_name(self.schema, ty), Some("null" | "nil"));
        let (nulls, others): (Vec<&Type>, Vec<&Type>) = choices.iter().partition(is_null);
        match (nulls.len(), others.as_slice()) {
            (1.., [only]) => {
                let value = self.shape(only, name, None);
                Shape::Nullable(Box::new(value))
            }
            (1.., [_, ..]) => {
                let value = self.enumeration(ty, &others, &format!("{name}-value"), None);
                Shape::Nullable(Box::new(value))
            }
            (0, [_, ..]) => self.enumeration(ty, &others, name, slot),
            (_, []) => Shape::Scalar(Scalar::Any, self.guard(ty)),
        }
    }

    fn enumeration(
        &mut self,
        ty: &'s Type,
        choices: &[&'s Type],
        name: &str,
        slot: Option<usize>,
    ) -> Shape {
        let mut parts: Vec<(String, &'s Type, Content)> = Vec::new();
        for choice in choices {
            // A socket that nobody has plugged can be left out.
            if kinds(self.schema, choice).is_empty() {
                continue;
            }
            let title = self.variant_name(choice);
            let content = match &choice.kind {
                TypeKind::Literal(literal) => self.literal_content(literal, choice),
                _ => {
                    let shape = self.shape(choice, &format!("{name}-{title}"), None);
                    Content::Value(shape, kinds(self.schema, choice))
                }
            };
            if !merge(&mut parts, &content) {
                parts.push((title, choice, content));
            }
        }
        if parts.is_empty() {
            return Shape::Scalar(Scalar::Any, self.guard(ty));
        }
        if parts.len() == 1
            && matches!(parts[0].2, Content::Value(Shape::Scalar(..), _))
            && let Some((_, _, Content::Value(shape, _))) = parts.pop()
        {
            return shape;
        }
        let flat = alternatives(self.schema, ty);
        let select = match discriminator(self.schema, &flat) {
            Some(found) if flat.len() == parts.len() => {
                let values =
                    found.values.iter().map(|values| values.iter().copied().cloned().collect());
                Some((found.key.clone(), values.collect()))
            }
            _ => None,
        };
        let mut names = Names::default();
        let titles = without_common_suffix(parts.iter().map(|(title, ..)| title.as_str()), name);
        let variants = parts
            .into_iter()
            .zip(titles)
            .map(|((_, choice, content), title)| Variant {
                name: names.type_name(&title),
                docs: vec![format!("`{}`", describe::expected(self.schema, choice))],
                content,
            })
            .collect();
        let expected = describe::expected(self.schema, ty);
        let body = Body::Enum(Enum { variants, select, of_sequences: false, expected });
        Shape::Item(self.item(name, slot, body))
    }

    fn variant_name(&self, ty: &Type) -> String {
        match prelude_name(self.schema, ty) {
            Some("tstr") => return "text".to_owned(),
            Some("bstr") => return "bytes".to_owned(),
            _ => {}
        }
        match &ty.kind {
            TypeKind::Rule(id) => rule(self.schema, *id).name.clone(),
            TypeKind::Literal(literal) => literal_name(literal),
            TypeKind::Tag { number: TagNumber::One(number), .. } => format!("tag-{number}"),
            TypeKind::Map(_) => "map".to_owned(),
            TypeKind::Array(_) => "array".to_owned(),
            TypeKind::Any => "any".to_owned(),
            TypeKind::Range { .. } => "range".to_owned(),
            TypeKind::Control { target, .. } => self.variant_name(target),
            TypeKind::Tag { .. }
            | TypeKind::Simple(_)
            | TypeKind::Choice(_)
            | TypeKind::Major { .. } => "other".to_owned(),
        }
    }
}

/// Two scalars of one Rust type are one variant; what either accepts fits.
fn merge(parts: &mut [(String, &Type, Content)], content: &Content) -> bool {
    let Content::Value(Shape::Scalar(scalar, guard), kinds) = content else { return false };
    for (_, _, part) in parts {
        if let Content::Value(Shape::Scalar(other, other_guard), other_kinds) = part
            && other == scalar
        {
            *other_guard = match (other_guard.take(), guard) {
                (Some(one), Some(two)) => {
                    let (first, second) = (one.predicate, &two.predicate);
                    Some(Guard {
                        predicate: quote::quote!((#first || #second)),
                        expected: format!("{} or {}", one.expected, two.expected),
                    })
                }
                _ => None,
            };
            other_kinds.extend(kinds);
            other_kinds.sort_unstable();
            other_kinds.dedup();
            return true;
        }
    }
    false
}

/// What to call a literal: by its name, its text, or its number.
pub(super) fn literal_name(literal: &Literal) -> String {
    match (&literal.name, &literal.value) {
        (Some(name), _) => name.clone(),
        (None, Value::Text(text)) if text.chars().any(|c| c.is_ascii_alphanumeric()) => {
            text.clone()
        }
        (None, Value::Text(_)) => "text".to_owned(),
        (None, Value::Integer(integer)) if *integer < 0 => {
            format!("minus-{}", integer.unsigned_abs())
        }
        (None, Value::Integer(integer)) => format!("value-{integer}"),
        (None, Value::Float(_)) => "float".to_owned(),
        (None, Value::Bytes(_)) => "bytes".to_owned(),
    }
}

/// `message-entry` and `event-entry` of `entry` are `message` and `event`.
fn without_common_suffix<'t>(titles: impl Iterator<Item = &'t str>, around: &str) -> Vec<String> {
    let titles: Vec<_> = titles.collect();
    let suffix = format!("-{around}");
    let shorter: Option<Vec<_>> = titles.iter().map(|title| title.strip_suffix(&suffix)).collect();
    let chosen = shorter.unwrap_or(titles);
    chosen.into_iter().map(camel_case).collect()
}
