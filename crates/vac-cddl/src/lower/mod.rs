//! Lowers the syntax tree to the intermediate representation.
//!
//! `definitions` collects the definitions of each name, and the other modules lower types and
//! groups rule by rule. Group rules, generic rules and constants are resolved where they are used.

pub(crate) mod arguments;
mod constants;
mod controls;
mod cycles;
mod definitions;
mod enumerations;
mod groups;
pub(crate) mod limits;
mod names;
mod prelude;
mod read;
mod recursion;
mod types;
mod unused;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use self::definitions::{Definition, Definitions};
use self::names::{End, Named, Scope, Target};
pub(crate) use self::read::schema;
use crate::Error;
use crate::compile::Compiler;
use crate::ir::{Literal, LiteralValue, Location, Rule, RuleId, RuleOrigin, Warning, XsdPattern};
use crate::syntax::ast::{Name, Type2};

/// The patterns that were translated so far.
#[derive(Default)]
struct Patterns {
    translated: HashMap<String, XsdPattern>,
    compiler: Compiler,
}

struct Lowering<'a> {
    definitions: &'a Definitions<'a>,
    /// The place of each rule in the schema, as far as known.
    order: &'a HashMap<String, usize>,
    /// The names of groups that contain themselves by way of a map or an array.
    recursive: &'a HashSet<String>,
    /// Instances, containers and rules of the prelude that were used so far.
    found: HashSet<String>,
    /// The instances, containers and rules that are still to be lowered.
    instances: Vec<Pending<'a>>,
    prelude: VecDeque<Named<'a>>,
    /// For rules that only name another rule: the end of the chain of names.
    ends: HashMap<String, End<'a>>,
    /// The value of each rule that is a constant; `None` for other rules.
    constants: HashMap<String, Option<Literal>>,
    /// The groups within each other that are being inlined.
    inlining: Vec<String>,
    /// The number of maps and arrays around the construct that is being lowered.
    containers: usize,
    patterns: Patterns,
    depth: usize,
    nodes: usize,
    /// Bytes of the text that were copied.
    copies: usize,
    errors: Vec<Error>,
    warnings: Vec<Warning>,
}

