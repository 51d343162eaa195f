//! Groups and their entries.

use std::rc::Rc;

use cddl::ast::{self, GroupEntry, MemberKey, Occur, Type2};

use super::definitions::{Body, full_name};
use super::names::{Argument, Named, Scope, Target, bare, sole_type2};
use super::types::Unwrapped;
use super::{Lowering, copied_docs};
use crate::Error;
use crate::ir::{Element, ElementKind, Group, Key, Literal, Location, Member, Occurrence, Value};

/// What an entry says about itself, whatever it is.
struct Place {
    occurrence: Occurrence,
    docs: Vec<String>,
    location: Location,
}

impl Place {
    fn element(self, kind: ElementKind) -> Element {
        let Self { occurrence, docs, location } = self;
        Element { occurrence, kind, docs, location }
    }

    fn value(self, value: crate::ir::Type) -> Element {
        self.element(ElementKind::Member(Member { key: None, cut: false, value }))
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn group(
        &mut self,
        group: &'a ast::Group<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Group, Error> {
        self.grow(group.group_choices.len(), scope, at)?;
        let choices = group.group_choices.iter().map(|choice| self.choice(choice, scope));
        Ok(Group { choices: choices.collect::<Result<_, _>>()?, location: scope.at(at) })
    }

    fn choice(
        &mut self,
        choice: &'a ast::GroupChoice<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Vec<Element>, Error> {
        let mut elements = Vec::new();
        for (entry, _) in &choice.group_entries {
            self.entry(entry, scope, &mut elements)?;
        }
        Ok(elements)
    }

    /// What a group rule stands for: the alternatives of all its parts.
    pub(super) fn named_group(&mut self, named: &Named<'a>) -> Result<Group, Error> {
        let mut choices = Vec::new();
        for part in &named.definition.parts {
            let scope = &named.scope(part);
            self.grow(1, scope, 0)?;
            match part.body {
                Body::Group(GroupEntry::InlineGroup { occur: None, group, .. }) => {
                    choices.append(&mut self.group(group, group.span.0, scope)?.choices);
                }
                Body::Group(entry) => {
                    let mut elements = Vec::new();
                    self.entry(entry, scope, &mut elements)?;
                    choices.push(elements);
                }
                Body::Type(body) => {
                    let location = scope.at(body.span.0);
                    let place = Place { occurrence: Occurrence::ONCE, docs: Vec::new(), location };
                    let mut elements = Vec::new();
                    self.type_entry(body, place, scope, &mut elements)?;
                    choices.push(elements);
                }
            }
        }
        Ok(Group { choices, location: named.definition.location.clone() })
    }

    fn entry(
        &mut self,
        entry: &'a GroupEntry<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Element>,
    ) -> Result<(), Error> {
        let (occurrence, start, end) = match entry {
            GroupEntry::ValueMemberKey { ge, span, .. } => (&ge.occur, span.0, span.1),
            GroupEntry::TypeGroupname { ge, span, .. } => (&ge.occur, span.0, span.1),
            GroupEntry::InlineGroup { occur, span, .. } => (occur, span.0, span.1),
        };
        let source = scope.source;
        let start = source.skip_blanks(start);
        let mut docs = source.docs_above(start);
        docs.extend(source.docs_behind(start + source.tight(start, end).len()));
        // Names and blanks are a part of that, too.
        let docs_size: usize = docs.iter().map(|line| copied_docs(line)).sum();
        self.copy(end.saturating_sub(start) + docs_size, scope, start)?;
        let place = Place {
            occurrence: lower_occurrence(occurrence.as_ref(), start, scope)?,
            docs,
            location: scope.at(start),
        };
        self.nested(scope, start, |lowering| match entry {
            GroupEntry::ValueMemberKey { ge, .. } => match &ge.member_key {
                None => lowering.type_entry(&ge.entry_type, place, scope, out),
                Some(key) => {
                    let key_start =
                        ge.occur.as_ref().map_or(start, |occur| occur_end(&occur.occur));
                    let (key, cut) = lowering.key(key, source.skip_blanks(key_start), scope)?;
                    let value = lowering.type_(&ge.entry_type, scope)?;
                    let member = Member { key: Some(key), cut, value };
                    out.push(place.element(ElementKind::Member(member)));
                    Ok(())
                }
            },
            GroupEntry::TypeGroupname { ge, .. } => {
                let target = lowering.resolve(&ge.name, ge.generic_args.as_ref(), scope)?;
                lowering.target_entry(target, ge.name.span.0, place, scope, out)
            }
            GroupEntry::InlineGroup { group, .. } => {
                let group = lowering.group(group, start, scope)?;
                push_group(None, group, place, out);
                Ok(())
            }
        })
    }

    /// A type without a key, which may also be the name of a group.
    fn type_entry(
        &mut self,
        of: &'a ast::Type<'a>,
        place: Place,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Element>,
    ) -> Result<(), Error> {
        match sole_type2(of) {
            Some(Type2::Typename { ident, generic_args, .. }) => {
                let target = self.resolve(ident, generic_args.as_ref(), scope)?;
                self.target_entry(target, ident.span.0, place, scope, out)
            }
            Some(Type2::Unwrap { ident, generic_args, .. }) => {
                let target = self.resolve(ident, generic_args.as_ref(), scope)?;
                match self.unwrap(&target, ident, scope)? {
                    Unwrapped::Group(group, inner) => {
                        let name = format!("~{}", full_name(ident));
                        let at = (scope, ident.span.0);
                        let group = self.inlined(name, at, |lowering| {
                            lowering.group(group, group.span.0, &inner)
                        })?;
                        push_group(None, group, place, out);
                    }
                    Unwrapped::Type(..) => out.push(place.value(self.type_(of, scope)?)),
                }
                Ok(())
            }
            _ => {
                out.push(place.value(self.type_(of, scope)?));
                Ok(())
            }
        }
    }

    fn target_entry(
        &mut self,
        target: Target<'a>,
        at: usize,
        place: Place,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Element>,
    ) -> Result<(), Error> {
        if !self.is_group(&target)? {
            out.push(place.value(self.type_target(target, at, scope)?));
            return Ok(());
        }
        match target {
            Target::Unplugged { .. } => {
                let group = Group { choices: Vec::new(), location: scope.at(at) };
                push_group(None, group, place, out);
                Ok(())
            }
            Target::Named(named) => {
                self.copy(named.key.len(), scope, at)?;
                let inline = |lowering: &mut Self| lowering.named_group(&named);
                let group = self.inlined(named.key.clone(), (scope, at), inline)?;
                push_group(Some(named.key), group, place, out);
                Ok(())
            }
            Target::Argument(Argument { type1, scope, .. }) => match bare(type1) {
                Some(Type2::Typename { ident, generic_args, .. }) => {
                    let target = self.resolve(ident, generic_args.as_ref(), &scope)?;
                    self.nested(&scope, ident.span.0, |lowering| {
                        lowering.target_entry(target, ident.span.0, place, &scope, out)
                    })
                }
                _ => Err(scope.error(type1.span.0, "this group cannot be an argument")),
            },
        }
    }

    fn key(
        &mut self,
        key: &'a MemberKey<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<(Key, bool), Error> {
        match key {
            MemberKey::Bareword { ident, .. } if ident.socket.is_none() => {
                let value = Value::Text(ident.ident.to_owned());
                Ok((Key::Literal(Literal { value, name: None }), true))
            }
            MemberKey::Value { .. } => {
                let value = self.literal(scope, at)?;
                Ok((Key::Literal(Literal { value, name: None }), true))
            }
            MemberKey::Type1 { t1, is_cut, .. } => {
                let key = match self.constant(t1, scope)? {
                    Some(literal) => Key::Literal(literal),
                    None => Key::Type(self.type1(t1, scope)?),
                };
                Ok((key, *is_cut))
            }
            _ => Err(scope.error(at, "this key is not supported")),
        }
    }

    /// Replaces the name of a group by its content.
    pub(super) fn inlined<T>(
        &mut self,
        name: String,
        (scope, at): (&Rc<Scope<'a>>, usize),
        inline: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.inlining.contains(&name) {
            let why = format!("group `{name}` contains itself");
            return Err(scope.error(at, why));
        }
        self.inlining.push(name);
        let inlined = self.nested(scope, at, inline);
        self.inlining.pop();
        inlined
    }
}

/// Adds a group: its elements if it is there once and without alternatives,
/// its value if it is a type in parentheses, else the group itself.
fn push_group(name: Option<String>, mut group: Group, place: Place, out: &mut Vec<Element>) {
    match group.choices.as_mut_slice() {
        [elements] if place.occurrence == Occurrence::ONCE => out.append(elements),
        [elements] if name.is_none() && is_value(elements) => {
            out.extend(elements.pop().map(|value| place.element(value.kind)));
        }
        _ => out.push(place.element(ElementKind::Group { name, group })),
    }
}

fn is_value(elements: &[Element]) -> bool {
    let [Element { occurrence: Occurrence::ONCE, kind, .. }] = elements else { return false };
    matches!(kind, ElementKind::Member(Member { key: None, .. }))
}

fn occur_end(occur: &Occur) -> usize {
    match occur {
        Occur::Exact { span, .. }
        | Occur::ZeroOrMore { span }
        | Occur::OneOrMore { span }
        | Occur::Optional { span } => span.1,
    }
}

fn lower_occurrence(
    occurrence: Option<&ast::Occurrence>,
    at: usize,
    scope: &Scope,
) -> Result<Occurrence, Error> {
    let wide = |bound: usize| u64::try_from(bound).unwrap_or(u64::MAX);
    let (min, max) = match occurrence.map(|occurrence| &occurrence.occur) {
        None => return Ok(Occurrence::ONCE),
        Some(Occur::Optional { .. }) => (0, Some(1)),
        Some(Occur::ZeroOrMore { .. }) => (0, None),
        Some(Occur::OneOrMore { .. }) => (1, None),
        Some(Occur::Exact { lower, upper, .. }) => (lower.map_or(0, wide), upper.map(wide)),
    };
    if max.is_some_and(|max| max < min) {
        return Err(scope.error(at, "this occurrence asks for more than it allows"));
    }
    Ok(Occurrence { min, max })
}
