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

/// Converts `logs/` to `records/`, and returns the end of the messages and the exit code.
fn update(folder: &Folder, arguments: &[&str]) -> (String, i32) {
    let ran = folder.vac(&[&["convert", "logs/", "-o", "records/"], arguments].concat());
    (ran.stderr.lines().last().unwrap_or_default().to_owned(), ran.code)
}

/// Returns the labels of the records in `records/`, in the order of their names.
fn labels(folder: &Folder) -> Vec<Value> {
    let facts = folder.vac(&["inspect", "--json", "records/"]).json();
    let sessions = facts["sessions"].as_array().expect("sessions").clone();
    sessions.into_iter().map(|session| session["labels"].clone()).collect()
}

fn with_logs() -> Folder {
    let folder = Folder::new();
    folder.write("logs/s.jsonl", claude("s", "2026-03-01T09:00:00.000Z"));
    folder
}

fn grow(folder: &Folder, log: &str) {
    let path = folder.path().join(log);
    let longer = std::fs::read_to_string(&path).expect("a log") + "{\"type\":\"summary\"}\n";
    std::fs::write(&path, longer).expect("a longer log");
}

#[test]
fn labels_stay_when_a_record_is_made_again() {
    let folder = with_logs();
    let expected = [json!({"user": "ada", "host": "loom"})];
    update(&folder, &["--label", "user=ada"]);
    let added = update(&folder, &["--label", "host=loom"]);
    assert_eq!(added, ("0 new, 1 changed, 0 unchanged".to_owned(), 0));
    assert_eq!(labels(&folder), expected);
    assert_eq!(update(&folder, &["--reconvert"]), ("0 new, 1 changed, 0 unchanged".to_owned(), 0));
    assert_eq!(labels(&folder), expected);
    grow(&folder, "logs/s.jsonl");
    assert_eq!(update(&folder, &[]), ("0 new, 1 changed, 0 unchanged".to_owned(), 0));
    assert_eq!(labels(&folder), expected);
    let unchanged = ("0 new, 0 changed, 1 unchanged".to_owned(), 0);
    assert_eq!(update(&folder, &[]), unchanged);
    assert_eq!(update(&folder, &["--label", "user=ada"]), unchanged);
    update(&folder, &["--force"]);
    assert_eq!(labels(&folder), [Value::Null], "--force drops labels");
}

#[test]
fn record_with_another_label_is_kept() {
    let folder = with_logs();
    update(&folder, &["--label", "user=ada"]);
    let convert = ["convert", "logs/", "-o", "records/", "--label", "user=bob"];
    let ran = folder.vac(&convert);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let why = "records/claude-s.json is kept, because it has other labels; the new record is \
               records/claude-s-2.json";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    let both = [json!({"user": "bob"}), json!({"user": "ada"})];
    assert_eq!(labels(&folder), both);
    for label in ["user=ada", "user=bob"] {
        let again = update(&folder, &["--label", label]);
        assert_eq!(again, ("0 new, 0 changed, 1 unchanged".to_owned(), 0), "{label}");
    }
    // It is ambiguous whose log has grown.
    grow(&folder, "logs/s.jsonl");
    assert_eq!(update(&folder, &["--label", "user=bob"]).1, 0);
    assert_eq!(labels(&folder), both);
}

#[test]
fn copy_of_a_log_under_another_name_has_the_same_record() {
    let folder = with_logs();
    update(&folder, &["--label", "user=ada"]);
    let log = std::fs::read_to_string(folder.path().join("logs/s.jsonl")).expect("a log");
    folder.write("copy/other.jsonl", log);
    let before = std::fs::read(folder.path().join("records/claude-s.json")).expect("a record");
    let ran = folder.vac(&["convert", "copy/", "-o", "records/"]);
    assert!(ran.stderr.ends_with("0 new, 0 changed, 1 unchanged\n"), "{}", ran.stderr);
    let after = std::fs::read(folder.path().join("records/claude-s.json")).expect("a record");
    assert_eq!(before, after);
}

#[test]
fn full_record_replaces_a_canonical_one() {
    let folder = with_logs();
    update(&folder, &["--profile", "canonical"]);
    let record = folder.path().join("records/claude-s.json");
    let read = || -> Value {
        serde_json::from_slice(&std::fs::read(&record).expect("a record")).expect("JSON")
    };
    assert_eq!(read()["recording-agent"]["profile"], "canonical");
    assert_eq!(update(&folder, &[]), ("0 new, 1 changed, 0 unchanged".to_owned(), 0));
    assert_eq!(read()["recording-agent"].get("profile"), None);
    let canonical = update(&folder, &["--profile", "canonical"]);
    assert_eq!(canonical, ("0 new, 0 changed, 1 unchanged".to_owned(), 0), "nothing is lost");
}

#[test]
fn second_log_of_a_session_is_reported() {
    let folder = with_logs();
    let planted = claude("s", "2026-03-01T09:00:00.000Z").replace("Weave it", "Unpick it");
    folder.write("logs/t.jsonl", &planted);
    let convert = ["convert", "logs/", "-o", "records/", "-v"];
    let ran = folder.vac(&convert);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for line in [
        "logs/t.jsonl: records/claude-s.json is another record of this session; the new record is \
         records/claude-s-2.json\n",
        "warning: 1 new record of a session that another log has, too: ",
    ] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    let again = folder.vac(&convert);
    assert!(again.stderr.ends_with("0 new, 0 changed, 2 unchanged\n"), "{}", again.stderr);
    assert!(!again.stderr.contains("warning"), "{}", again.stderr);
    // The same when the others have their records already.
    folder.write("logs/u.jsonl", planted.replace("Unpick", "Cut"));
    let ran = folder.vac(&convert);
    assert!(ran.stderr.contains("warning: 1 new record of a session"), "{}", ran.stderr);
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
