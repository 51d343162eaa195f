//! Tests that the same session in different containers gives the same entries.

use serde_json::Value;
use vac_adapter_check::{ConvertedRecord, TestLog, convert_full, corpus, fixture_logs, tokens};
use vac_adapter_opencode::OpenCode;

/// The members of entries that only one container states.
const EXTRA: &[(&str, &[&str])] = &[("database", &["time_created", "time_updated"])];

/// The members of a session that a container does not state.
const LACKS: &[(&str, &[&str])] = &[
    ("concatenated", &[]),
    ("tree", &[]),
    ("database", &["session_diff", "session_share"]),
    ("export", &["session_diff", "session_share", "todo"]),
    ("share", &["session_share", "todo"]),
];

fn look_up(table: &'static [(&str, &[&str])], variant: &str) -> &'static [&'static str] {
    table.iter().find(|(name, _)| *name == variant).map_or(&[], |(_, names)| names)
}

/// Converts logs and returns the records of a session.
fn records(logs: &[TestLog], session: &str) -> Vec<ConvertedRecord> {
    let all = logs.iter().flat_map(|log| convert_full(&OpenCode, log).expect("records"));
    all.filter(|record| record.report.session_id == session).collect()
}

/// Returns the entries of a record without the members that only its container has.
fn entries(record: &ConvertedRecord) -> Vec<Value> {
    let mut entries = record.entries();
    for entry in &mut entries {
        for name in look_up(EXTRA, record.variant) {
            let is_event = entry["type"] == "system-event";
            let place = if is_event { &mut entry["data"] } else { &mut *entry };
            place.as_object_mut().expect("an object").remove(*name);
        }
    }
    entries
}

/// Asserts that all records have the same entries, and returns their variants.
fn assert_same(records: &[ConvertedRecord], what: &str) -> Vec<&'static str> {
    let (first, others) = records.split_first().expect("a record");
    for other in others {
        assert_eq!(entries(other), entries(first), "{what}: {} {}", first.variant, other.variant);
        let count = |record: &ConvertedRecord| tokens(&record.value());
        assert_eq!(count(other), count(first), "{what}");
    }
    let mut variants: Vec<_> = records.iter().map(|record| record.variant).collect();
    variants.sort_unstable();
    variants
}

/// Asserts that the entries of a capture are among those of the session. A capture states the time
/// at which they were printed, and the cost of a step where others state the cost of its message.
fn assert_captured(capture: &ConvertedRecord, whole: &ConvertedRecord) {
    let whole = whole.entries();
    for mut entry in capture.entries() {
        if matches!(entry["event-type"].as_str(), Some("error" | "done")) {
            continue;
        }
        let same = whole.iter().find(|other| other["id"] == entry["id"]).expect("its part");
        let mut same = same.clone();
        let members = entry.as_object_mut().expect("an object");
        if members.remove("token-usage").is_some() {
            let data = same["data"].as_object_mut().expect("an object");
            assert!(data.remove("tokens").is_some() && data.remove("cost").is_some());
            members.remove("vac");
        }
        // Only a message states how its turn ended.
        same.as_object_mut().expect("an object").retain(|key, value| {
            value.as_object_mut().filter(|_| key == "vac").is_none_or(|vac| {
                vac.remove("ends");
                !vac.is_empty()
            })
        });
        if members.remove("line").is_none() && same.get("timestamp").is_none() {
            members.remove("timestamp");
        }
        assert_eq!(entry, same);
    }
}

#[test]
fn session_has_the_same_entries_in_every_container() {
    const SESSION: &str = "ses_0a1b2c3d4effeLanternHarbor01";
    let mut logs = fixture_logs(&OpenCode);
    logs.retain(|log| !log.shown.contains("/truncated/"));
    let (captured, whole): (Vec<_>, Vec<_>) =
        records(&logs, SESSION).into_iter().partition(|record| record.variant == "capture");
    let variants = assert_same(&whole, "the fixture");
    assert_eq!(variants, ["concatenated", "database", "export", "share", "tree"]);
    for record in &whole {
        let session = &record.value()["session"];
        for name in ["session_diff", "session_share", "todo"] {
            let lacks = look_up(LACKS, record.variant).contains(&name);
            assert_eq!(session.get(name).is_none(), lacks, "{} {name}", record.variant);
        }
    }
    assert_captured(&captured[0], whole.iter().find(|it| it.variant == "export").expect("there"));
}

#[test]
fn real_session_has_the_same_entries_in_every_container() {
    let logs = corpus(&OpenCode);
    for (session, containers) in [
        ("ses_07b8da456ffeRNnS72Z82Zzh4Y", &["concatenated", "database", "export", "share"]),
        ("ses_032da7f6dffe7pxoyN8iFjk2Cg", &["concatenated", "database", "export", "tree"]),
    ] {
        let (captured, whole): (Vec<_>, Vec<_>) =
            records(&logs, session).into_iter().partition(|record| record.variant == "capture");
        if whole.is_empty() {
            return;
        }
        assert_eq!(assert_same(&whole, session), containers);
        for capture in &captured {
            let export = whole.iter().find(|record| record.variant == "export");
            assert_captured(capture, export.expect("an export"));
        }
    }
}
