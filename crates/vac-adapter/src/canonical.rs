//! The profile `canonical`: takes away what the schema does not name.

use vac_record::{Entry, VerifiableAgentRecord};
use vac_value::{Any, Extensions, Text};

/// Strips an entry and its children.
pub fn strip_entry(entry: &mut Entry<'_>) {
    let children = match entry {
        Entry::Message(entry) => {
            clear(&mut entry.extensions);
            if let Some(usage) = &mut entry.token_usage {
                clear(&mut usage.extensions);
            }
            &mut entry.children
        }
        Entry::ToolCall(entry) => {
            clear(&mut entry.extensions);
            &mut entry.children
        }
        Entry::ToolResult(entry) => {
            clear(&mut entry.extensions);
            &mut entry.children
        }
        Entry::Reasoning(entry) => {
            clear(&mut entry.extensions);
            &mut entry.children
        }
        Entry::Event(entry) => {
            clear(&mut entry.extensions);
            &mut entry.children
        }
    };
    children.iter_mut().flatten().for_each(strip_entry);
}

/// Strips the record around the entries.
pub fn strip_record(record: &mut VerifiableAgentRecord<'_>) {
    clear(&mut record.extensions);
    clear(&mut record.session.extensions);
    clear(&mut record.session.agent_meta.extensions);
    if let Some(vcs) = &mut record.vcs {
        clear(&mut vcs.extensions);
    }
    if let Some(environment) = &mut record.session.environment {
        clear(&mut environment.extensions);
        if let Some(vcs) = &mut environment.vcs {
            clear(&mut vcs.extensions);
        }
    }
    record.session.entries.iter_mut().for_each(strip_entry);
}

fn clear(extensions: &mut Extensions<Text<'_>, Any<'_>>) {
    *extensions = Extensions::default();
}
