//! Starts, ends and times.

use vac_adapter::SourceFile;
use vac_value::Document;
use vac_view::{EventOptions, record};

use crate::{AGENTS, events_of, events_with, lines, parse, record as kiln_record, record_of};

const PROMPT: &str = r#"{"type": "user", "content": "Hi"}"#;

fn times(record: &str) -> Vec<(Option<String>, Option<String>)> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    events_of(record)
        .iter()
        .map(|event| (text(&event["timestamp"]), text(&event["timestamp-derived"])))
        .collect()
}

fn owned(times: &[(Option<&str>, Option<&str>)]) -> Vec<(Option<String>, Option<String>)> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    times.iter().map(|(time, derived)| (owned(*time), owned(*derived))).collect()
}

#[test]
fn boundaries_that_no_entry_states_are_synthesised() {
    let events = events_of(&kiln_record(PROMPT));
    for (event, name) in [(&events[0], "session_start"), (&events[2], "session_end")] {
        assert_eq!((&event["event"], &event["synthesised"]), (&name.into(), &true.into()));
        assert!(event.get("entry-id").is_none());
    }
}

#[test]
fn entries_can_state_boundaries() {
    let starts =
        r#"{"type": "system-event", "event-type": "x", "id": "L1", "vac": {"starts": true}}"#;
    let ends = r#"{"type": "system-event", "event-type": "x", "id": "L2",
        "vac": {"ends": {"of": "session"}}}"#;
    let events = events_of(&kiln_record(&format!("{starts},{ends}")));
    for (event, id) in events.iter().zip(["L1", "L2"]) {
        assert_eq!(event["entry-id"], id);
        assert!(event.get("synthesised").is_none());
    }
    let events = events_of(&kiln_record(&format!("{ends},{starts}")));
    assert!(events.iter().all(|event| event["synthesised"] == true), "not first and last");
    let turn = ends.replace("session", "turn");
    assert_eq!(events_of(&kiln_record(&turn))[1]["synthesised"], true);
    let nameless = ends.replace(r#""id": "L2","#, "");
    let event = &events_of(&kiln_record(&nameless))[1];
    assert!(event.get("synthesised").is_none() && event.get("entry-id").is_none());
}

#[test]
fn session_without_entries_starts_and_ends() {
    let events = events_of(&kiln_record(""));
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(|event| event.get("timestamp").is_none()));
}

#[test]
fn start_states_what_is_known() {
    let members = r#""environment": {"working-dir": "/w"},"#;
    let start = &events_of(&record_of("kiln-cli", members, ""))[0];
    assert_eq!((&start["model"], &start["working-dir"]), (&"m".into(), &"/w".into()));
    assert_eq!((&start["session-id"], &start["agent"]), (&"s".into(), &"kiln".into()));
    let foreign = &events_of(&crate::foreign_record(""))[0];
    assert_eq!(foreign["agent"], "someone-else");
}

#[test]
fn times_that_are_not_stated_follow_those_before() {
    let members = r#""session-start": "2026-01-05T09:30:00Z", "session-end": 1767605410000,"#;
    let entries = r#"
        {"type": "user", "content": "a"},
        {"type": "assistant", "content": "b"},
        {"type": "user", "content": "c", "timestamp": "2026-01-05T10:30:00+01:00"},
        {"type": "user", "content": "d", "timestamp": "2026-01-05T09:29:00Z"},
        {"type": "assistant", "content": "e"}"#;
    let expected = [
        (Some("2026-01-05T09:30:00Z"), None),
        (Some("2026-01-05T09:30:00.000001Z"), Some("order")),
        (Some("2026-01-05T09:30:00.000002Z"), Some("order")),
        (Some("2026-01-05T09:30:00.000Z"), None),
        (Some("2026-01-05T09:29:00Z"), None),
        (Some("2026-01-05T09:29:00.000001Z"), Some("order")),
        (Some("2026-01-05T09:30:10.000Z"), None),
    ];
    assert_eq!(times(&record_of("kiln-cli", members, entries)), owned(&expected));
}

#[test]
fn session_without_a_start_starts_with_its_first_entry() {
    let entries = r#"{"type": "user", "content": "a", "timestamp": "2026-01-05T09:30:00Z"}"#;
    let expected = [
        (Some("2026-01-05T09:30:00Z"), Some("order")),
        (Some("2026-01-05T09:30:00Z"), None),
        (Some("2026-01-05T09:30:00.000001Z"), Some("order")),
    ];
    assert_eq!(times(&kiln_record(entries)), owned(&expected));
}

#[test]
fn session_without_times_has_no_derived_times() {
    assert_eq!(times(&kiln_record(PROMPT)), owned(&[(None, None); 3]));
}

#[test]
fn start_from_a_file_name_says_so() {
    let json = record_of("kiln-cli", r#""session-start": "2026-01-05T09:30:00Z","#, "");
    let document = Document::json(json.as_bytes()).expect("JSON");
    let source = SourceFile {
        name: "at-2026-01-05T09:30:00Z.json".to_owned(),
        size: 0,
        sha_256: String::new(),
    };
    let derived = |sources: &[SourceFile]| {
        let lines = record::read(&document, AGENTS, &mut |session| {
            lines(session, sources, EventOptions::default())
        });
        parse(&lines.expect("a record"))[0]["timestamp-derived"].clone()
    };
    assert_eq!(derived(&[source]), "file-name");
    assert!(derived(&[]).is_null());
}

#[test]
fn record_states_its_files() {
    let json = r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
        "session-start": "2026-01-05T09:30:00Z",
        "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln-cli"},
        "entries": []}, "recording-agent": {"name": "vac", "sources":
        [{"name": "at-2026-01-05T09:30:00Z.json", "size": 1, "sha-256": "00"}]}}"#;
    assert_eq!(events_of(json)[0]["timestamp-derived"], "file-name");
}

#[test]
fn filters_do_not_change_the_times() {
    let members = r#""session-start": "2026-01-05T09:30:00Z","#;
    let entries = r#"{"type": "user", "content": "a"}, {"type": "assistant", "content": "b"}"#;
    let record = record_of("kiln-cli", members, entries);
    let only = EventOptions { text: true, ..EventOptions::NOTHING };
    let events = events_with(&record, only);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["timestamp"], "2026-01-05T09:30:00.000002Z");
}

#[test]
fn session_id_of_bytes_is_shown_as_text() {
    let cbor = b"\xa3\x67version\x61v\x62id\x61r\x67session\xa3\x6asession-id\x42\x01\xff\
        \x6aagent-meta\xa2\x68model-id\x61m\x6emodel-provider\x61p\x67entries\x80";
    let document = Document::cbor(cbor).expect("CBOR");
    let lines = record::read(&document, AGENTS, &mut |session| {
        lines(session, &[], EventOptions::default())
    });
    let events = parse(&lines.expect("a record"));
    assert_eq!(events[0]["session-id"], "Af8");
    let facts = record::read(&document, AGENTS, &mut |session| vac_view::inspect(session, &[]));
    assert_eq!(facts.expect("a record").session_id, "Af8");
}
