//! Compares the tokens counted from the log with those of the record.

use std::collections::BTreeMap;

use serde_json::Value;
use vac_adapter_check::{TestLog, Tokens, convert_full, fixture_logs, tokens};
use vac_adapter_qwen::Qwen;

/// Adds up the tokens of a log: the last usage of each id counts, unless it was copied.
fn native(log: &TestLog) -> Tokens {
    let mut usage = BTreeMap::new();
    let lines = log.first().split(|byte| *byte == b'\n');
    for (number, line) in lines.enumerate() {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        if line["type"] == "assistant"
            && line["usageMetadata"].is_object()
            && line["forkedFrom"].is_null()
        {
            let id = line["uuid"].as_str().map_or(format!("line {number}"), str::to_owned);
            usage.insert(id, line["usageMetadata"].clone());
        }
    }
    let sum = |key: &str| usage.values().filter_map(|usage| usage[key].as_u64()).sum::<u64>();
    Tokens {
        input: sum("promptTokenCount"),
        output: sum("candidatesTokenCount"),
        cached: sum("cachedContentTokenCount"),
        reasoning: sum("thoughtsTokenCount"),
        total: sum("totalTokenCount"),
        ..Tokens::default()
    }
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = Tokens::default();
    for log in fixture_logs(&Qwen) {
        let mut counted = Tokens::default();
        for record in convert_full(&Qwen, &log).expect("a record") {
            counted += tokens(&record.value());
        }
        assert_eq!(counted, native(&log), "{}", log.shown);
        total += counted;
    }
    assert!(total.output > 200 && total.reasoning > 0 && total.cached > 0, "{total:?}");
}
