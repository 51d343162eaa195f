//! Compares references: an id that refers to an entry or a call in the log has to refer to it in
//! the record.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::agents::AgentRules;
use crate::native::{PieceKind, pieces, value};

/// The ids of a log or a record, and the references to them.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// The ids of entries.
    pub ids: BTreeSet<String>,
    /// The ids that entries name as their parent.
    pub parents: Vec<String>,
    /// The ids of tool calls.
    pub calls: BTreeSet<String>,
    /// The ids of tool calls that results name.
    pub results: Vec<String>,
}

/// The number of references to ids that exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The number of references of entries to their parents.
    pub parents: usize,
    /// The number of references of results to their calls.
    pub calls: usize,
}

impl References {
    /// Collects the ids and references of a native log, according to the rules of its agent.
    pub fn from_log(agent: &AgentRules, documents: &[Vec<u8>]) -> Self {
        let mut found = Self::default();
        let pieces = documents.iter().flat_map(|document| pieces(document));
        for piece in pieces {
            let mut here = Self::default();
            if matches!(piece.kind, PieceKind::Document | PieceKind::Ambiguous)
                && let Some(document) = value(piece.bytes)
            {
                (agent.references)(&document, &mut here);
            }
            if piece.kind == PieceKind::Ambiguous {
                // The document is kept unparsed: its id is that of an entry, but its calls and
                // results are not read.
                (here.calls, here.results) = Default::default();
            }
            found.add(here);
        }
        found
    }

    /// Collects the ids and references of a record.
    pub fn from_record(record: &Value) -> Self {
        let mut found = Self::default();
        let mut entries: Vec<_> =
            record["session"]["entries"].as_array().into_iter().flatten().collect();
        while let Some(entry) = entries.pop() {
            found.ids.extend(text(&entry["id"]));
            found.parents.extend(text(&entry["parent-id"]));
            match entry["type"].as_str() {
                Some("tool-call") => found.calls.extend(text(&entry["call-id"])),
                Some("tool-result") => found.results.extend(text(&entry["call-id"])),
                _ => {}
            }
            entries.extend(entry["children"].as_array().into_iter().flatten());
        }
        found
    }

    fn add(&mut self, other: Self) {
        self.ids.extend(other.ids);
        self.parents.extend(other.parents);
        self.calls.extend(other.calls);
        self.results.extend(other.results);
    }
}

/// Returns the text of an id; `None` if it is not text, or if the parser replaced a character in
/// it.
pub fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.contains('\u{fffd}')).map(str::to_owned)
}

/// Compares the references of records with those of their log. The error describes the first
/// difference.
pub fn compare(native: &References, records: &[Value]) -> Result<Resolved, String> {
    let mut found = References::default();
    for record in records {
        found.add(References::from_record(record));
    }
    Ok(Resolved {
        parents: compare_one(
            "parent-id",
            (&native.parents, &native.ids),
            (&found.parents, &found.ids),
        )?,
        calls: compare_one(
            "call-id",
            (&native.results, &native.calls),
            (&found.results, &found.calls),
        )?,
    })
}

type Ends<'r> = (&'r [String], &'r BTreeSet<String>);

fn compare_one(key: &str, native: Ends<'_>, record: Ends<'_>) -> Result<usize, String> {
    let (native_good, native_bad) = split_by_target(native);
    let (record_good, record_bad) = split_by_target(record);
    for (id, count) in &native_good {
        let found = record_good.get(id).copied().unwrap_or_default();
        if found < *count {
            return Err(format!(
                "{key} {id:?} leads somewhere {count} times in the source and {found} times in \
                 the record"
            ));
        }
    }
    if let Some(id) = record_bad.keys().find(|id| !native_bad.contains_key(*id)) {
        return Err(format!("{key} {id:?} leads nowhere in the record, and not so in the source"));
    }
    Ok(native_good.values().sum())
}

/// Splits references into those whose id exists and those whose id does not.
fn split_by_target((from, to): Ends<'_>) -> (BTreeMap<&str, usize>, BTreeMap<&str, usize>) {
    let (mut good, mut bad) = (BTreeMap::new(), BTreeMap::new());
    for id in from {
        let counts = if to.contains(id) { &mut good } else { &mut bad };
        *counts.entry(id.as_str()).or_default() += 1;
    }
    (good, bad)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{References, Resolved, compare};
    use crate::agents::SAMPLE;

    fn native() -> References {
        let log = concat!(
            r#"{"type": "user", "uuid": "u1", "parentUuid": "gone"}"#,
            r#"{"type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": {"content": ["#,
            r#"{"type": "tool_use", "id": "c1"}, {"type": "tool_result", "tool_use_id": "c1"}]}}"#,
        );
        References::from_log(&SAMPLE, &[log.as_bytes().to_vec()])
    }

    fn record(parent: &str, call: &str) -> Value {
        json!({"session": {"entries": [
            {"type": "user", "id": "u1", "parent-id": "gone"},
            {"type": "assistant", "id": "a1", "parent-id": parent, "children": [
                {"type": "tool-call", "call-id": "c1"}, {"type": "tool-result", "call-id": call},
            ]},
        ]}})
    }

    #[test]
    fn references_lead_to_the_same_entries() {
        let found = compare(&native(), &[record("u1", "c1")]);
        assert_eq!(found, Ok(Resolved { parents: 1, calls: 1 }), "one led nowhere before");
        for (parent, call, problem) in [
            ("a1", "c1", "parent-id \"u1\" leads somewhere 1 times"),
            ("u1", "c2", "call-id \"c1\" leads somewhere 1 times"),
        ] {
            let found = compare(&native(), &[record(parent, call)]).expect_err("a loss");
            assert!(found.starts_with(problem), "{found}");
        }
    }

    #[test]
    fn new_dangling_references_are_reported() {
        let mut record = record("u1", "c1");
        record["session"]["entries"][0]["parent-id"] = json!("invented");
        let found = compare(&native(), &[record]).expect_err("a new dangling id");
        assert!(found.contains("\"invented\" leads nowhere in the record"), "{found}");
    }
}
