//! Lowers groups and their entries.

use std::rc::Rc;

use super::names::{Argument, Named, Scope, Target, bare, one_line, sole_type2};
use super::types::Unwrapped;
use super::{Lowering, Pending, copied_docs, limits};
use crate::Error;
use crate::ir::{
    Element, ElementKind, Group, Literal, LiteralValue, Location, Member, MemberKey, Occurrence,
    TypeKind,
};
use crate::syntax::ast::{self, Body, EntryKind, GroupEntry, Type2, Type2Kind};

/// The members that all kinds of entries have.
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
        self.grow(group.choices.len(), scope, at)?;
        let mut choices = Vec::with_capacity(group.choices.len());
        let mut names = Vec::with_capacity(group.choices.len());
        for entries in &group.choices {
            choices.push(self.choice(entries, scope)?);
            names.push(match entries.as_slice() {
                [entry] => self.sole_group(entry, scope)?,
                _ => None,
            });
        }
        Ok(Group { choices, names, location: scope.location(at) })
    }

    /// Returns the name of the group rule that an entry consists of.
    fn sole_group(
        &mut self,
        entry: &'a GroupEntry<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<String>, Error> {
        let GroupEntry { occurrence: None, kind: EntryKind::Member { key: None, value }, .. } =
            entry
        else {
            return Ok(None);
        };
        let Some(Type2Kind::Name(reference)) = sole_type2(value).map(|type2| &type2.kind) else {
            return Ok(None);
        };
        let target = self.resolve(reference, scope)?;
        match &target {
            Target::Named(named) if self.is_group(&target)? => {
                Ok(Some(named.definition.name.to_string()))
            }
            _ => Ok(None),
        }
    }

    fn choice(
        &mut self,
        entries: &'a [GroupEntry<'a>],
        scope: &Rc<Scope<'a>>,
    ) -> Result<Vec<Element>, Error> {
        let mut elements = Vec::new();
        for entry in entries {
            self.entry(entry, scope, &mut elements)?;
        }
        Ok(elements)
    }

    /// Returns the content of a group rule: the alternatives of all its parts.
    pub(super) fn named_group(&mut self, named: &Named<'a>) -> Result<Group, Error> {
        let (mut choices, mut titles) = (Vec::new(), Vec::new());
        for part in &named.definition.parts {
            let scope = &named.scope(part);
            self.grow(1, scope, part.rule.span.start)?;
            match part.body() {
                Body::Group(GroupEntry {
                    occurrence: None, kind: EntryKind::Group(group), ..
                }) => {
                    let mut group = self.group(group, group.span.start, scope)?;
                    choices.append(&mut group.choices);
                    titles.append(&mut group.names);
                }
                Body::Group(entry) => {
                    let mut elements = Vec::new();
                    self.entry(entry, scope, &mut elements)?;
                    choices.push(elements);
                    titles.push(self.sole_group(entry, scope)?);
                }
                Body::Type(body) => {
                    let location = scope.location(body.span.start);
                    let place = Place { occurrence: Occurrence::ONCE, docs: Vec::new(), location };
                    let mut elements = Vec::new();
                    self.type_entry(body, place, scope, &mut elements)?;
                    choices.push(elements);
                    titles.push(None);
                }
            }
        }
        Ok(Group { choices, names: titles, location: named.definition.location.clone() })
    }

    fn entry(
        &mut self,
        entry: &'a GroupEntry<'a>,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Element>,
    ) -> Result<(), Error> {
        let start = entry.span.start;
        let mut docs = scope.source.docs_above(start);
        docs.extend(scope.source.docs_after(entry.span.end));
        // Comments are copied as often as the group is used.
        self.copy(docs.iter().map(|line| copied_docs(line)).sum(), scope, start)?;
        let place = Place {
            occurrence: lower_occurrence(entry.occurrence, start, scope)?,
            docs,
            location: scope.location(start),
        };
        self.with_nesting(scope, start, |lowering| match &entry.kind {
            EntryKind::Member { key: None, value } => lowering.type_entry(value, place, scope, out),
            EntryKind::Member { key: Some(key), value } => {
                let (key, cut) = lowering.key(key, start, scope)?;
                let value = lowering.type_(value, scope)?;
                let member = Member { key: Some(key), cut, value };
                out.push(place.element(ElementKind::Member(member)));
                Ok(())
            }
            EntryKind::Group(group) => {
                let group = lowering.group(group, start, scope)?;
                push_group(None, group, place, out);
                Ok(())
            }
        })
    }

    /// Lowers a type without a key, which may also be the name of a group.
    fn type_entry(
        &mut self,
        of: &'a ast::Type<'a>,
        place: Place,
        scope: &Rc<Scope<'a>>,
        out: &mut Vec<Element>,
    ) -> Result<(), Error> {
        match sole_type2(of).map(|type2| &type2.kind) {
            Some(Type2Kind::Name(reference)) => {
                let target = self.resolve(reference, scope)?;
                self.target_entry(target, reference.name.span.start, place, scope, out)
            }
            Some(Type2Kind::Unwrap(reference)) => {
                let target = self.resolve(reference, scope)?;
                match self.unwrap(&target, reference, scope)? {
                    Unwrapped::Group(group, inner) => {
                        let name = format!("~{}", target.key());
                        let at = (scope, reference.name.span.start);
                        let group = self.inlined(name, at, |lowering| {
                            lowering.group(group, group.span.start, &inner)
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
                let group =
                    Group { choices: Vec::new(), names: Vec::new(), location: scope.location(at) };
                push_group(None, group, place, out);
                Ok(())
            }
            Target::Named(named) => {
                let inline = |lowering: &mut Self| lowering.named_group(&named);
                let group = self.inlined(named.key.clone(), (scope, at), inline)?;
                push_group(Some(named.key), group, place, out);
                Ok(())
            }
            Target::Argument(Argument { type1, scope, .. }) => match bare(type1) {
                Some(Type2 { kind: Type2Kind::Name(reference), .. }) => {
                    let target = self.resolve(reference, &scope)?;
                    let at = reference.name.span.start;
                    self.with_nesting(&scope, at, |lowering| {
                        lowering.target_entry(target, at, place, &scope, out)
                    })
                }
                _ => Err(scope.error(type1.span.start, "this group cannot be an argument")),
            },
        }
    }

    /// Returns the key of the entry that starts here.
    fn key(
        &mut self,
        key: &'a ast::MemberKey<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<(MemberKey, bool), Error> {
        Ok(match key {
            ast::MemberKey::Bareword(name) => {
                let value = LiteralValue::Text(self.name(name, scope)?);
                (MemberKey::Literal(Literal { value, name: None }), true)
            }
            ast::MemberKey::Value(value) => {
                (MemberKey::Literal(self.literal(value, scope, at)?), true)
            }
            ast::MemberKey::Type { type1, cut } => {
                let key = match self.constant(type1, scope)? {
                    Some(literal) => MemberKey::Literal(self.named_label(literal, type1, scope)?),
                    None => MemberKey::Type(self.type1(type1, scope)?),
                };
                (key, *cut)
            }
        })
    }

    /// Returns a key that is not text, with the name of the rule that defines it.
    fn named_label(
        &mut self,
        mut literal: Literal,
        type1: &'a ast::Type1<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Literal, Error> {
        if literal.name.is_some() || matches!(literal.value, LiteralValue::Text(_)) {
            return Ok(literal);
        }
        let mut next = bare(type1).map(|type2| (type2, Rc::clone(scope)));
        while let Some((Type2 { kind: Type2Kind::Name(reference), .. }, scope)) = next {
            next = match self.resolve(reference, &scope)? {
                Target::Argument(Argument { type1, scope, .. }) => {
                    bare(type1).map(|type2| (type2, scope))
                }
                Target::Named(named) => {
                    literal.name = Some(named.definition.name.to_string());
                    None
                }
                Target::Unplugged { .. } => None,
            };
        }
        Ok(literal)
    }

    /// Returns a map or an array. If it is inside another and contains a recursive group, it
    /// becomes a rule of its own, so that inlining the group ends.
    pub(super) fn container(
        &mut self,
        type2: &'a Type2<'a>,
        group: &'a ast::Group<'a>,
        kind: fn(Group) -> TypeKind,
        scope: &Rc<Scope<'a>>,
    ) -> Result<TypeKind, Error> {
        let at = type2.span.start;
        let is_inside = self.containers > 0 || !self.inlining.is_empty();
        let recursive = if is_inside && !self.recursive.is_empty() {
            // The search may read all of the text.
            self.copy(type2.span.end - at, scope, at)?;
            self.recursive_group(group, scope)?
        } else {
            None
        };
        if let Some(recursive) = recursive {
            let key = container_name(type2, &recursive, scope);
            let id = self.rule_id(&key, &scope.location(at))?;
            if self.found.insert(key.clone()) {
                let scope = Rc::clone(scope);
                self.instances.push(Pending::Container { key, type2, scope });
            }
            if self.found.len() > limits::INSTANCES {
                let why = "groups are expanded without end";
                return Err(scope.error(at, why));
            }
            return Ok(TypeKind::Rule(id));
        }
        self.containers += 1;
        let group = self.group(group, at, scope)?;
        self.containers -= 1;
        Ok(kind(group))
    }

    /// Returns the first recursive group that is named in a group, outside of maps and arrays.
    fn recursive_group(
        &mut self,
        group: &'a ast::Group<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<String>, Error> {
        for entry in group.choices.iter().flatten() {
            let recursive = match &entry.kind {
                EntryKind::Group(inner) => self.recursive_group(inner, scope)?,
                EntryKind::Member { key: None, value } => {
                    self.recursive_name(sole_type2(value), scope)?
                }
                EntryKind::Member { .. } => None,
            };
            if recursive.is_some() {
                return Ok(recursive);
            }
        }
        Ok(None)
    }

    /// Returns the recursive group that an entry without a key names.
    fn recursive_name(
        &mut self,
        type2: Option<&'a Type2<'a>>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Option<String>, Error> {
        let mut next = type2.map(|type2| (type2, Rc::clone(scope)));
        while let Some((type2, scope)) = next {
            let (reference, prefix) = match &type2.kind {
                Type2Kind::Name(reference) => (reference, ""),
                Type2Kind::Unwrap(reference) => (reference, "~"),
                _ => return Ok(None),
            };
            next = match self.resolve(reference, &scope)? {
                Target::Argument(Argument { type1, scope, .. }) => {
                    bare(type1).map(|type2| (type2, scope))
                }
                Target::Unplugged { .. } => None,
                Target::Named(named) => {
                    let name = format!("{prefix}{}", named.definition.name);
                    let key = format!("{prefix}{}", named.key);
                    return Ok(self.recursive.contains(&name).then_some(key));
                }
            };
        }
        Ok(None)
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
        let inlined = self.with_nesting(scope, at, inline);
        self.inlining.pop();
        inlined
    }
}

/// Returns the name of the rule that a map or an array with a recursive group becomes: its text, or
/// the group and the place if that is long.
fn container_name(type2: &Type2, group: &str, scope: &Scope) -> String {
    const SHORT: usize = 60;
    let text = one_line(type2.span, scope);
    if text.len() <= SHORT {
        return text;
    }
    let Location { file, line, column } = scope.location(type2.span.start);
    if scope.source.number == 0 {
        return format!("{group}@{line}:{column}");
    }
    // Another text may have a container at the same place, and one module may have two prefixes.
    let (number, prefix) = (scope.source.number, scope.namespace.prefix());
    format!("{group}@{prefix}{file}#{number}:{line}:{column}")
}

/// Adds a group: its elements if it occurs once and has no alternatives, its value if it is a type
/// in parentheses, else the group itself.
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

fn lower_occurrence(
    occurrence: Option<ast::Occurrence>,
    at: usize,
    scope: &Scope,
) -> Result<Occurrence, Error> {
    let Some(ast::Occurrence { min, max }) = occurrence else { return Ok(Occurrence::ONCE) };
    if max.is_some_and(|max| max < min) {
        return Err(scope.error(at, "this occurrence asks for more than it allows"));
    }
    Ok(Occurrence { min, max })
}
