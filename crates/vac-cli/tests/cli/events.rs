//! `vac events`

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{Folder, Ran};

const LOG: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0b0b0b0b-0000-4000-8000-000000000001","#,
    r#""timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv/kiln","version":"2.1.0","#,
    r#""message":{"role":"user","content":"Fire the kiln \u202e"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"0b0b0b0b-0000-4000-8000-000000000001","#,
    r#""timestamp":"2026-03-01T09:00:01.000Z","cwd":"/srv/kiln","version":"2.1.0","#,
    r#""message":{"id":"m1","role":"assistant","model":"claude-example","content":["#,
    r#"{"type":"thinking","thinking":"Hot."},{"type":"text","text":"Firing."},"#,
    r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"fire --to 1.0"}}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"0b0b0b0b-0000-4000-8000-000000000001","#,
    r#""timestamp":"2026-03-01T09:00:02.000Z","cwd":"/srv/kiln","version":"2.1.0","#,
    r#""message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"cold","is_error":true}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u4","parentUuid":"u3","sessionId":"0b0b0b0b-0000-4000-8000-000000000001","#,
    r#""timestamp":"2026-03-01T09:00:03.000Z","cwd":"/srv/kiln","version":"2.1.0","isMeta":true,"#,
    r#""message":{"role":"user","content":"A note of the program"}}"#,
    "\n",
);

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("session.jsonl", LOG);
    folder
}

/// Returns the names of the events on stdout.
#[track_caller]
fn names(ran: &Ran) -> Vec<String> {
    let parse = |line: &&str| serde_json::from_str::<Value>(line).expect("JSON");
    let lines: Vec<_> = ran.lines().iter().map(parse).collect();
    lines.iter().map(|event| event["event"].as_str().expect("a name").to_owned()).collect()
}

const ALL: [&str; 7] = [
    "session_start",
    "user_prompt",
    "reasoning",
    "assistant_text",
    "tool_use",
    "tool_result",
    "session_end",
];

const SKIPPED: &str = "skipped 1 message by author: 1 program (use --authors to print them)\n";

