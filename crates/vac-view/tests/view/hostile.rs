//! Invalid and extreme records.

use vac_adapter::Error;
use vac_value::{Document, Encoding};
use vac_view::{EventOptions, inspect, record};

use crate::{AGENTS, events_of, facts, lines, parse, record as kiln_record};

fn refusal(document: &Document<'_>) -> String {
    let read =
        record::read(document, AGENTS, &mut |session| lines(session, &[], EventOptions::default()));
    read.expect_err("no record").to_string()
}

#[test]
fn invalid_records_are_refused_with_the_place() {
    for (json, expected) in [
        (r#"{"version": "v", "id": "r"}"#, "key \"session\""),
        (
            r#"{"version": "v", "id": "r", "session": {"session-id": "s", "entries": 1,
                "agent-meta": {"model-id": "m", "model-provider": "p"}}}"#,
            "/session/entries: expected array",
        ),
        (
            r#"{"version": "v", "id": 7, "session": {"session-id": "s", "entries": [],
                "agent-meta": {"model-id": "m", "model-provider": "p"}}}"#,
            "/id: expected text",
        ),
        (
            r#"{"version": "v", "id": "r", "session": {"session-id": "s",
                "entries": [{"type": "user"}, {"type": "robot"}],
                "agent-meta": {"model-id": "m", "model-provider": "p"}}}"#,
            "/session/entries/1",
        ),
        (
            r#"{"version": "v", "version": "w", "id": "r", "session": {"session-id": "s",
                "entries": [], "agent-meta": {"model-id": "m", "model-provider": "p"}}}"#,
            "duplicate key \"version\"",
        ),
    ] {
        let document = Document::json(json.as_bytes()).expect("JSON");
        let reason = refusal(&document);
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn detached_signature_is_refused() {
    // 18([h'a0', {}, null, h''])
    let detached = Document::cbor(b"\xd2\x84\x41\xa0\xa0\xf6\x40").expect("CBOR");
    assert!(record::is_record(&detached));
    assert!(refusal(&detached).contains("the signature is detached"));
    // 18([h'a0', {}, '{"', h''])
    let broken = Document::cbor(b"\xd2\x84\x41\xa0\xa0\x42{\"\x40").expect("CBOR");
    assert!(refusal(&broken).contains("the payload"));
}

#[test]
fn record_inside_a_signature_is_read() {
    let json = kiln_record(r#"{"type": "user", "content": "Hi"}"#);
    let length = u16::try_from(json.len()).expect("a short record").to_be_bytes();
    let mut signed = b"\xd2\x84\x41\xa0\xa0\x59".to_vec();
    signed.extend(length);
    signed.extend(json.as_bytes());
    signed.push(0x40);
    let document = Document::cbor(&signed).expect("CBOR");
    let read = record::read(&document, AGENTS, &mut |session| {
        Ok((session.variant().to_owned(), lines(session, &[], EventOptions::default())?))
    });
    let (variant, lines) = read.expect("a record");
    assert_eq!(variant, "signed-record-json");
    assert_eq!(parse(&lines)[1]["text"], "Hi");
}

#[test]
fn values_that_json_cannot_express_are_named() {
    // An entry whose input is undefined.
    let entry = b"\xa3\x64type\x69tool-call\x64name\x61x\x65input\xf7";
    let mut cbor = b"\xa3\x67version\x61v\x62id\x61r\x67session\xa3\x6asession-id\x61s\
        \x6aagent-meta\xa2\x68model-id\x61m\x6emodel-provider\x61p\x67entries\x81"
        .to_vec();
    cbor.extend(entry);
    let document = Document::cbor(&cbor).expect("CBOR");
    let read = record::read(&document, AGENTS, &mut |session| {
        lines(session, &[], EventOptions::default())
    });
    let event = &parse(&read.expect("a record"))[1];
    assert_eq!((&event["event"], &event["not-json"]), (&"tool_use".into(), &"input".into()));
}

#[test]
fn deeply_nested_entries_are_read() {
    let mut deep = r#"{"type": "tool-call", "name": "x", "input": 1}"#.to_owned();
    for _ in 0..100 {
        deep = format!(r#"{{"type": "assistant", "content": "x", "children": [{deep}]}}"#);
    }
    let record = kiln_record(&deep);
    assert_eq!(events_of(&record).len(), 103);
    assert_eq!(facts(&record).entries["assistant"], 100);
}

#[test]
fn number_of_tool_names_is_limited() {
    let entries: Vec<_> = (0..3000)
        .map(|number| format!(r#"{{"type": "tool-call", "name": "t{number}", "input": 1}}"#))
        .collect();
    let facts = facts(&kiln_record(&entries.join(",")));
    assert_eq!(facts.tools.len(), 1001);
    let others = facts.tools.iter().find(|used| used.tool == "(others)").expect("others");
    assert_eq!(others.calls, 2000);
}

#[test]
fn error_of_the_receiver_ends_the_stream() {
    let json = kiln_record(r#"{"type": "user", "content": "Hi"}"#);
    let document = Document::scan(json.as_bytes(), Encoding::Json).expect("JSON");
    let mut count = 0;
    let read = record::read(&document, AGENTS, &mut |session| {
        vac_view::events(session, &[], EventOptions::default(), &mut |_| {
            count += 1;
            Err(Error::Refused("enough".to_owned()))
        })
    });
    assert_eq!(read.expect_err("it ends").to_string(), "enough");
    assert_eq!(count, 1);
    let read = record::read(&document, AGENTS, &mut |session| inspect(session, &[]));
    assert!(read.is_ok());
}
