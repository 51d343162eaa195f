//! Warnings about probable mistakes in a specification.

mod choices;
mod json;
mod kinds;
mod shape;

use std::collections::HashMap;

use self::kinds::Kinds;
use crate::ir::{Schema, Warning, WarningKind};
use crate::source::Source;

/// Maximum number of warnings of one kind that are reported.
const MAX_OF_KIND: usize = 10;

/// Finds alternatives that are never reached, and constructs that JSON cannot express.
pub(crate) fn find(schema: &Schema) -> Vec<Warning> {
    let kinds = Kinds::new(schema);
    let mut warnings = choices::unreachable(schema, &kinds);
    warnings.extend(json::not_json(schema, &kinds));
    warnings
}

/// Sorts warnings by their places in the texts, and removes duplicates. Of each kind at most
/// [`MAX_OF_KIND`] are kept, followed by the number of the others.
pub(crate) fn sorted(mut warnings: Vec<Warning>, sources: &[&Source<'_>]) -> Vec<Warning> {
    warnings.sort_by_cached_key(|warning| {
        let location = &warning.location;
        let file = sources.iter().position(|source| source.contains(location));
        (file.unwrap_or(usize::MAX), location.line, location.column)
    });
    warnings.dedup();
    let mut counts: HashMap<WarningKind, usize> = HashMap::new();
    for warning in &warnings {
        *counts.entry(warning.kind).or_default() += 1;
    }
    let mut seen: HashMap<WarningKind, usize> = HashMap::new();
    let mut kept = Vec::new();
    for warning in warnings {
        let (kind, total) = (warning.kind, counts[&warning.kind]);
        let number = seen.entry(kind).or_default();
        *number += 1;
        if *number < MAX_OF_KIND || total <= MAX_OF_KIND {
            kept.push(warning);
        } else if *number == MAX_OF_KIND {
            let count = total - MAX_OF_KIND + 1;
            let message = format!("{count} more warnings of this kind ({})", kind.code());
            kept.push(Warning { kind: WarningKind::More, location: warning.location, message });
        }
    }
    kept
}
