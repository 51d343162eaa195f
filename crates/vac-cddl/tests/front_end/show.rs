//! Formats a schema in one line: CDDL with everything resolved. Choices are always in parentheses,
//! a named literal is `name=1`, `:` and `^ =>` cut, a group has its name before the parenthesis.

use vac_cddl::ir::{
    Control, Element, ElementKind, Group, Literal, LiteralValue, Member, MemberKey, Occurrence,
    Schema, TagNumber, Type, TypeKind,
};

pub(crate) fn type_(schema: &Schema, of: &Type) -> String {
    let inner = |of: &Type| type_(schema, of);
    match &of.kind {
        TypeKind::Any => "#".into(),
        TypeKind::Rule(id) => schema.rules[id.0].name.clone(),
        TypeKind::Literal(of) => literal(of),
        TypeKind::Range { low, high, inclusive } => {
            let dots = if *inclusive { ".." } else { "..." };
            format!("{}{dots}{}", value(low), value(high))
        }
        TypeKind::Choice(of) => {
            format!("({})", of.iter().map(inner).collect::<Vec<_>>().join(" / "))
        }
        TypeKind::Map(of) => format!("{{{}}}", group(schema, of)),
        TypeKind::Array(of) => format!("[{}]", group(schema, of)),
        TypeKind::Major { major, info: None } => format!("#{major}"),
        TypeKind::Major { major, info: Some(info) } => format!("#{major}.{info}"),
        TypeKind::Simple(numbers) => format!("#7.<{}>", inner(numbers)),
        TypeKind::Tag { number: TagNumber::Any, content } => format!("#6({})", inner(content)),
        TypeKind::Tag { number: TagNumber::One(number), content } => {
            format!("#6.{number}({})", inner(content))
        }
        TypeKind::Tag { number: TagNumber::Of(numbers), content } => {
            format!("#6.<{}>({})", inner(numbers), inner(content))
        }
        TypeKind::Control { target, control: of } => {
            format!("{} {}", inner(target), control(schema, of))
        }
    }
}

fn control(schema: &Schema, of: &Control) -> String {
    let inner = |of: &Type| type_(schema, of);
    match of {
        Control::Size(of) => format!(".size {}", inner(of)),
        Control::Bits(of) => format!(".bits {}", inner(of)),
        Control::Regexp(of) => format!(".regexp {}", of.xsd),
        Control::Cbor(of) => format!(".cbor {}", inner(of)),
        Control::Cborseq(of) => format!(".cborseq {}", inner(of)),
        Control::Within(of) => format!(".within {}", inner(of)),
        Control::And(of) => format!(".and {}", inner(of)),
        Control::Lt(of) => format!(".lt {}", value(of)),
        Control::Le(of) => format!(".le {}", value(of)),
        Control::Gt(of) => format!(".gt {}", value(of)),
        Control::Ge(of) => format!(".ge {}", value(of)),
        Control::Eq(of) => format!(".eq {}", value(of)),
        Control::Ne(of) => format!(".ne {}", value(of)),
        Control::Default(of) => format!(".default {}", value(of)),
        Control::Feature(of) => format!(".feature {of}"),
        Control::Is(of) => format!(".eq {}", inner(of)),
        Control::IsNot(of) => format!(".ne {}", inner(of)),
        Control::Encoded(encoding, of) => format!(".{encoding:?} {}", inner(of)),
        Control::Base10(of) => format!(".base10 {}", inner(of)),
        Control::Printf(of) => format!(".printf {}", inner(of)),
        Control::Json(of) => format!(".json {}", inner(of)),
        Control::Join(of) => format!(".join {}", inner(of)),
        Control::Abnf(of) if of.is_for_bytes() => format!(".abnfb {:?}", of.source()),
        Control::Abnf(of) => format!(".abnf {:?}", of.source()),
    }
}

pub(crate) fn group(schema: &Schema, of: &Group) -> String {
    let choice = |elements: &Vec<Element>| {
        elements.iter().map(|of| element(schema, of)).collect::<Vec<_>>().join(", ")
    };
    if of.choices.is_empty() {
        return "nothing".into();
    }
    of.choices.iter().map(choice).collect::<Vec<_>>().join(" // ")
}

fn element(schema: &Schema, of: &Element) -> String {
    let content = match &of.kind {
        ElementKind::Member(of) => member(schema, of),
        ElementKind::Group { name, group: of } => {
            format!("{}({})", name.as_deref().unwrap_or_default(), group(schema, of))
        }
    };
    match of.occurrence {
        Occurrence { min: 1, max: Some(1) } => content,
        Occurrence { min: 0, max: Some(1) } => format!("? {content}"),
        Occurrence { min: 0, max: None } => format!("* {content}"),
        Occurrence { min, max: None } => format!("{min}* {content}"),
        Occurrence { min, max: Some(max) } => format!("{min}*{max} {content}"),
    }
}

fn member(schema: &Schema, of: &Member) -> String {
    let content = type_(schema, &of.value);
    match (&of.key, of.cut) {
        (None, _) => content,
        (Some(MemberKey::Literal(key)), true) => format!("{}: {content}", literal(key)),
        (Some(MemberKey::Literal(key)), false) => format!("{} => {content}", literal(key)),
        (Some(MemberKey::Type(key)), true) => format!("{} ^ => {content}", type_(schema, key)),
        (Some(MemberKey::Type(key)), false) => format!("{} => {content}", type_(schema, key)),
    }
}

fn literal(of: &Literal) -> String {
    match &of.name {
        Some(name) => format!("{name}={}", value(&of.value)),
        None => value(&of.value),
    }
}

pub(crate) fn value(of: &LiteralValue) -> String {
    match of {
        LiteralValue::Integer(of) => of.to_string(),
        LiteralValue::Float(of) => format!("{of:?}"),
        LiteralValue::Text(of) => format!("{of:?}"),
        LiteralValue::Bytes(of) => {
            of.iter().fold("h".into(), |text, byte| format!("{text}{byte:02x}"))
        }
    }
}
