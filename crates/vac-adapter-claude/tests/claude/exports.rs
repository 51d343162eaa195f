//! Web exports.

use serde_json::{Value, json};

use crate::{check, converted, entry};

#[test]
fn what_an_export_says_beside_its_lines_is_the_sessions() {
    let converted = converted("loglines");
    assert_eq!(converted.variant, "loglines");
    assert_eq!(converted.value()["session"]["title"], "An export");
    let ids: Vec<_> = converted.entries().iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(ids, ["L1", "L1.2"]);
}

#[test]
fn several_exports_are_one_session_and_no_id_stands_twice() {
    let record = converted("several-exports").value();
    let entries = record["session"]["entries"].as_array().expect("entries").clone();
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str()).collect();
    let expected = ["L1", "L1.2", "L1.2.loglines", "u2", "L1.4", "L2"];
    assert_eq!(ids, expected.map(Some));
    assert_eq!(record["session"]["title"], "one");
    assert_eq!(entry(&record, "L1.2.loglines")["data"], json!({"title": "two"}));
    let said: Vec<_> = entries.iter().map(|entry| entry["content"].clone()).collect();
    assert_eq!(
        said,
        [json!("One"), json!("1"), Value::Null, json!("Two"), json!("2"), json!("Three")]
    );
}

#[test]
fn what_an_export_says_about_its_agent_stands_once() {
    let log = r#"{"agentId":"ours","loglines":[{"type":"user","agentId":"x","message":{"content":"Hi"}}]}"#;
    let outcome = check("x.json", log);
    assert_eq!(outcome.only().value()["session"]["agentId"], "ours");
    assert_eq!(outcome.only().entries()[0]["agentId"], "x");
}
