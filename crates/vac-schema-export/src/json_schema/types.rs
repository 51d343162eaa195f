//! Writes types, except for the content of containers.

use vac_cddl::ir::{Literal, LiteralValue, RuleId, RuleOrigin, Type, TypeKind};

use super::{Part, Writer};
use crate::json::Json;

/// The minimum integer of CBOR without tags.
const MIN_INTEGER: i128 = -(1 << 64);
/// The maximum integer of CBOR without tags.
const MAX_INTEGER: i128 = (1 << 64) - 1;

impl<'s> Writer<'s> {
    /// Writes a type.
    pub(super) fn ty(&mut self, ty: &'s Type) -> Part {
        if self.is_too_large() {
            return Part::ANY;
        }
        if self.shapes.kinds.get(ty) == 0 {
            return Part::never(not_json(&ty.kind));
        }
        match &ty.kind {
            TypeKind::Any => Part::ANY,
            TypeKind::Rule(id) => self.reference(*id),
            TypeKind::Literal(Literal { value, .. }) => constant(value),
            TypeKind::Range { low, high, inclusive } => range(low, high, *inclusive),
            TypeKind::Choice(alternatives) => self.choice(alternatives),
            TypeKind::Map(group) => self.map(group),
            TypeKind::Array(group) => self.array(group),
            TypeKind::Major { major, info } => self.major(ty, *major, *info),
            TypeKind::Simple(_) => {
                let names = ["number", "boolean", "null"].map(Json::from).to_vec();
                let mut part = Part::new("type", Json::Array(names));
                self.note(&mut part, &ty.location, "which simple values and floats is not checked");
                part
            }
            TypeKind::Tag { .. } => {
                let mut part = Part::of_type("integer");
                self.note(&mut part, &ty.location, "a tag: in JSON an integer beyond 64 bits");
                part
            }
            TypeKind::Control { target, control } => self.control(ty, target, control),
        }
    }

    /// Writes a reference to a rule. Rules of the prelude are written in place.
    pub(super) fn reference(&mut self, id: RuleId) -> Part {
        let schema = self.shapes.schema;
        let rule = &schema.rules[id.0];
        if rule.origin == RuleOrigin::Prelude {
            return match rule.name.as_str() {
                "int" => integers(MIN_INTEGER, MAX_INTEGER),
                "uint" => integers(0, MAX_INTEGER),
                "nint" => integers(MIN_INTEGER, -1),
                "integer" => Part::of_type("integer").inexact(),
                "number" | "float" | "float64" | "float32-64" => Part::of_type("number").inexact(),
                "bool" => Part::of_type("boolean"),
                "null" | "nil" => Part::of_type("null"),
                "tstr" | "text" => Part::of_type("string"),
                _ => self.ty(&rule.body),
            };
        }
        match self.names.get(id) {
            Some(name) => Part::new("$ref", format!("#/$defs/{name}")).inexact(),
            None => Part::never("a value that JSON does not have"),
        }
    }

    fn choice(&mut self, alternatives: &'s [Type]) -> Part {
        let mut values = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        let mut left_out = 0_usize;
        for alternative in alternatives {
            if self.shapes.kinds.get(alternative) == 0 {
                left_out += 1;
            } else if let TypeKind::Literal(literal) = &alternative.kind {
                values.push(json_value(&literal.value).expect("other values have no kind"));
            } else {
                parts.push(self.ty(alternative));
            }
        }
        if !values.is_empty() {
            values.dedup();
            let is_exact = values.iter().all(|value| matches!(value, Json::Text(_)));
            parts.insert(0, Part { is_exact, ..Part::new("enum", Json::Array(values)) });
        }
        let mut part = Part::any_of(parts);
        if left_out > 0 {
            // The schema is still exact, because no JSON document matches the alternatives.
            part.add_comment("The CDDL has alternatives that JSON cannot express");
        }
        part
    }

