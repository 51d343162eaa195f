//! Tokens and costs, counted from the log and from the record.

use serde_json::Value;
use vac_adapter_check::{TestLog, Tokens, convert_full, fixture_logs, tokens};
use vac_adapter_pi::Pi;

fn lines(log: &TestLog) -> Vec<Value> {
    let lines = log.first().split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Adds up the tokens of the answers of a log. Lines of a fork that are older than its header are
/// those of another session.
fn native(log: &TestLog) -> Tokens {
    let lines = lines(log);
    // The events of a session of a database can be in an archive.
    let is_archived = lines.iter().any(|line| !line["session_transcript_cold_archives"].is_null());
    let header = lines.iter().find(|line| line["type"] == "session");
    let Some(header) = header.filter(|_| !is_archived) else {
        assert!(is_archived, "{}: no header", log.shown);
        return Tokens::default();
    };
    let is_fork = header["parentSession"].is_string();
    let start = header["timestamp"].as_str().unwrap_or_default();
    let mut sum = Tokens::default();
    for line in &lines {
        let is_message = line["type"] == "message" || line["type"] == "message_end";
        let is_copy = is_fork && line["timestamp"].as_str().is_some_and(|time| time < start);
        if !is_message || is_copy || line["message"]["role"] != "assistant" {
            continue;
        }
        let usage = &line["message"]["usage"];
        let number = |key: &str| usage[key].as_u64().unwrap_or_default();
        sum += Tokens {
            input: number("input"),
            output: number("output"),
            cached: number("cacheRead"),
            reasoning: number("reasoning"),
            total: number("totalTokens"),
            cost: usage["cost"]["total"].as_f64().unwrap_or_default(),
        };
    }
    sum
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = Tokens::default();
    for log in fixture_logs(&Pi) {
        let records = convert_full(&Pi, &log).expect("a record");
        let (mut counted, mut native) = (tokens(&records[0].value()), native(&log));
        assert!((counted.cost - native.cost).abs() < 1e-9, "{}", log.shown);
        (counted.cost, native.cost) = (0.0, 0.0);
        assert_eq!(counted, native, "{}", log.shown);
        total += counted;
    }
    assert!(total.output > 100 && total.reasoning > 0 && total.cached > 0, "{total:?}");
}
