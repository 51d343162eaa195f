//! Compares the tokens counted from the log with those of the record.

use serde_json::Value;
use vac_adapter_check::{TestLog, convert_full, fixture_logs};
use vac_adapter_droid::Droid;

/// Returns input, output and tokens read from a cache: those of messages, else those of the
/// settings.
fn native(log: &TestLog) -> [u64; 3] {
    let (mut of_messages, mut of_settings) = ([0; 3], [0; 3]);
    for part in &log.parts {
        let lines = part.bytes.split(|byte| *byte == b'\n');
        // The settings are one document in several lines.
        let whole = serde_json::from_slice::<Value>(&part.bytes).ok();
        let lines: Vec<_> = match whole {
            Some(whole) => vec![whole],
            None => lines.filter_map(|line| serde_json::from_slice(line).ok()).collect(),
        };
        for line in lines {
            let keys = ["inputTokens", "outputTokens", "cacheReadTokens"];
            let of_run = ["input_tokens", "output_tokens", "cache_read_input_tokens"];
            for (at, (key, of_run)) in keys.into_iter().zip(of_run).enumerate() {
                of_messages[at] += line["usage"][key].as_u64().unwrap_or(0);
                of_messages[at] += line["usage"][of_run].as_u64().unwrap_or(0);
                of_settings[at] += line["value"]["tokenUsage"][key].as_u64().unwrap_or(0);
            }
        }
    }
    if of_messages == [0; 3] { of_settings } else { of_messages }
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = 0;
    for log in fixture_logs(&Droid) {
        let records = convert_full(&Droid, &log).expect("a record");
        let record = records[0].value();
        let mut counted = [0; 3];
        for entry in record["session"]["entries"].as_array().expect("entries") {
            for (at, key) in ["input", "output", "cache-read"].into_iter().enumerate() {
                counted[at] += entry["vac"]["usage"][key].as_u64().unwrap_or(0);
            }
        }
        assert_eq!(counted, native(&log), "{}", log.shown);
        total += counted.iter().sum::<u64>();
    }
    assert_eq!(total, 700 + 150 + 4000 + 40 + 4 + 100 + 20 + 50);
}
