//! Finds rules that the start rule does not lead to.

use std::collections::HashSet;

use super::definitions::{Definition, Definitions};
use crate::ir::{RuleOrigin, Warning, WarningKind};
use crate::modules;
use crate::syntax::ast::{Body, Rule, Type2Kind};

/// Returns a warning for each rule of the given files that neither the first rule nor the start
/// rule leads to. Sockets and the rules of modules are meant to be used by other specifications and
/// are not reported. Rules with one value are not reported either, because they become constants of
/// the generated code.
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
                if let Some(next) = next.filter(|next| next.origin == RuleOrigin::Spec)
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
            && !definition.parts.iter().all(|part| is_value(part.rule))
    };
    let warning = |definition: &Definition<'_>| Warning {
        kind: WarningKind::UnusedRule,
        location: definition.location.clone(),
        message: format!(
            "rule `{}` is not used: `{}` does not lead to it (refer to it, or remove it)",
            definition.name, start.name
        ),
    };
    definitions.specification_definitions().filter(is_unused).map(warning).collect()
}

/// Returns whether a rule is one value.
fn is_value(rule: &Rule<'_>) -> bool {
    let Body::Type(body) = &rule.body else { return false };
    matches!(
        body.choices.as_slice(),
        [only] if only.operator.is_none() && matches!(only.target.kind, Type2Kind::Value(_))
    )
}
