//! Arguments of control operators that can only be checked when all rules are known.

use vac_schema::{Format, FormatItem};

use crate::Error;
use crate::ir::{
    Control, Element, ElementKind, Group, LiteralValue, Member, MemberKey, Occurrence, Rule,
    RuleId, TagNumber, Type, TypeKind,
};

/// The maximum number of parts of a value that `.eq` and `.ne` compare with, and of an element of
/// `.join`.
const MAX_PARTS: usize = 1_000;

/// Checks the arguments of all control operators.
pub(super) fn check(rules: &[Rule]) -> Result<(), Error> {
    let mut open: Vec<&Type> = rules.iter().map(|rule| &rule.body).collect();
    while let Some(next) = open.pop() {
        match &next.kind {
            TypeKind::Choice(alternatives) => open.extend(alternatives),
            TypeKind::Map(group) | TypeKind::Array(group) => add_types(group, &mut open),
            TypeKind::Simple(inner) => open.push(inner),
            TypeKind::Tag { number, content } => {
                open.push(content);
                if let TagNumber::Of(numbers) = number {
                    open.push(numbers);
                }
            }
            TypeKind::Control { target, control } => {
                open.push(target);
                open.extend(argument(control));
                check_argument(rules, control)?;
            }
            TypeKind::Any
            | TypeKind::Rule(_)
            | TypeKind::Literal(_)
            | TypeKind::Range { .. }
            | TypeKind::Major { .. } => {}
        }
    }
    Ok(())
}

fn add_types<'r>(group: &'r Group, open: &mut Vec<&'r Type>) {
    let mut groups = vec![group];
    while let Some(group) = groups.pop() {
        for element in group.choices.iter().flatten() {
            match &element.kind {
                ElementKind::Group { group, .. } => groups.push(group),
                ElementKind::Member(Member { key, value, .. }) => {
                    open.push(value);
                    if let Some(MemberKey::Type(key)) = key {
                        open.push(key);
                    }
                }
            }
        }
    }
}

/// Returns the type that is the argument of an operator.
fn argument(control: &Control) -> Option<&Type> {
    match control {
        Control::Size(argument)
        | Control::Bits(argument)
        | Control::Cbor(argument)
        | Control::Cborseq(argument)
        | Control::Within(argument)
        | Control::And(argument)
        | Control::Is(argument)
        | Control::IsNot(argument)
        | Control::Encoded(_, argument)
        | Control::Base10(argument)
        | Control::Printf(argument)
        | Control::Json(argument)
        | Control::Join(argument) => Some(argument),
        Control::Regexp(_)
        | Control::Lt(_)
        | Control::Le(_)
        | Control::Gt(_)
        | Control::Ge(_)
        | Control::Eq(_)
        | Control::Ne(_)
        | Control::Default(_)
        | Control::Feature(_)
        | Control::Abnf(_) => None,
    }
}

fn check_argument(rules: &[Rule], control: &Control) -> Result<(), Error> {
    match control {
        Control::Is(value) | Control::IsNot(value) => {
            if is_value(rules, value, &mut 0) {
                return Ok(());
            }
            Err(error(value, "a single value is needed here"))
        }
        Control::Join(array) => {
            let TypeKind::Array(group) = &resolve(rules, array).kind else {
                return Err(error(array, ".join needs an array"));
            };
            let mut elements = Vec::new();
            add_types(group, &mut elements);
            match elements.into_iter().find(|element| !can_be_string(rules, element)) {
                Some(element) => {
                    Err(error(element, "the elements of the array for .join have to be strings"))
                }
                None => Ok(()),
            }
        }
        Control::Printf(array) => printf(rules, array).map(drop),
        _ => Ok(()),
    }
}

