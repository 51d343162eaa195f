//! Resolves names where they are used.

use std::collections::HashSet;
use std::rc::Rc;

use super::definitions::{Definition, Part};
use super::{Lowering, Pending, limits};
use crate::Error;
use crate::ir::{Location, RuleId, RuleOrigin};
use crate::modules::Namespace;
use crate::source::Source;
use crate::syntax::ast::{Body, Reference, TextSpan, Type, Type1, Type2, Type2Kind};
use crate::syntax::{Symbol, TokenKind};

/// The text that contains a construct, and the arguments for the generic
/// parameters of its rule.
pub(super) struct Scope<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) namespace: Rc<Namespace>,
    bindings: Vec<(&'a str, Argument<'a>)>,
}

impl Scope<'_> {
    pub(super) fn location(&self, offset: usize) -> Location {
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
    /// The argument as it is written, with parameters replaced by their arguments.
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
        Self { definition, arguments: Vec::new(), key: definition.name.to_string() }
    }

    /// Returns the scope in which a part of the definition is to be read.
    pub(super) fn scope(&self, part: &Part<'a>) -> Rc<Scope<'a>> {
        let parameters = part.rule.parameters.iter().map(|parameter| parameter.text);
        Rc::new(Scope {
            source: part.source,
            namespace: Rc::clone(&part.namespace),
            bindings: parameters.zip(self.arguments.iter().cloned()).collect(),
        })
    }

    /// Returns the type that the definition consists of, unless there are several.
    pub(super) fn sole_type(&self) -> Option<(&'a Type<'a>, Rc<Scope<'a>>)> {
        match self.definition.parts.as_slice() {
            [part] => match part.body() {
                Body::Type(body) => Some((body, self.scope(part))),
                Body::Group(_) => None,
            },
            _ => None,
        }
    }
}

/// The rule that a name refers to.
pub(super) enum Target<'a> {
    Argument(Argument<'a>),
    Named(Named<'a>),
    /// A socket that nothing is plugged into.
    Unplugged {
        group: bool,
    },
}

impl Target<'_> {
    /// Returns its name, with the arguments of a generic rule.
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Argument(argument) => &argument.text,
            Self::Named(named) => &named.key,
            Self::Unplugged { .. } => "",
        }
    }
}

/// The end of a chain of names that only name each other.
#[derive(Clone)]
pub(super) enum End<'a> {
    Group,
    Type2(&'a Type2<'a>, Rc<Scope<'a>>),
    OtherType,
}

