//! Choices become enums.

use vac_cddl::ir::{Literal, TagNumber, Type, TypeKind, Value};
use vac_schema::TypeId;

use super::build::Builder;
use super::{Body, Choice, Content, Enum, Place, Scalar, Shape, Variant};
use crate::analysis::{kinds, literals, prelude_name, rule};
use crate::describe;
use crate::names::{Names, camel_case};

impl<'s> Builder<'s> {
    /// Nothing but literals: an enum without content.
    pub fn literal_choice(&mut self, ty: &'s Type, name: &str, slot: Option<usize>) -> Shape {
        let mut names = Names::default();
        let mut variants = Vec::new();
        for literal in literals(self.schema, ty).unwrap_or_default() {
            variants.push(Variant {
                name: names.type_name(&literal_name(literal)),
                docs: vec![format!("The value `{}`.", describe::value(&literal.value))],
                content: Content::Literal(literal.value.clone(), Vec::new()),
            });
        }
        let body = Body::Enum(Enum { variants, choice: Choice::Literals });
        let place = Place::Type(self.index.type_id(ty));
        Shape::Item(self.item(name, slot, body, place))
    }

    /// Any other choice.
    pub fn choice(
        &mut self,
        ty: &'s Type,
        choices: &'s [Type],
        name: &str,
        slot: Option<usize>,
    ) -> Shape {
        let is_null = |(_, ty): &(usize, &Type)| {
            matches!(prelude_name(self.schema, ty), Some("null" | "nil"))
        };
        let (nulls, others): (Vec<_>, Vec<_>) = choices.iter().enumerate().partition(is_null);
        let id = self.index.type_id(ty);
        match (nulls.len(), others.as_slice()) {
            (1.., [(_, only)]) => {
                let value = self.shape(only, name, None);
                Shape::Nullable(Box::new(value))
            }
            (1.., [_, ..]) => {
                let name = format!("{name}-value");
                let value = self.enumeration(id, &others, &name, None, Place::Value);
                Shape::Nullable(Box::new(value))
            }
            (0, [_, ..]) => self.enumeration(id, &others, name, slot, Place::Type(id)),
            (_, []) => Shape::Scalar(Scalar::Any),
        }
    }

    fn enumeration(
        &mut self,
        id: TypeId,
        choices: &[(usize, &'s Type)],
        name: &str,
        slot: Option<usize>,
        place: Place,
    ) -> Shape {
        let mut parts: Vec<(String, &'s Type, Content)> = Vec::new();
        for (at, choice) in choices {
            // A socket that nobody has plugged can be left out.
            if kinds(self.schema, choice).is_empty() {
                continue;
            }
            let title = self.variant_name(choice);
            let content = match &choice.kind {
                TypeKind::Literal(literal) => Content::Literal(literal.value.clone(), vec![*at]),
                _ => {
                    let shape = self.shape(choice, &format!("{name}-{title}"), None);
                    Content::Value(shape, vec![*at])
                }
            };
            if !merge(&mut parts, &content) {
                parts.push((title, choice, content));
            }
        }
        if parts.is_empty() {
            return Shape::Scalar(Scalar::Any);
        }
        if parts.len() == 1
            && matches!(parts[0].2, Content::Value(Shape::Scalar(..), _))
            && let Some((_, _, Content::Value(shape, _))) = parts.pop()
        {
            return shape;
        }
        let mut names = Names::default();
        let titles = without_common_suffix(parts.iter().map(|(title, ..)| title.as_str()), name);
        let variants = parts
            .into_iter()
            .zip(titles)
            .map(|((_, choice, content), title)| Variant {
                name: names.type_name(&title),
                docs: vec![format!(
                    "The alternative `{}`.",
                    self.tables.describe(self.index.type_id(choice))
                )],
                content,
            })
            .collect();
        let body = Body::Enum(Enum { variants, choice: Choice::Types(id) });
        Shape::Item(self.item(name, slot, body, place))
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

/// Two scalars of one Rust type are one variant.
fn merge(parts: &mut [(String, &Type, Content)], content: &Content) -> bool {
    let Content::Value(Shape::Scalar(scalar), alternatives) = content else { return false };
    for (_, _, part) in parts {
        if let Content::Value(Shape::Scalar(other), others) = part
            && other == scalar
        {
            others.extend(alternatives);
            return true;
        }
    }
    false
}

/// What to call a literal: by its name, its text, or its number.
pub fn literal_name(literal: &Literal) -> String {
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
