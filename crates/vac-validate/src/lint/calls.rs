//! Calls and results that do not find each other.

use std::collections::HashSet;

use super::{Entries, Findings, quoted};

pub(super) fn lint(entries: &Entries<'_, '_>, findings: &mut Findings) {
    let ids = |kind: &str| -> HashSet<_> {
        entries
            .iter()
            .filter(|(_, entry)| entry.is(kind))
            .filter_map(|(_, entry)| entry.text("call-id"))
            .collect()
    };
    let (calls, results) = (ids("tool-call"), ids("tool-result"));
    for (place, entry) in entries.iter() {
        let Some(id) = entry.text("call-id") else { continue };
        let (code, message) = if entry.is("tool-call") && !results.contains(&id) {
            ("call-without-result", format!("no result has call-id {}", quoted(&id)))
        } else if entry.is("tool-result") && !calls.contains(&id) {
            ("result-without-call", format!("no call has call-id {}", quoted(&id)))
        } else {
            continue;
        };
        findings.add(entry.node, code, entries.path(place, "call-id"), message);
    }
}
