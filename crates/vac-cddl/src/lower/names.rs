//! Names: what they stand for where they are used.

use std::collections::HashSet;
use std::rc::Rc;

use cddl::ast::{GenericArgs, Identifier, Type, Type1, Type2};

use super::definitions::{Body, Definition, Part, full_name};
use super::source::{Source, TokenKind};
use super::{Lowering, limits};
use crate::Error;
use crate::ir::{Location, Origin, RuleId};

/// The text in which a construct stands, and what the generic parameters of
/// its rule stand for.
pub(super) struct Scope<'a> {
    pub(super) source: &'a Source<'a>,
    bindings: Vec<(&'a str, Argument<'a>)>,
}

impl Scope<'_> {
    pub(super) fn at(&self, offset: usize) -> Location {
        self.source.location(offset)
    }

    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> Error {
        self.source.error(offset, message)
    }
}

/// A generic argument: not yet lowered, as it may turn out to be a group.
#[derive(Clone)]
pub(super) struct Argument<'a> {
    pub(super) type1: &'a Type1<'a>,
    pub(super) scope: Rc<Scope<'a>>,
    /// As it is written, with parameters replaced by their arguments.
    text: String,
}

/// A use of a definition, with arguments if it is generic.
#[derive(Clone)]
pub(super) struct Named<'a> {
    pub(super) definition: &'a Definition<'a>,
    arguments: Vec<Argument<'a>>,
    /// The name, or `name<argument, ...>`.
    pub(super) key: String,
}

impl<'a> Named<'a> {
    pub(super) fn plain(definition: &'a Definition<'a>) -> Self {
        Self { definition, arguments: Vec::new(), key: definition.name.clone() }
    }

