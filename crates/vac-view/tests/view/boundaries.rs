//! Beginnings, ends and times.

use vac_adapter::Source;
use vac_value::Document;
use vac_view::{Options, record};

use crate::{lines, parsed, record as record_of, record_with, told, told_with};

const PROMPT: &str = r#"{"type": "user", "content": "Hi"}"#;

fn times(record: &str) -> Vec<(Option<String>, Option<String>)> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    told(record)
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
    for agent in ["claude-code", "gemini-cli", "opencode", "cursor", "codex-cli"] {
        let events = told(&record_of(agent, PROMPT));
        let (first, last) = (&events[0], &events[events.len() - 1]);
        assert_eq!(
            (&first["event"], &first["synthesised"]),
            (&"session_start".into(), &true.into())
        );
        assert_eq!((&last["event"], &last["synthesised"]), (&"session_end".into(), &true.into()));
        assert!(first["entry-id"].is_null() && last["entry-id"].is_null());
    }
}

#[test]
fn an_entry_can_state_a_boundary() {
    let entries = r#"{"type": "system-event", "event-type": "session_meta", "id": "L1"}"#;
    let events = told(&record_of("codex-cli", entries));
    assert_eq!(events[0]["entry-id"], "L1");
    assert!(events[0].get("synthesised").is_none());
    assert_eq!(events[1]["synthesised"], true, "nobody states the end");
    let entries = r#"
        {"type": "system-event", "event-type": "system/init", "id": "L1"},
        {"type": "system-event", "event-type": "result/success", "id": "L2"}"#;
    let events = told(&record_of("cursor", entries));
    for (event, id) in events.iter().zip(["L1", "L2"]) {
        assert_eq!(event["entry-id"], id);
        assert!(event.get("synthesised").is_none());
    }
    let swapped = r#"
        {"type": "user", "content": "Hi", "id": "L1"},
        {"type": "system-event", "event-type": "session_meta", "id": "L2"}"#;
    assert_eq!(told(&record_of("codex-cli", swapped))[0]["synthesised"], true);
}

#[test]
fn a_session_without_entries_still_begins_and_ends() {
    let events = told(&record_of("gemini-cli", ""));
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(|event| event["timestamp"].is_null()));
}

#[test]
fn a_start_says_what_is_known() {
    let members = r#""environment": {"working-dir": "/w"},"#;
    let start = &told(&record_with("codex-cli", members, ""))[0];
    assert_eq!((&start["model"], &start["working-dir"]), (&"m".into(), &"/w".into()));
    assert_eq!((&start["session-id"], &start["agent"]), (&"s".into(), &"codex".into()));
    let of_another = &told(&record_of("someone-else", ""))[0];
    assert_eq!(of_another["agent"], "someone-else");
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
    assert_eq!(times(&record_with("gemini-cli", members, entries)), owned(&expected));
}

#[test]
fn a_session_that_states_no_start_begins_with_its_first_entry() {
    let entries = r#"{"type": "user", "content": "a", "timestamp": "2026-01-05T09:30:00Z"}"#;
    let expected = [
        (Some("2026-01-05T09:30:00Z"), Some("order")),
        (Some("2026-01-05T09:30:00Z"), None),
        (Some("2026-01-05T09:30:00.000001Z"), Some("order")),
    ];
    assert_eq!(times(&record_of("gemini-cli", entries)), owned(&expected));
}

#[test]
fn nothing_is_derived_from_nothing() {
    assert_eq!(times(&record_of("cursor", PROMPT)), owned(&[(None, None); 3]));
}

#[test]
fn a_start_from_a_file_name_says_so() {
    let json = record_with("gemini-cli", r#""session-start": "2026-01-05T09:30:00Z","#, "");
    let document = Document::json(json.as_bytes()).expect("JSON");
    let source = Source {
        name: "session-2026-01-05T09-30-5f0c1d2e.json".to_owned(),
        size: 0,
        sha_256: String::new(),
    };
    let of = |sources: &[Source]| {
        let told =
            record::read(&document, &mut |session| lines(session, sources, Options::default()));
        parsed(&told.expect("a record"))[0]["timestamp-derived"].clone()
    };
    assert_eq!(of(&[source]), "file-name");
    assert!(of(&[]).is_null());
}

#[test]
fn a_record_names_its_files_itself() {
    let json = r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
        "session-start": "2026-01-05T09:30:00Z",
        "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "gemini-cli"},
        "entries": []}, "recording-agent": {"name": "vac", "sources":
        [{"name": "session-2026-01-05T09-30-x.json", "size": 1, "sha-256": "00"}]}}"#;
    assert_eq!(told(json)[0]["timestamp-derived"], "file-name");
}

#[test]
fn filters_do_not_change_the_times() {
    let members = r#""session-start": "2026-01-05T09:30:00Z","#;
    let entries = r#"{"type": "user", "content": "a"}, {"type": "assistant", "content": "b"}"#;
    let record = record_with("gemini-cli", members, entries);
    let only = Options { text: true, ..Options::NOTHING };
    let events = told_with(&record, only);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["timestamp"], "2026-01-05T09:30:00.000002Z");
}

#[test]
fn a_session_id_of_bytes_is_told_as_text() {
    let cbor = b"\xa3\x67version\x61v\x62id\x61r\x67session\xa3\x6asession-id\x42\x01\xff\
        \x6aagent-meta\xa2\x68model-id\x61m\x6emodel-provider\x61p\x67entries\x80";
    let document = Document::cbor(cbor).expect("CBOR");
    let told = record::read(&document, &mut |session| lines(session, &[], Options::default()));
    let events = parsed(&told.expect("a record"));
    assert_eq!(events[0]["session-id"], "Af8");
    let facts = record::read(&document, &mut |session| vac_view::inspect(session, &[]));
    assert_eq!(facts.expect("a record").session_id, "Af8");
}