/// A rule that is still to be lowered.
enum Pending<'a> {
    /// The rule that a name refers to.
    Named(Named<'a>),
    /// A map or an array inside a recursive group.
    Container { key: String, type2: &'a Type2<'a>, scope: Rc<Scope<'a>> },
}

impl<'a> Lowering<'a> {
    fn new(
        definitions: &'a Definitions<'a>,
        order: &'a HashMap<String, usize>,
        recursive: &'a HashSet<String>,
        patterns: Patterns,
    ) -> Self {
        Self {
            definitions,
            order,
            recursive,
            found: HashSet::new(),
            instances: Vec::new(),
            prelude: VecDeque::new(),
            ends: HashMap::new(),
            constants: HashMap::new(),
            inlining: Vec::new(),
            containers: 0,
            patterns,
            depth: 0,
            nodes: 0,
            copies: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns all type rules of the specification, each followed by the instances that it is the
    /// first to use, then the rules of the prelude. Errors are kept, and the next rule is tried.
    fn rules(&mut self) -> Vec<Rule> {
        let mut pending = Vec::new();
        for definition in self.definitions.specification_definitions() {
            if definition.is_generic() || self.errors.len() >= limits::ERRORS {
                continue;
            }
            match self.is_group_rule(definition) {
                Ok(true) => {}
                Ok(false) => pending.push(Pending::Named(Named::plain(definition))),
                Err(error) => self.errors.push(error),
            }
        }
        pending.reverse();

        let mut rules = Vec::new();
        while self.errors.len() < limits::ERRORS {
            let next = pending.pop().or_else(|| self.prelude.pop_front().map(Pending::Named));
            let Some(next) = next else { break };
            self.inlining.clear();
            self.containers = 0;
            match self.lower_rule(&next) {
                Ok(rule) => rules.push(rule),
                Err(error) => self.errors.push(error),
            }
            if self.is_exhausted() && !self.errors.is_empty() {
                break;
            }
            pending.extend(self.instances.drain(..).rev());
        }
        rules
    }

    fn lower_rule(&mut self, pending: &Pending<'a>) -> Result<Rule, Error> {
        let named = match pending {
            Pending::Named(named) => named,
            Pending::Container { key, type2, scope } => {
                let text = scope.source.text(type2.span);
                self.copy(text.len(), scope, type2.span.start)?;
                return Ok(Rule {
                    name: key.clone(),
                    origin: RuleOrigin::Instance,
                    docs: Vec::new(),
                    source: text.to_owned(),
                    location: scope.location(type2.span.start),
                    body: self.type2(type2, scope)?,
                });
            }
        };
        let definition = named.definition;
        for part in &definition.parts {
            let docs: usize = part.docs.iter().map(|line| copied_docs(line)).sum();
            self.copy_at(part.text.len() + docs, || definition.location.clone())?;
        }
        let texts: Vec<&str> = definition.parts.iter().map(|part| part.text).collect();
        Ok(Rule {
            name: named.key.clone(),
            origin: if definition.is_generic() { RuleOrigin::Instance } else { definition.origin },
            docs: definition.parts.iter().flat_map(|part| part.docs.clone()).collect(),
            source: texts.join("\n"),
            location: definition.location.clone(),
            body: self.body(named)?,
        })
    }

    /// Checks groups that are not used.
    fn check_groups(&mut self) {
        for definition in self.definitions.specification_definitions() {
            if self.errors.len() >= limits::ERRORS || self.is_exhausted() {
                return;
            }
            if definition.is_generic() {
                continue;
            }
            let named = Named::plain(definition);
            self.inlining = vec![named.key.clone()];
            self.containers = 0;
            let checked = match self.is_group_rule(definition) {
                Ok(true) => self.named_group(&named).map(drop),
                Ok(false) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = checked
                && !self.errors.contains(&error)
            {
                self.errors.push(error);
            }
        }
    }

    /// Returns the number of a rule. The first pass does not know it, and its result is not used.
    fn rule_id(&self, rule: &str, at: &Location) -> Result<RuleId, Error> {
        match self.order.get(rule) {
            Some(&index) => Ok(RuleId(index)),
            None if self.order.is_empty() => Ok(RuleId(0)),
            None => Err(Error::new(at.clone(), format!("internal error: `{rule}` has no number"))),
        }
    }

    fn is_group_rule(&mut self, definition: &'a Definition<'a>) -> Result<bool, Error> {
        self.is_group(&Target::Named(Named::plain(definition)))
    }

    /// Returns whether a limit was exceeded. If so, lowering anything else fails, and the first
    /// error names the limit.
    fn is_exhausted(&self) -> bool {
        self.nodes > limits::NODES
            || self.copies > limits::COPIES
            || self.patterns.compiler.is_exhausted()
    }

    /// Counts types and group entries.
    fn grow(&mut self, nodes: usize, scope: &Scope<'a>, at: usize) -> Result<(), Error> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > limits::NODES {
            let why = format!(
                "this specification gets too large when it is expanded (limit {})",
                limits::NODES
            );
            return Err(scope.error(at, why));
        }
        Ok(())
    }

    /// Counts bytes of the text that are copied or searched.
    fn copy(&mut self, bytes: usize, scope: &Scope<'a>, at: usize) -> Result<(), Error> {
        self.copy_at(bytes, || scope.location(at))
    }

    fn copy_at(&mut self, bytes: usize, at: impl FnOnce() -> Location) -> Result<(), Error> {
        self.copies = self.copies.saturating_add(bytes);
        if self.copies > limits::COPIES {
            let why = format!(
                "texts, names and comments get too long when this specification is expanded \
                 (limit {} MiB)",
                limits::COPIES >> 20
            );
            return Err(Error::new(at(), why));
        }
        Ok(())
    }

    /// Returns a copy of a literal of the text.
    fn literal(
        &mut self,
        value: &LiteralValue,
        scope: &Scope<'a>,
        at: usize,
    ) -> Result<Literal, Error> {
        self.copy(size(value), scope, at)?;
        Ok(Literal { value: value.clone(), name: None })
    }

    /// Returns a copy of a name of the text.
    fn name(&mut self, name: &Name<'a>, scope: &Scope<'a>) -> Result<String, Error> {
        self.copy(name.text.len(), scope, name.span.start)?;
        Ok(name.text.to_owned())
    }

    /// Runs a function one level deeper in the text. Fails at the limit of nesting.
    fn with_nesting<T>(
        &mut self,
        scope: &Rc<Scope<'a>>,
        at: usize,
        step: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.grow(1, scope, at)?;
        if self.depth == limits::DEPTH {
            return Err(scope.error(at, "this is nested too deeply"));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }
}

/// Returns the number of bytes of a value.
fn size(value: &LiteralValue) -> usize {
    match value {
        LiteralValue::Integer(_) | LiteralValue::Float(_) => 0,
        LiteralValue::Text(text) => text.len(),
        LiteralValue::Bytes(bytes) => bytes.len(),
    }
}

/// Returns the number of bytes that a copy of a comment takes.
fn copied_docs(line: &str) -> usize {
    line.len() + size_of::<String>()
}