impl<'a> Lowering<'a> {
    pub(super) fn resolve(
        &mut self,
        reference: &'a Reference<'a>,
        scope: &Rc<Scope<'a>>,
    ) -> Result<Target<'a>, Error> {
        let offset = reference.name.span.start;
        let name = reference.name.text;
        let arguments = &reference.arguments;
        self.copy(name.len(), scope, offset)?;
        if let Some((_, argument)) = scope.bindings.iter().find(|(param, _)| *param == name) {
            return match arguments.as_slice() {
                [] => Ok(Target::Argument(argument.clone())),
                _ => Err(scope.error(offset, format!("parameter `{name}` cannot be generic"))),
            };
        }
        let Some(definition) = self.definitions.get(scope.namespace.full(name)) else {
            return match name.strip_prefix('$') {
                Some(rest) => Ok(Target::Unplugged { group: rest.starts_with('$') }),
                None => Err(scope.error(offset, self.not_defined(name))),
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

        let mut key = format!("{}<", definition.name);
        let mut bound = Vec::new();
        for type1 in arguments {
            self.copy(type1.span.end - type1.span.start, scope, offset)?;
            let text = one_line(type1.span, scope);
            if !bound.is_empty() {
                key.push_str(", ");
            }
            key.push_str(&text);
            if key.len() > limits::INSTANCE_NAME {
                let why = format!("the instances of `{name}` grow without end");
                return Err(scope.error(offset, why));
            }
            bound.push(Argument { type1, scope: Rc::clone(scope), text });
        }
        key.push('>');
        let arguments = bound;
        Ok(Target::Named(Named { definition, arguments, key }))
    }

    fn not_defined(&self, name: &str) -> String {
        let before_dot = name.split_once('.').map(|(before, _)| before);
        let hint = match before_dot {
            None => String::new(),
            Some(_) if name.contains("..") => {
                ": it is one name, and a range needs spaces around its dots".to_owned()
            }
            Some(before) if self.definitions.get(before).is_some() => {
                ": it is one name, and an operator needs a space before its dot".to_owned()
            }
            Some(prefix) => format!(" (by a module that is imported `as {prefix}`, or here)"),
        };
        format!("`{name}` is not defined{hint}")
    }

    /// Returns the rule that a name refers to, and schedules it for lowering.
    pub(super) fn rule(&mut self, named: Named<'a>, at: Location) -> Result<RuleId, Error> {
        let id = self.rule_id(&named.key, &at)?;
        let is_instance = named.definition.is_generic();
        let is_prelude = named.definition.origin == RuleOrigin::Prelude;
        if (is_instance || is_prelude) && self.found.insert(named.key.clone()) {
            if is_prelude {
                self.prelude.push_back(named);
            } else {
                self.instances.push(Pending::Named(named));
            }
        }
        if self.found.len() > limits::INSTANCES {
            return Err(Error::new(at, "generic rules are expanded without end"));
        }
        Ok(id)
    }

    pub(super) fn is_group(&mut self, target: &Target<'a>) -> Result<bool, Error> {
        match self.follow(target)? {
            End::Group => Ok(true),
            End::Type2(Type2 { kind: Type2Kind::Unwrap(reference), .. }, scope) => {
                let target = self.resolve(reference, &scope)?;
                let end = self.follow(&target)?;
                let End::Type2(type2, _) = end else { return Ok(false) };
                Ok(matches!(type2.kind, Type2Kind::Map(_) | Type2Kind::Array(_)))
            }
            _ => Ok(false),
        }
    }

    /// Follows names as long as each only names the next, and caches the end of the chain for all
    /// of them.
    pub(super) fn follow(&mut self, target: &Target<'a>) -> Result<End<'a>, Error> {
        let mut passed = HashSet::new();
        let mut step = self.step(target, &mut passed);
        while let End::Type2(Type2 { kind: Type2Kind::Name(reference), .. }, scope) = &step {
            let target = self.resolve(reference, scope)?;
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
                    // A name that occurs again in the chain is defined by itself.
                    Some((type2, scope)) if passed.insert(named.key.clone()) => {
                        End::Type2(type2, scope)
                    }
                    _ => End::OtherType,
                }
            }
        }
    }
}

/// Returns the type without choice and operator that a type consists of.
pub(super) fn sole_type2<'a>(of: &'a Type<'a>) -> Option<&'a Type2<'a>> {
    match of.choices.as_slice() {
        [type1] => bare(type1),
        _ => None,
    }
}

/// Returns the type that a type consists of, without operator and parentheses.
pub(super) fn bare<'a>(mut type1: &'a Type1<'a>) -> Option<&'a Type2<'a>> {
    loop {
        if type1.operator.is_some() {
            return None;
        }
        match &type1.target.kind {
            Type2Kind::Parenthesized(inner) if inner.choices.len() == 1 => {
                type1 = &inner.choices[0];
            }
            _ => return Some(&type1.target),
        }
    }
}

/// Returns a construct as it is written, on one line, with parameters replaced; only its beginning
/// if it is longer than any name.
pub(super) fn one_line(span: TextSpan, scope: &Scope) -> String {
    let source = scope.source;
    let tokens = source.tokens(span);
    let mut text = String::new();
    let mut end = span.start;
    for (at, token) in tokens.iter().enumerate() {
        if token.span.start > end {
            text.push(' ');
        }
        end = token.span.end;
        if text.len() > limits::INSTANCE_NAME {
            break;
        }
        let written = source.text(token.span);
        let is_key =
            tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Symbol(Symbol::Colon));
        let bound = scope.bindings.iter().find(|(param, _)| *param == written);
        match bound {
            Some((_, argument)) if token.kind == TokenKind::Name && !is_key => {
                text.push_str(&argument.text);
            }
            // The same name can have another meaning in another module.
            None if token.kind == TokenKind::Name && !is_key => {
                text.push_str(scope.namespace.full(written));
            }
            _ => text.push_str(written),
        }
    }
    text
}
