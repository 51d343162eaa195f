//! Types.

use std::rc::Rc;

use super::Lowering;
use super::names::{Argument, End, Named, Scope, Target};
use crate::Error;
use crate::ir::{Literal, LiteralValue, TagNumber, Type, TypeKind};
use crate::syntax::ast::{self, Body, HeadNumber, Reference, Type2Kind};

/// The content of a rule that `~` unwraps.
pub(super) enum Unwrapped<'a> {
    Group(&'a ast::Group<'a>, Rc<Scope<'a>>),
    Type(&'a ast::Type<'a>, Rc<Scope<'a>>),
}

impl<'a> Lowering<'a> {
    /// Returns the body of a type rule: the alternatives of all its parts.
    pub(super) fn body(&mut self, named: &Named<'a>) -> Result<Type, Error> {
        if let Some((sole, scope)) = named.sole_type() {
            return self.type_(sole, &scope);
        }
        let mut alternatives = Vec::new();
        for part in &named.definition.parts {
            if let Body::Type(body) = part.body() {
                let scope = named.scope(part);
                for type1 in &body.choices {
                    alternatives.push(self.type1(type1, &scope)?);
                }
            }
        }
        let location = named.definition.location.clone();
        Ok(Type { kind: TypeKind::Choice(alternatives), location })
    }

    pub(super) fn type_(
        &mut self,
        of: &'a ast::Type<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        match of.choices.as_slice() {
            [type1] => self.type1(type1, scope),
            choices => {
                let alternatives = choices.iter().map(|type1| self.type1(type1, scope));
                let kind = TypeKind::Choice(alternatives.collect::<Result<_, _>>()?);
                Ok(Type { kind, location: scope.location(of.span.start) })
            }
        }
    }

    pub(super) fn type1(
        &mut self,
        type1: &'a ast::Type1<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let at = type1.span.start;
        self.with_nesting(scope, at, |lowering| match &type1.operator {
            None => lowering.type2(&type1.target, scope),
            Some(operator) => {
                let kind = lowering.operation(type1, operator, scope)?;
                Ok(Type { kind, location: scope.location(at) })
            }
        })
    }

    pub(super) fn type2(
        &mut self,
        type2: &'a ast::Type2<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let at = type2.span.start;
        let kind = match &type2.kind {
            Type2Kind::Value(value) => TypeKind::Literal(self.literal(value, scope, at)?),
            Type2Kind::Parenthesized(inner) => return self.type_(inner, scope),
            Type2Kind::Name(reference) => return self.type_name(reference, scope),
            Type2Kind::Unwrap(reference) => {
                let target = self.resolve(reference, scope)?;
                return match self.unwrap(&target, reference, scope)? {
                    Unwrapped::Type(content, scope) => {
                        self.with_nesting(&scope, content.span.start, |lowering| {
                            lowering.type_(content, &scope)
                        })
                    }
                    Unwrapped::Group(..) => {
                        let name = reference.name.text;
                        let why = format!("`~{name}` is a group, and a type is needed");
                        Err(scope.error(at, why))
                    }
                };
            }
            Type2Kind::Map(group) => self.container(type2, group, TypeKind::Map, scope)?,
            Type2Kind::Array(group) => self.container(type2, group, TypeKind::Array, scope)?,
            Type2Kind::ChoiceFromGroup(group) => {
                let mut alternatives = Vec::new();
                self.enumerate(group, scope, &mut alternatives)?;
                TypeKind::Choice(alternatives)
            }
            Type2Kind::ChoiceFromName(reference) => {
                let at = reference.name.span.start;
                let target = self.resolve(reference, scope)?;
                if !self.is_group(&target)? {
                    let why = format!("`{}` is not a group", reference.name.text);
                    return Err(scope.error(at, why));
                }
                let mut alternatives = Vec::new();
                self.enumerate_target(target, at, scope, &mut alternatives)?;
                TypeKind::Choice(alternatives)
            }
            Type2Kind::Tag { number, content } => {
                let content = match content {
                    None => Type { kind: TypeKind::Any, location: scope.location(at) },
                    Some(content) => self.type_(content, scope)?,
                };
                let number = self.head_number(number, scope)?;
                TypeKind::Tag { number, content: Box::new(content) }
            }
            Type2Kind::Major { major, number } => match self.head_number(number, scope)? {
                TagNumber::Any => TypeKind::Major { major: *major, info: None },
                TagNumber::One(info) => TypeKind::Major { major: *major, info: Some(info) },
                TagNumber::Of(numbers) => TypeKind::Simple(numbers),
            },
            Type2Kind::Any => TypeKind::Any,
        };
        Ok(Type { kind, location: scope.location(at) })
    }

    fn type_name(
        &mut self,
        reference: &'a Reference<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let at = reference.name.span.start;
        let target = self.resolve(reference, scope)?;
        if self.is_group(&target)? {
            let why = format!("`{}` is a group, and a type is needed", reference.name.text);
            return Err(scope.error(at, why));
        }
        self.type_target(target, at, scope)
    }

    /// Returns the type that a name refers to.
    pub(super) fn type_target(
        &mut self,
        target: Target<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let location = scope.location(at);
        let kind = match target {
            Target::Argument(Argument { type1, scope, .. }) => return self.type1(type1, &scope),
            Target::Unplugged { .. } => TypeKind::Choice(Vec::new()),
            Target::Named(named) => TypeKind::Rule(self.rule(named, location.clone())?),
        };
        Ok(Type { kind, location })
    }

    pub(super) fn unwrap(
        &mut self,
        target: &Target<'a>,
        reference: &'a Reference<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Unwrapped<'a>, Error> {
        if let End::Type2(type2, scope) = self.follow(target)? {
            match &type2.kind {
                Type2Kind::Map(group) | Type2Kind::Array(group) => {
                    return Ok(Unwrapped::Group(group, scope));
                }
                Type2Kind::Tag { content: Some(content), .. } => {
                    return Ok(Unwrapped::Type(content, scope));
                }
                _ => {}
            }
        }
        let name = reference.name.text;
        let why = format!("`~{name}` needs `{name}` to be a map, an array or a tag");
        Err(scope.error(reference.name.span.start, why))
    }

    fn head_number(
        &mut self,
        number: &'a HeadNumber<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<TagNumber, Error> {
        let numbers = match number {
            HeadNumber::Any => return Ok(TagNumber::Any),
            HeadNumber::One(number) => return Ok(TagNumber::One(*number)),
            HeadNumber::Of(numbers) => numbers,
        };
        match self.constant_type(numbers, scope)? {
            None => Ok(TagNumber::Of(Box::new(self.type_(numbers, scope)?))),
            Some(Literal { value, .. }) => {
                let number = match value {
                    LiteralValue::Integer(value) => u64::try_from(value).ok(),
                    _ => None,
                };
                let why = "a number of 0 to 2^64 - 1 is needed here";
                number.map(TagNumber::One).ok_or_else(|| scope.error(numbers.span.start, why))
            }
        }
    }
}
