//! Finds groups that contain themselves through a map or an array.
//!
//! Groups are inlined where they are named, which would never end for these. They are found by
//! their names alone, before anything is lowered, so that the work does not depend on the number of
//! paths through them.

use std::collections::{HashMap, HashSet};

use super::definitions::{Definition, Definitions};
use super::names::sole_type2;
use crate::syntax::ast::{Body, Type2Kind};
use crate::syntax::{Symbol, Token, TokenKind};

/// Returns the names of groups that contain themselves or others that do, and may be contained in
/// them; `~name` for a rule whose content is taken by `~`.
pub(super) fn recursive_groups(definitions: &Definitions<'_>) -> HashSet<String> {
    let group_like = definitions.specification_definitions().filter(|it| is_group_like(it));
    let group_like: HashSet<&str> = group_like.map(|definition| &*definition.name).collect();
    let mut edges: HashMap<String, Vec<String>> = HashMap::new();
    for definition in definitions.specification_definitions() {
        let contained = contained_groups(definition, &group_like);
        if group_like.contains(&*definition.name) {
            edges.insert(definition.name.to_string(), contained.clone());
        }
        edges.insert(format!("~{}", definition.name), contained);
    }

    // Remove groups that contain none of the remaining groups, or are contained in none of them.
    // The groups that are left are on a cycle, or on a path between two cycles.
    let mut backwards: HashMap<String, Vec<String>> = HashMap::new();
    for (from, targets) in &edges {
        for to in targets {
            backwards.entry(to.clone()).or_default().push(from.clone());
        }
    }
    let leads_on = not_ending(&edges, &backwards);
    let is_led_to = not_ending(&backwards, &edges);
    leads_on.into_iter().filter(|name| is_led_to.contains(name)).collect()
}

/// Returns the nodes that an infinite path begins at.
fn not_ending(
    edges: &HashMap<String, Vec<String>>,
    backwards: &HashMap<String, Vec<String>>,
) -> HashSet<String> {
    let nodes: HashSet<&String> = edges.keys().chain(backwards.keys()).collect();
    let mut ways: HashMap<&String, usize> =
        nodes.iter().map(|node| (*node, edges.get(*node).map_or(0, Vec::len))).collect();
    let mut ending: Vec<&String> = nodes.into_iter().filter(|node| ways[*node] == 0).collect();
    while let Some(node) = ending.pop() {
        for from in backwards.get(node).into_iter().flatten() {
            if let Some(count) = ways.get_mut(from) {
                *count -= 1;
                if *count == 0 {
                    ending.push(from);
                }
            }
        }
    }
    ways.into_iter().filter(|(_, count)| *count > 0).map(|(node, _)| node.clone()).collect()
}

/// Returns whether a name may be inlined: it is a group, or an alias of another name.
fn is_group_like(definition: &Definition<'_>) -> bool {
    definition.parts.iter().any(|part| match part.body() {
        Body::Group(_) => true,
        Body::Type(body) => sole_type2(body)
            .is_some_and(|type2| matches!(type2.kind, Type2Kind::Name(_) | Type2Kind::Unwrap(_))),
    })
}

/// Returns the groups that a definition names anywhere, each once.
fn contained_groups(definition: &Definition<'_>, group_like: &HashSet<&str>) -> Vec<String> {
    let mut groups = HashSet::new();
    for part in &definition.parts {
        let source = part.source;
        let tokens = source.tokens(part.rule.span);
        // The name that is defined is the first token.
        for at in 1..tokens.len() {
            let is = |at: usize, symbol| {
                tokens.get(at).map(|token: &Token| &token.kind) == Some(&TokenKind::Symbol(symbol))
            };
            if tokens[at].kind != TokenKind::Name || is(at + 1, Symbol::Colon) {
                continue;
            }
            let name = part.namespace.full(source.text(tokens[at].span));
            if is(at - 1, Symbol::Tilde) {
                groups.insert(format!("~{name}"));
            } else if group_like.contains(name) {
                groups.insert(name.to_owned());
            }
        }
    }
    groups.into_iter().collect()
}
