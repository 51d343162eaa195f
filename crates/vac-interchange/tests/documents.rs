//! Tests the documents of records: golden files and limits. `tests/interchange` checks the
//! documents of all fixtures with other tools.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vac_interchange::{InterchangeFormat, write_session};
use vac_value::Document;
use vac_view::record;

const KEY: &str = "00112233445566778899aabbccddeeff";
const FORMATS: [InterchangeFormat; 2] = [InterchangeFormat::Atif, InterchangeFormat::Otel];

/// Writes a record.
fn written(json: &[u8], format: InterchangeFormat) -> Value {
    let document = Document::json(json).expect("JSON");
    let mut out = Vec::new();
    record::read(&document, &[], &mut |session| write_session(session, &[], KEY, format, &mut out))
        .expect("a record");
    serde_json::from_slice(&out).expect("JSON")
}

fn session(entries: &str) -> Vec<u8> {
    format!(
        r#"{{"version":"3.0.0-draft","id":"r","session":{{"session-id":"s","agent-meta":{{"model-id":"m","model-provider":"p"}},"entries":[{entries}]}}}}"#
    )
    .into_bytes()
}

fn steps(entries: &str) -> Vec<Value> {
    let document = written(&session(entries), InterchangeFormat::Atif);
    document["steps"].as_array().expect("steps").clone()
}

fn spans(entries: &str) -> Vec<Value> {
    let document = written(&session(entries), InterchangeFormat::Otel);
    let spans = &document["resourceSpans"][0]["scopeSpans"][0]["spans"];
    spans.as_array().expect("spans").clone()
}

#[test]
fn golden_records_give_their_documents() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["jsonl/outcomes", "jsonl/split-message", "jsonl-folder/basic"] {
        let record = folder.join("../../fixtures/claude").join(name).join("expected.json");
        let record = std::fs::read(&record).unwrap_or_else(|error| panic!("{name}: {error}"));
        for format in FORMATS {
            // The version of the program is not part of the mapping.
            let document = written(&record, format);
            let text = serde_json::to_string_pretty(&document).expect("JSON") + "\n";
            let text = text.replace(concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"VERSION\"");
            let golden: PathBuf = folder.join("tests/golden").join(format!(
                "{}.{}",
                name.replace('/', "-"),
                format.extension()
            ));
            if std::env::var_os("VAC_BLESS").is_some() {
                std::fs::write(&golden, &text).expect("a golden file");
            }
            let expected = std::fs::read_to_string(&golden).expect("a golden file");
            assert_eq!(text, expected, "{name} as {format} (VAC_BLESS=1 writes it)");
        }
    }
}

#[test]
fn session_without_messages_has_a_step_and_a_span() {
    assert_eq!(steps("").len(), 1);
    let spans = spans("");
    assert_eq!(spans.len(), 1);
    assert_eq!(spans[0]["startTimeUnixNano"], "0");
}

#[test]
fn results_are_joined_with_their_calls() {
    let entries = r#"
        {"type":"tool-call","name":"a","input":{"x":1},"call-id":"1"},
        {"type":"tool-call","name":"b","input":"text","call-id":"2"},
        {"type":"tool-result","output":"two","call-id":"2"},
        {"type":"assistant","content":"Next"},
        {"type":"tool-result","output":"one","call-id":"1","is-error":true},
        {"type":"tool-result","output":"three","call-id":"3"}"#;
    let steps = steps(entries);
    assert_eq!(steps.len(), 3);
    let results = steps[0]["observation"]["results"].as_array().expect("results");
    let contents: Vec<_> =
        results.iter().map(|it| (&it["source_call_id"], &it["content"])).collect();
    assert_eq!(contents, [(&"1".into(), &"one".into()), (&"2".into(), &"two".into())]);
    assert_eq!(steps[0]["tool_calls"][1]["arguments"], serde_json::json!({"input": "text"}));
    assert_eq!(steps[2]["source"], "system");
    assert!(steps[2]["observation"]["results"][0].get("source_call_id").is_none());
    let spans = spans(entries);
    let is_call = |span: &&Value| span["kind"] == 1 && span["parentSpanId"].is_string();
    let failed: Vec<_> =
        spans.iter().filter(is_call).filter(|span| span["status"]["code"] == 2).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["name"], "execute_tool a");
}

#[test]
fn answers_end_where_tokens_are_stated() {
    let answer = r#"{"type":"assistant","content":"One","vac":{"usage":{"input":5,"cache-read":2,"output":3}}}"#;
    let steps = steps(&format!("{answer},{answer}"));
    assert_eq!(steps.len(), 2);
    for step in &steps {
        assert_eq!(step["metrics"]["prompt_tokens"], 7);
        assert_eq!(step["metrics"]["cached_tokens"], 2);
    }
}

#[test]
fn repeated_and_inherited_entries_do_not_count() {
    let usage = r#""usage":{"input":5,"output":3}"#;
    let entries = format!(
        r#"{{"type":"assistant","content":"Old","vac":{{"inherited":"s0",{usage}}}}},
        {{"type":"assistant","content":"Again","vac":{{"duplicate-of":"x",{usage}}}}},
        {{"type":"assistant","content":"New","vac":{{{usage}}}}}"#
    );
    let steps = steps(&entries);
    let texts: Vec<_> = steps.iter().map(|step| step["message"].as_str().expect("text")).collect();
    assert_eq!(texts, ["Old", "New"]);
    assert_eq!(steps[0]["is_copied_context"], true);
    assert!(steps[0].get("metrics").is_none());
    assert_eq!(spans(&entries).len(), 2);
}

#[test]
fn lone_surrogates_are_replaced() {
    let entries = r#"{"type":"tool-call","name":"a","input":{"x":"\ud800"},"call-id":"c"}"#;
    let steps = steps(entries);
    assert_eq!(steps[0]["tool_calls"][0]["arguments"]["x"], "\u{fffd}");
}

#[test]
fn calls_without_results_do_not_hold_up_a_session_for_ever() {
    let mut entries = r#"{"type":"tool-call","name":"a","input":{},"call-id":"c"}"#.to_owned();
    for number in 0..9_000 {
        write!(entries, r#",{{"type":"user","content":"{number}","vac":{{"author":"user"}}}}"#)
            .expect("a text can be written to");
    }
    entries.push_str(r#",{"type":"tool-result","output":"late","call-id":"c"}"#);
    let steps = steps(&entries);
    assert_eq!(steps.len(), 9_002);
    let last = steps.last().expect("steps");
    assert_eq!(last["observation"]["results"][0]["extra"]["vac"]["call_id"], "c");
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let entries = r#"{"type":"user","content":"Hi"},{"type":"assistant","content":"Ho"}"#;
    for format in FORMATS {
        assert_eq!(written(&session(entries), format), written(&session(entries), format));
        assert_eq!(InterchangeFormat::parse(&format.to_string()), Some(format));
    }
}
