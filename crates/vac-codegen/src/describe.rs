//! What messages call a type.

use vac_cddl::ir::{Control, Pattern, Rule, Schema, TagNumber, Type, TypeKind, Value};

use crate::analysis::{prelude_name, rule};
use crate::scalar;

/// What was expected, in a few words.
pub fn expected(schema: &Schema, ty: &Type) -> String {
    if let Some(name) = prelude_name(schema, ty) {
        return match name {
            "tstr" | "text" => "text".to_owned(),
            "bstr" | "bytes" => "bytes".to_owned(),
            name => name.to_owned(),
        };
    }
    match &ty.kind {
        TypeKind::Any => "anything".to_owned(),
        TypeKind::Rule(id) if scalar::is_scalar(schema, ty) => {
            expected(schema, &rule(schema, *id).body)
        }
        TypeKind::Rule(id) => rule(schema, *id).name.clone(),
        TypeKind::Literal(literal) => value(&literal.value),
        TypeKind::Range { low, high, inclusive } => {
            format!("{}{}{}", value(low), if *inclusive { ".." } else { "..." }, value(high))
        }
        TypeKind::Choice(alternatives) if alternatives.is_empty() => "nothing".to_owned(),
        TypeKind::Choice(alternatives) => {
            list(alternatives.iter().map(|alternative| expected(schema, alternative)))
        }
        TypeKind::Map(_) => "map".to_owned(),
        TypeKind::Array(_) => "array".to_owned(),
        TypeKind::Major { major, info: None } => format!("#{major}"),
        TypeKind::Major { major, info: Some(info) } => format!("#{major}.{info}"),
        TypeKind::Tag { number: TagNumber::One(number), .. } => format!("tag {number}"),
        TypeKind::Tag { .. } => "a tag".to_owned(),
        TypeKind::Simple(_) => "a simple value".to_owned(),
        TypeKind::Control { target, control } => controlled(schema, target, control),
    }
}

fn controlled(schema: &Schema, target: &Type, control: &Control) -> String {
    let target = expected(schema, target);
    match control {
        Control::Size(size) => format!("{target} of size {}", expected(schema, size)),
        Control::Bits(bits) => format!("{target} of bits {}", expected(schema, bits)),
        Control::Regexp(pattern) => match pattern_title(schema, pattern) {
            Some(title) => title,
            None => format!("{target} that matches {}", pattern.xsd),
        },
        Control::Cbor(_) => "bytes that hold CBOR".to_owned(),
        Control::Cborseq(_) => "bytes that hold a CBOR sequence".to_owned(),
        Control::Within(_) | Control::Default(_) | Control::Feature(_) => target,
        Control::And(other) => format!("{target} and {}", expected(schema, other)),
        Control::Lt(limit) => format!("{target} less than {}", value(limit)),
        Control::Le(limit) => format!("{target} of at most {}", value(limit)),
        Control::Gt(limit) => format!("{target} greater than {}", value(limit)),
        Control::Ge(limit) => format!("{target} of at least {}", value(limit)),
        Control::Eq(only) => value(only),
        Control::Ne(not) => format!("{target} other than {}", value(not)),
    }
}

/// The first sentence of the comment above the rule that names a pattern.
fn pattern_title(schema: &Schema, pattern: &Pattern) -> Option<String> {
    let names_it = |rule: &&Rule| match &rule.body.kind {
        TypeKind::Literal(literal) => literal.value == Value::Text(pattern.xsd.clone()),
        _ => false,
    };
    let rule = schema.rules.iter().find(names_it)?;
    let comment = rule.docs.join(" ");
    let sentence = comment.split(". ").next()?.trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

/// `a, b or c`.
pub fn list(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<_> = words.collect();
    words.dedup();
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

/// A literal as CDDL writes it.
pub fn value(value: &Value) -> String {
    match value {
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) => format!("{float:?}"),
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => {
            let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("h'{}'", hex.concat())
        }
    }
}
