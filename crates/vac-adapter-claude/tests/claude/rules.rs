//! Decisions, one sentence each.

use vac_adapter::session::Options;
use vac_adapter::{Error, Profile};
use vac_value::{Document, Node};

use crate::files::{Log, fixtures};
use crate::no_drop::at;

fn fixture(case: &str) -> Log {
    let is_it = |log: &Log| log.path.parent().is_some_and(|folder| folder.ends_with(case));
    fixtures().into_iter().find(is_it).expect("a fixture of that name")
}

/// Looks at the record of a fixture.
fn with_record(case: &str, look: impl FnOnce(Node<'_, '_>)) {
    let (record, _) = fixture(case).json().expect("a record");
    look(Document::json(&record).expect("JSON").root());
}

fn entry<'d, 'a>(record: Node<'d, 'a>, id: &str) -> Node<'d, 'a> {
    let entries = at(record, "/session/entries").expect("entries");
    let is_it = |entry: &Node<'_, '_>| entry.member("id").is_some_and(|node| node.is_text(id));
    entries.elements().find(is_it).expect("an entry of that id")
}

fn says(node: Node<'_, '_>, path: &str, text: &str) -> bool {
    at(node, path).is_some_and(|node| node.is_text(text))
}

#[test]
fn usage_that_is_repeated_counts_on_the_last_line_of_the_message() {
    with_record("split-message", |record| {
        for early in ["a1", "a2"] {
            assert!(entry(record, early).member("token-usage").is_none());
            assert!(at(entry(record, early), "/message/usage/output_tokens").is_some());
        }
        let output = at(entry(record, "a3"), "/token-usage/output").and_then(Node::uint);
        assert_eq!(output, Some(173));
    });
}

#[test]
fn synthetic_is_not_a_model() {
    with_record("split-message", |record| {
        assert!(says(record, "/session/agent-meta/model-id", "claude-opus-5"));
        assert!(says(record, "/session/agent-meta/model-provider", "anthropic"));
        let models = at(record, "/session/agent-meta/models").expect("models");
        assert_eq!(models.raw(), br#"["claude-opus-5","claude-haiku-5"]"#);
        assert!(entry(record, "a5").member("model-id").is_none());
        assert!(says(entry(record, "a5"), "/message/model", "<synthetic>"));
    });
}

#[test]
fn children_carry_timestamps_and_whether_it_was_an_error() {
    with_record("basic", |record| {
        let child = |id: &str| {
            let children = entry(record, id).member("children").expect("children");
            children.elements().last().expect("a child")
        };
        assert!(says(child("a1"), "/timestamp", "2026-03-04T09:00:04.120Z"));
        assert_eq!(child("u2").member("is-error").and_then(Node::bool), Some(false));
        assert_eq!(child("u3").member("is-error").and_then(Node::bool), Some(true));
        assert!(says(child("u3"), "/status", "error"));
    });
}

#[test]
fn what_differs_from_the_session_stays_on_the_entry() {
    with_record("moved", |record| {
        let first = entry(record, "u1");
        let second = entry(record, "u2");
        for (key, other) in [
            ("sessionId", "another"),
            ("cwd", "/home/ada/moon"),
            ("version", "2.1.41"),
            ("gitBranch", "tides"),
        ] {
            assert!(first.member(key).is_none());
            assert!(says(second, &format!("/{key}"), other));
        }
        assert!(second.member("session_id").is_none(), "that one is the session's");
    });
}

#[test]
fn a_queued_command_is_a_message_of_the_user() {
    with_record("line-types", |record| {
        let event = entry(record, "t1");
        assert!(says(event, "/event-type", "attachment/queued_command"));
        assert!(says(event, "/parent-id", "p1"));
        let child = event.member("children").and_then(|node| node.elements().next());
        assert!(says(child.expect("a child"), "/content", "and oil the gears"));
    });
}

#[test]
fn types_that_nobody_knows_are_events_and_are_reported() {
    let (_, report) = fixture("line-types").json().expect("a record");
    let unknown: Vec<_> = report.unknown_types.keys().map(String::as_str).collect();
    assert_eq!(
        unknown,
        [
            "a line that is no object",
            "a line without a type",
            "content block hologram",
            "starlight"
        ]
    );
}

#[test]
fn a_line_with_a_key_twice_is_carried_raw_and_keeps_its_id() {
    let (_, report) = fixture("duplicate-key").json().expect("a record");
    assert_eq!(report.unparsed.lines, [2]);
    with_record("duplicate-key", |record| {
        let event = entry(record, "u2");
        assert!(says(event, "/event-type", "unparsed"));
        assert!(says(event, "/parent-id", "u1"));
        let raw = at(event, "/data/raw").and_then(Node::text).expect("the line");
        assert!(raw.contains(r#""content":"one","content":"two""#));
    });
}

#[test]
fn half_a_surrogate_pair_is_json_and_is_raw_text_in_cbor() {
    let log = fixture("lone-surrogate");
    let (json, report) = log.json().expect("a record");
    assert_eq!(report.unparsed.count, 0);
    assert!(String::from_utf8_lossy(&json).contains(r"half a pair: \ud83d"));
    let (cbor, report) = log.cbor().expect("a record");
    assert_eq!(report.unparsed.lines, [1]);
    let document = Document::cbor(&cbor).expect("CBOR");
    let raw = at(entry(document.root(), "u1"), "/data/raw").and_then(Node::text);
    assert!(raw.expect("the line").contains(r"half a pair: \ud83d"));
}

#[test]
fn the_canonical_profile_has_what_the_schema_names_and_nothing_else() {
    let options = Options { profile: Profile::Canonical, ..Options::default() };
    let (record, _) = fixture("basic").convert(&options).expect("a record");
    let document = Document::json(&record).expect("JSON");
    let entry = entry(document.root(), "a1");
    let keys: Vec<_> = entry.members().filter_map(|(key, _)| key.text()).collect();
    assert_eq!(
        keys,
        ["type", "content", "timestamp", "id", "model-id", "parent-id", "token-usage", "children"]
    );
}

#[test]
fn a_file_of_something_else_is_refused_with_the_reason() {
    let other = |bytes: &[u8]| Log {
        path: "x.jsonl".into(),
        name: "x.jsonl".to_owned(),
        bytes: bytes.to_owned(),
    };
    for bytes in [&b""[..], b"\n\n", b"{\"type\":\"session_meta\",\"payload\":{}}", b"\xff\xfe{"] {
        assert!(matches!(other(bytes).json(), Err(Error::Refused(_))));
    }
}
