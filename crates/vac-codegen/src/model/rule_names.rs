//! Chooses the names of the types of rules.

use std::collections::HashMap;

use proc_macro2::Ident;
use vac_cddl::ir::{Rule, RuleOrigin, Schema, TypeKind};

use crate::analysis::for_each_reference;
use crate::names::Names;

/// The maximum length of the name of an instance, with its arguments, that becomes a Rust name.
const MAX_INSTANCE_NAME: usize = 40;

/// The maximum length for one of several instances of a generic rule in the same rule.
const MAX_SIBLING_NAME: usize = 70;

/// The maximum number of rules that are put in front of a name that is taken: the rule that uses
/// it, the rule that uses that rule, and so on.
const MAX_CONTEXT: usize = 3;

/// The references between the rules of a schema.
pub struct References {
    /// For each rule, the first rule that refers to it.
    first: Vec<Option<usize>>,
    /// For each rule, how often it is referred to.
    counts: Vec<usize>,
    /// The number of instances of each generic rule that a rule is the first to refer to.
    siblings: HashMap<(Option<usize>, String), usize>,
}

impl References {
    /// Finds the references of a schema.
    pub fn new(schema: &Schema) -> Self {
        let mut first = vec![None; schema.rules.len()];
        let mut counts = vec![0; schema.rules.len()];
        for (at, rule) in schema.rules.iter().enumerate() {
            for_each_reference(&rule.body, &mut |id| {
                counts[id.0] += 1;
                if id.0 != at {
                    first[id.0].get_or_insert(at);
                }
            });
        }
        let mut siblings = HashMap::new();
        for (rule, first) in schema.rules.iter().zip(&first) {
            if rule.origin == RuleOrigin::Instance {
                *siblings.entry((*first, base(&rule.name).to_owned())).or_default() += 1;
            }
        }
        Self { first, counts, siblings }
    }

    /// Returns the generic instance that a rule is another name for, if nothing else refers to it.
    pub fn sole_instance(&self, schema: &Schema, rule: &Rule) -> Option<usize> {
        let TypeKind::Rule(id) = rule.body.kind else { return None };
        let is_instance = schema.rules[id.0].origin == RuleOrigin::Instance;
        (is_instance && self.counts[id.0] == 1).then_some(id.0)
    }

    /// Returns whether the rule that refers to an instance refers to others of the same generic
    /// rule, and the arguments are short enough to distinguish them.
    fn has_siblings(&self, rule: usize, name: &str) -> bool {
        let key = (self.first[rule], base(name).to_owned());
        name.len() <= MAX_SIBLING_NAME && !has_container(name) && self.siblings[&key] > 1
    }

    /// Returns the rule that is nothing but a tag around a rule which nothing else refers to.
    fn wrapper(&self, schema: &Schema, rule: usize) -> Option<usize> {
        let around = self.first[rule].filter(|_| self.counts[rule] == 1)?;
        let TypeKind::Tag { content, .. } = &schema.rules[around].body.kind else { return None };
        matches!(content.kind, TypeKind::Rule(id) if id.0 == rule).then_some(around)
    }

    /// Returns the rule that refers to a rule, that rule and the one that refers to it, and so on.
    fn contexts(&self, schema: &Schema, rule: usize) -> Vec<String> {
        let mut contexts: Vec<String> = Vec::new();
        let mut next = self.first[rule];
        while let Some(mut at) = next.filter(|_| contexts.len() < MAX_CONTEXT) {
            for _ in 0..MAX_CONTEXT {
                at = self.wrapper(schema, at).unwrap_or(at);
            }
            let name = title(&schema.rules[at]);
            contexts.push(match contexts.last() {
                Some(inner) => format!("{name}-{inner}"),
                None => name.to_owned(),
            });
            next = self.first[at];
        }
        contexts
    }
}

/// Returns the name of a rule without `$` and, if it is long, without generic arguments.
pub fn title(rule: &Rule) -> &str {
    let name = rule.name.trim_start_matches('$');
    match rule.origin {
        RuleOrigin::Instance if is_long(name) => base(name),
        _ => name,
    }
}

/// Returns the name of a rule without `$` and without generic arguments.
pub fn base(name: &str) -> &str {
    let name = name.trim_start_matches('$');
    match name.find(['<', '@']) {
        Some(end @ 1..) => &name[..end],
        _ => name,
    }
}

/// Returns whether an instance is called after the rule that uses it: its arguments are long, or
/// maps or arrays.
fn is_long(name: &str) -> bool {
    has_container(name) || name.len() > MAX_INSTANCE_NAME
}

/// Returns whether the arguments of an instance are maps or arrays, or it is one that contains
/// itself.
fn has_container(name: &str) -> bool {
    name.contains('@') || name.find('<').is_some_and(|start| name[start..].contains(['{', '[']))
}

/// Returns the name of a rule's type.
pub fn type_name(
    schema: &Schema,
    references: &References,
    rule: usize,
    names: &mut Names,
) -> Ident {
    let (name, contexts) = name_and_contexts(schema, references, rule);
    names.type_name_in(&name, &contexts)
}

/// Returns the names of the constants of all rules but those of the prelude. `ROOT` is
/// the start rule.
pub fn constant_names(schema: &Schema) -> Vec<Option<Ident>> {
    let references = References::new(schema);
    let mut names = Names::default();
    names.constant_name("ROOT");
    let mut constants = Vec::with_capacity(schema.rules.len());
    for (at, rule) in schema.rules.iter().enumerate() {
        constants.push((rule.origin != RuleOrigin::Prelude).then(|| {
            let (name, contexts) = name_and_contexts(schema, &references, at);
            names.constant_name_in(&name, &contexts)
        }));
    }
    constants
}

/// Returns the name of a rule, and what can be put in front of it. An instance with long arguments
/// is called after the rule that uses it.
fn name_and_contexts(
    schema: &Schema,
    references: &References,
    rule: usize,
) -> (String, Vec<String>) {
    let mut contexts = references.contexts(schema, rule);
    let Rule { name, origin, .. } = &schema.rules[rule];
    if *origin == RuleOrigin::Instance && is_long(name) && !references.has_siblings(rule, name) {
        let name = base(name);
        if contexts.is_empty() {
            return (name.to_owned(), contexts);
        }
        let context = contexts.remove(0);
        return (format!("{context}-{name}"), contexts);
    }
    (name.clone(), contexts)
}
