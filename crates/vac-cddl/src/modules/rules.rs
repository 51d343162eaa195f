//! The rules of a specification or of a module, from one text or several.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ir::Location;
use crate::source::Source;
use crate::syntax::ast::{Assignment, Rule};
use crate::syntax::{Symbol, TokenKind};

/// Maps the names in the text of a module to the names in the specification.
#[derive(Debug, Default)]
pub(crate) struct Namespace {
    /// The prefixes of the module, each with a dot after it.
    pub(super) prefix: String,
    /// The names that differ in the specification.
    pub(super) renamed: HashMap<Rc<str>, Rc<str>>,
}

impl Namespace {
    /// Returns the name in the specification of the rule that a text calls `name`.
    pub(crate) fn full<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.get(name).map_or(name, |full| full)
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }
}

/// One rule of a specification.
#[derive(Clone)]
pub(crate) struct Entry<'a> {
    /// The name it has in the specification.
    pub(crate) name: Rc<str>,
    pub(crate) rule: &'a Rule<'a>,
    pub(crate) source: &'a Source<'a>,
    pub(crate) namespace: Rc<Namespace>,
    /// Whether it is in a file that was given, not in a module.
    pub(crate) is_given: bool,
}

impl Entry<'_> {
    /// Returns whether two rules are the same except for spaces and comments.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let own = self.source.written(self.rule.span);
        own.eq(other.source.written(other.rule.span))
    }

    /// Returns the names that the rule uses, as they are called in the specification.
    pub(super) fn references(&self) -> impl Iterator<Item = &str> {
        references(self.rule, self.source).map(|name| self.namespace.full(name))
    }
}

/// A second name for a rule.
#[derive(Clone)]
pub(crate) struct Alias {
    pub(crate) name: Rc<str>,
    pub(crate) target: Rc<str>,
    /// The directive that requests it.
    pub(crate) location: Location,
}

/// The rules of a specification, or of one of its modules.
#[derive(Clone, Default)]
pub(crate) struct RuleSet<'a> {
    /// The rules of its own text, then those of modules in the order of the directives.
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) aliases: Vec<Alias>,
    /// The places of a name in `entries`.
    pub(super) by_name: HashMap<Rc<str>, Vec<usize>>,
    /// The places of a name in `aliases`.
    pub(super) alias_of: HashMap<Rc<str>, usize>,
    /// Rules that were added, by their address.
    added: HashSet<(*const Rule<'a>, Rc<str>)>,
}

impl<'a> RuleSet<'a> {
    /// Returns the rules of some texts, without modules.
    pub(crate) fn new(sources: impl IntoIterator<Item = &'a Source<'a>>) -> Self {
        let mut merged = Self::default();
        sources.into_iter().for_each(|source| merged.add_source(source, true));
        merged
    }

    pub(super) fn add(&mut self, entry: Entry<'a>) {
        // A module can be named by several directives.
        if self.added.insert((std::ptr::from_ref(entry.rule), Rc::clone(&entry.name))) {
            let places = self.by_name.entry(Rc::clone(&entry.name)).or_default();
            places.push(self.entries.len());
            self.entries.push(entry);
        }
    }

    pub(super) fn add_alias(&mut self, alias: Alias) {
        if !self.alias_of.contains_key(&alias.name) {
            self.alias_of.insert(Rc::clone(&alias.name), self.aliases.len());
            self.aliases.push(alias);
        }
    }

    pub(super) fn add_source(&mut self, source: &'a Source<'a>, is_given: bool) {
        let namespace = Rc::new(Namespace::default());
        for rule in &source.tree.rules {
            let (name, namespace) = (Rc::from(rule.name.text), Rc::clone(&namespace));
            self.add(Entry { name, rule, source, namespace, is_given });
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || self.alias_of.contains_key(name)
    }

    /// Returns whether a name is defined with `=`, so that modules cannot extend it. Sockets, and
    /// names that have only been extended so far, can be extended further.
    pub(super) fn is_complete(&self, name: &str) -> bool {
        let is_definition = |place: &usize| {
            let rule = self.entries[*place].rule;
            rule.assignment == Assignment::Define && !rule.name.text.starts_with('$')
        };
        self.alias_of.contains_key(name)
            || self.by_name.get(name).is_some_and(|places| places.iter().any(is_definition))
    }
}

/// Returns the names that a rule uses, as they are written. A name may come several times.
pub(crate) fn references<'a>(
    rule: &'a Rule<'a>,
    source: &'a Source<'a>,
) -> impl Iterator<Item = &'a str> {
    let tokens = source.tokens(rule.span);
    let parameters: HashSet<&str> = rule.parameters.iter().map(|name| name.text).collect();
    // The name that is defined is the first token.
    tokens.iter().enumerate().skip(1).filter_map(move |(at, token)| {
        let is_key =
            tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Symbol(Symbol::Colon));
        let name = (token.kind == TokenKind::Name && !is_key).then(|| source.text(token.span))?;
        (!parameters.contains(name)).then_some(name)
    })
}