#[test]
fn log_is_printed_event_by_event() {
    let ran = folder().vac(&["events", "session.jsonl"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, SKIPPED));
    assert_eq!(names(&ran), ALL);
    assert!(ran.stdout.contains(r#""input":{"command":"fire --to 1.0"}"#), "{}", ran.stdout);
    assert!(ran.stdout.contains(r#""command":"fire --to 1.0""#), "{}", ran.stdout);
    let result = r#""outcome":"error","text":"cold","output":"cold""#;
    assert!(ran.stdout.contains(result), "{}", ran.stdout);
}

#[test]
fn record_has_the_events_of_its_log_in_every_form() {
    let folder = folder();
    let log = folder.vac(&["events", "session.jsonl"]).stdout;
    let json = folder.vac(&["convert", "-q", "session.jsonl"]).stdout;
    folder.write("record.json", &json);
    assert_eq!(folder.vac(&["events", "record.json"]).stdout, log);
    assert_eq!(folder.vac_with(&["events", "-"], json.as_bytes()).stdout, log);
    assert_eq!(folder.vac_with(&["events", "-"], LOG.as_bytes()).stdout, log);
    let made = folder.vac(&["convert", "-f", "cbor", "-o", "record.cbor", "session.jsonl"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(folder.vac(&["events", "record.cbor"]).stdout, log);
    let pretty = folder.vac(&["convert", "-q", "--pretty", "session.jsonl"]).stdout;
    folder.write("pretty.json", pretty);
    assert_eq!(folder.vac(&["events", "pretty.json"]).stdout, log);
}

#[test]
fn several_records_in_one_file_are_several_sessions() {
    let folder = folder();
    let json = folder.vac(&["convert", "-q", "session.jsonl"]).stdout;
    let ran = folder.vac_with(&["events", "--only", "boundaries", "-"], json.repeat(2).as_bytes());
    assert_eq!(names(&ran), ["session_start", "session_end", "session_start", "session_end"]);
    folder.vac(&["convert", "-f", "cbor", "-o", "one.cbor", "session.jsonl"]);
    let one = std::fs::read(folder.path().join("one.cbor")).expect("a record");
    folder.write("two.cbor", [one.as_slice(), &one].concat());
    assert_eq!(names(&folder.vac(&["events", "--only", "boundaries", "two.cbor"])).len(), 4);
}

#[test]
fn only_selected_events_are_printed() {
    let folder = folder();
    let of = |only: &str| names(&folder.vac(&["events", "--only", only, "session.jsonl"]));
    assert_eq!(of("prompts"), ["user_prompt"]);
    assert_eq!(of("prompts,tools"), ["user_prompt", "tool_use", "tool_result"]);
    assert_eq!(of("text,reasoning"), ["reasoning", "assistant_text"]);
    assert_eq!(of("boundaries"), ["session_start", "session_end"]);
    assert_eq!(folder.vac(&["events", "--only", "gossip", "session.jsonl"]).code, 2);
}

#[test]
fn messages_of_other_authors_are_printed_on_request() {
    let folder = folder();
    for authors in ["user,program", "all"] {
        let ran = folder.vac(&["events", "--authors", authors, "session.jsonl"]);
        assert_eq!(names(&ran).len(), ALL.len() + 1);
        let note = r#""author":"program","text":"A note of the program""#;
        assert!(ran.stdout.contains(note), "{}", ran.stdout);
        assert_eq!(ran.stderr, "");
    }
    let ran = folder.vac(&["events", "--only", "prompts", "--authors", "hook", "session.jsonl"]);
    assert_eq!(ran.stdout, "");
    let skipped = "skipped 2 messages by author: 1 user, 1 program";
    assert!(ran.stderr.contains(skipped), "{}", ran.stderr);
    assert_eq!(folder.vac(&["events", "--all", "session.jsonl"]).lines().len(), ALL.len() + 1);
    assert_eq!(folder.vac(&["events", "-q", "session.jsonl"]).stderr, "");
    assert_eq!(folder.vac(&["events", "--authors", "robot", "session.jsonl"]).code, 2);
}

#[test]
fn permissions_and_usage_are_printed() {
    let folder = Folder::new();
    folder.write(
        "record.json",
        r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
            "agent-meta": {"model-id": "m", "model-provider": "p"},
            "entries": [
                {"type": "user", "content": "Fire it"},
                {"type": "system-event", "event-type": "asked", "vac":
                    {"permission": {"decision": "allowed", "by": "user", "what": "fire"}}},
                {"type": "assistant", "content": "Firing.", "vac":
                    {"usage": {"input": 3, "output": 2}}},
                {"type": "assistant", "content": "Again.", "vac": {"duplicate-of": "x"}},
                {"type": "assistant", "content": "Hot.", "vac": {"outcome": "fine"}}]}}"#,
    );
    let events = |only: &str| folder.vac(&["events", "--only", only, "record.json"]).stdout;
    assert!(events("permissions").contains(r#""decision":"allowed","by":"user","what":"fire""#));
    assert!(events("usage").contains(r#""usage":{"input":3,"output":2}"#));
    assert!(events("prompts").contains(r#""author":"unstated","text":"Fire it""#));
    let ran = folder.vac(&["events", "record.json"]);
    assert!(ran.stderr.contains("skipped 1 event: 1 duplicate (use --all"), "{}", ran.stderr);
    assert!(ran.stderr.contains("ignored 1 invalid annotation"), "{}", ran.stderr);
    let facts = folder.vac(&["inspect", "--json", "record.json"]).json();
    let facts = &facts["sessions"][0];
    assert_eq!(facts["tokens"]["total"], 5);
    assert_eq!(
        (&facts["invalid-annotations"], &facts["permissions"]["allowed"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn unparsed_entries_are_reported() {
    let folder = Folder::new();
    folder.write("torn.jsonl", format!("{LOG}{{\"type\":\"user\",\"mess"));
    let ran = folder.vac(&["events", "torn.jsonl"]);
    assert_eq!((ran.code, names(&ran).len()), (0, ALL.len()));
    assert!(ran.stderr.contains("skipped 1 entry that could not be parsed"), "{}", ran.stderr);
    assert_eq!(folder.vac(&["events", "-q", "torn.jsonl"]).stderr, "");
}

#[test]
fn files_that_are_not_sessions_are_refused() {
    let folder = folder();
    folder.write("notes.txt", "not a log");
    folder.write(
        "bad.json",
        r#"{"version": "v", "id": 7, "session": {"agent-meta": 1, "entries": []}}"#,
    );
    let ran = folder.vac(&["events", "notes.txt", "bad.json", "session.jsonl"]);
    assert_eq!((ran.code, names(&ran).len()), (1, ALL.len()));
    assert!(ran.stderr.contains("notes.txt: neither a record nor a session log"), "{}", ran.stderr);
    assert!(ran.stderr.contains("bad.json: the record is not valid: /id"), "{}", ran.stderr);
    assert_eq!(folder.vac(&["events", "nowhere"]).code, 2);
    assert_eq!(folder.vac(&["events", "-a", "unknown-agent", "session.jsonl"]).code, 2);
    assert_eq!(folder.vac(&["events", "-a", "cursor", "session.jsonl"]).code, 1);
}

#[test]
fn directory_is_searched_for_sessions() {
    let folder = folder();
    folder.write("logs/one.jsonl", LOG);
    folder.write("logs/notes.txt", "not a log");
    let ran = folder.vac(&["events", "logs"]);
    assert_eq!((ran.code, names(&ran).len()), (0, ALL.len()), "{}", ran.stderr);
    folder.write("none/notes.txt", "not a log");
    let ran = folder.vac(&["events", "none"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: no session found in none "), "{}", ran.stderr);
}

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("VAC_CORPUS").map_or(default, PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no corpus (set VAC_CORPUS to name one)");
        return None;
    }
    Some(folder)
}

#[test]
fn every_file_of_the_corpus_is_printed_or_refused() {
    let Some(corpus) = corpus() else { return };
    let corpus = corpus.to_string_lossy().into_owned();
    let ran = Folder::new().vac(&["events", &corpus]);
    assert!(ran.code < 2, "{}", ran.stderr);
    let names = names(&ran);
    let count = |name: &str| names.iter().filter(|it| *it == name).count();
    assert!(count("session_start") > 50);
    assert_eq!(count("session_start"), count("session_end"));
    println!("{} events of {} sessions", names.len(), count("session_start"));
}
