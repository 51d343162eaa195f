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

/// The names of the events on stdout.
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

#[test]
fn a_log_is_told_event_by_event() {
    let ran = folder().vac(&["events", "session.jsonl"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(names(&ran), ALL);
    assert!(ran.stdout.contains(r#""input":{"command":"fire --to 1.0"}"#), "{}", ran.stdout);
    assert!(ran.stdout.contains(r#""outcome":"error","output":"cold""#), "{}", ran.stdout);
}

#[test]
fn a_record_tells_what_its_log_tells_in_every_form() {
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
fn only_what_is_asked_for_is_told() {
    let folder = folder();
    let of = |only: &str| names(&folder.vac(&["events", "--only", only, "session.jsonl"]));
    assert_eq!(of("prompts"), ["user_prompt"]);
    assert_eq!(of("prompts,tools"), ["user_prompt", "tool_use", "tool_result"]);
    assert_eq!(of("text,reasoning"), ["reasoning", "assistant_text"]);
    assert_eq!(of("boundaries"), ["session_start", "session_end"]);
    assert_eq!(folder.vac(&["events", "--only", "gossip", "session.jsonl"]).code, 2);
}

#[test]
fn what_the_program_put_in_is_told_to_those_who_ask() {
    let folder = folder();
    let ran = folder.vac(&["events", "--all", "session.jsonl"]);
    assert_eq!(names(&ran).len(), ALL.len() + 1);
    assert!(ran.stdout.contains(r#""aside":"synthetic","text":"A note of the program""#));
    let ran = folder.vac(&["events", "-v", "session.jsonl"]);
    assert!(ran.stderr.contains("left out (--all tells them): 1 synthetic"), "{}", ran.stderr);
}

#[test]
fn lines_that_could_not_be_read_are_mentioned() {
    let folder = Folder::new();
    folder.write("torn.jsonl", format!("{LOG}{{\"type\":\"user\",\"mess"));
    let ran = folder.vac(&["events", "torn.jsonl"]);
    assert_eq!((ran.code, names(&ran).len()), (0, ALL.len()));
    assert!(ran.stderr.contains("not told: 1 line that could not be read"), "{}", ran.stderr);
    assert_eq!(folder.vac(&["events", "-q", "torn.jsonl"]).stderr, "");
}

#[test]
fn what_is_no_session_is_refused_and_the_others_go_on() {
    let folder = folder();
    folder.write("notes.txt", "nobody's log");
    folder.write(
        "bad.json",
        r#"{"version": "v", "id": 7, "session": {"agent-meta": 1, "entries": []}}"#,
    );
    let ran = folder.vac(&["events", "notes.txt", "bad.json", "session.jsonl"]);
    assert_eq!((ran.code, names(&ran).len()), (1, ALL.len()));
    assert!(ran.stderr.contains("notes.txt: neither a record nor a session log"), "{}", ran.stderr);
    assert!(ran.stderr.contains("bad.json: the record is not valid: /id"), "{}", ran.stderr);
    assert_eq!(folder.vac(&["events", "nowhere"]).code, 2);
    assert_eq!(folder.vac(&["events", "-a", "nobody", "session.jsonl"]).code, 2);
    assert_eq!(folder.vac(&["events", "-a", "cursor", "session.jsonl"]).code, 1);
}

#[test]
fn a_directory_stands_for_what_is_in_it() {
    let folder = folder();
    folder.write("logs/one.jsonl", LOG);
    folder.write("logs/notes.txt", "nobody's log");
    let ran = folder.vac(&["events", "logs"]);
    assert_eq!((ran.code, names(&ran).len()), (0, ALL.len()), "{}", ran.stderr);
    folder.write("none/notes.txt", "nobody's log");
    let ran = folder.vac(&["events", "none"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, "error: no session found\n"));
}

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("VAC_CORPUS").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no corpus (set VAC_CORPUS to name one)");
        return None;
    }
    Some(folder)
}

#[test]
fn every_file_of_the_corpus_is_told_or_refused() {
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
