//! What entries mean: whose words, which actions, how they ended, what they used.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vac_adapter_check::{corpus, full};
use vac_adapter_codex::Codex;

use crate::{converted, entries, line};

/// Calls `visit` with each entry of a record, children included.
fn each<'v>(entries: &'v [Value], visit: &mut impl FnMut(&'v Value)) {
    for entry in entries {
        visit(entry);
        each(entry["children"].as_array().map_or(&[], Vec::as_slice), visit);
    }
}

#[test]
fn corpus_states_authors_outcomes_and_actions() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut annotated, mut total) = (0, 0);
    let logs = corpus(&Codex);
    for log in &logs {
        for record in full(&Codex, log).expect("converts") {
            let value = record.value();
            total += record.text().len();
            let all = value["session"]["entries"].as_array().expect("entries");
            let mut count = |key: String| *counts.entry(key).or_default() += 1;
            if let Some(relation) = value["session"]["vac"]["relation"].as_str() {
                count(format!("relation {relation}"));
            }
            each(all, &mut |entry| {
                let vac = &entry["vac"];
                annotated += if vac.is_null() { 0 } else { vac.to_string().len() + 7 };
                let text = |value: &Value| value.as_str().unwrap_or("absent").to_owned();
                match entry["type"].as_str() {
                    Some("user") => {
                        assert!(vac["author"].is_string(), "{}: {entry}", log.shown);
                        count(format!("author {}", text(&vac["author"])));
                    }
                    Some("tool-call") => count(format!("tool {}", text(&vac["action"]["tool"]))),
                    Some("tool-result") => {
                        count(format!("outcome {}", text(&vac["outcome"])));
                        match vac["exit-code"].as_i64() {
                            Some(0) => assert_eq!(vac["outcome"], "success"),
                            Some(code) => {
                                assert_eq!(vac["outcome"], "error", "{code}");
                                count("exit code not 0".to_owned());
                            }
                            None => {}
                        }
                    }
                    _ => {}
                }
                if vac["usage"].is_object() {
                    count(format!("usage of {}", text(&vac["usage"]["model"])));
                }
            });
        }
    }
    if logs.is_empty() {
        return;
    }
    println!("{counts:#?}\n{annotated} of {total} bytes are annotations");
    assert!(annotated * 20 <= total, "{annotated} of {total} bytes are annotations");
}
