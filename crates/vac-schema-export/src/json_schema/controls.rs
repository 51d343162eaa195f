//! Control operators.

use vac_cddl::ir::{Control, Literal, LiteralValue, RuleOrigin, Type, TypeKind};

use super::pattern::Pattern;
use super::types::{constant, integers, json_value};
use super::{Part, Writer};
use crate::json::Json;
use crate::kinds::{NUMBER, TEXT};
use crate::shapes::resolve;

impl<'s> Writer<'s> {
    /// Writes a type with a control operator.
    pub(super) fn control(&mut self, ty: &'s Type, target: &'s Type, control: &'s Control) -> Part {
        let mut part = self.ty(target);
        match control {
            Control::Size(size) => self.size(ty, part, size),
            Control::Bits(bits) => {
                let (_, last) = self.integer_bounds(bits);
                let most = last.filter(|last| (0..64).contains(last)).map_or(64, |last| last + 1);
                part = part.and(integers(0, (1 << most) - 1));
                self.note(&mut part, &ty.location, "`.bits`: which bits are set is not checked");
                part
            }
            Control::Regexp(xsd) => match Pattern::new(&xsd.regex) {
                Some(pattern) => text(part).and(Part::new("pattern", pattern.ecma())),
                None => {
                    let mut part = text(part);
                    let message = format!("the pattern `{}` is too large to be checked", xsd.xsd);
                    self.note(&mut part, &ty.location, message);
                    part
                }
            },
            Control::Within(other) | Control::And(other) | Control::Is(other) => {
                let other = self.ty(other);
                part.and(other)
            }
            Control::Lt(bound) => compared(part, "exclusiveMaximum", bound),
            Control::Le(bound) => compared(part, "maximum", bound),
            Control::Gt(bound) => compared(part, "exclusiveMinimum", bound),
            Control::Ge(bound) => compared(part, "minimum", bound),
            Control::Eq(value) => part.and(constant(value)),
            Control::Ne(value) => self.not_equal(ty, target, part, value),
            Control::IsNot(other) => {
                let other = self.ty(other);
                if other.is_exact {
                    return part.and(Part::new("not", other.into_json()));
                }
                self.note(
                    &mut part,
                    &ty.location,
                    "`.ne`: the value that is excluded is not checked",
                );
                part
            }
            Control::Default(value) => match json_value(value) {
                Some(json) if part.get("$ref").is_none() => part.with("default", json),
                Some(json) => part.and(Part::new("default", json)),
                None => part,
            },
            Control::Feature(name) => {
                part.add_comment(&format!("Belongs to the feature `{name}`"));
                part
            }
            Control::Json(content) => {
                let mut part = text(part)
                    .with("contentMediaType", "application/json")
                    .with("contentSchema", self.ty(content).into_json());
                let message = "`.json`: validators need not check the content of the text";
                self.note(&mut part, &ty.location, message);
                part
            }
            Control::Base10(_) => {
                let mut part = text(part).and(Part::new("pattern", "^(?:0|-?[1-9][0-9]*)$"));
                self.note(
                    &mut part,
                    &ty.location,
                    "`.base10`: the value of the number is not checked",
                );
                part
            }
            Control::Encoded(..) => {
                let mut part = text(part);
                self.note(
                    &mut part,
                    &ty.location,
                    "bytes as text: neither encoding nor bytes are checked",
                );
                part
            }
            Control::Printf(_) | Control::Join(_) | Control::Abnf(_) => {
                let name = match control {
                    Control::Printf(_) => ".printf",
                    Control::Join(_) => ".join",
                    _ => ".abnf",
                };
                let mut part = text(part);
                self.note(&mut part, &ty.location, format!("`{name}`: the text is not checked"));
                part
            }
            Control::Cbor(_) | Control::Cborseq(_) => {
                Part::never("a byte string, which JSON does not have")
            }
        }
    }

    fn size(&mut self, ty: &'s Type, part: Part, size: &'s Type) -> Part {
        let (min, max) = self.integer_bounds(size);
        let kinds = self.shapes.kinds.get(ty);
        let mut sized = Vec::new();
        if kinds & TEXT != 0 {
            let mut text = self.text_of_bytes(ty, min, max);
            if !self.is_interval(size) {
                self.note(
                    &mut text,
                    &ty.location,
                    "`.size`: some sizes in between are not allowed",
                );
            }
            sized.push(text);
        }
        if kinds & NUMBER != 0 {
            // A number that fits into some allowed size fits into the greatest one.
            let bytes = max.map_or(8, |max| max.clamp(0, 8));
            sized.push(integers(0, (1 << (bytes * 8)) - 1));
        }
        let sized = Part::any_of(sized);
        let is_plain_text =
            part.members.len() == 1 && part.get("type") == Some(&Json::from("string"));
        if is_plain_text { sized } else { part.and(sized) }
    }

