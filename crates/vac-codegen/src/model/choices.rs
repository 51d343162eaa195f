//! Choices become enums.

use std::collections::{HashMap, HashSet};

use vac_cddl::ir::{Control, Literal, LiteralValue, TagNumber, Type, TypeKind};
use vac_schema::TypeId;

use super::alternatives::distinct;
use super::build::Builder;
use super::rule_names::base;
use super::{Body, Choice, Content, Enum, Place, Scalar, Shape, Variant};
use crate::analysis::{kinds, literals, prelude_name, rule};
use crate::describe;
use crate::names::{Names, camel_case, part_path, snake_case};

impl<'s> Builder<'s> {
    /// Builds the shape of a choice of literals: an enum without content.
    pub fn literal_choice(&mut self, ty: &'s Type, name: &str, slot: Option<usize>) -> Shape {
        let mut names = Names::default();
        let mut variants: Vec<Variant> = Vec::new();
        let literals = literals(self.schema, ty).expect("a choice of literals");
        let titles = literal_titles(&literals);
        for (literal, title) in literals.into_iter().zip(titles) {
            let is_it = |it: &Variant| matches!(&it.content, Content::Literal(value, _) if *value == literal.value);
            if variants.iter().any(is_it) {
                continue;
            }
            variants.push(Variant {
                name: names.type_name(&title),
                docs: vec![format!("The value `{}`.", describe::value(&literal.value))],
                content: Content::Literal(literal.value, Vec::new()),
            });
        }
        let body = Body::Enum(Enum { variants, choice: Choice::Literals });
        let place = Place::Type(self.index.type_id(ty));
        Shape::Item(self.item(name, slot, body, place))
    }

