//! Compares the tokens counted from the log with those of the record.

use serde_json::Value;
use vac_adapter_atif::Atif;
use vac_adapter_check::{TestLog, convert_full, fixture_logs};

/// Returns prompt, cached and completion tokens of the steps that were not copied; of a trajectory
/// whose steps state none, its totals.
fn native(log: &TestLog) -> [u64; 3] {
    let mut sum = [0; 3];
    for part in &log.parts {
        let documents: Vec<Value> = match serde_json::from_slice(&part.bytes) {
            Ok(whole) => vec![whole],
            Err(_) => {
                let lines = part.bytes.split(|byte| *byte == b'\n');
                lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
            }
        };
        for document in documents {
            let of_steps = steps(&document);
            let keys = ["total_prompt_tokens", "total_cached_tokens", "total_completion_tokens"];
            for (at, key) in keys.into_iter().enumerate() {
                let total = document["final_metrics"][key].as_u64().unwrap_or(0);
                sum[at] += of_steps.map_or(total, |of_steps| of_steps[at]);
            }
        }
    }
    sum
}

/// Returns `None` if no step states tokens.
fn steps(trajectory: &Value) -> Option<[u64; 3]> {
    let (mut sum, mut is_stated) = ([0; 3], false);
    for step in trajectory["steps"].as_array().into_iter().flatten() {
        for (at, key) in
            ["prompt_tokens", "cached_tokens", "completion_tokens"].into_iter().enumerate()
        {
            let Some(number) = step["metrics"][key].as_u64() else { continue };
            is_stated = true;
            sum[at] += if step["is_copied_context"] == true { 0 } else { number };
        }
    }
    for inner in trajectory["subagent_trajectories"].as_array().into_iter().flatten() {
        if let Some(of_inner) = steps(inner) {
            is_stated = true;
            (0..3).for_each(|at| sum[at] += of_inner[at]);
        }
    }
    is_stated.then_some(sum)
}

#[test]
fn record_counts_the_same_tokens_as_its_log() {
    let mut total = 0;
    for log in fixture_logs(&Atif) {
        let mut counted = [0; 3];
        for record in convert_full(&Atif, &log).expect("records") {
            for entry in record.value()["session"]["entries"].as_array().expect("entries") {
                if entry["vac"]["inherited"] == true {
                    continue;
                }
                let bucket = |key: &str| entry["vac"]["usage"][key].as_u64().unwrap_or(0);
                counted[0] += bucket("input") + bucket("cache-read");
                counted[1] += bucket("cache-read");
                counted[2] += bucket("output");
            }
        }
        assert_eq!(counted, native(&log), "{}", log.shown);
        total += counted.iter().sum::<u64>();
    }
    assert_eq!(total, 2020 + 132 + 44 + 76 + 12);
}
