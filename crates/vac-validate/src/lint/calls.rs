//! Lints tool calls without a result, and results without a call.

use std::collections::HashSet;

use vac_record::keys::{tool_call_entry, tool_result_entry};
use vac_record::{ToolCallEntry, ToolResultEntry};

use super::{Entries, Findings, quote};

pub(super) fn lint(entries: &Entries<'_, '_>, findings: &mut Findings) {
    let ids = |kind: &str, key: &str| -> HashSet<_> {
        let of_kind = entries.iter().filter(|(_, entry)| entry.is(kind));
        of_kind.filter_map(|(_, entry)| entry.text(key)).collect()
    };
    let calls = ids(ToolCallEntry::TYPE, tool_call_entry::CALL_ID);
    let results = ids(ToolResultEntry::TYPE, tool_result_entry::CALL_ID);
    for (kind, key, others, code, other) in [
        (ToolCallEntry::TYPE, tool_call_entry::CALL_ID, &results, "call-without-result", "result"),
        (ToolResultEntry::TYPE, tool_result_entry::CALL_ID, &calls, "result-without-call", "call"),
    ] {
        for (place, entry) in entries.iter().filter(|(_, entry)| entry.is(kind)) {
            let Some(id) = entry.text(key).filter(|id| !others.contains(id)) else { continue };
            let message = format!("no {other} has {key} {}", quote(&id));
            findings.add(entry.node, code, entries.path(place, key), message);
        }
    }
}