    /// Builds the shape of any other choice.
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
                let name = part_path(name, "value");
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
        // A socket without plugs matches nothing.
        let is_plugged = |(_, ty): &&(usize, &'s Type)| !kinds(self.schema, ty).is_empty();
        let choices: Vec<&(usize, &'s Type)> = choices.iter().filter(is_plugged).collect();
        let types: Vec<&'s Type> = choices.iter().map(|(_, choice)| *choice).collect();
        let titles = self.variant_titles(&types, "");
        let mut parts: Vec<(&'s Type, Content)> = Vec::new();
        for ((at, choice), title) in choices.into_iter().zip(titles) {
            let content = match literals(self.schema, choice).as_deref() {
                Some([only]) => Content::Literal(only.value.clone(), vec![*at]),
                _ => {
                    let shape = self.shape(choice, &part_path(name, &title), None);
                    Content::Value(shape, vec![*at])
                }
            };
            if !merge(&mut parts, &content) {
                parts.push((choice, content));
            }
        }
        if parts.is_empty() {
            return Shape::Scalar(Scalar::Any);
        }
        if parts.len() == 1
            && matches!(parts[0].1, Content::Value(Shape::Scalar(..), _))
            && let Some((_, Content::Value(shape, _))) = parts.pop()
        {
            return shape;
        }
        let mut names = Names::default();
        let choices: Vec<&'s Type> = parts.iter().map(|(choice, _)| *choice).collect();
        let titles = self.variant_titles(&choices, name);
        let variants = parts
            .into_iter()
            .zip(titles)
            .map(|((choice, content), title)| Variant {
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

    /// Returns the names of alternatives, as short as they can be without being the same.
    fn variant_titles(&self, choices: &[&'s Type], around: &str) -> Vec<String> {
        let short: Vec<String> = choices.iter().map(|choice| self.variant_name(choice)).collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for title in &short {
            *counts.entry(camel_case(title)).or_default() += 1;
        }
        let candidates = short.into_iter().zip(choices).map(|(title, choice)| {
            if counts[&camel_case(&title)] == 1 {
                vec![title]
            } else {
                self.long_names(choice, title)
            }
        });
        without_common_suffix(distinct(&candidates.collect::<Vec<_>>()), around)
    }

    /// Returns the name of an alternative: that of its rule, its literal, or its kind.
    pub fn variant_name(&self, ty: &Type) -> String {
        match prelude_name(self.schema, ty) {
            Some("tstr") => return "text".to_owned(),
            Some("bstr") => return "bytes".to_owned(),
            _ => {}
        }
        match &ty.kind {
            TypeKind::Rule(id) => match literals(self.schema, ty).as_deref() {
                Some([only]) => literal_name(only),
                _ => base(&rule(self.schema, *id).name).to_owned(),
            },
            TypeKind::Literal(literal) => literal_name(literal),
            TypeKind::Tag { number: TagNumber::One(number), content } => {
                let named = prelude_name(self.schema, content).is_none();
                match &content.kind {
                    TypeKind::Rule(id) if named => base(&rule(self.schema, *id).name).to_owned(),
                    _ => format!("tag-{number}"),
                }
            }
            TypeKind::Tag { .. } => "tag".to_owned(),
            TypeKind::Map(_) => "map".to_owned(),
            TypeKind::Array(_) => "array".to_owned(),
            TypeKind::Any => "any".to_owned(),
            TypeKind::Range { .. } => "range".to_owned(),
            TypeKind::Simple(_) => "simple".to_owned(),
            TypeKind::Control { control: Control::Cbor(inner), .. } => {
                format!("cbor-{}", self.variant_name(inner))
            }
            TypeKind::Control { target, .. } => self.variant_name(target),
            TypeKind::Choice(choices) if choices.len() <= MAX_JOINED => {
                let names: Vec<_> =
                    choices.iter().map(|choice| self.variant_name(choice)).collect();
                names.join("-or-")
            }
            TypeKind::Choice(_) => "choice".to_owned(),
            TypeKind::Major { major, info } => match (major, info) {
                (0, _) => "uint",
                (1, _) => "nint",
                (2, _) => "bytes",
                (3, _) => "text",
                (4, _) => "array",
                (5, _) => "map",
                (_, Some(20)) => "false",
                (_, Some(21)) => "true",
                (_, Some(22)) => "null",
                (_, Some(23)) => "undefined",
                (_, Some(25..=27)) => "float",
                _ => "simple",
            }
            .to_owned(),
        }
    }

    /// Returns longer names, the best one first, for an alternative whose short name is that of
    /// another.
    fn long_names(&self, ty: &'s Type, short: String) -> Vec<String> {
        let name = match &ty.kind {
            TypeKind::Rule(id) => rule(self.schema, *id).name.clone(),
            TypeKind::Tag { number: TagNumber::One(number), content } => {
                format!("tag-{number}-{}", self.variant_name(content))
            }
            TypeKind::Array(group) => match group.choices.first() {
                Some(elements) => {
                    let titles = self.titles_of_elements(elements).into_iter();
                    return titles.map(|title| format!("{title}-{short}")).collect();
                }
                None => short,
            },
            TypeKind::Map(group) => {
                let elements = group.choices.iter().flatten().take(MAX_JOINED);
                let titles: Vec<_> = elements.map(|it| self.element_title(it)).collect();
                format!("{}-{short}", titles.join("-"))
            }
            TypeKind::Range { low, high, .. } => {
                let end = |value: &LiteralValue| {
                    literal_name(&Literal { value: value.clone(), name: None })
                };
                format!("{}-to-{}", end(low), end(high))
            }
            TypeKind::Control { .. } => self.tables.describe(self.index.type_id(ty)),
            _ => short,
        };
        vec![name]
    }
}

/// Returns the names of literals. A number that has the same name as a text is called a number, and
/// numbers with the same name are distinguished by their values: `reserved: 20, reserved: 21`.
fn literal_titles(literals: &[Literal]) -> Vec<String> {
    let mut titles: Vec<String> = literals.iter().map(literal_name).collect();
    let is_named = |literal: &Literal| {
        literal.name.is_some()
            && matches!(literal.value, LiteralValue::Integer(_) | LiteralValue::Float(_))
    };
    let texts: HashSet<String> = literals
        .iter()
        .zip(&titles)
        .filter(|(literal, _)| matches!(literal.value, LiteralValue::Text(_)))
        .map(|(_, title)| camel_case(title))
        .collect();
    for (literal, title) in literals.iter().zip(&mut titles) {
        if is_named(literal) && texts.contains(&camel_case(title)) {
            title.push_str("-number");
        }
    }
    let mut values: HashMap<String, Vec<&LiteralValue>> = HashMap::new();
    for (literal, title) in literals.iter().zip(&titles) {
        let values = values.entry(camel_case(title)).or_default();
        if !values.contains(&&literal.value) {
            values.push(&literal.value);
        }
    }
    for (literal, title) in literals.iter().zip(&mut titles) {
        if is_named(literal) && values[&camel_case(title)].len() > 1 {
            let unnamed = literal_name(&Literal { name: None, ..literal.clone() });
            title.push('-');
            title.push_str(unnamed.strip_prefix("value-").unwrap_or(&unnamed));
        }
    }
    titles
}

/// The maximum number of names that are joined to one.
pub(super) const MAX_JOINED: usize = 3;

/// Adds an alternative to an earlier one with the same value or the same scalar type.
fn merge(parts: &mut [(&Type, Content)], content: &Content) -> bool {
    for (_, part) in parts {
        match (part, content) {
            (
                Content::Value(Shape::Scalar(old), indices),
                Content::Value(Shape::Scalar(new), more),
            ) if old == new => {
                indices.extend(more);
                return true;
            }
            (Content::Literal(old, indices), Content::Literal(new, more)) if old == new => {
                indices.extend(more);
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Returns the name of a literal: its own, its text, or its number.
pub fn literal_name(literal: &Literal) -> String {
    match (&literal.name, &literal.value) {
        (Some(name), _) => name.clone(),
        (None, LiteralValue::Text(text)) => match text.strip_prefix('-') {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                format!("minus-{rest}")
            }
            _ => text.clone(),
        },
        (None, LiteralValue::Integer(integer)) if *integer < 0 => {
            format!("minus-{}", integer.unsigned_abs())
        }
        (None, LiteralValue::Integer(integer)) => format!("value-{integer}"),
        (None, LiteralValue::Float(float)) => {
            let sign = if float.is_sign_negative() { "minus" } else { "value" };
            let digits = format!("{:?}", float.abs());
            format!("{sign}-{}", digits.replace('.', "-point-").replace("e-", "-e-minus-"))
        }
        (None, LiteralValue::Bytes(bytes)) if bytes.is_empty() => "no-bytes".to_owned(),
        (None, LiteralValue::Bytes(bytes)) => {
            let hex: Vec<String> =
                bytes.iter().take(MAX_NAMED_BYTES).map(|byte| format!("{byte:02x}")).collect();
            format!("bytes-{}", hex.concat())
        }
    }
}

/// The maximum number of bytes of a literal that are part of its name.
const MAX_NAMED_BYTES: usize = 8;

/// Removes a suffix that all names share: `message-entry` and `event-entry` of `entry` become
/// `message` and `event`.
fn without_common_suffix(titles: Vec<String>, around: &str) -> Vec<String> {
    if around.is_empty() {
        return titles;
    }
    let suffix = format!("_{}", snake_case(around));
    let shorter =
        titles.iter().map(|title| Some(snake_case(title).strip_suffix(&suffix)?.to_owned()));
    shorter.collect::<Option<Vec<_>>>().unwrap_or(titles)
}
