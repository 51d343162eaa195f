//! Applies the profile `canonical`: removes members that the schema does not name, except the
//! [annotations](crate::annotation).

use vac_record::{Entry, MessageEntry, VerifiableAgentRecord};
use vac_value::{Any, Map, Text};

use crate::annotation;

/// Removes members that the schema does not name from an entry and its children.
pub fn strip_entry(entry: &mut Entry<'_>) {
    annotation::retain(entry.extensions_mut());
    if let Entry::Message(MessageEntry { token_usage: Some(usage), .. }) = entry {
        clear(&mut usage.extensions);
    }
    entry.children_mut().iter_mut().flatten().for_each(strip_entry);
}

/// Removes members that the schema does not name from a record, apart from its entries.
pub fn strip_record(record: &mut VerifiableAgentRecord<'_>) {
    clear(&mut record.extensions);
    annotation::retain(&mut record.session.extensions);
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

fn clear(extensions: &mut Map<Text<'_>, Any<'_>>) {
    *extensions = Map::default();
}
