//! Tests that a record counts the tokens that its log states.

use std::collections::BTreeMap;

use serde_json::Value;
use vac_adapter_check::native::{pieces, value};
use vac_adapter_check::{TestLog, Tokens, convert_full, corpus, fixture_logs, tokens};
use vac_adapter_opencode::OpenCode;

/// Adds up the tokens of a log by session. Only the last version of each message is counted.
fn count_native(log: &TestLog) -> BTreeMap<String, Tokens> {
    let mut messages: BTreeMap<(String, String), Tokens> = BTreeMap::new();
    let documents: Vec<_> =
        pieces(log.first()).iter().filter_map(|piece| value(piece.bytes)).collect();
    // A capture has no messages, only the ends of their steps.
    let is_captured = documents.iter().any(|document| document["type"] == "step_finish");
    let nested = documents.iter().flat_map(|document| {
        let session = document["info"]["id"].as_str();
        objects(document).into_iter().enumerate().map(move |(at, it)| (session.zip(Some(at)), it))
    });
    for (nested, object) in nested {
        let is_answer = object["role"] == "assistant" || object["type"] == "assistant";
        if !is_answer && !is_captured {
            continue;
        }
        let early = &object["metadata"]["assistant"];
        let of = if early.is_object() { early } else { object };
        let number =
            |pointer: &str| of.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let session = match &object["sessionID"] {
            Value::Null => text(&object["metadata"]["sessionID"]),
            session => text(session),
        };
        let counts = Tokens {
            input: number("/tokens/input"),
            output: number("/tokens/output"),
            cached: number("/tokens/cache/read"),
            reasoning: number("/tokens/reasoning"),
            total: number("/tokens/total"),
            cost: of["cost"].as_f64().unwrap_or_default(),
        };
        // In an export, the position identifies a message, because ids may be replaced.
        let key = match nested {
            Some((session, at)) => (session.to_owned(), at.to_string()),
            None => (session, text(&object["id"])),
        };
        messages.insert(key, counts);
    }
    let mut sessions: BTreeMap<String, Tokens> = BTreeMap::new();
    for ((session, _), counts) in messages {
        *sessions.entry(session).or_default() += counts;
    }
    sessions
}

/// Returns the objects of a document of any variant.
fn objects(document: &Value) -> Vec<&Value> {
    if let Some(messages) = document["messages"].as_array() {
        let info = messages.iter().map(|message| match &message["info"] {
            Value::Null => message,
            info => info,
        });
        return info.collect();
    }
    if let Some(elements) = document.as_array() {
        return elements.iter().map(|element| &element["data"]).collect();
    }
    if document["type"] == "step_finish" {
        return vec![&document["part"]];
    }
    vec![document]
}

#[test]
fn records_count_what_their_logs_count() {
    let mut sum = Tokens::default();
    let mut logs = fixture_logs(&OpenCode);
    // This test cannot parse truncated documents.
    logs.retain(|log| !log.shown.contains("/truncated/"));
    for log in logs.iter().chain(&corpus(&OpenCode)) {
        let expected = count_native(log);
        for record in convert_full(&OpenCode, log).expect("records") {
            let found = tokens(&record.value());
            let expected = expected.get(&record.report.session_id).copied().unwrap_or_default();
            let close = (found.cost - expected.cost).abs() < 1e-9;
            let found = Tokens { cost: expected.cost, ..found };
            assert_eq!((found, close), (expected, true), "{}", log.shown);
            sum += found;
        }
    }
    println!("{sum:?}");
    assert!(sum.input > 1000 && sum.cost > 0.0);
}
