//! Tests logs of lines: which messages are superseded at the end.

use serde_json::{Value, json};
use vac_adapter_check::{check, corpus, fixture};
use vac_adapter_gemini::Gemini;

use crate::{GEMINI, record};

const HEADER: &str =
    r#"{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z"}"#;

fn entries(lines: &[&str]) -> Vec<Value> {
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    let mut record = record("x.jsonl", &text);
    match record["session"]["entries"].take() {
        Value::Array(entries) => entries,
        other => panic!("entries are {other}"),
    }
}

/// Returns the ids of the messages that are not superseded.
fn current(entries: &[Value]) -> Vec<&str> {
    let is_current = |entry: &&Value| {
        let is_copy = entry["type"] != "tool-result" && entry["vac"].get("duplicate-of").is_some();
        entry["vac"].get("superseded").is_none() && !is_copy && entry["type"] != "system-event"
    };
    entries.iter().filter(is_current).filter_map(|entry| entry["id"].as_str()).collect()
}

fn entry<'e>(entries: &'e [Value], id: &str) -> &'e Value {
    let found: Vec<_> = entries.iter().filter(|entry| entry["id"] == id).collect();
    assert_eq!(found.len(), 1, "entries of id {id}");
    found[0]
}

fn fixture_entries(name: &str) -> Vec<Value> {
    check(&GEMINI, &Gemini, &fixture(&Gemini, name)).only().entries()
}

#[test]
fn conversation_has_no_superseded_messages() {
    assert_eq!(current(&fixture_entries("jsonl/rewound")), ["u-4", "u-2"]);
    assert_eq!(current(&fixture_entries("jsonl/compacted")), [""; 0], "the last list is empty");
    let updated = fixture_entries("jsonl/updated");
    assert_eq!(
        current(&updated),
        ["ctx", "cmd", "hook", "path", "u-1", "r-1", "r-1#2", "g-1", "r-2", "g-2"]
    );
}

#[test]
fn id_belongs_to_the_last_version() {
    let entries = entries(&[
        r#"{"id": "a", "type": "gemini", "content": "1", "tokens": {"input": 1}}"#,
        r#"{"id": "b", "type": "user", "content": "x"}"#,
        r#"{"id": "a", "type": "gemini", "content": "2", "tokens": {"input": 2}}"#,
        r#"{"id": "a", "type": "gemini", "content": "3", "tokens": null}"#,
    ]);
    assert_eq!(entry(&entries, "a")["content"], "3");
    for (id, content) in [("L2", "1"), ("L4", "2")] {
        let earlier = entry(&entries, id);
        assert_eq!(earlier["content"], content);
        assert_eq!(earlier["vac"]["superseded"], json!({"how": "updated", "by": "a"}));
    }
    assert_eq!(entry(&entries, "L2")["tokens"]["input"], 1);
    assert_eq!(entry(&entries, "L4")["token-usage"]["input"], 2, "the last version");
}

#[test]
fn rewind_goes_by_the_position_of_the_first_version() {
    let entries = entries(&[
        r#"{"id": "a", "type": "gemini", "content": "1"}"#,
        r#"{"id": "b", "type": "user", "content": "x"}"#,
        r#"{"id": "a", "type": "gemini", "content": "2"}"#,
        r#"{"$rewindTo": "b"}"#,
        r#"{"id": "c", "type": "user", "content": "y"}"#,
    ]);
    assert_eq!(current(&entries), ["a", "c"]);
    let rewound = entry(&entries, "b");
    assert_eq!(rewound["vac"]["superseded"], json!({"how": "rewound", "by": "L5"}));
    assert_eq!(entry(&entries, "L5")["event-type"], "session-rewound");
}

#[test]
fn rewind_to_an_unknown_id_takes_everything_back() {
    let entries = entries(&[
        r#"{"id": "a", "type": "user", "content": "x"}"#,
        r#"{"$rewindTo": "gone"}"#,
        r#"{"id": "b", "type": "user", "content": "y"}"#,
    ]);
    assert_eq!(current(&entries), ["b"]);
}

#[test]
fn new_list_keeps_what_it_repeats_and_ends_the_rest() {
    let entries = entries(&[
        r#"{"id": "a", "type": "user", "content": "x"}"#,
        r#"{"id": "b", "type": "user", "content": "y"}"#,
        r#"{"$set": {"messages": [{"id": "b", "type": "user", "content": "y"}, {"id": "b", "type": "user", "content": "again"}, {"type": "user", "content": "no id"}]}}"#,
    ]);
    let expected = ["b", "b", "L4#3"];
    assert_eq!(current(&entries), expected, "one list is not a series of versions");
    let superseded = &entry(&entries, "a")["vac"]["superseded"];
    assert_eq!(superseded, &json!({"how": "compacted", "by": "L4"}));
    assert_eq!(entry(&entries, "L4#1")["vac"]["duplicate-of"], "b");
    assert_eq!(entry(&entries, "L4")["event-type"], "messages-replaced");
}

