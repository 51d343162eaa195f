//! From the text to the intermediate representation.
//!
//! `scan` reads the tokens and makes the mask, `pieces` divides long texts, `syntax` has
//! crate `cddl` parse the mask, `definitions` collects what is said about each name, and the other
//! modules lower types and groups rule by rule. Group rules, generic rules and
//! constants are looked into where they are used.

mod constants;
mod controls;
mod cycles;
mod definitions;
mod enumerations;
mod groups;
mod limits;
mod literal;
mod names;
mod pieces;
mod prelude;
mod scan;
mod source;
mod syntax;
mod types;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use self::definitions::{Definition, Definitions};
use self::names::{End, Named, Scope, Target};
use crate::Error;
use crate::compile::Compiler;
use crate::ir::{Literal, Location, Origin, Pattern, Rule, RuleId, Schema, Value};

pub(crate) use limits::TEXT_BYTES as MAX_TEXT_BYTES;

/// Reads a specification.
pub(crate) fn schema(file: &str, text: &str) -> Result<Schema, Error> {
    if text.len() > limits::TEXT_BYTES {
        let why = format!("this text is longer than {} MiB", limits::TEXT_BYTES >> 20);
        return Err(source::Source::new(file, "").error(0, why));
    }
    let (prelude, prelude_tree) = prelude::load()?;
    let source = scan::scan(file, text)?;
    syntax::refuse_duplicates(&source)?;
    let pieces = pieces::pieces(&source)?;
    let sources: Vec<_> =
        pieces.iter().map(|piece| piece.source(file)).collect::<Result<_, _>>()?;
    let mut trees = Vec::with_capacity(pieces.len());
    for (piece, source) in pieces.iter().zip(&sources) {
        trees.push(syntax::parse(source, piece.calls(pieces.len()))?);
    }

    let mut definitions = Definitions::new();
    definitions.add(&prelude_tree.rules, prelude, Origin::Prelude)?;
    for (tree, source) in trees.iter().zip(&sources) {
        definitions.add(&tree.rules, source, Origin::Spec)?;
    }
    let Some(root) = definitions.of_specification().next() else {
        return Err(source.error(0, "there is no rule in this text"));
    };

    // The first time finds out which rules there are and in which order, the
    // second time can therefore number them.
    let mut first = Lowering::new(&definitions, HashMap::new(), Patterns::default());
    let names = first.rules()?.into_iter().map(|rule| rule.name);
    let order: HashMap<String, usize> = names.zip(0..).collect();
    let Some(&root_index) = order.get(&root.name) else {
        let why = format!("`{}` comes first, and is not a type without parameters", root.name);
        return Err(Error::at(root.location.clone(), why));
    };
    let mut lowering = Lowering::new(&definitions, order, first.patterns);
    let rules = lowering.rules()?;
    lowering.check_groups()?;
    cycles::refuse(&rules)?;
    Ok(Schema { rules, root: RuleId(root_index) })
}

/// The patterns that were translated so far.
#[derive(Default)]
struct Patterns {
    translated: HashMap<String, Pattern>,
    compiler: Compiler,
}

struct Lowering<'a> {
    definitions: &'a Definitions<'a>,
    /// The place of each rule in the schema, as far as known.
    order: HashMap<String, usize>,
    /// Instances and rules of the prelude that were used so far.
    found: HashSet<String>,
    /// Those that are still to be lowered.
    instances: Vec<Named<'a>>,
    prelude: VecDeque<Named<'a>>,
    /// What a rule is when it only names another.
    ends: HashMap<String, End<'a>>,
    /// The constant that a rule is, or that it is none.
    constants: HashMap<String, Option<Literal>>,
    /// The groups within each other that are being inlined.
    inlining: Vec<String>,
    patterns: Patterns,
    depth: usize,
    nodes: usize,
    /// Bytes of the text that were copied.
    copies: usize,
}

impl<'a> Lowering<'a> {
    fn new(
        definitions: &'a Definitions<'a>,
        order: HashMap<String, usize>,
        patterns: Patterns,
    ) -> Self {
        Self {
            definitions,
            order,
            found: HashSet::new(),
            instances: Vec::new(),
            prelude: VecDeque::new(),
            ends: HashMap::new(),
            constants: HashMap::new(),
            inlining: Vec::new(),
            patterns,
            depth: 0,
            nodes: 0,
            copies: 0,
        }
    }

    /// All type rules of the specification, each followed by the instances that
    /// it is the first to use, then the rules of the prelude.
    fn rules(&mut self) -> Result<Vec<Rule>, Error> {
        let mut pending = Vec::new();
        for definition in self.definitions.of_specification() {
            if !definition.is_generic() && !self.is_group_rule(definition)? {
                pending.push(Named::plain(definition));
            }
        }
        pending.reverse();

        let mut rules = Vec::new();
        while let Some(named) = pending.pop().or_else(|| self.prelude.pop_front()) {
            rules.push(self.lower_rule(&named)?);
            pending.extend(self.instances.drain(..).rev());
        }
        Ok(rules)
    }

    fn lower_rule(&mut self, named: &Named<'a>) -> Result<Rule, Error> {
        let definition = named.definition;
        for part in &definition.parts {
            let docs: usize = part.docs.iter().map(|line| copied_docs(line)).sum();
            let at = part.source.location(0);
            self.copy_at(part.text.len() + docs, || at)?;
        }
        let texts: Vec<&str> = definition.parts.iter().map(|part| part.text).collect();
        Ok(Rule {
            name: named.key.clone(),
            origin: if definition.is_generic() { Origin::Instance } else { definition.origin },
            docs: definition.parts.iter().flat_map(|part| part.docs.clone()).collect(),
            source: texts.join("\n"),
            location: definition.location.clone(),
            body: self.body(named)?,
        })
    }

    /// Finds what is wrong with groups that nobody uses.
    fn check_groups(&mut self) -> Result<(), Error> {
        for definition in self.definitions.of_specification() {
            if !definition.is_generic() && self.is_group_rule(definition)? {
                let named = Named::plain(definition);
                self.inlining.push(named.key.clone());
                self.named_group(&named)?;
                self.inlining.pop();
            }
        }
        Ok(())
    }

    fn is_group_rule(&mut self, definition: &'a Definition<'a>) -> Result<bool, Error> {
        self.is_group(&Target::Named(Named::plain(definition)))
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

    /// Counts bytes of the text that are copied, or gone through, where it is used.
    fn copy(&mut self, bytes: usize, scope: &Scope<'a>, at: usize) -> Result<(), Error> {
        self.copy_at(bytes, || scope.at(at))
    }

    fn copy_at(&mut self, bytes: usize, at: impl FnOnce() -> Location) -> Result<(), Error> {
        self.copies = self.copies.saturating_add(bytes);
        if self.copies > limits::COPIES {
            let why = format!(
                "texts, names and comments get too long when this specification is expanded \
                 (limit {} MiB)",
                limits::COPIES >> 20
            );
            return Err(Error::at(at(), why));
        }
        Ok(())
    }

    /// Reads the literal at an offset.
    fn literal(&mut self, scope: &Scope<'a>, at: usize) -> Result<Value, Error> {
        let value = scope.source.literal(at)?;
        self.copy(size(&value), scope, at)?;
        Ok(value)
    }

    /// One step deeper into the text, as long as there is an end to it.
    fn nested<T>(
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

/// Bytes of a value.
fn size(value: &Value) -> usize {
    match value {
        Value::Integer(_) | Value::Float(_) => 0,
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
    }
}

/// Bytes that a copy of a comment takes.
fn copied_docs(line: &str) -> usize {
    line.len() + size_of::<String>()
}
