//! Compares the tokens counted from the log with those of the record.

use serde_json::Value;
use vac_adapter_check::{convert_full, fixture_logs};
use vac_adapter_hermes::Hermes;

const KEYS: [(&str, &str); 3] =
    [("input_tokens", "input"), ("output_tokens", "output"), ("cache_read_tokens", "cache-read")];

/// Returns what the models used, else what the session used.
fn native(bytes: &[u8]) -> [u64; 3] {
    let (mut of_models, mut of_session) = ([0; 3], [0; 3]);
    for line in bytes.split(|byte| *byte == b'\n') {
        let line: Value = serde_json::from_slice(line).unwrap_or_default();
        for (at, (key, _)) in KEYS.into_iter().enumerate() {
            of_models[at] += line["session_model_usage"][key].as_u64().unwrap_or(0);
            of_session[at] += line["sessions"][key].as_u64().unwrap_or(0);
        }
    }
    if of_models == [0; 3] { of_session } else { of_models }
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = 0;
    for log in fixture_logs(&Hermes) {
        let records = convert_full(&Hermes, &log).expect("a record");
        let record = records[0].value();
        let mut counted = [0; 3];
        for entry in record["session"]["entries"].as_array().expect("entries") {
            for (at, (_, key)) in KEYS.into_iter().enumerate() {
                counted[at] += entry["vac"]["usage"][key].as_u64().unwrap_or(0);
            }
        }
        assert_eq!(counted, native(&log.parts[0].bytes), "{}", log.shown);
        total += counted.iter().sum::<u64>();
    }
    assert!(total > 0);
}
