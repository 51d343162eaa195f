//! Pairs of calls and results, annotations, ids, and what the user typed.

use serde_json::{Value, json};
use vac_adapter::Adapter;
use vac_adapter::members::Rest;
use vac_adapter_antigravity::Antigravity;

use crate::{convert_fixture, entries};

/// Returns a member of every entry that has it, with the entry's id.
fn members(record: &Value, path: &str) -> Vec<(String, Value)> {
    let found = entries(record).iter().map(|entry| {
        let value = entry.pointer(path).cloned().unwrap_or(Value::Null);
        (entry["id"].as_str().expect("an id").to_owned(), value)
    });
    found.filter(|(_, value)| !value.is_null()).collect()
}

#[test]
fn results_answer_calls_in_order() {
    let record = convert_fixture("transcript/basic");
    let calls: Vec<_> = entries(&record)[3]["children"]
        .as_array()
        .expect("children")
        .iter()
        .filter(|child| child["type"] == "tool-call")
        .map(|child| child["call-id"].clone())
        .collect();
    assert_eq!(calls, ["3:1", "3:2"]);
    let answered = [("step-4", "3:1"), ("step-5", "3:2")];
    assert_eq!(
        members(&record, "/call-id"),
        answered.map(|(id, call)| (id.to_owned(), json!(call)))
    );
    assert_eq!(members(&record, "/vac/exit-code"), [("step-4".to_owned(), json!(3))]);
    assert_eq!(record["session"]["agent-meta"]["model-id"], "Gemini 3.1 Pro (Low)");
    assert_eq!(record["session"]["agent-meta"]["model-provider"], "google");
}

#[test]
fn outcomes_authors_and_subagents_are_stated() {
    let record = convert_fixture("transcript/outcomes");
    let outcomes: Vec<_> =
        members(&record, "/vac/outcome").into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, ["error", "success", "unknown", "cancelled"]);
    assert_eq!(members(&record, "/call-id").len(), 3, "the last result has no call");
    let authors: Vec<_> =
        members(&record, "/vac/author").into_iter().map(|(_, author)| author).collect();
    assert_eq!(authors, ["user", "unknown"]);
    assert_eq!(entries(&record)[1]["children"][1]["vac"]["delegated-to"], "d635-0001");
    let failed = json!({"of": "turn", "how": "failure"});
    assert_eq!(members(&record, "/vac/ends"), [("step-6".to_owned(), failed)]);
    let ids: Vec<_> = entries(&record).iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(ids[9..], ["step-9", "L11"], "a step that is repeated has the id of its place");
}

#[test]
fn folder_of_a_conversation_is_its_id() {
    let record = convert_fixture("transcript/conversation");
    assert_eq!(record["id"], "c0ffee00-0000-4000-8000-000000000001");
}

#[test]
fn user_typed_what_is_in_the_request() {
    let prompt =
        "<USER_REQUEST>\nHoist it\n</USER_REQUEST>\n<ADDITIONAL_METADATA>x</ADDITIONAL_METADATA>";
    let typed = Antigravity.typed(prompt, &Rest::default()).expect("a request");
    assert_eq!(typed.text, "Hoist it");
    for (prompt, words) in [
        ("<USER_REQUEST>\nWhat is </USER_REQUEST>?\n</USER_REQUEST>\n", "What is </USER_REQUEST>?"),
        ("<USER_REQUEST>\nHoist", "Hoist"),
    ] {
        let typed = Antigravity.typed(prompt, &Rest::default()).expect("a request");
        assert_eq!(typed.text, words);
    }
    assert_eq!(Antigravity.typed("Hoist it", &Rest::default()), None);
}

#[test]
fn order_of_steps_decides_not_that_of_lines() {
    let record = convert_fixture("transcript/out-of-order");
    let text = |pairs: &[(&str, &str)]| -> Vec<(String, Value)> {
        pairs.iter().map(|(id, value)| ((*id).to_owned(), json!(value))).collect()
    };
    let calls = text(&[("step-2", "1:1"), ("step-3", "1:2"), ("L6", "1:1"), ("step-5", "4:1")]);
    assert_eq!(members(&record, "/call-id"), calls, "step 2 is written twice");
    let outcomes =
        [("step-2", "unknown"), ("step-3", "success"), ("L6", "error"), ("step-5", "error")];
    assert_eq!(members(&record, "/vac/outcome"), text(&outcomes));
    let replaced: Vec<_> =
        members(&record, "/vac/superseded").into_iter().map(|(id, _)| id).collect();
    assert_eq!(replaced, ["step-0", "step-2", "step-1", "step-4", "step-3", "L6", "step-5"]);
}
