//! Rules that the start rule does not lead to.

use std::collections::HashSet;

use super::definitions::{Definition, Definitions};
use crate::ir::{Origin, Warning, WarningKind};
use crate::modules;

/// A warning for each rule of the given files that neither the first rule nor the start rule
/// leads to. Sockets are there to be used by others, and so are the rules of modules.
pub(super) fn unused<'a>(
    definitions: &'a Definitions<'a>,
    first: &'a Definition<'a>,
    start: Option<&str>,
) -> Vec<Warning> {
    let start = start.and_then(|start| definitions.get(start)).unwrap_or(first);
    let mut reached: HashSet<&str> = [&*first.name, &*start.name].into();
    let mut open = vec![first, start];
    while let Some(definition) = open.pop() {
        for part in &definition.parts {
            for name in modules::references(part.rule, part.source) {
                let next = definitions.get(part.namespace.full(name));
                if let Some(next) = next.filter(|next| next.origin == Origin::Spec)
                    && reached.insert(&next.name)
                {
                    open.push(next);
                }
            }
        }
    }
    let is_unused = |definition: &&Definition<'_>| {
        !reached.contains(&*definition.name)
            && !definition.name.starts_with('$')
            && definition.parts.iter().any(|part| part.is_given)
    };
    let warning = |definition: &Definition<'_>| Warning {
        kind: WarningKind::UnusedRule,
        location: definition.location.clone(),
        message: format!(
            "rule `{}` is not used: `{}` does not lead to it (refer to it, or remove it)",
            definition.name, start.name
        ),
    };
    definitions.of_specification().filter(is_unused).map(warning).collect()
}
