//! `&`: the values of a group as alternatives.

use std::rc::Rc;

use cddl::ast::{self, GroupEntry, MemberKey, Type2};

use super::Lowering;
use super::definitions::{Body, full_name};
use super::names::{Argument, Scope, Target, bare, sole_type2};
use super::types::Unwrapped;
use crate::Error;
use crate::ir::{Literal, Type, TypeKind, Value};

impl<'a> Lowering<'a> {
    pub(super) fn enumerate(
        &mut self,
        group: &'a ast::Group<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Type>,
    ) -> Result<(), Error> {
        let mut entries = group.group_choices.iter().flat_map(|choice| &choice.group_entries);
        entries.try_for_each(|(entry, _)| self.enumerate_entry(entry, scope, out))
    }

    /// The values of what a name stands for.
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
                named.definition.parts.iter().try_for_each(|part| match part.body {
                    Body::Group(entry) => lowering.enumerate_entry(entry, &named.scope(part), out),
                    Body::Type(body) => {
                        lowering.enumerate_type(None, body, &named.scope(part), out)
                    }
                })
            }),
            Target::Argument(Argument { type1, scope, .. }) => match bare(type1) {
                Some(Type2::Typename { ident, generic_args, .. }) => {
                    let target = self.resolve(ident, generic_args.as_ref(), &scope)?;
                    self.nested(&scope, ident.span.0, |lowering| {
                        lowering.enumerate_target(target, ident.span.0, &scope, out)
                    })
                }
                _ => Err(scope.error(type1.span.0, "this group cannot be an argument")),
            },
        }
    }

    fn enumerate_entry(
        &mut self,
        entry: &'a GroupEntry<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Type>,
    ) -> Result<(), Error> {
        let at = match entry {
            GroupEntry::ValueMemberKey { span, .. }
            | GroupEntry::TypeGroupname { span, .. }
            | GroupEntry::InlineGroup { span, .. } => span.0,
        };
        self.nested(scope, at, |lowering| match entry {
            GroupEntry::InlineGroup { group, .. } => lowering.enumerate(group, scope, out),
            GroupEntry::TypeGroupname { ge, .. } => {
                let target = lowering.resolve(&ge.name, ge.generic_args.as_ref(), scope)?;
                lowering.enumerate_target(target, ge.name.span.0, scope, out)
            }
            GroupEntry::ValueMemberKey { ge, .. } => {
                let name = match &ge.member_key {
                    Some(MemberKey::Bareword { ident, .. }) => Some(full_name(ident)),
                    Some(MemberKey::Type1 { t1, .. }) => match lowering.constant(t1, scope)? {
                        Some(Literal { value: Value::Text(name), .. }) => Some(name),
                        _ => None,
                    },
                    _ => None,
                };
                lowering.enumerate_type(name, &ge.entry_type, scope, out)
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
        let location = scope.at(of.span.0);
        if let Some(Literal { value, .. }) = self.constant_type(of, scope)? {
            let kind = TypeKind::Literal(Literal { value, name });
            out.push(Type { kind, location });
            return Ok(());
        }
        match sole_type2(of) {
            Some(Type2::Typename { ident, generic_args, .. }) if name.is_none() => {
                let target = self.resolve(ident, generic_args.as_ref(), scope)?;
                self.enumerate_target(target, ident.span.0, scope, out)
            }
            Some(Type2::Unwrap { ident, generic_args, .. }) if name.is_none() => {
                let target = self.resolve(ident, generic_args.as_ref(), scope)?;
                match self.unwrap(&target, ident, scope)? {
                    Unwrapped::Group(group, inner) => {
                        let name = format!("~{}", full_name(ident));
                        self.inlined(name, (scope, ident.span.0), |lowering| {
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
