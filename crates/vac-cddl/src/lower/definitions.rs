//! Collects the definition of each name, before names are resolved.

use std::collections::HashMap;
use std::rc::Rc;

use crate::Error;
use crate::ir::{Location, RuleOrigin};
use crate::modules::{Entry, Namespace, RuleSet};
use crate::source::Source;
use crate::syntax::ast::{self, Assignment, Body};

/// The definitions of a specification and of the prelude.
pub(super) struct Definitions<'a> {
    /// The prelude's, then the specification's in the order of the text.
    all: Vec<Definition<'a>>,
    by_name: HashMap<Rc<str>, usize>,
}

/// The definition of a name: all rules of that name.
pub(super) struct Definition<'a> {
    /// The name with its `$` or `$$`, and with the prefix of its module.
    pub(super) name: Rc<str>,
    pub(super) origin: RuleOrigin,
    /// The first place of the name.
    pub(super) location: Location,
    pub(super) parts: Vec<Part<'a>>,
    /// The part that is written with `=`.
    defining: Option<usize>,
    /// Whether one of the parts can only be a group.
    pub(super) has_group: bool,
}

/// One rule of the text, with `=`, `/=` or `//=`.
pub(super) struct Part<'a> {
    pub(super) rule: &'a ast::Rule<'a>,
    pub(super) source: &'a Source<'a>,
    /// The meaning of the names in it.
    pub(super) namespace: Rc<Namespace>,
    /// Whether it is in a file that was given, not in a module.
    pub(super) is_given: bool,
    pub(super) docs: Vec<String>,
    pub(super) text: &'a str,
}

impl<'a> Part<'a> {
    pub(super) fn body(&self) -> &'a Body<'a> {
        &self.rule.body
    }
}

impl<'a> Definitions<'a> {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), by_name: HashMap::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Definition<'a>> {
        self.by_name.get(name).map(|&index| &self.all[index])
    }

    pub(super) fn specification_definitions(&self) -> impl Iterator<Item = &Definition<'a>> {
        self.all.iter().filter(|definition| definition.origin == RuleOrigin::Spec)
    }

    /// Adds rules, and returns their errors.
    pub(super) fn add(&mut self, merged: &RuleSet<'a>, origin: RuleOrigin) -> Vec<Error> {
        let entries = merged.entries.iter();
        let mut errors: Vec<Error> =
            entries.filter_map(|entry| self.add_rule(entry, origin).err()).collect();
        for alias in &merged.aliases {
            if let Some(known) = self.get(&alias.name) {
                let why = format!("`{}` is already defined at {}", alias.name, known.location);
                errors.push(Error::new(alias.location.clone(), why));
            } else if let Some(&target) = self.by_name.get(&alias.target) {
                self.by_name.insert(Rc::clone(&alias.name), target);
            }
        }
        errors
    }

    fn add_rule(&mut self, entry: &Entry<'a>, origin: RuleOrigin) -> Result<(), Error> {
        let Entry { name, rule, source, namespace, is_given } = entry;
        let (rule, source) = (*rule, *source);
        let error = |why: String| Err(source.error(rule.span.start, why));
        let part = Part {
            rule,
            source,
            namespace: Rc::clone(namespace),
            is_given: *is_given,
            docs: source.docs_above(rule.span.start),
            text: source.text(rule.span),
        };
        let Some(&index) = self.by_name.get(name) else {
            self.by_name.insert(Rc::clone(name), self.all.len());
            self.all.push(Definition {
                name: Rc::clone(name),
                origin,
                location: source.location(rule.span.start),
                defining: part.is_definition().then_some(0),
                has_group: part.is_group(),
                parts: vec![part],
            });
            return Ok(());
        };

        let known = &mut self.all[index];
        if rule.assignment == Assignment::Define
            && let Some(first) = known.defining.map(|index| &known.parts[index])
        {
            // An identical definition may be repeated.
            if first.source.written(first.rule.span).eq(source.written(rule.span)) {
                return Ok(());
            }
            if known.origin == origin {
                return error(format!("`{name}` is already defined at {}", known.location));
            }
        }
        if known.origin != origin {
            return error(format!("`{name}` is a name of the prelude"));
        }
        if known.arity() != rule.parameters.len() {
            return error(format!("`{name}` is defined with other generic parameters before"));
        }
        if part.is_definition() {
            known.defining = Some(known.parts.len());
        }
        known.has_group |= part.is_group();
        known.parts.push(part);
        Ok(())
    }
}

impl Definition<'_> {
    pub(super) fn is_generic(&self) -> bool {
        self.arity() > 0
    }

    pub(super) fn arity(&self) -> usize {
        self.parts[0].rule.parameters.len()
    }
}

impl Part<'_> {
    fn is_definition(&self) -> bool {
        self.rule.assignment == Assignment::Define
    }

    fn is_group(&self) -> bool {
        matches!(self.body(), Body::Group(_))
    }
}
