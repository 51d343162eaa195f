//! Questions about types that both the types and the validators depend on.

use vac_cddl::ir::{
    Control, Element, ElementKind, Group, Key, Literal, Member, Occurrence, Origin, Rule, RuleId,
    Schema, TagNumber, Type, TypeKind, Value,
};

/// The kinds of nodes of `vac_value::Kind`, by name.
pub type Kinds = Vec<&'static str>;

const ALL_KINDS: [&str; 12] = [
    "Null",
    "Undefined",
    "Bool",
    "Integer",
    "BigInteger",
    "Float",
    "Simple",
    "Bytes",
    "Text",
    "Array",
    "Map",
    "Tag",
];

/// The rule an id stands for.
pub fn rule(schema: &Schema, id: RuleId) -> &Rule {
    &schema.rules[id.0]
}

/// The name of the prelude rule that a type is a plain reference to.
pub fn prelude_name<'s>(schema: &'s Schema, ty: &Type) -> Option<&'s str> {
    match ty.kind {
        TypeKind::Rule(id) if rule(schema, id).origin == Origin::Prelude => {
            Some(&rule(schema, id).name)
        }
        _ => None,
    }
}

/// The type behind references to rules and behind controls that do not change
/// what matches.
pub fn resolve<'s>(schema: &'s Schema, mut ty: &'s Type) -> &'s Type {
    loop {
        ty = match &ty.kind {
            TypeKind::Rule(id) => &rule(schema, *id).body,
            TypeKind::Control { target, control: Control::Default(_) | Control::Feature(_) } => {
                target
            }
            TypeKind::Choice(alternatives) if alternatives.len() == 1 => &alternatives[0],
            _ => return ty,
        };
    }
}

/// Which kinds of nodes a type can match at all.
pub fn kinds(schema: &Schema, ty: &Type) -> Kinds {
    let mut kinds = Vec::new();
    collect_kinds(schema, ty, &mut kinds);
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn collect_kinds(schema: &Schema, ty: &Type, kinds: &mut Kinds) {
    match &ty.kind {
        TypeKind::Any => kinds.extend(ALL_KINDS),
        TypeKind::Rule(id) => collect_kinds(schema, &rule(schema, *id).body, kinds),
        TypeKind::Literal(literal) => kinds.push(value_kind(&literal.value)),
        TypeKind::Range { low, .. } => kinds.push(value_kind(low)),
        TypeKind::Choice(alternatives) => {
            for alternative in alternatives {
                collect_kinds(schema, alternative, kinds);
            }
        }
        TypeKind::Map(_) => kinds.push("Map"),
        TypeKind::Array(_) => kinds.push("Array"),
        TypeKind::Major { major, info } => match (major, info) {
            (0 | 1, _) => kinds.push("Integer"),
            (2, _) => kinds.push("Bytes"),
            (3, _) => kinds.push("Text"),
            (4, _) => kinds.push("Array"),
            (5, _) => kinds.push("Map"),
            (_, None) => kinds.extend(["Null", "Undefined", "Bool", "Float", "Simple"]),
            (_, Some(20 | 21)) => kinds.push("Bool"),
            (_, Some(22)) => kinds.push("Null"),
            (_, Some(23)) => kinds.push("Undefined"),
            (_, Some(25..=27)) => kinds.push("Float"),
            (_, Some(_)) => kinds.push("Simple"),
        },
        TypeKind::Simple(_) => {
            kinds.extend(["Null", "Undefined", "Bool", "Float", "Simple"]);
        }
        TypeKind::Tag { number, .. } => {
            kinds.push("Tag");
            if !matches!(number, TagNumber::One(0 | 1 | 4..)) {
                kinds.push("BigInteger");
            }
        }
        TypeKind::Control { target, .. } => collect_kinds(schema, target, kinds),
    }
}

fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Text(_) => "Text",
        Value::Bytes(_) => "Bytes",
    }
}

