//! Compares the tokens counted from the log with those of the record.

use std::collections::BTreeMap;

use serde_json::Value;
use vac_adapter_check::{TestLog, Tokens, convert_full, corpus, fixture_logs, tokens};
use vac_adapter_claude::Claude;

/// Adds up the tokens of a log: the last usage of each message of the API counts, unless the
/// message belongs to another session.
fn native(log: &TestLog) -> Tokens {
    let mut usage = BTreeMap::new();
    for (file, part) in log.parts.iter().enumerate() {
        let document = serde_json::from_slice::<Value>(&part.bytes).ok();
        let lines = document.as_ref().and_then(|document| document["loglines"].as_array().cloned());
        let lines = lines.unwrap_or_else(|| {
            let lines = part.bytes.split(|byte| *byte == b'\n');
            let values = |line| serde_json::Deserializer::from_slice(line).into_iter::<Value>();
            lines.flat_map(values).filter_map(Result::ok).collect()
        });
        let stem = part.name.trim_end_matches(".jsonl");
        let own = lines.iter().position(|line| line["sessionId"] == stem).unwrap_or_default();
        for (number, line) in lines.iter().enumerate() {
            let is_foreign = number < own && line["sessionId"].is_string();
            if is_foreign || line["forkedFrom"].is_object() {
                continue;
            }
            let message = &line["message"];
            if line["type"] != "assistant" || !message["usage"].is_object() {
                continue;
            }
            let id = message["id"].as_str().map_or(format!("{file} {number}"), str::to_owned);
            usage.insert(id, message["usage"].clone());
        }
    }
    let sum = |key: &str| usage.values().filter_map(|usage| usage[key].as_u64()).sum::<u64>();
    let details = usage.values().map(|usage| &usage["output_tokens_details"]);
    Tokens {
        input: sum("input_tokens"),
        output: sum("output_tokens"),
        cached: sum("cache_read_input_tokens"),
        reasoning: details.filter_map(|details| details["thinking_tokens"].as_u64()).sum(),
        ..Tokens::default()
    }
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = Tokens::default();
    for log in fixture_logs(&Claude).into_iter().chain(corpus(&Claude)) {
        let Ok(records) = convert_full(&Claude, &log) else { continue };
        let mut counted = Tokens::default();
        for record in &records {
            counted += tokens(&record.value());
        }
        assert_eq!(counted, native(&log), "{}", log.shown);
        println!("{}: {counted:?}", log.shown);
        total += counted;
    }
    assert!(total.output > 300 && total.reasoning > 0);
}
