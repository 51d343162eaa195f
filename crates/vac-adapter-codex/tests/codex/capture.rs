//! Tests the output of `codex exec --json`.

use serde_json::{Value, json};
use vac_adapter_check::{convert_full, fixture};
use vac_adapter_codex::Codex;

use crate::{check, entries};

fn started() -> String {
    json!({"type": "thread.started", "thread_id": "t"}).to_string()
}

fn item(state: &str, item: &Value) -> String {
    json!({"type": format!("item.{state}"), "item": item}).to_string()
}

fn command(state: &str, id: &str, code: Option<i64>) -> String {
    let item_of = json!({
        "id": id, "type": "command_execution", "command": "ls", "aggregated_output": "a",
        "exit_code": code, "status": if code.is_some() { "completed" } else { "in_progress" },
    });
    item(state, &item_of)
}

fn kinds(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["type"].as_str().expect("a type")).collect()
}

#[test]
fn states_of_a_command_are_one_call_and_one_result() {
    let entries = entries(&[
        started(),
        command("started", "item_0", None),
        command("updated", "item_0", None),
        command("updated", "item_0", None),
        command("completed", "item_0", Some(2)),
    ]);
    let expected = ["system-event", "tool-call", "system-event", "system-event", "tool-result"];
    assert_eq!(kinds(&entries), expected);
    for entry in [&entries[1], &entries[4]] {
        assert_eq!(entry["call-id"], "item_0");
    }
    assert_eq!(entries[2]["vac"]["superseded"]["by"], "L4");
    assert_eq!(entries[3]["vac"]["superseded"]["by"], "L5");
    assert_eq!(entries[4]["is-error"], true);
}

#[test]
fn command_printed_once_contains_its_result() {
    let entries = entries(&[started(), command("completed", "item_0", Some(0))]);
    assert_eq!(kinds(&entries), ["system-event", "tool-call"]);
    let result = &entries[1]["children"][0];
    assert_eq!((&result["type"], &result["call-id"]), (&json!("tool-result"), &json!("item_0")));
    assert_eq!((&result["output"], &result["is-error"]), (&json!("a"), &json!(false)));
}

#[test]
fn unfinished_command_has_no_result() {
    let entries = entries(&[started(), command("started", "item_0", None)]);
    assert_eq!(kinds(&entries), ["system-event", "tool-call"]);
    assert_eq!(entries[1]["children"], Value::Null);
}

#[test]
fn message_is_its_last_state() {
    let message = |state: &str, text: &str| {
        item(state, &json!({"id": "item_0", "type": "agent_message", "text": text}))
    };
    let whole = entries(&[
        started(),
        message("started", "a"),
        message("updated", "ab"),
        message("completed", "abc"),
    ]);
    assert_eq!(kinds(&whole), ["system-event", "system-event", "system-event", "assistant"]);
    assert_eq!(whole[3]["content"], "abc");
    let cut = entries(&[started(), message("started", "a"), message("updated", "ab")]);
    assert_eq!(kinds(&cut), ["system-event", "system-event", "assistant"]);
    assert_eq!(cut[2]["content"], "ab");
    assert_eq!(cut[2]["native:type"], "item.updated");
}

#[test]
fn items_of_each_run_have_their_own_call_ids() {
    let entries = entries(&[
        started(),
        command("started", "item_0", None),
        started(),
        command("started", "item_0", None),
        command("completed", "item_0", Some(0)),
    ]);
    assert_eq!(entries[1]["call-id"], "item_0");
    assert_eq!(entries[3]["call-id"], "2.item_0");
    assert_eq!(entries[4]["call-id"], "2.item_0");
    assert_eq!(entries[4]["type"], "tool-result");
}

#[test]
fn file_of_two_threads_is_two_sessions() {
    let records =
        convert_full(&Codex, &fixture(&Codex, "exec-json/two-threads")).expect("converts");
    let ids: Vec<_> = records.iter().map(|record| record.value()["id"].clone()).collect();
    let expected = ["01a0c0de-0011-7000-8000-00000000e011", "01a0c0de-0012-7000-8000-00000000e012"];
    assert_eq!(ids, expected);
    assert_eq!(records.iter().map(|record| record.report.frames).collect::<Vec<_>>(), [8, 4]);
}

#[test]
fn first_names_of_types_are_known() {
    let message = json!({"id": "item_0", "item_type": "assistant_message", "text": "done"});
    let lines = [r#"{"type": "session.created", "session_id": "s"}"#, &item("completed", &message)];
    let outcome = check("x", lines.join("\n").as_bytes());
    assert_eq!(outcome.only().value()["id"], "s");
    assert_eq!(outcome.only().entries()[1]["content"], "done");
}

#[test]
fn unknown_item_type_is_reported_and_kept() {
    let lines = [started(), item("completed", &json!({"id": "item_0", "type": "dream"}))];
    let outcome = check("x", lines.join("\n").as_bytes());
    assert_eq!(outcome.only().report.unknown_types["item.completed/dream"], 1);
    assert_eq!(outcome.only().entries()[1]["event-type"], "item.completed/dream");
}
