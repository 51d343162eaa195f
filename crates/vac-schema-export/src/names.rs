//! Chooses names for the rules of a schema.

use std::collections::{HashMap, HashSet};

use vac_cddl::ir::{
    Control, ElementKind, Group, MemberKey, RuleId, RuleOrigin, Schema, Type, TypeKind,
};

use crate::kinds::Kinds;
use crate::shapes::Shapes;

/// Names of the rules that a schema consists of, in their order. Rules of the prelude have none.
pub(crate) struct RuleNames {
    names: HashMap<RuleId, String>,
    /// The rules that have names, in the order of the text.
    pub rules: Vec<RuleId>,
}

impl RuleNames {
    /// Names the rules that the start rule leads to, except through types that no JSON value
    /// matches. `make` converts the name of a rule; equal names are numbered.
    pub fn new(shapes: &Shapes<'_>, reserved: &[&str], make: impl Fn(&str) -> String) -> Self {
        let rules: Vec<_> = reachable(shapes.schema, &shapes.kinds)
            .into_iter()
            .filter(|id| shapes.schema.rules[id.0].origin != RuleOrigin::Prelude)
            .collect();
        let mut taken: HashSet<String> = reserved.iter().map(|&name| name.to_owned()).collect();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut names = HashMap::new();
        for &id in &rules {
            let name = make(&shapes.schema.rules[id.0].name);
            let mut unique = name.clone();
            let number = numbers.entry(name.clone()).or_insert(1);
            while !taken.insert(unique.clone()) {
                *number += 1;
                unique = format!("{name}{}{number}", separator(&name));
            }
            names.insert(id, unique);
        }
        Self { names, rules }
    }

    /// Returns the name of a rule, if it has one.
    pub fn get(&self, id: RuleId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }
}

/// Returns the separator between a name and a number: `_` after a digit.
fn separator(name: &str) -> &'static str {
    if name.ends_with(|last: char| last.is_ascii_digit()) { "_" } else { "" }
}

/// Returns the start rule and the rules that it leads to, in the order of the text.
fn reachable(schema: &Schema, kinds: &Kinds) -> Vec<RuleId> {
    let mut is_known = vec![false; schema.rules.len()];
    is_known[schema.root.0] = true;
    let mut open = vec![schema.root];
    while let Some(id) = open.pop() {
        let mut found = |next: RuleId| {
            if !std::mem::replace(&mut is_known[next.0], true) {
                open.push(next);
            }
        };
        in_type(&schema.rules[id.0].body, kinds, &mut found);
    }
    (0..is_known.len()).filter(|id| is_known[*id]).map(RuleId).collect()
}

fn in_type(ty: &Type, kinds: &Kinds, found: &mut impl FnMut(RuleId)) {
    if kinds.get(ty) == 0 {
        return;
    }
    match &ty.kind {
        TypeKind::Rule(id) => found(*id),
        TypeKind::Choice(alternatives) => {
            for alternative in alternatives {
                in_type(alternative, kinds, found);
            }
        }
        TypeKind::Map(group) | TypeKind::Array(group) => in_group(group, kinds, found),
        TypeKind::Control { target, control } => {
            in_type(target, kinds, found);
            if let Control::Within(ty)
            | Control::And(ty)
            | Control::Is(ty)
            | Control::IsNot(ty)
            | Control::Json(ty) = control
            {
                in_type(ty, kinds, found);
            }
        }
        TypeKind::Any
        | TypeKind::Literal(_)
        | TypeKind::Range { .. }
        | TypeKind::Major { .. }
        | TypeKind::Simple(_)
        | TypeKind::Tag { .. } => {}
    }
}

fn in_group(group: &Group, kinds: &Kinds, found: &mut impl FnMut(RuleId)) {
    for element in group.choices.iter().flatten() {
        match &element.kind {
            ElementKind::Group { group, .. } => in_group(group, kinds, found),
            ElementKind::Member(member) => {
                if let Some(MemberKey::Type(key)) = &member.key {
                    in_type(key, kinds, found);
                }
                in_type(&member.value, kinds, found);
            }
        }
    }
}
