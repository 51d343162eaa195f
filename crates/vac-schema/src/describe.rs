//! Describes types, keys and groups in messages.

use std::fmt::Write;

use vac_value::printable;

use crate::matcher::{Budget, Matcher};
use crate::tables::{
    Control, ElementKind, GroupId, LiteralKey, LiteralValue, MemberKey, Schema, TagNumber, TypeId,
    TypeKind,
};

/// The maximum depth to which types within types are described.
const MAX_DEPTH: usize = 6;
/// The maximum number of types that a description mentions.
const MAX_TYPES: usize = 100;
/// The maximum number of alternatives that are listed.
const MAX_ALTERNATIVES: usize = 16;
/// The maximum number of characters of a text or a pattern that a message shows.
const MAX_CHARACTERS: usize = 60;
/// The maximum number of bytes of a byte string that a message shows.
const MAX_BYTES: usize = 16;

impl Schema {
    /// Describes the values that a type accepts, in the words of violations.
    pub fn describe(&self, id: TypeId) -> String {
        Matcher::new(self, 0, &mut Budget::with_steps(0)).describe(id)
    }
}

impl Matcher<'_, '_> {
    /// Describes what a type accepts, in a few words.
    pub(crate) fn describe(&self, id: TypeId) -> String {
        self.described.set(0);
        self.describe_at(id, MAX_DEPTH)
    }

    /// Describes what any of several types accepts.
    pub(crate) fn describe_any(&self, ids: &[TypeId]) -> String {
        list(ids.iter().map(|id| self.describe(*id)))
    }

    fn describe_at(&self, id: TypeId, depth: usize) -> String {
        let described = self.described.get();
        if described == MAX_TYPES {
            return "...".to_owned();
        }
        self.described.set(described + 1);
        let ty = self.type_(id);
        match &ty.kind {
            TypeKind::Any => "anything".to_owned(),
            TypeKind::Rule(rule) => {
                let rule = self.rule(*rule);
                if rule.is_prelude {
                    prelude_name(&rule.name).to_owned()
                } else if self.type_(rule.body).is_scalar && depth > 0 {
                    self.describe_at(rule.body, depth - 1)
                } else {
                    rule.name.clone().into_owned()
                }
            }
            TypeKind::Literal(literal) => value(literal),
            TypeKind::Range { low, high, is_inclusive } => {
                format!("{}{}{}", value(low), if *is_inclusive { ".." } else { "..." }, value(high))
            }
            TypeKind::Choice { alternatives, .. } if depth > 0 => {
                list(alternatives.iter().map(|id| self.describe_at(*id, depth - 1)))
            }
            TypeKind::Choice { .. } => "one of several types".to_owned(),
            TypeKind::Map(_) => "map".to_owned(),
            TypeKind::Array(_) => "array".to_owned(),
            TypeKind::Major { major, info } => major_name(*major, *info),
            TypeKind::Tag { number: TagNumber::Exactly(number), .. } => format!("tag {number}"),
            TypeKind::Tag { number: TagNumber::Any, .. } => "tag".to_owned(),
            TypeKind::Tag { number: TagNumber::Matching(number), .. } => {
                format!("tag {}", self.describe_at(*number, depth.saturating_sub(1)))
            }
            TypeKind::Simple(number) => {
                format!("simple value {}", self.describe_at(*number, depth.saturating_sub(1)))
            }
            TypeKind::Control { target, control } => {
                let target = self.describe_at(*target, depth.saturating_sub(1));
                self.describe_control(&target, control, depth.saturating_sub(1))
            }
        }
    }

