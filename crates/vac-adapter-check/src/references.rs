//! Ids that lead somewhere in the source lead there in the record.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::agents::Agent;
use crate::native::{Kind, pieces, value};

/// Ids and what refers to them.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// Of entries.
    pub ids: BTreeSet<String>,
    /// Of entries, where others name them as what they answer.
    pub parents: Vec<String>,
    /// Of tool calls.
    pub calls: BTreeSet<String>,
    /// Of tool calls, where results name them.
    pub results: Vec<String>,
}

/// How many references lead somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// To the entry that is answered.
    pub parents: usize,
    /// To the call of a result.
    pub calls: usize,
}

impl References {
    /// Those of a native log, found by what its agent's rules say.
    pub fn of_log(agent: &Agent, documents: &[Vec<u8>]) -> Self {
        let mut found = Self::default();
        let pieces = documents.iter().flat_map(|document| pieces(document));
        for piece in pieces {
            let mut here = Self::default();
            if matches!(piece.kind, Kind::Document | Kind::Ambiguous)
                && let Some(document) = value(piece.bytes)
            {
                (agent.references)(&document, &mut here);
            }
            if piece.kind == Kind::Ambiguous {
                // It is carried raw: with its id, but not with what is inside.
                (here.calls, here.results) = Default::default();
            }
            found.add(here);
        }
        found
    }

    /// Those of a record.
    pub fn of_record(record: &Value) -> Self {
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

/// An id, if it is one: text, and nothing had to be mended in it.
pub fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.contains('\u{fffd}')).map(str::to_owned)
}

/// What is wrong with the references of records, if anything is.
pub fn compare(native: &References, records: &[Value]) -> Result<Resolved, String> {
    let mut found = References::default();
    for record in records {
        found.add(References::of_record(record));
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
    let (native_good, native_bad) = told_apart(native);
    let (record_good, record_bad) = told_apart(record);
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

/// References that lead somewhere, and those that do not.
fn told_apart((from, to): Ends<'_>) -> (BTreeMap<&str, usize>, BTreeMap<&str, usize>) {
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
        References::of_log(&SAMPLE, &[log.as_bytes().to_vec()])
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
    fn references_lead_where_they_led() {
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
    fn nothing_leads_nowhere_that_did_not_before() {
        let mut record = record("u1", "c1");
        record["session"]["entries"][0]["parent-id"] = json!("invented");
        let found = compare(&native(), &[record]).expect_err("a new dangling id");
        assert!(found.contains("\"invented\" leads nowhere in the record"), "{found}");
    }
}
