//! Mapping tables: which members are mapped, and under which names the others are kept.

use vac_adapter::members::{all, object};
use vac_adapter::{Report, mapping};
use vac_record::{AbstractTimestamp, Decode, Encode, MessageEntry};
use vac_value::{Document, Kind, Node, Text};

fn parse(json: &[u8]) -> Document<'_> {
    Document::json(json).expect("JSON")
}

fn names(rest: &vac_adapter::members::Rest<'_>) -> Vec<String> {
    rest.iter().map(|(name, _)| name.to_string()).collect()
}

mapping! {
    /// An object with a member of each type.
    struct Typed<'a>("typed"; key, value, word: &str) {
        "text" | "other-text" => "text", take text: Text<'a> = value.text();
        "time" => "time", take time: AbstractTimestamp<'a> =
            AbstractTimestamp::from_node(value).ok();
        "uint" => "number", take uint: u64 = value.uint();
        "seen" => "flag", note seen: bool = value.bool();
        "kind" => "kind", note kind: Text<'a> = value.text(), unless value.is_text(word);
        "word" => "", stated = value.is_text(word);
        "inner" => "an object",
            take inner: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
        "known" => "", keep;
    }
}

mapping! {
    /// An object inside of another one, which may have any other key.
    struct Inner<'a>("inner"; key, value) {
        "a" => "number", take a: u64 = value.uint();
        _ => keep;
    }
}

#[test]
fn only_values_of_the_right_type_are_mapped() {
    let document = parse(
        br#"{"text":1,"time":"2026-02-30","uint":-1,"seen":"true","kind":2,"word":"other",
        "inner":[],"known":3,"half":"\ud800","none":null}"#,
    );
    let mut report = Report::default();
    let typed = Typed::read(document.root(), &[], "this", &mut report);
    assert_eq!((typed.text, typed.time, typed.uint), (None, None, None));
    assert_eq!((typed.seen, typed.kind), (None, None));
    assert!(typed.inner.is_none());
    let expected = ["text", "time", "uint", "seen", "kind", "word", "inner", "known", "half"];
    assert_eq!(names(&typed.rest), expected, "all but the null");
    let unknown: Vec<_> = report.unknown_keys.into_iter().collect();
    assert_eq!(unknown, [("typed.half".to_owned(), 1)]);
}

#[test]
fn each_verb_maps_or_keeps() {
    let json = br#"{"text":"t","uint":7,"seen":true,"kind":"this","word":"this","known":1}"#;
    let document = parse(json);
    let mut report = Report::default();
    let typed = Typed::read(document.root(), &[], "this", &mut report);
    assert_eq!((typed.text.as_deref(), typed.uint), (Some("t"), Some(7)));
    assert_eq!((typed.seen, typed.kind.as_deref()), (Some(true), Some("this")));
    assert_eq!(names(&typed.rest), ["seen", "known"]);
    assert!(report.unknown_keys.is_empty());
}

#[test]
fn second_member_for_a_field_is_kept() {
    let document = parse(br#"{"other-text":"a","text":"b"}"#);
    let typed = Typed::read(document.root(), &[], "", &mut Report::default());
    assert_eq!(typed.text.as_deref(), Some("a"));
    assert_eq!(names(&typed.rest), ["text"]);
}

#[test]
fn value_that_is_not_an_object_has_no_members() {
    for json in [&b"1"[..], b"[1]", b"null", b"{}"] {
        let document = parse(json);
        let typed = Typed::read(document.root(), &[], "", &mut Report::default());
        assert!(typed.text.is_none() && typed.rest.is_empty());
    }
}

#[test]
fn prefixed_names_cannot_collide() {
    let document = parse(
        br#"{"id":1,"native:id":2,"native:native:id":3,"\ud800":4,"native-token:\\ud800":5,"vac":6}"#,
    );
    assert_eq!(
        names(&all(document.root(), &MessageEntry::KEYS)),
        [
            "native:id",
            "native:native:id",
            "native:native:native:id",
            "native-token:\\ud800",
            "native:native-token:\\ud800",
            "native:vac",
        ]
    );
}

#[test]
fn rest_of_a_nested_object_stays_together() {
    let document = parse(br#"{"inner":{"a":1,"b":{"c": [2]},"d":null}}"#);
    let mut report = Report::default();
    let outer = Typed::read(document.root(), &[], "", &mut report);
    let inner = Inner::read(outer.inner.expect("an object"), &[], &mut report);
    assert_eq!(inner.a, Some(1));
    let left = object(inner.rest).expect("something");
    assert_eq!(left.to_json().expect("JSON"), r#"{"b":{"c":[2]}}"#);
    assert!(object(outer.rest).is_none());
    assert!(report.unknown_keys.is_empty(), "the inner object may have any key");
}

#[test]
fn table_is_markdown() {
    let table = Typed::MAPPING.to_string();
    for row in [
        "## `typed`\n\nAn object with a member of each type.\n\n| native key | becomes |",
        "| `text`, `other-text` | text |",
        "| `seen` | flag; kept |",
        "| `kind` | kind |",
        "| `known` | kept |",
        "| all others | kept, and reported as unknown |",
    ] {
        assert!(table.contains(row), "{row}\n{table}");
    }
    assert!(Inner::MAPPING.to_string().contains("| all others | kept |"));
}