/// Returns the format and the types of the data items in the argument of `.printf`.
pub(crate) fn printf<'r>(
    rules: &'r [Rule],
    array: &'r Type,
) -> Result<(Format, Vec<&'r Type>), Error> {
    let wrong = || error(array, ".printf needs an array of a format and its data items");
    let TypeKind::Array(Group { choices, .. }) = &resolve(rules, array).kind else {
        return Err(wrong());
    };
    let [elements] = choices.as_slice() else { return Err(wrong()) };
    let mut types = Vec::new();
    for element in elements {
        match element {
            Element {
                occurrence: Occurrence::ONCE,
                kind: ElementKind::Member(Member { value, .. }),
                ..
            } => types.push(value),
            _ => return Err(wrong()),
        }
    }
    let Some((format, items)) = types.split_first() else { return Err(wrong()) };
    let Some(LiteralValue::Text(text)) = literal(rules, format) else {
        return Err(error(format, "the format of .printf has to be a literal text"));
    };
    let format = Format::parse(text.clone().into()).map_err(|why| error(format, why))?;
    let kinds = format.items();
    if kinds.len() != items.len() {
        let why = format!(
            "the format takes {} data item{}, and there {} {}",
            kinds.len(),
            if kinds.len() == 1 { "" } else { "s" },
            if items.len() == 1 { "is" } else { "are" },
            items.len(),
        );
        return Err(error(array, why));
    }
    for (item, kind) in items.iter().zip(kinds) {
        if literal(rules, item).is_some_and(|value| !fits(value, kind)) {
            let needed = match kind {
                FormatItem::Integer => "an integer",
                FormatItem::Unsigned => "an integer that is not negative",
                FormatItem::Float => "a float",
                FormatItem::Character => "the number of a Unicode character",
                FormatItem::Text => "a text",
            };
            return Err(error(item, format!("the format takes {needed} here")));
        }
    }
    Ok((format, items.to_vec()))
}

fn fits(value: &LiteralValue, kind: FormatItem) -> bool {
    match (value, kind) {
        (LiteralValue::Integer(_), FormatItem::Integer)
        | (LiteralValue::Integer(0..), FormatItem::Unsigned)
        | (LiteralValue::Float(_), FormatItem::Float)
        | (LiteralValue::Text(_), FormatItem::Text) => true,
        (LiteralValue::Integer(number), FormatItem::Character) => {
            u32::try_from(*number).is_ok_and(|number| char::from_u32(number).is_some())
        }
        _ => false,
    }
}

fn error(of: &Type, why: impl Into<String>) -> Error {
    Error::new(of.location.clone(), why)
}

/// Returns the type that a name leads to. Rules that are defined by themselves were refused before.
fn resolve<'r>(rules: &'r [Rule], mut of: &'r Type) -> &'r Type {
    loop {
        of = match &of.kind {
            TypeKind::Rule(RuleId(id)) => &rules[*id].body,
            TypeKind::Choice(alternatives) if alternatives.len() == 1 => &alternatives[0],
            _ => return of,
        };
    }
}

fn literal<'r>(rules: &'r [Rule], of: &'r Type) -> Option<&'r LiteralValue> {
    match &resolve(rules, of).kind {
        TypeKind::Literal(literal) => Some(&literal.value),
        _ => None,
    }
}

/// Returns whether a type has exactly one value.
fn is_value(rules: &[Rule], of: &Type, parts: &mut usize) -> bool {
    *parts += 1;
    if *parts > MAX_PARTS {
        return false;
    }
    match &resolve(rules, of).kind {
        TypeKind::Literal(_) => true,
        TypeKind::Major { major: 7, info: Some(info) } => !(24..=27).contains(info),
        TypeKind::Tag { number: TagNumber::One(_), content } => is_value(rules, content, parts),
        TypeKind::Array(group) => are_values(rules, group, false, parts),
        TypeKind::Map(group) => are_values(rules, group, true, parts),
        _ => false,
    }
}

fn are_values(rules: &[Rule], group: &Group, needs_keys: bool, parts: &mut usize) -> bool {
    let [elements] = group.choices.as_slice() else { return false };
    elements.iter().all(|element| match element {
        Element {
            occurrence: Occurrence::ONCE,
            kind: ElementKind::Member(Member { key, value, .. }),
            ..
        } => {
            (!needs_keys || matches!(key, Some(MemberKey::Literal(_))))
                && is_value(rules, value, parts)
        }
        _ => false,
    })
}

/// Returns whether a type can be a string, as far as known.
fn can_be_string(rules: &[Rule], of: &Type) -> bool {
    let mut open = vec![of];
    let mut parts = 0;
    while let Some(next) = open.pop() {
        parts += 1;
        match &resolve(rules, next).kind {
            TypeKind::Choice(alternatives) if !alternatives.is_empty() && parts < MAX_PARTS => {
                open.extend(alternatives);
            }
            TypeKind::Control { target, .. } => open.push(target),
            TypeKind::Literal(literal) => {
                if matches!(literal.value, LiteralValue::Text(_) | LiteralValue::Bytes(_)) {
                    return true;
                }
            }
            TypeKind::Major { major: 2 | 3, .. } | TypeKind::Any | TypeKind::Choice(_) => {
                return true;
            }
            TypeKind::Major { .. }
            | TypeKind::Range { .. }
            | TypeKind::Map(_)
            | TypeKind::Array(_)
            | TypeKind::Simple(_)
            | TypeKind::Tag { .. }
            | TypeKind::Rule(_) => {}
        }
    }
    false
}
