//! Lints duplicate entry ids, and parents that are not the id of an entry.

use std::collections::HashMap;

use vac_record::MessageEntryType;
use vac_record::keys::message_entry::{ID, PARENT_ID};

use super::{Entries, Findings, quote};

pub(super) fn lint(entries: &Entries<'_, '_>, findings: &mut Findings) {
    let mut first = HashMap::new();
    for (place, entry) in entries.iter() {
        let Some(id) = entry.text(ID) else { continue };
        let message = format!("id {} is also the id at ", quote(&id));
        let before = *first.entry(id).or_insert(place);
        if before != place {
            let message = message + &entries.path(before, ID);
            findings.add(entry.node, "duplicate-id", entries.path(place, ID), message);
        }
    }
    for (place, entry) in entries.iter() {
        // Only messages have a `parent-id` in the schema.
        if !MessageEntryType::TEXTS.iter().any(|kind| entry.is(kind)) {
            continue;
        }
        let Some(parent) = entry.text(PARENT_ID) else { continue };
        if !first.contains_key(&parent) {
            let message = format!("no entry has id {}", quote(&parent));
            findings.add(entry.node, "dangling-parent", entries.path(place, PARENT_ID), message);
        }
    }
}
