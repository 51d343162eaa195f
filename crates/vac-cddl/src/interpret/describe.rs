//! What a type wants, in a few words.

use std::fmt::Write;

use vac_value::{Kind, Node, found, printable};

use crate::ir::{Control, Origin, Schema, TagNumber, Type, TypeKind, Value};

/// Types inside types that are spelled out.
const DEPTH: usize = 6;

/// Alternatives that are listed.
const ALTERNATIVES: usize = 16;

/// Types that are spelled out in all.
const TYPES: usize = 200;

/// Characters of a text or pattern that are shown.
const CHARACTERS: usize = 60;

/// Bytes of a byte string that are shown.
const BYTES: usize = 16;

pub(super) fn describe(schema: &Schema, ty: &Type) -> String {
    Description { schema, left: TYPES }.of_type(ty, DEPTH)
}

struct Description<'s> {
    schema: &'s Schema,
    /// How many more types are spelled out.
    left: usize,
}

impl Description<'_> {
    fn of_type(&mut self, ty: &Type, depth: usize) -> String {
        let Some(left) = self.left.checked_sub(1) else { return "...".to_owned() };
        self.left = left;
        match &ty.kind {
            TypeKind::Any => "anything".to_owned(),
            TypeKind::Rule(id) => match self.schema.rules.get(id.0) {
                Some(rule) if rule.origin == Origin::Prelude => prelude(&rule.name).to_owned(),
                Some(rule) if depth > 0 => self.of_type(&rule.body, depth - 1),
                Some(rule) => rule.name.clone(),
                None => "a rule that is not there".to_owned(),
            },
            TypeKind::Literal(literal) => value(&literal.value),
            TypeKind::Range { low, high, inclusive } => {
                format!("{}{}{}", value(low), if *inclusive { ".." } else { "..." }, value(high))
            }
            TypeKind::Choice(alternatives) if depth > 0 => {
                one_of(alternatives.iter().map(|ty| self.of_type(ty, depth - 1)))
            }
            TypeKind::Choice(_) => "one of several types".to_owned(),
            TypeKind::Map(_) => "map".to_owned(),
            TypeKind::Array(_) => "array".to_owned(),
            TypeKind::Major { major, info } => major_type(*major, *info),
            TypeKind::Tag { number: TagNumber::One(number), .. } => format!("tag {number}"),
            TypeKind::Tag { number: TagNumber::Any, .. } => "tag".to_owned(),
            TypeKind::Tag { number: TagNumber::Of(numbers), .. } => {
                format!("tag {}", self.of_type(numbers, depth.saturating_sub(1)))
            }
            TypeKind::Simple(numbers) => {
                format!("simple value {}", self.of_type(numbers, depth.saturating_sub(1)))
            }
            TypeKind::Control { target, control } => {
                let target = self.of_type(target, depth.saturating_sub(1));
                self.of_control(&target, control, depth.saturating_sub(1))
            }
        }
    }

    fn of_control(&mut self, target: &str, control: &Control, depth: usize) -> String {
        let mut of = |ty: &Type| self.of_type(ty, depth);
        match control {
            Control::Size(size) => format!("{target} of size {}", of(size)),
            Control::Bits(bits) => format!("{target} with no other bits than {}", of(bits)),
            Control::Regexp(pattern) => {
                format!("{target} matching {}", printable(&pattern.xsd, CHARACTERS))
            }
            Control::Cbor(inner) => format!("{target} that hold CBOR: {}", of(inner)),
            Control::Cborseq(inner) => format!("{target} that hold a CBOR sequence: {}", of(inner)),
            Control::Within(other) | Control::And(other) => format!("{target} and {}", of(other)),
            Control::Lt(bound) => format!("{target} less than {}", value(bound)),
            Control::Le(bound) => format!("{target} of at most {}", value(bound)),
            Control::Gt(bound) => format!("{target} greater than {}", value(bound)),
            Control::Ge(bound) => format!("{target} of at least {}", value(bound)),
            Control::Eq(other) => value(other),
            Control::Ne(other) => format!("{target} other than {}", value(other)),
            Control::Default(_) | Control::Feature(_) => target.to_owned(),
        }
    }
}

/// The long forms, where the prelude has two names.
fn prelude(name: &str) -> &str {
    match name {
        "tstr" => "text",
        "bstr" => "bytes",
        "nil" => "null",
        "any" => "anything",
        name => name,
    }
}

fn major_type(major: u8, info: Option<u64>) -> String {
    match (major, info) {
        (0, Some(argument)) => argument.to_string(),
        (1, Some(argument)) => (-1 - i128::from(argument)).to_string(),
        (2..=5, Some(length)) => format!("{} of length {length}", major_type(major, None)),
        (0, None) => "uint".to_owned(),
        (1, None) => "nint".to_owned(),
        (2, None) => "bytes".to_owned(),
        (3, None) => "text".to_owned(),
        (4, None) => "array".to_owned(),
        (5, None) => "map".to_owned(),
        (_, None) => "float or simple value".to_owned(),
        (_, Some(20)) => "false".to_owned(),
        (_, Some(21)) => "true".to_owned(),
        (_, Some(22)) => "null".to_owned(),
        (_, Some(23)) => "undefined".to_owned(),
        (_, Some(25)) => "float16".to_owned(),
        (_, Some(26)) => "float32".to_owned(),
        (_, Some(27)) => "float64".to_owned(),
        (_, Some(number)) => format!("simple value {number}"),
    }
}

/// A value as CDDL writes it.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) => format!("{float:?}"),
        Value::Text(text) => format!("\"{}\"", printable(text, CHARACTERS)),
        Value::Bytes(bytes) => {
            let mut shown = "h'".to_owned();
            for byte in bytes.iter().take(BYTES) {
                let _ = write!(shown, "{byte:02x}");
            }
            shown.push_str(if bytes.len() > BYTES { "...'" } else { "'" });
            shown
        }
    }
}

/// A key that stands in a document.
pub(super) fn key(node: Node<'_, '_>) -> String {
    match (node.kind(), node.text(), node.integer()) {
        (Kind::Text, Some(text), _) => format!("key \"{}\"", printable(&text, CHARACTERS)),
        (_, _, Some(integer)) => format!("key {integer}"),
        _ => format!("key {}", found(node)),
    }
}

/// Alternatives, each named once.
pub(super) fn one_of(alternatives: impl Iterator<Item = String>) -> String {
    let mut named: Vec<String> = Vec::new();
    for alternative in alternatives {
        if named.contains(&alternative) {
            continue;
        }
        if named.len() == ALTERNATIVES {
            named.push("...".to_owned());
            break;
        }
        named.push(alternative);
    }
    if named.is_empty() { "nothing".to_owned() } else { named.join(" or ") }
}
