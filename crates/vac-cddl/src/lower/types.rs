//! Types.

use std::rc::Rc;

use cddl::ast;
use cddl::token::TagConstraint;

use super::Lowering;
use super::constants::literal_offset;
use super::definitions::{Body, full_name};
use super::names::{Argument, End, Named, Scope, Target};
use crate::Error;
use crate::ir::{Literal, Type, TypeKind};

/// What `~` leaves of a rule.
pub(super) enum Unwrapped<'a> {
    Group(&'a ast::Group<'a>, Rc<Scope<'a>>),
    Type(&'a ast::Type<'a>, Rc<Scope<'a>>),
}

impl<'a> Lowering<'a> {
    /// What a type rule stands for: the alternatives of all its parts.
    pub(super) fn body(&mut self, named: &Named<'a>) -> Result<Type, Error> {
        if let Some((sole, scope)) = named.sole_type() {
            return self.type_(sole, &scope);
        }
        let mut alternatives = Vec::new();
        for part in &named.definition.parts {
            if let Body::Type(body) = part.body {
                let scope = named.scope(part);
                for choice in &body.type_choices {
                    alternatives.push(self.type1(&choice.type1, &scope)?);
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
        match of.type_choices.as_slice() {
            [] => Err(scope.error(of.span.0, "a type is missing")),
            [choice] => self.type1(&choice.type1, scope),
            choices => {
                let alternatives = choices.iter().map(|choice| self.type1(&choice.type1, scope));
                let kind = TypeKind::Choice(alternatives.collect::<Result<_, _>>()?);
                Ok(Type { kind, location: scope.at(of.span.0) })
            }
        }
    }

    pub(super) fn type1(
        &mut self,
        type1: &'a ast::Type1<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let at = type1.span.0;
        self.nested(scope, at, |lowering| match &type1.operator {
            None => lowering.type2(&type1.type2, scope),
            Some(operator) => {
                let kind = lowering.operation(type1, operator, scope)?;
                Ok(Type { kind, location: scope.at(at) })
            }
        })
    }

    pub(super) fn type2(
        &mut self,
        type2: &'a ast::Type2<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        use ast::Type2;

        if let Some(at) = literal_offset(type2) {
            let literal = Literal { value: self.literal(scope, at)?, name: None };
            return Ok(Type { kind: TypeKind::Literal(literal), location: scope.at(at) });
        }
        let (kind, at) = match type2 {
            Type2::ParenthesizedType { pt, .. } => return self.type_(pt, scope),
            Type2::Typename { ident, generic_args, .. } => {
                return self.type_name(ident, generic_args.as_ref(), scope);
            }
            Type2::Unwrap { ident, generic_args, span, .. } => {
                let target = self.resolve(ident, generic_args.as_ref(), scope)?;
                return match self.unwrap(&target, ident, scope)? {
                    Unwrapped::Type(content, scope) => {
                        self.nested(&scope, content.span.0, |lowering| {
                            lowering.type_(content, &scope)
                        })
                    }
                    Unwrapped::Group(..) => {
                        let why = "what `~` leaves here is a group: it can only stand in a group";
                        Err(scope.error(span.0, why))
                    }
                };
            }
            Type2::Map { group, span, .. } => {
                (TypeKind::Map(self.group(group, span.0, scope)?), span.0)
            }
            Type2::Array { group, span, .. } => {
                (TypeKind::Array(self.group(group, span.0, scope)?), span.0)
            }
            Type2::ChoiceFromInlineGroup { group, span, .. } => {
                let mut alternatives = Vec::new();
                self.enumerate(group, scope, &mut alternatives)?;
                (TypeKind::Choice(alternatives), span.0)
            }
            Type2::ChoiceFromGroup { ident, generic_args, span, .. } => {
                let target = self.resolve(ident, generic_args.as_ref(), scope)?;
                if !self.is_group(&target)? {
                    let why = format!("`{}` is not a group", full_name(ident));
                    return Err(scope.error(ident.span.0, why));
                }
                let mut alternatives = Vec::new();
                self.enumerate_target(target, ident.span.0, scope, &mut alternatives)?;
                (TypeKind::Choice(alternatives), span.0)
            }
            Type2::TaggedData { tag, t, span, .. } => {
                (self.tag(tag.as_ref(), t, span.0, scope)?, span.0)
            }
            Type2::DataMajorType { mt, constraint, span } => {
                (major(*mt, constraint.as_ref(), *span, scope)?, span.0)
            }
            Type2::Any { span } => (TypeKind::Any, span.0),
            _ => return Err(scope.error(0, "this type is not supported")),
        };
        Ok(Type { kind, location: scope.at(at) })
    }

    fn type_name(
        &mut self,
        identifier: &'a ast::Identifier<'a>,
        arguments: Option<&'a ast::GenericArgs<'a>>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let at = identifier.span.0;
        let target = self.resolve(identifier, arguments, scope)?;
        if self.is_group(&target)? {
            let why = format!("`{}` is a group, and a type is needed", full_name(identifier));
            return Err(scope.error(at, why));
        }
        self.type_target(target, at, scope)
    }

    /// The type that a name stands for.
    pub(super) fn type_target(
        &mut self,
        target: Target<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Type, Error> {
        let location = scope.at(at);
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
        identifier: &'a ast::Identifier<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Unwrapped<'a>, Error> {
        match self.follow(target)? {
            End::Type2(ast::Type2::Map { group, .. } | ast::Type2::Array { group, .. }, scope) => {
                Ok(Unwrapped::Group(group, scope))
            }
            End::Type2(ast::Type2::TaggedData { t, .. }, scope) if !t.type_choices.is_empty() => {
                Ok(Unwrapped::Type(t, scope))
            }
            _ => {
                let name = full_name(identifier);
                let why = format!("`~{name}` needs `{name}` to be a map, an array or a tag");
                Err(scope.error(identifier.span.0, why))
            }
        }
    }

    fn tag(
        &mut self,
        number: Option<&TagConstraint>,
        content: &'a ast::Type<'a>,
        at: usize,
        scope: &Rc<Scope<'a>>,
    ) -> Result<TypeKind, Error> {
        major_digit(at, scope)?;
        let content = match content.type_choices.as_slice() {
            [] => Type { kind: TypeKind::Any, location: scope.at(at) },
            _ => self.type_(content, scope)?,
        };
        let number = head_number(number, at, scope)?;
        Ok(TypeKind::Tag { number, content: Box::new(content) })
    }
}

fn major(
    major: u8,
    info: Option<&TagConstraint>,
    span: ast::Span,
    scope: &Scope,
) -> Result<TypeKind, Error> {
    major_digit(span.0, scope)?;
    if major > 7 {
        return Err(scope.error(span.0, format!("there is no major type {major}")));
    }
    if scope.source.tight(span.0, span.1).contains('(') {
        return Err(scope.error(span.0, "only `#6` can have content in parentheses"));
    }
    Ok(TypeKind::Major { major, info: head_number(info, span.0, scope)? })
}

/// The parser allows for content without a digit, and for blanks before it.
fn major_digit(at: usize, scope: &Scope) -> Result<(), Error> {
    match scope.source.text.as_bytes().get(at + 1) {
        Some(digit) if digit.is_ascii_digit() => Ok(()),
        _ => Err(scope.error(at, "a digit or a comma has to follow this `#`")),
    }
}

fn head_number(
    number: Option<&TagConstraint>,
    at: usize,
    scope: &Scope,
) -> Result<Option<u64>, Error> {
    match number {
        None => Ok(None),
        Some(TagConstraint::Literal(number)) => Ok(Some(*number)),
        Some(TagConstraint::Type(text)) => match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                Err(scope.error(at, format!("`<{}>` behind `#` is not supported", text.trim())))
            }
        },
    }
}
