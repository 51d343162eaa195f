//! Tests that tokens are counted once.

use std::collections::HashMap;

use serde_json::Value;
use vac_adapter_check::{TestLog, Tokens, check, corpus, fixture_logs, native, tokens};
use vac_adapter_gemini::Gemini;
use vac_adapter_gemini::check::GEMINI;

/// Adds up the tokens of a log: for each message, those of its last version.
fn count_native(log: &TestLog) -> Tokens {
    let mut of_id: HashMap<String, Value> = HashMap::new();
    let mut sum = Tokens::default();
    let mut message = |message: &Value| {
        if message["tokens"].is_object() {
            let place = of_id.len();
            let id = message["id"].as_str().map_or_else(|| format!("#{place}"), str::to_owned);
            of_id.insert(id, message["tokens"].clone());
        }
    };
    for part in &log.parts {
        for piece in native::pieces(&part.bytes) {
            let Some(document) = native::value(piece.bytes) else { continue };
            for list in [&document["messages"], &document["$set"]["messages"]] {
                list.as_array().into_iter().flatten().for_each(&mut message);
            }
            if document["$rewindTo"].is_null() && document["type"] != "message_update" {
                message(&document);
            }
        }
    }
    for tokens in of_id.values() {
        let number = |key: &str| tokens[key].as_u64().unwrap_or_default();
        sum += Tokens {
            input: number("input"),
            output: number("output"),
            cached: number("cached"),
            reasoning: number("thoughts"),
            total: number("total"),
            cost: 0.0,
        };
    }
    sum
}

#[test]
fn tokens_of_each_message_count_once() {
    let mut total = 0;
    for log in fixture_logs(&Gemini).into_iter().chain(corpus(&Gemini)) {
        let outcome = check(&GEMINI, &Gemini, &log);
        let mut sum = Tokens::default();
        outcome.records().iter().for_each(|record| sum += tokens(&record.value()));
        println!("{}: {} tokens", log.shown, sum.total);
        // Damaged messages are kept unparsed.
        if outcome.records().iter().all(|record| record.report.unparsed.count == 0) {
            assert_eq!(sum, count_native(&log), "{}", log.shown);
            total += sum.total;
        }
    }
    assert!(total > 0, "no log has tokens");
}