    fn describe_control(&self, target: &str, control: &Control, depth: usize) -> String {
        let of = |id: &TypeId| self.describe_at(*id, depth);
        match control {
            Control::Size(size) => format!("{target} of size {}", of(size)),
            Control::Bits(bits) => format!("{target} with no bits set except {}", of(bits)),
            Control::Regexp(pattern) => {
                let pattern = self.pattern(*pattern);
                match &*pattern.name {
                    "" => {
                        format!("{target} matching {}", printable(&pattern.source, MAX_CHARACTERS))
                    }
                    name => format!("{target} matching {name}"),
                }
            }
            Control::Cbor(_) => format!("{target} containing CBOR"),
            Control::Cborseq(_) => format!("{target} containing a CBOR sequence"),
            Control::And(other) => format!("{target} and {}", of(other)),
            Control::Less(bound) => format!("{target} less than {}", value(bound)),
            Control::AtMost(bound) => format!("{target} of at most {}", value(bound)),
            Control::Greater(bound) => format!("{target} greater than {}", value(bound)),
            Control::AtLeast(bound) => format!("{target} of at least {}", value(bound)),
            Control::Equal(other) => value(other),
            Control::NotEqual(other) => format!("{target} other than {}", value(other)),
            Control::Not(other) => format!("{target} other than {}", of(other)),
            Control::Feature(_) => target.to_owned(),
            Control::Encoded(encoding, content) => {
                format!("{target} that is the {} of {}", encoding.name(), of(content))
            }
            Control::Base10(content) => format!("{target} that is a decimal {}", of(content)),
            Control::Printf(format, _) => {
                let format = printable(format.source(), MAX_CHARACTERS);
                format!("{target} in the format \"{format}\"")
            }
            Control::Json(_) => format!("{target} containing JSON"),
            Control::Join(array) => {
                let array = match &self.type_(*array).kind {
                    TypeKind::Rule(rule) => &*self.rule(*rule).name,
                    _ => "an array",
                };
                format!("{target} made of the elements of {array}")
            }
            Control::Abnf(grammar) => {
                format!("{target} matching ABNF {}", printable(grammar.element(), MAX_CHARACTERS))
            }
        }
    }

    /// Describes a group by the first elements of its alternatives.
    pub(crate) fn describe_group(&self, id: GroupId) -> String {
        let first = self.group(id).choices.iter().map(|sequence| {
            match sequence.elements.first().map(|element| &element.kind) {
                Some(ElementKind::Member { key: MemberKey::Literal(label), .. }) => key_name(label),
                Some(ElementKind::Member { key: MemberKey::Type(key), .. }) => {
                    format!("a key of type {}", self.describe(*key))
                }
                Some(ElementKind::Member { value, .. }) => self.describe(*value),
                _ => "a group".to_owned(),
            }
        });
        format!("a group that begins with {}", list(first))
    }
}

/// Describes a literal key of the schema.
pub(crate) fn key_name(label: &LiteralKey) -> String {
    match (&label.value, &*label.name) {
        (LiteralValue::Text(text), _) => format!("key \"{}\"", printable(text, MAX_CHARACTERS)),
        (literal, "") => format!("key {}", value(literal)),
        (literal, name) => format!("key {} ({name})", value(literal)),
    }
}

/// Joins words, each once: `a, b or c`.
pub(crate) fn list(words: impl Iterator<Item = String>) -> String {
    let mut named: Vec<String> = Vec::new();
    for word in words {
        if named.contains(&word) {
            continue;
        }
        if named.len() == MAX_ALTERNATIVES {
            named.push("...".to_owned());
            break;
        }
        named.push(word);
    }
    match named.pop() {
        None => "nothing".to_owned(),
        Some(last) if named.is_empty() => last,
        Some(last) => format!("{} or {last}", named.join(", ")),
    }
}

/// Returns a literal as CDDL writes it.
pub(crate) fn value(literal: &LiteralValue) -> String {
    match literal {
        LiteralValue::Integer(integer) => integer.to_string(),
        LiteralValue::Float(float) => format!("{float:?}"),
        LiteralValue::Text(text) => format!("\"{}\"", printable(text, MAX_CHARACTERS)),
        LiteralValue::Bytes(bytes) => {
            let mut shown = "h'".to_owned();
            for byte in bytes.iter().take(MAX_BYTES) {
                write!(shown, "{byte:02x}").expect("writing to a String cannot fail");
            }
            shown.push_str(if bytes.len() > MAX_BYTES { "...'" } else { "'" });
            shown
        }
    }
}

/// Returns the longer of the two names that some prelude types have.
fn prelude_name(name: &str) -> &str {
    match name {
        "tstr" => "text",
        "bstr" => "bytes",
        "nil" => "null",
        "any" => "anything",
        name => name,
    }
}

fn major_name(major: u8, info: Option<u64>) -> String {
    match (major, info) {
        (0, Some(argument)) => argument.to_string(),
        (1, Some(argument)) => (-1 - i128::from(argument)).to_string(),
        (2..=5, Some(length)) => format!("{} of length {length}", major_name(major, None)),
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
