//! `vac convert --label`

use serde_json::{Value, json};

use crate::home::{CLAUDE_ID, claude};
use crate::run::Folder;

const LABELS: [&str; 4] = ["--label", "user=ada", "--label", "host=loom=1 \u{e9}"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("s.jsonl", claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z"));
    folder
}

fn convert(folder: &Folder, arguments: &[&str]) {
    let ran = folder.vac(&[&["convert", "s.jsonl"], arguments, &LABELS].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn labels_are_kept_in_the_record_in_both_encodings() {
    let folder = folder();
    let expected = json!({"user": "ada", "host": "loom=1 \u{e9}"});
    convert(&folder, &["-o", "r.json"]);
    convert(&folder, &["-o", "r.cbor", "-f", "cbor"]);
    let text = std::fs::read_to_string(folder.path().join("r.json")).expect("a record");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(record["recording-agent"]["labels"], expected);
    assert_eq!(folder.vac(&["validate", "r.json", "r.cbor"]).code, 0);
    let back = folder.vac(&["transcode", "--to", "json", "r.cbor"]).json();
    assert_eq!(back, record);
    let cbor = std::fs::read(folder.path().join("r.cbor")).expect("a record");
    folder.vac(&["transcode", "--to", "cbor", "r.json", "-o", "again.cbor"]);
    assert_eq!(std::fs::read(folder.path().join("again.cbor")).expect("a record"), cbor);
}

#[test]
fn inspect_events_and_report_have_labels() {
    let folder = folder();
    let expected = json!({"user": "ada", "host": "loom=1 \u{e9}"});
    convert(&folder, &["-o", "r.json", "--report", "report.json"]);
    convert(&folder, &["-o", "r.cbor", "-f", "cbor"]);
    let report = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["sessions"][0]["labels"], expected);
    for record in ["r.json", "r.cbor"] {
        let facts = folder.vac(&["inspect", "--json", record]).json();
        assert_eq!(facts["sessions"][0]["labels"], expected, "{record}");
        let text = folder.vac(&["inspect", record]).stdout;
        assert!(text.contains("label      host=loom=1 \u{e9}\nlabel      user=ada\n"), "{text}");
        let events = folder.vac(&["events", record]).stdout;
        let with_labels: Vec<Value> = events
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .filter(|event: &Value| event.get("labels").is_some())
            .collect();
        assert_eq!(with_labels.len(), 1, "{events}");
        assert_eq!(with_labels[0]["event"], "session_start");
        assert_eq!(with_labels[0]["labels"], expected);
    }
    let facts = folder.vac(&["inspect", "--json", "s.jsonl"]).json();
    assert_eq!(facts["sessions"][0].get("labels"), None);
}

#[test]
fn invalid_labels_are_usage_errors() {
    let folder = folder();
    for (labels, reason) in [
        (&["--label", "user"][..], "expected KEY=VALUE"),
        (&["--label", "=ada"], "the key is empty"),
        (&["--label", "user=ada", "--label", "user=bob"], "key `user` is given twice"),
    ] {
        let ran = folder.vac(&[&["convert", "s.jsonl"], labels].concat());
        ran.gives(2, "");
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
    let empty = folder.vac(&["convert", "s.jsonl", "--label", "user="]);
    assert_eq!(empty.json()["recording-agent"]["labels"], json!({"user": ""}));
}

#[test]
fn show_and_spans_have_labels() {
    let folder = folder();
    convert(&folder, &["-o", "r.json"]);
    let shown = folder.vac(&["show", "r.json"]).stdout;
    assert!(shown.contains("host=loom=1 \u{e9}  user=ada"), "{shown}");
    let shown = folder.vac(&["show", "--md", "r.json"]).stdout;
    assert!(shown.contains("- label `user`: `ada`\n"), "{shown}");
    let spans = folder.vac(&["export", "-f", "otel", "-o", "-", "r.json"]).json();
    let attributes = &spans["resourceSpans"][0]["resource"]["attributes"];
    let label = json!({"key": "vac.label.user", "value": {"stringValue": "ada"}});
    assert!(attributes.as_array().is_some_and(|all| all.contains(&label)), "{attributes}");
}
