//! Computes the JSON values that types accept, for all output formats.

use vac_cddl::ir::{Control, Literal, LiteralValue, Schema, Type, TypeKind};

use crate::kinds::Kinds;

/// A schema, with the kinds of values that its rules accept.
pub(crate) struct Shapes<'s> {
    pub schema: &'s Schema,
    pub kinds: Kinds,
}

impl<'s> Shapes<'s> {
    /// Creates the shapes of a schema.
    pub fn new(schema: &'s Schema) -> Self {
        Self { schema, kinds: Kinds::new(schema) }
    }

    /// Returns whether no value can match both types.
    pub fn are_disjoint(&self, one: &Type, other: &Type) -> bool {
        if self.kinds.get(one) & self.kinds.get(other) == 0 {
            return true;
        }
        match (texts(self.schema, one), texts(self.schema, other)) {
            (Some(one), Some(other)) => one.iter().all(|text| !other.contains(text)),
            _ => false,
        }
    }
}

/// Returns the type that references to rules lead to. Controls that do not change what matches are
/// left out.
pub(crate) fn resolve<'s>(schema: &'s Schema, mut ty: &'s Type) -> &'s Type {
    // A rule cannot consist of itself, so there are at most as many steps as rules.
    for _ in 0..schema.rules.len().saturating_mul(2) {
        match &ty.kind {
            TypeKind::Rule(id) => ty = &schema.rules[id.0].body,
            TypeKind::Control { target, control: Control::Default(_) | Control::Feature(_) } => {
                ty = target;
            }
            _ => break,
        }
    }
    ty
}

/// Returns the texts that a type consists of, if it consists of literals only.
pub(crate) fn texts<'s>(schema: &'s Schema, ty: &'s Type) -> Option<Vec<&'s str>> {
    match &resolve(schema, ty).kind {
        TypeKind::Literal(Literal { value: LiteralValue::Text(text), .. }) => Some(vec![text]),
        TypeKind::Choice(alternatives) => {
            let mut found = Vec::new();
            for alternative in alternatives {
                match &resolve(schema, alternative).kind {
                    TypeKind::Literal(Literal { value: LiteralValue::Text(text), .. }) => {
                        found.push(text.as_str());
                    }
                    _ => return None,
                }
            }
            Some(found)
        }
        _ => None,
    }
}
