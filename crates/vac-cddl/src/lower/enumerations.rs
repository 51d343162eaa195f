//! Lowers `&`: the values of a group become alternatives.

use std::rc::Rc;

use super::Lowering;
use super::names::{Argument, Scope, Target, bare, sole_type2};
use super::types::Unwrapped;
use crate::Error;
use crate::ir::{Literal, LiteralValue, Type, TypeKind};
use crate::syntax::ast::{self, Body, EntryKind, GroupEntry, MemberKey, Type2, Type2Kind};

impl<'a> Lowering<'a> {
    pub(super) fn enumerate(
        &mut self,
        group: &'a ast::Group<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Type>,
    ) -> Result<(), Error> {
        self.grow(group.choices.len(), scope, group.span.start)?;
        let mut entries = group.choices.iter().flatten();
        entries.try_for_each(|entry| self.enumerate_entry(entry, scope, out))
    }

    /// Adds the values of what a name refers to.
    pub(super) fn enumerate_target(
        &mut self,
        target: Target<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Type>,
    ) -> Result<(), Error> {
        if !self.is_group(&target)? {
            out.push(self.type_target(target, at, scope)?);
            return Ok(());
        }
        match target {
            Target::Unplugged { .. } => Ok(()),
            Target::Named(named) => self.inlined(named.key.clone(), (scope, at), |lowering| {
                named.definition.parts.iter().try_for_each(|part| match part.body() {
                    Body::Group(entry) => lowering.enumerate_entry(entry, &named.scope(part), out),
                    Body::Type(body) => {
                        lowering.enumerate_type(None, body, &named.scope(part), out)
                    }
                })
            }),
            Target::Argument(Argument { type1, scope, .. }) => match bare(type1) {
                Some(Type2 { kind: Type2Kind::Name(reference), .. }) => {
                    let target = self.resolve(reference, &scope)?;
                    let at = reference.name.span.start;
                    self.with_nesting(&scope, at, |lowering| {
                        lowering.enumerate_target(target, at, &scope, out)
                    })
                }
                _ => Err(scope.error(type1.span.start, "this group cannot be an argument")),
            },
        }
    }

    fn enumerate_entry(
        &mut self,
        entry: &'a GroupEntry<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Type>,
    ) -> Result<(), Error> {
        self.with_nesting(scope, entry.span.start, |lowering| match &entry.kind {
            EntryKind::Group(group) => lowering.enumerate(group, scope, out),
            EntryKind::Member { key, value } => {
                let name = match key {
                    Some(MemberKey::Bareword(name)) => Some(lowering.name(name, scope)?),
                    Some(MemberKey::Type { type1, .. }) => match lowering.constant(type1, scope)? {
                        Some(Literal { value: LiteralValue::Text(name), .. }) => Some(name),
                        _ => None,
                    },
                    _ => None,
                };
                lowering.enumerate_type(name, value, scope, out)
            }
        })
    }

    fn enumerate_type(
        &mut self,
        name: Option<String>,
        of: &'a ast::Type<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Type>,
    ) -> Result<(), Error> {
        let location = scope.location(of.span.start);
        if let Some(Literal { value, .. }) = self.constant_type(of, scope)? {
            let kind = TypeKind::Literal(Literal { value, name });
            out.push(Type { kind, location });
            return Ok(());
        }
        match sole_type2(of).map(|type2| &type2.kind) {
            Some(Type2Kind::Name(reference)) if name.is_none() => {
                let target = self.resolve(reference, scope)?;
                self.enumerate_target(target, reference.name.span.start, scope, out)
            }
            Some(Type2Kind::Unwrap(reference)) if name.is_none() => {
                let target = self.resolve(reference, scope)?;
                match self.unwrap(&target, reference, scope)? {
                    Unwrapped::Group(group, inner) => {
                        let name = format!("~{}", target.key());
                        self.inlined(name, (scope, reference.name.span.start), |lowering| {
                            lowering.enumerate(group, &inner, out)
                        })
                    }
                    Unwrapped::Type(..) => {
                        out.push(self.type_(of, scope)?);
                        Ok(())
                    }
                }
            }
            _ => {
                out.push(self.type_(of, scope)?);
                Ok(())
            }
        }
    }
}
