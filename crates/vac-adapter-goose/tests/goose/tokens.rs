//! Compares the tokens counted from the log with those of the record.

use serde_json::Value;
use vac_adapter_check::{convert_full, fixture_logs};
use vac_adapter_goose::Goose;

/// Returns all input and the output: of requests, else of the session.
fn native(bytes: &[u8]) -> [u64; 2] {
    let (mut of_requests, mut of_session) = ([0; 2], [0; 2]);
    for line in bytes.split(|byte| *byte == b'\n') {
        let line: Value = serde_json::from_slice(line).unwrap_or_default();
        let row = if line["sessions"].is_object() { &line["sessions"] } else { &line };
        // The total of a request shows whether tokens of caches are next to the input.
        let of = |key: &str| line["usage_ledger"][key].as_u64().unwrap_or(0);
        let (input, output) = (of("input_tokens"), of("output_tokens"));
        let cached = of("cache_read_tokens") + of("cache_write_tokens");
        of_requests[0] += if of("total_tokens") == input + output { 0 } else { cached };
        for (at, key) in ["input_tokens", "output_tokens"].into_iter().enumerate() {
            of_requests[at] += line["usage_ledger"][key].as_u64().unwrap_or(0);
            of_session[at] += row[format!("accumulated_{key}")].as_u64().unwrap_or(0);
        }
    }
    if of_requests == [0; 2] { of_session } else { of_requests }
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = 0;
    for log in fixture_logs(&Goose) {
        let records = convert_full(&Goose, &log).expect("a record");
        let record = records[0].value();
        let mut counted = [0; 2];
        for entry in record["session"]["entries"].as_array().expect("entries") {
            let of = |key: &str| entry["vac"]["usage"][key].as_u64().unwrap_or(0);
            counted[0] += of("input") + of("cache-read") + of("cache-write");
            counted[1] += of("output");
        }
        assert_eq!(counted, native(&log.parts[0].bytes), "{}", log.shown);
        total += counted.iter().sum::<u64>();
    }
    assert!(total > 0);
}