    /// The scope in which a part of the definition is to be read.
    pub(super) fn scope(&self, part: &Part<'a>) -> Rc<Scope<'a>> {
        let parameters = part.parameters.iter().copied();
        Rc::new(Scope {
            source: part.source,
            bindings: parameters.zip(self.arguments.iter().cloned()).collect(),
        })
    }

    /// The type that the definition consists of, unless there are several.
    pub(super) fn sole_type(&self) -> Option<(&'a Type<'a>, Rc<Scope<'a>>)> {
        match self.definition.parts.as_slice() {
            [part @ Part { body: Body::Type(body), .. }] => Some((body, self.scope(part))),
            _ => None,
        }
    }
}

/// What a name stands for.
pub(super) enum Target<'a> {
    Argument(Argument<'a>),
    Named(Named<'a>),
    /// A socket that nothing is plugged into.
    Unplugged {
        group: bool,
    },
}

/// What is found behind a chain of names that only name each other.
#[derive(Clone)]
pub(super) enum End<'a> {
    Group,
    Type2(&'a Type2<'a>, Rc<Scope<'a>>),
    OtherType,
}

impl<'a> Lowering<'a> {
    pub(super) fn resolve(
        &mut self,
        identifier: &'a Identifier<'a>,
        arguments: Option<&'a GenericArgs<'a>>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Target<'a>, Error> {
        let offset = identifier.span.0;
        let name = full_name(identifier);
        let arguments = arguments.map_or(&[][..], |arguments| &arguments.args);
        if let Some((_, argument)) = scope.bindings.iter().find(|(param, _)| *param == name) {
            return match arguments {
                [] => Ok(Target::Argument(argument.clone())),
                _ => Err(scope.error(offset, format!("parameter `{name}` cannot be generic"))),
            };
        }
        let Some(definition) = self.definitions.get(&name) else {
            return match name.strip_prefix('$') {
                Some(rest) => Ok(Target::Unplugged { group: rest.starts_with('$') }),
                None => Err(scope.error(offset, format!("`{name}` is not defined"))),
            };
        };
        if definition.arity() != arguments.len() {
            let (wanted, given) = (definition.arity(), arguments.len());
            let why = format!("`{name}` takes {wanted} generic arguments, not {given}");
            return Err(scope.error(offset, why));
        }
        if arguments.is_empty() {
            return Ok(Target::Named(Named::plain(definition)));
        }

        if let (Some(first), Some(last)) = (arguments.first(), arguments.last()) {
            let length = last.arg.span.1.saturating_sub(first.arg.span.0);
            self.copy(length, scope, offset)?;
        }
        let arguments: Vec<Argument> = arguments
            .iter()
            .map(|argument| Argument {
                type1: &argument.arg,
                scope: Rc::clone(scope),
                text: argument_text(&argument.arg, scope),
            })
            .collect();
        let texts: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let key = format!("{name}<{}>", texts.join(", "));
        if key.len() > limits::INSTANCE_NAME {
            return Err(scope.error(offset, format!("the instances of `{name}` grow without end")));
        }
        Ok(Target::Named(Named { definition, arguments, key }))
    }

    /// The rule that a name stands for, which is lowered sooner or later.
    pub(super) fn rule(&mut self, named: Named<'a>, at: Location) -> Result<RuleId, Error> {
        let id = RuleId(self.order.get(&named.key).copied().unwrap_or_default());
        let is_instance = named.definition.is_generic();
        let is_prelude = named.definition.origin == Origin::Prelude;
        if (is_instance || is_prelude) && self.found.insert(named.key.clone()) {
            if is_prelude {
                self.prelude.push_back(named);
            } else {
                self.instances.push(named);
            }
        }
        if self.found.len() > limits::INSTANCES {
            return Err(Error::at(at, "generic rules are expanded without end"));
        }
        Ok(id)
    }

    pub(super) fn is_group(&mut self, target: &Target<'a>) -> Result<bool, Error> {
        match self.follow(target)? {
            End::Group => Ok(true),
            End::Type2(Type2::Unwrap { ident, generic_args, .. }, scope) => {
                let target = self.resolve(ident, generic_args.as_ref(), &scope)?;
                let end = self.follow(&target)?;
                Ok(matches!(end, End::Type2(Type2::Map { .. } | Type2::Array { .. }, _)))
            }
            _ => Ok(false),
        }
    }

    /// Goes from name to name as long as each only names the next, and remembers
    /// for all of them where that ends.
    pub(super) fn follow(&mut self, target: &Target<'a>) -> Result<End<'a>, Error> {
        let mut passed = HashSet::new();
        let mut step = self.step(target, &mut passed);
        while let End::Type2(Type2::Typename { ident, generic_args, .. }, scope) = &step {
            let target = self.resolve(ident, generic_args.as_ref(), scope)?;
            step = self.step(&target, &mut passed);
        }
        self.ends.extend(passed.into_iter().map(|key| (key, step.clone())));
        Ok(step)
    }

    fn step(&self, target: &Target<'a>, passed: &mut HashSet<String>) -> End<'a> {
        match target {
            Target::Unplugged { group: true } => End::Group,
            Target::Unplugged { group: false } => End::OtherType,
            Target::Argument(Argument { type1, scope, .. }) => match bare(type1) {
                Some(type2) => End::Type2(type2, Rc::clone(scope)),
                None => End::OtherType,
            },
            Target::Named(named) => {
                if let Some(end) = self.ends.get(&named.key) {
                    return end.clone();
                }
                if named.definition.has_group {
                    return End::Group;
                }
                let sole = named.sole_type();
                match sole.and_then(|(sole, scope)| Some((sole_type2(sole)?, scope))) {
                    // A name that was passed before is defined by itself.
                    Some((type2, scope)) if passed.insert(named.key.clone()) => {
                        End::Type2(type2, scope)
                    }
                    _ => End::OtherType,
                }
            }
        }
    }
}

/// The type without choice and operator that a type consists of.
pub(super) fn sole_type2<'a>(of: &'a Type<'a>) -> Option<&'a Type2<'a>> {
    match of.type_choices.as_slice() {
        [choice] => bare(&choice.type1),
        _ => None,
    }
}

/// The type that stands alone, without operator and parentheses.
pub(super) fn bare<'a>(mut type1: &'a Type1<'a>) -> Option<&'a Type2<'a>> {
    loop {
        match (&type1.operator, &type1.type2) {
            (None, Type2::ParenthesizedType { pt, .. }) => match pt.type_choices.as_slice() {
                [choice] => type1 = &choice.type1,
                _ => return Some(&type1.type2),
            },
            (None, type2) => return Some(type2),
            (Some(_), _) => return None,
        }
    }
}

/// An argument as it is written, on one line, with parameters replaced.
fn argument_text(type1: &Type1, scope: &Scope) -> String {
    let source = scope.source;
    let (start, end, _) = type1.span;
    let end = start + source.tight(start, end).len();
    let mut text = String::new();
    let mut at = start;
    while at < end {
        let token = source.tokens.get(&at);
        let next = token.map_or(at + 1, |token| token.end);
        let written = &source.text[at..next];
        match token.map(|token| &token.kind) {
            Some(TokenKind::Comment) => {}
            Some(TokenKind::Name) if !source.mask[source.skip_blanks(next)..].starts_with(':') => {
                let bound = scope.bindings.iter().find(|(param, _)| *param == written);
                text.push_str(bound.map_or(written, |(_, argument)| &argument.text));
            }
            None if written.trim().is_empty() => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            _ => text.push_str(written),
        }
        at = next;
    }
    text
}