    /// Writes `.ne`. `1` and `1.0` are one value in JSON Schema, so that only integers can be
    /// excluded from integers.
    fn not_equal(
        &mut self,
        ty: &Type,
        target: &'s Type,
        mut part: Part,
        value: &LiteralValue,
    ) -> Part {
        let is_exact = match value {
            LiteralValue::Text(_) => true,
            LiteralValue::Integer(_) => self.is_integers(target),
            LiteralValue::Float(_) => false,
            LiteralValue::Bytes(_) => return part,
        };
        if let Some(json) = json_value(value).filter(|_| is_exact) {
            return part.and(Part::new("not", Part::new("const", json).into_json()));
        }
        self.note(&mut part, &ty.location, "`.ne`: the number that is excluded is not checked");
        part
    }

    /// Returns whether a type accepts integers only.
    fn is_integers(&self, ty: &Type) -> bool {
        match &ty.kind {
            TypeKind::Rule(id) => {
                let rule = &self.shapes.schema.rules[id.0];
                rule.origin == RuleOrigin::Prelude && matches!(&*rule.name, "int" | "uint" | "nint")
            }
            TypeKind::Literal(Literal { value, .. }) | TypeKind::Range { low: value, .. } => {
                matches!(value, LiteralValue::Integer(_))
            }
            TypeKind::Major { major: 0 | 1, .. } => true,
            TypeKind::Control { target, .. } => self.is_integers(target),
            _ => false,
        }
    }

    /// Returns a lower and an upper bound of the integers of a type.
    fn integer_bounds(&self, ty: &'s Type) -> (i128, Option<i128>) {
        match &resolve(self.shapes.schema, ty).kind {
            TypeKind::Literal(Literal { value: LiteralValue::Integer(value), .. }) => {
                (*value, Some(*value))
            }
            TypeKind::Range {
                low: LiteralValue::Integer(low),
                high: LiteralValue::Integer(high),
                inclusive,
            } => (*low, Some(if *inclusive { *high } else { *high - 1 })),
            TypeKind::Choice(alternatives) if !alternatives.is_empty() => {
                let bounds = alternatives.iter().map(|it| self.integer_bounds(it));
                bounds
                    .reduce(|(min, max), (other_min, other_max)| {
                        let max = max.zip(other_max).map(|(one, other)| one.max(other));
                        (min.min(other_min), max)
                    })
                    .expect("there are alternatives")
            }
            TypeKind::Control { target, control } => {
                let (min, max) = self.integer_bounds(target);
                let at_most = |bound: i128| Some(max.map_or(bound, |max| max.min(bound)));
                match control {
                    Control::Lt(LiteralValue::Integer(bound)) => (min, at_most(bound - 1)),
                    Control::Le(LiteralValue::Integer(bound)) => (min, at_most(*bound)),
                    Control::Gt(LiteralValue::Integer(bound)) => (min.max(bound + 1), max),
                    Control::Ge(LiteralValue::Integer(bound)) => (min.max(*bound), max),
                    Control::Eq(LiteralValue::Integer(value)) => (*value, Some(*value)),
                    _ => (min, max),
                }
            }
            _ => (0, None),
        }
    }

    /// Returns whether a type accepts all integers between its bounds.
    fn is_interval(&self, ty: &'s Type) -> bool {
        match &resolve(self.shapes.schema, ty).kind {
            TypeKind::Literal(_) | TypeKind::Range { .. } | TypeKind::Major { .. } => true,
            TypeKind::Control { target, control } => {
                let is_bound = matches!(
                    control,
                    Control::Lt(_)
                        | Control::Le(_)
                        | Control::Gt(_)
                        | Control::Ge(_)
                        | Control::Eq(_)
                );
                is_bound && self.is_interval(target)
            }
            _ => false,
        }
    }
}

/// Restricts a schema to texts.
fn text(part: Part) -> Part {
    let string = Part::of_type("string");
    if part.get("type") == string.get("type") {
        return part;
    }
    part.and(string)
}

fn compared(part: Part, keyword: &str, bound: &LiteralValue) -> Part {
    match json_value(bound) {
        Some(bound @ (Json::Integer(_) | Json::Float(_))) => {
            let is_number = part.get("type").is_some();
            let compared = Part::new(keyword, bound);
            part.and(if is_number { compared } else { compared.with("type", "number") })
        }
        _ => part,
    }
}
