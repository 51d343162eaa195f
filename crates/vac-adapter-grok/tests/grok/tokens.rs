//! Compares the tokens counted from the log with those of the record.

use serde_json::Value;
use vac_adapter_check::{convert_full, fixture_logs};
use vac_adapter_grok::Grok;

/// Returns all input, and the output, that the ends of turns in a log state.
fn native(bytes: &[u8]) -> [u64; 2] {
    let mut sum = [0; 2];
    for line in bytes.split(|byte| *byte == b'\n') {
        let line: Value = serde_json::from_slice(line).unwrap_or_default();
        let usage = &line["params"]["update"]["usage"];
        // Of the response to a prompt.
        let response = &line["result"]["usage"];
        let total = response["totalTokens"].as_u64().unwrap_or(0);
        let output = response["outputTokens"].as_u64().unwrap_or(0);
        (sum[0], sum[1]) = (sum[0] + total - output, sum[1] + output);
        let of_models = usage["modelUsage"].as_object().into_iter().flat_map(|it| it.values());
        let mut stated: Vec<_> = of_models.collect();
        if stated.is_empty() {
            stated.push(usage);
        }
        for usage in stated {
            sum[0] += usage["inputTokens"].as_u64().unwrap_or(0);
            sum[1] += usage["outputTokens"].as_u64().unwrap_or(0);
        }
    }
    sum
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = 0;
    for log in fixture_logs(&Grok) {
        let records = convert_full(&Grok, &log).expect("a record");
        let record = records[0].value();
        let mut counted = [0; 2];
        let mut entries: Vec<_> =
            record["session"]["entries"].as_array().expect("entries").iter().collect();
        while let Some(entry) = entries.pop() {
            let of = |key: &str| entry["vac"]["usage"][key].as_u64().unwrap_or(0);
            counted[0] += of("input") + of("cache-read") + of("cache-write");
            counted[1] += of("output");
            entries.extend(entry["children"].as_array().into_iter().flatten());
        }
        assert_eq!(counted, native(&log.parts[0].bytes), "{}", log.shown);
        total += counted.iter().sum::<u64>();
    }
    assert_eq!(total, 3 * 960 + 44 + 1810 + 310);
}