    fn major(&mut self, ty: &Type, major: u8, info: Option<u64>) -> Part {
        let length = |part: Part, keyword: &str| match info {
            Some(length) => {
                part.with(&format!("min{keyword}"), length).with(&format!("max{keyword}"), length)
            }
            None => part,
        };
        match (major, info) {
            (0, None) => integers(0, MAX_INTEGER),
            (0, Some(value)) => constant(&LiteralValue::Integer(i128::from(value))),
            (1, None) => integers(MIN_INTEGER, -1),
            (1, Some(value)) => constant(&LiteralValue::Integer(-1 - i128::from(value))),
            (3, None) => Part::of_type("string"),
            (3, Some(bytes)) => self.text_of_bytes(ty, i128::from(bytes), Some(i128::from(bytes))),
            (4, _) => length(Part::of_type("array"), "Items"),
            (5, _) => length(Part::of_type("object"), "Properties"),
            (7, None) => {
                let names = ["number", "boolean", "null"].map(Json::from).to_vec();
                Part::new("type", Json::Array(names)).inexact()
            }
            (7, Some(20)) => Part::new("const", Json::Bool(false)),
            (7, Some(21)) => Part::new("const", Json::Bool(true)),
            (7, Some(22)) => Part::of_type("null"),
            (7, Some(25 | 26)) => {
                let mut part = Part::of_type("number");
                self.note(&mut part, &ty.location, "the width of floats is not checked");
                part
            }
            _ => Part::of_type("number").inexact(),
        }
    }

    /// Writes texts with a number of bytes. A character has up to four bytes.
    pub(super) fn text_of_bytes(&mut self, ty: &Type, min: i128, max: Option<i128>) -> Part {
        let mut part = Part::of_type("string");
        let characters = (min.max(0) + 3) / 4;
        if characters > 0 {
            part = part.with("minLength", Json::Integer(characters));
        }
        if let Some(max) = max {
            part = part.with("maxLength", Json::Integer(max.max(0)));
        }
        let is_exact = min <= 1 && max.is_none_or(|max| max == 0);
        if !is_exact {
            let range = match max {
                Some(max) if max == min => format!("{min}"),
                Some(max) => format!("{min} to {max}"),
                None => format!("at least {min}"),
            };
            let message =
                format!("the CDDL counts bytes of UTF-8 ({range}), JSON Schema characters");
            self.note(&mut part, &ty.location, message);
        }
        part
    }
}

/// Returns the reason why no JSON value matches a type.
fn not_json(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Tag { .. } => "a tag, which JSON does not have",
        TypeKind::Major { major: 2, .. } | TypeKind::Literal(_) => {
            "a byte string, which JSON does not have"
        }
        TypeKind::Choice(alternatives) if alternatives.is_empty() => "a socket without plugs",
        _ => "no JSON value matches this",
    }
}

/// Writes the integers of a range. JSON Schema accepts 1.0 as well.
pub(super) fn integers(min: i128, max: i128) -> Part {
    Part::of_type("integer")
        .with("minimum", Json::Integer(min))
        .with("maximum", Json::Integer(max))
        .inexact()
}

pub(super) fn constant(value: &LiteralValue) -> Part {
    match json_value(value) {
        Some(json) => {
            let is_exact = matches!(json, Json::Text(_));
            Part { is_exact, ..Part::new("const", json) }
        }
        None => Part::never("a value that JSON does not have"),
    }
}

/// Returns a literal as JSON; `None` if JSON does not have it.
pub(super) fn json_value(value: &LiteralValue) -> Option<Json> {
    match value {
        LiteralValue::Integer(value) => Some(Json::Integer(*value)),
        LiteralValue::Float(value) => value.is_finite().then_some(Json::Float(*value)),
        LiteralValue::Text(text) => Some(text.as_str().into()),
        LiteralValue::Bytes(_) => None,
    }
}

fn range(low: &LiteralValue, high: &LiteralValue, is_inclusive: bool) -> Part {
    let name = if matches!(low, LiteralValue::Integer(_)) { "integer" } else { "number" };
    let mut part = Part::of_type(name).inexact();
    if let Some(low) = json_value(low) {
        part = part.with("minimum", low);
    }
    if let Some(high) = json_value(high) {
        part = part.with(if is_inclusive { "maximum" } else { "exclusiveMaximum" }, high);
    }
    part
}
