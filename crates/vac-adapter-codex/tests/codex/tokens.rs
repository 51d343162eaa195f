//! The `token-usage` of all entries is what the session used.

use serde_json::{Value, json};
use vac_adapter_check::{Tokens, check, convert_full, corpus, fixture, tokens};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

use crate::{entries, line};

/// Adds up the tokens of a log: the last usage of every count whose total is new, from the first
/// line of the session itself.
fn count_native(log: &[u8]) -> Tokens {
    let mut sum = Tokens::default();
    let (mut first, mut total, mut is_own) = (Value::Null, Value::Null, true);
    for line in log.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        let payload = &line["payload"];
        if line["type"] == "session_meta" {
            is_own = first.is_null() || first["forked_from_id"] != payload["id"];
            first = if first.is_null() { payload.clone() } else { first };
        } else if payload["type"] == "task_started" {
            is_own |= payload["turn_id"].as_str() > first["id"].as_str();
        }
        let info = &payload["info"];
        if payload["type"] == "token_count" && info["total_token_usage"] != total {
            total = info["total_token_usage"].clone();
            let last = |key: &str| info["last_token_usage"][key].as_u64().unwrap_or_default();
            if is_own {
                sum += Tokens {
                    input: last("input_tokens"),
                    output: last("output_tokens"),
                    cached: last("cached_input_tokens"),
                    reasoning: last("reasoning_output_tokens"),
                    total: last("total_tokens"),
                    cost: 0.0,
                };
            }
        }
    }
    sum
}

#[test]
fn corpus_records_count_what_their_logs_count() {
    let mut sum = Tokens::default();
    let logs = corpus(&Codex);
    for log in &logs {
        let records = convert_full(&Codex, log).expect("converts");
        let found = tokens(&records[0].value());
        println!("{}: {found:?}", log.shown);
        assert_eq!(found, count_native(log.first()), "{}", log.shown);
        sum += found;
    }
    assert!(logs.is_empty() || sum.total > 0);
}

#[test]
fn fixtures_count_known_sums() {
    for (name, input, output, cached) in [
        // 300 and 20; then 500, 620, 700 and 40, 30, 25.
        ("envelopes/usage-records", 2120, 115, 1100),
        // Not the 200 and 10 of the session that it was forked from.
        ("envelopes/forked-0.45", 350, 20, 200),
        // The last total.
        ("exec-json/basic", 4000, 120, 3300),
        // 900 and 1200.
        ("exec-events/basic", 2100, 140, 1300),
        ("envelopes/basic", 2700, 120, 1200),
    ] {
        let log = fixture(&Codex, name);
        let found = tokens(&check(&CODEX, &Codex, &log).only().value());
        assert_eq!((found.input, found.output, found.cached), (input, output, cached), "{name}");
    }
    let log = fixture(&Codex, "exec-json/two-threads");
    let records = convert_full(&Codex, &log).expect("converts");
    let input: Vec<_> = records.iter().map(|record| tokens(&record.value()).input).collect();
    assert_eq!(input, [250, 90]);
}

#[test]
fn count_without_a_total_is_one_response() {
    let records = convert_full(&Codex, &fixture(&Codex, "exec-events/two-runs")).expect("converts");
    let input: Vec<_> = records.iter().map(|record| tokens(&record.value()).input).collect();
    // 300 and 340; then none.
    assert_eq!(input, [640, 0]);
}

fn count(total: u64, last: &Value) -> String {
    let total = json!({"input_tokens": total, "output_tokens": 1, "total_tokens": total + 1});
    let info = json!({"total_token_usage": total, "last_token_usage": last});
    line("event_msg", &json!({"type": "token_count", "info": info}))
}

#[test]
fn repeated_count_counts_once() {
    let last = json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": 6});
    let entries = entries(&[count(5, &last), count(5, &last), count(10, &last)]);
    assert_eq!(entries[0]["token-usage"], json!({"input": 5, "output": 1, "total": 6}));
    assert_eq!(entries[1]["token-usage"], Value::Null);
    assert_eq!(entries[1]["vac"]["duplicate-of"], "L1");
    assert_eq!(entries[2]["token-usage"]["input"], 5);
}

#[test]
fn aborted_request_counts_with_the_next_count() {
    let usage = |input: u64, output: u64| json!({"input_tokens": input, "output_tokens": output, "total_tokens": input + output});
    let count = |total: Value, last: Value| {
        let info = json!({"total_token_usage": total, "last_token_usage": last});
        line("event_msg", &json!({"type": "token_count", "info": info}))
    };
    let entries = entries(&[
        count(usage(100, 10), usage(100, 10)),
        // A request of 50 and 5 was aborted.
        count(usage(250, 25), usage(100, 10)),
        // The total began again.
        count(usage(30, 3), usage(30, 3)),
    ]);
    let input: Vec<_> = entries.iter().map(|entry| &entry["token-usage"]["input"]).collect();
    assert_eq!(input, [100, 150, 30]);
    assert_eq!(entries[1]["vac"]["usage"], json!({"input": 150, "output": 15}));
}

#[test]
fn estimate_of_the_context_size_is_not_usage() {
    let used = json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": 6});
    let guess = json!({"input_tokens": 0, "output_tokens": 0, "total_tokens": 900});
    let entries = entries(&[count(5, &used), count(5, &guess), count(900, &guess)]);
    assert_eq!(entries[1]["vac"]["duplicate-of"], "L1");
    assert_eq!(entries[2]["token-usage"], Value::Null);
}

#[test]
fn usage_records_replace_the_counts_of_their_turn() {
    let usage = |input: u64| json!({"input_tokens": input, "output_tokens": 1});
    let record = |response: &str, turn: &str, input: u64| {
        let payload = json!({"response_id": response, "turn_id": turn, "usage": usage(input)});
        line("token_usage_record", &payload)
    };
    let turn = |id: &str| line("turn_context", &json!({"turn_id": id, "model": "gpt-x"}));
    let entries = entries(&[
        turn("t1"),
        count(3, &usage(3)),
        turn("t2"),
        count(7, &usage(4)),
        record("r1", "t2", 4),
        count(12, &usage(5)),
        record("r2", "t2", 5),
        record("r1", "t2", 4),
    ]);
    let used: Vec<_> = entries.iter().map(|entry| entry["token-usage"]["input"].as_u64()).collect();
    assert_eq!(used, [None, Some(3), None, None, Some(4), None, Some(5), None]);
    assert_eq!(entries[5]["vac"]["duplicate-of"], "L5", "the record before it");
    assert_eq!(entries[7]["vac"]["duplicate-of"], "L5", "the same response");
}

#[test]
fn usage_of_another_session_does_not_count() {
    let used = json!({"input_tokens": 5, "output_tokens": 1});
    let record = |thread: &str| {
        let payload = json!({"thread_id": thread, "response_id": thread, "usage": used});
        line("token_usage_record", &payload)
    };
    let meta = |payload: Value| line("session_meta", &payload);
    let entries = entries(&[
        meta(json!({"id": "child", "forked_from_id": "parent"})),
        meta(json!({"id": "parent"})),
        count(5, &used),
        record("parent"),
        record("child"),
    ]);
    let is_counted = |entry: &Value| entry["token-usage"].is_object();
    assert!(!entries.iter().any(is_counted), "all of it is a replay: no turn of its own began");
    assert_eq!(entries[4]["vac"]["inherited"], true);
}
