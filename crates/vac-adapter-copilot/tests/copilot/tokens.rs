//! Compares the tokens counted from the log with those of the record.

use std::collections::BTreeMap;

use serde_json::Value;
use vac_adapter_check::{TestLog, convert_full, fixture_logs};
use vac_adapter_copilot::Copilot;

/// Tokens by bucket.
type Buckets = BTreeMap<&'static str, u64>;

/// Adds up the tokens of a log: those of shutdowns, of which each is of a process of its own, and
/// those of compactions. Without a shutdown, the output of messages.
fn native(log: &TestLog) -> Buckets {
    let mut sum = Buckets::new();
    let mut add = |key: &'static str, number: u64| *sum.entry(key).or_default() += number;
    let (mut output, mut stated) = (0, 0);
    let lines = log.first().split(|byte| *byte == b'\n');
    for line in lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        let data = &line["data"];
        let mut models = Vec::new();
        match line["type"].as_str() {
            Some("assistant.message") => output += data["outputTokens"].as_u64().unwrap_or(0),
            Some("session.shutdown") => {
                let metrics = data["modelMetrics"].as_object().into_iter().flatten();
                models.extend(metrics.map(|(_, of_model)| of_model["usage"].clone()));
                let outputs = models.iter().filter_map(|usage| usage["outputTokens"].as_u64());
                stated += outputs.sum::<u64>();
            }
            Some("session.compaction_complete") => {
                models.push(data["compactionTokensUsed"].clone());
                add("output", data["compactionTokensUsed"]["outputTokens"].as_u64().unwrap_or(0));
            }
            _ => {}
        }
        for usage in models {
            let number = |key: &str| usage[key].as_u64().unwrap_or(0);
            let cached = number("cacheReadTokens") + number("cacheWriteTokens");
            add("input", number("inputTokens").saturating_sub(cached));
            add("cache-read", number("cacheReadTokens"));
            add("cache-write", number("cacheWriteTokens"));
            add("reasoning", number("reasoningTokens"));
        }
    }
    add("output", output.max(stated));
    sum.retain(|_, number| *number > 0);
    sum
}

/// Adds up the annotations of a record.
fn counted(record: &Value) -> Buckets {
    let mut sum = Buckets::new();
    let mut entries: Vec<_> =
        record["session"]["entries"].as_array().into_iter().flatten().collect();
    while let Some(entry) = entries.pop() {
        for key in ["input", "output", "cache-read", "cache-write", "reasoning"] {
            *sum.entry(key).or_default() += entry["vac"]["usage"][key].as_u64().unwrap_or(0);
        }
        entries.extend(entry["children"].as_array().into_iter().flatten());
    }
    sum.retain(|_, number| *number > 0);
    sum
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = 0;
    for log in fixture_logs(&Copilot) {
        let records = convert_full(&Copilot, &log).expect("a record");
        let found = counted(&records[0].value());
        assert_eq!(found, native(&log), "{}", log.shown);
        total += found.values().sum::<u64>();
    }
    assert!(total > 3000, "{total}");
}