#[test]
fn kept_messages_stay_in_their_place_and_copies_are_duplicates() {
    let entries = fixture_entries("jsonl/replaced-history");
    assert_eq!(current(&entries), ["m5", "m6", "n1", "n2", "m8", "m9"]);
    let copies = [("L8#1", "m1"), ("L8#2", "m2"), ("n3", "m5"), ("n4", "m6")];
    for (copy, original) in copies {
        assert_eq!(entry(&entries, copy)["vac"]["duplicate-of"], original);
        assert!(entry(&entries, copy).get("token-usage").is_none());
    }
    assert_eq!(
        entry(&entries, "m1")["vac"]["superseded"]["how"],
        "compacted",
        "by the second list"
    );
    assert_eq!(entry(&entries, "m3")["vac"]["superseded"]["how"], "rewound");
}

/// A list with shortened tool results repeats the messages; the originals are kept.
#[test]
fn shortened_results_do_not_replace_the_originals() {
    let call = |result: &str| {
        format!(
            r#"{{"id": "g", "type": "gemini", "content": "", "tokens": {{"input": 1}}, "toolCalls": [{{"id": "c", "name": "glob", "result": "{result}"}}]}}"#
        )
    };
    let user = |id: &str| format!(r#"{{"id": "{id}", "type": "user", "content": "{id}"}}"#);
    let list = [user("a"), call("masked"), user("b")].join(", ");
    let set = format!(r#"{{"$set": {{"messages": [{list}]}}}}"#);
    let entries = entries(&[&user("a"), &call("all of it"), &user("b"), &set, &user("c")]);
    assert_eq!(current(&entries), ["a", "g", "b", "c"]);
    assert_eq!(entry(&entries, "g")["children"][1]["output"], "all of it");
    assert_eq!(entry(&entries, "L5#2")["vac"]["duplicate-of"], "g");
    assert!(entry(&entries, "L5#2").get("token-usage").is_none());
}

/// Tests that the times of messages that are neither rewound nor copies never decrease.
#[test]
fn conversations_of_the_corpus_are_in_the_order_of_time() {
    for log in corpus(&Gemini).iter().filter(|log| log.shown.contains("corpus-meaning")) {
        let outcome = check(&GEMINI, &Gemini, log);
        for record in outcome.records() {
            let entries = record.entries();
            let is_said = |entry: &&Value| {
                (entry["type"] == "user" || entry["type"] == "assistant")
                    && entry["vac"].get("duplicate-of").is_none()
                    && entry["vac"]["superseded"]["how"] != "updated"
            };
            let times: Vec<_> = entries.iter().filter(is_said).map(|it| &it["timestamp"]).collect();
            let times: Vec<_> = times.iter().filter_map(|time| time.as_str()).collect();
            assert!(times.is_sorted(), "{}: {times:?}", log.shown);
        }
    }
}

#[test]
fn last_set_value_is_the_sessions_and_earlier_ones_are_kept() {
    let text = concat!(
        r#"{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z", "lastUpdated": "2026-01-05T09:30:00Z", "summary": "old", "kind": "main"}"#,
        "\n",
        r#"{"$set": {"summary": "new", "lastUpdated": "2026-01-05T09:31:00Z"}}"#,
        "\n",
        r#"{"$set": {"kind": "main", "directories": ["/d"]}}"#,
        "\n",
    );
    let record = record("x.jsonl", text);
    let session = &record["session"];
    assert_eq!(session["session-end"], "2026-01-05T09:31:00Z");
    assert_eq!((&session["summary"], &session["kind"]), (&json!("new"), &json!("main")));
    assert_eq!(session["environment"]["working-dir"], "/d");
    let header = &session["entries"][0];
    assert_eq!(header["data"], json!({"lastUpdated": "2026-01-05T09:30:00Z", "summary": "old"}));
}

#[test]
fn response_is_linked_to_the_result_of_its_call() {
    let entries = entries(&[
        r#"{"id": "r", "type": "user", "content": [{"functionResponse": {"id": "c", "name": "glob", "response": {"output": "x"}}}]}"#,
        r#"{"id": "q", "type": "user", "content": [{"functionResponse": {"id": "d", "response": {"error": "x"}}}, {"text": "and words"}]}"#,
        r#"{"id": "g", "type": "gemini", "content": "", "toolCalls": [{"id": "c", "name": "glob", "result": "x"}]}"#,
    ]);
    let result = entry(&entries, "r");
    assert_eq!(
        (&result["type"], &result["vac"]["duplicate-of"]),
        (&json!("tool-result"), &json!("c"))
    );
    let mixed = entry(&entries, "q");
    assert_eq!((&mixed["type"], &mixed["vac"]["author"]), (&json!("user"), &json!("user")));
    assert_eq!(mixed["children"][0]["is-error"], true);
    assert_eq!(mixed["children"][0]["vac"].get("duplicate-of"), None);
}

#[test]
fn unknown_types_operations_and_keys_are_counted() {
    let log = fixture(&Gemini, "jsonl/unknown-types");
    let report = check(&GEMINI, &Gemini, &log).only().report.clone();
    let types: Vec<_> = report.unknown_types.keys().map(String::as_str).collect();
    assert_eq!(types, ["$patch", "a document that is not a session", "hologram"]);
    let keys: Vec<_> = report.unknown_keys.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["$set.brightness", "message.mood", "part.hologram", "session.colour", "toolCalls.wattage"]
    );
}