/// The literals a type consists of, if it is nothing but literals.
pub fn literals<'s>(schema: &'s Schema, ty: &'s Type) -> Option<Vec<&'s Literal>> {
    match &resolve(schema, ty).kind {
        TypeKind::Literal(literal) => Some(vec![literal]),
        TypeKind::Choice(alternatives) if !alternatives.is_empty() => {
            let mut all = Vec::new();
            for alternative in alternatives {
                all.extend(literals(schema, alternative)?);
            }
            Some(all)
        }
        _ => None,
    }
}

/// The alternatives of a choice, those of choices inside it included.
pub fn alternatives<'s>(schema: &'s Schema, ty: &'s Type) -> Vec<&'s Type> {
    match &resolve(schema, ty).kind {
        TypeKind::Choice(inner) => {
            inner.iter().flat_map(|inner| alternatives(schema, inner)).collect()
        }
        _ => vec![ty],
    }
}

/// What tells the maps of a choice apart.
pub struct Discriminator<'s> {
    /// The key of the member.
    pub key: &'s Literal,
    /// The member's values for each alternative.
    pub values: Vec<Vec<&'s Literal>>,
}

/// Finds a member that every alternative requires and whose literal values are
/// different in each.
pub fn discriminator<'s>(
    schema: &'s Schema,
    alternatives: &[&'s Type],
) -> Option<Discriminator<'s>> {
    let maps = alternatives
        .iter()
        .map(|alternative| literal_members(schema, alternative))
        .collect::<Option<Vec<_>>>()?;
    let (first, others) = maps.split_first()?;
    if others.is_empty() {
        return None;
    }
    first.iter().find_map(|(key, _)| {
        let values = maps
            .iter()
            .map(|members| {
                let member = members.iter().find(|(other, _)| other.value == key.value);
                member.map(|(_, values)| values.clone())
            })
            .collect::<Option<Vec<_>>>()?;
        let all: Vec<_> = values.iter().flatten().collect();
        let distinct = all
            .iter()
            .enumerate()
            .all(|(at, value)| !all[..at].iter().any(|other| other.value == value.value));
        distinct.then_some(Discriminator { key, values })
    })
}

type LiteralMembers<'s> = Vec<(&'s Literal, Vec<&'s Literal>)>;

/// The required members of a plain map whose values are text or integer
/// literals.
fn literal_members<'s>(schema: &'s Schema, ty: &'s Type) -> Option<LiteralMembers<'s>> {
    let TypeKind::Map(Group { choices, .. }) = &resolve(schema, ty).kind else { return None };
    let [elements] = choices.as_slice() else { return None };
    let simple = |value: &Value| matches!(value, Value::Text(_) | Value::Integer(_));
    let mut members = Vec::new();
    for element in elements {
        if let Element { occurrence: Occurrence::ONCE, kind: ElementKind::Member(member), .. } =
            element
            && let Member { key: Some(Key::Literal(key)), value, .. } = member
            && let Some(values) = literals(schema, value)
            && simple(&key.value)
            && values.iter().all(|value| simple(&value.value))
        {
            members.push((key, values));
        }
    }
    Some(members)
}

/// The integers that a type allows, as ranges; for the arguments of `.size` and
/// `.bits`.
pub fn integer_ranges(schema: &Schema, ty: &Type) -> Option<Vec<(u64, u64)>> {
    let whole = |value: &Value| match value {
        Value::Integer(integer) => u64::try_from(*integer).ok(),
        _ => None,
    };
    if prelude_name(schema, ty) == Some("uint") {
        return Some(vec![(0, u64::MAX)]);
    }
    match &resolve(schema, ty).kind {
        TypeKind::Literal(literal) => whole(&literal.value).map(|value| vec![(value, value)]),
        TypeKind::Range { low, high, inclusive } => {
            let (low, high) = (whole(low)?, whole(high)?);
            match (inclusive, high.checked_sub(1)) {
                (true, _) => Some(vec![(low, high)]),
                (false, Some(high)) => Some(vec![(low, high)]),
                (false, None) => Some(Vec::new()),
            }
        }
        TypeKind::Choice(alternatives) => {
            let mut all = Vec::new();
            for alternative in alternatives {
                all.extend(integer_ranges(schema, alternative)?);
            }
            Some(all)
        }
        _ => None,
    }
}
