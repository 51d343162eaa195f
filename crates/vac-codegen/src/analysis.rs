//! Properties of types that the emitters of types and validators share.

use vac_cddl::ir::{
    Control, ElementKind, Group, Literal, LiteralValue, MemberKey, Rule, RuleId, RuleOrigin,
    Schema, TagNumber, Type, TypeKind,
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

/// Returns the rule with an id.
pub fn rule(schema: &Schema, id: RuleId) -> &Rule {
    &schema.rules[id.0]
}

/// Returns the name of the prelude rule that a type is a plain reference to.
pub fn prelude_name<'s>(schema: &'s Schema, ty: &Type) -> Option<&'s str> {
    match ty.kind {
        TypeKind::Rule(id) if rule(schema, id).origin == RuleOrigin::Prelude => {
            Some(&rule(schema, id).name)
        }
        _ => None,
    }
}

/// Returns the type that references to rules lead to, without controls that do not change what
/// matches.
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

/// Returns the kinds of nodes that a type can match at all.
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

fn value_kind(value: &LiteralValue) -> &'static str {
    match value {
        LiteralValue::Integer(_) => "Integer",
        LiteralValue::Float(_) => "Float",
        LiteralValue::Text(_) => "Text",
        LiteralValue::Bytes(_) => "Bytes",
    }
}

/// Returns the literals a type consists of, if it is nothing but literals. A literal that is not
/// text has the name of the rule that defines it.
pub fn literals(schema: &Schema, ty: &Type) -> Option<Vec<Literal>> {
    let mut ty = ty;
    let mut name = None;
    loop {
        ty = match &ty.kind {
            TypeKind::Rule(id) => {
                let rule = rule(schema, *id);
                if rule.origin == RuleOrigin::Spec {
                    name = Some(&rule.name);
                }
                &rule.body
            }
            TypeKind::Control { target, control: Control::Default(_) | Control::Feature(_) } => {
                target
            }
            TypeKind::Choice(alternatives) if alternatives.len() == 1 => &alternatives[0],
            _ => break,
        };
    }
    match &ty.kind {
        TypeKind::Literal(literal) => {
            let mut literal = literal.clone();
            if literal.name.is_none() && !matches!(literal.value, LiteralValue::Text(_)) {
                literal.name = name.cloned();
            }
            Some(vec![literal])
        }
        TypeKind::Choice(alternatives) if !alternatives.is_empty() => {
            let mut all = Vec::new();
            for alternative in alternatives {
                all.extend(literals(schema, alternative)?);
            }
            // The rule of a text and a number that mean the same names the number.
            let mut unnamed = all
                .iter_mut()
                .filter(|it| it.name.is_none() && !matches!(it.value, LiteralValue::Text(_)));
            if let (Some(only), None) = (unnamed.next(), unnamed.next())
                && alternatives.len() > 1
            {
                only.name = name.cloned();
            }
            Some(all)
        }
        _ => None,
    }
}

/// Returns whether a generic instance is only another name for a literal, a scalar or a rule: it
/// has no type of its own.
pub fn is_transparent(schema: &Schema, rule: &Rule) -> bool {
    rule.origin == RuleOrigin::Instance && is_plain(schema, &rule.body, MAX_CHAIN)
}

/// The longest chain of instances that is followed.
const MAX_CHAIN: usize = 8;

fn is_plain(schema: &Schema, ty: &Type, left: usize) -> bool {
    match &ty.kind {
        TypeKind::Any
        | TypeKind::Literal(_)
        | TypeKind::Range { .. }
        | TypeKind::Major { .. }
        | TypeKind::Simple(_) => true,
        TypeKind::Rule(id) => {
            let rule = rule(schema, *id);
            rule.origin != RuleOrigin::Instance
                || (left > 0 && is_plain(schema, &rule.body, left - 1))
        }
        TypeKind::Control { target, control } => {
            let has_type = matches!(control, Control::Cbor(_) | Control::Regexp(_));
            !has_type && is_plain(schema, target, left)
        }
        TypeKind::Choice(_) | TypeKind::Map(_) | TypeKind::Array(_) | TypeKind::Tag { .. } => false,
    }
}

/// Calls a function with every rule that a type refers to.
pub fn for_each_reference(ty: &Type, found: &mut dyn FnMut(RuleId)) {
    match &ty.kind {
        TypeKind::Rule(id) => found(*id),
        TypeKind::Choice(alternatives) => {
            for ty in alternatives {
                for_each_reference(ty, found);
            }
        }
        TypeKind::Map(group) | TypeKind::Array(group) => references_of_group(group, found),
        TypeKind::Simple(numbers) => for_each_reference(numbers, found),
        TypeKind::Tag { number, content } => {
            if let TagNumber::Of(numbers) = number {
                for_each_reference(numbers, found);
            }
            for_each_reference(content, found);
        }
        TypeKind::Control { target, control } => {
            for_each_reference(target, found);
            if let Control::Cbor(inner)
            | Control::Cborseq(inner)
            | Control::And(inner)
            | Control::Within(inner) = control
            {
                for_each_reference(inner, found);
            }
        }
        TypeKind::Any | TypeKind::Literal(_) | TypeKind::Range { .. } | TypeKind::Major { .. } => {}
    }
}

fn references_of_group(group: &Group, found: &mut dyn FnMut(RuleId)) {
    for element in group.choices.iter().flatten() {
        match &element.kind {
            ElementKind::Group { group, .. } => references_of_group(group, found),
            ElementKind::Member(member) => {
                if let Some(MemberKey::Type(key)) = &member.key {
                    for_each_reference(key, found);
                }
                for_each_reference(&member.value, found);
            }
        }
    }
}
