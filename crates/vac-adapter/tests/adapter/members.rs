//! The take-or-keep cursor.

use vac_adapter::members::Members;
use vac_record::{Encode, MessageEntry};
use vac_value::Document;

fn object(json: &[u8]) -> Document<'_> {
    Document::json(json).expect("JSON")
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "2 native members were neither taken nor kept")]
fn forgetting_the_rest_fails_a_test() {
    let document = object(br#"{"a":1,"b":2,"c":3}"#);
    let mut cursor = Members::new(document.root()).expect("an object");
    assert_eq!(cursor.uint("a"), Some(1));
}

#[test]
fn only_what_fits_is_taken() {
    let document = object(
        br#"{"text":1,"time":"2026-02-30","uint":-1,"bool":"true","number":1e400,"object":[],
        "array":{},"any":null,"half":"\ud800","word":"other"}"#,
    );
    let mut cursor = Members::new(document.root()).expect("an object");
    assert_eq!(cursor.text("text"), None);
    assert_eq!(cursor.timestamp("time"), None);
    assert_eq!(cursor.uint("uint"), None);
    assert_eq!(cursor.bool("bool"), None);
    assert_eq!(cursor.number("number"), None);
    assert!(cursor.object("object").is_none());
    assert!(cursor.array("array").is_none());
    assert_eq!(cursor.any("any"), None);
    assert_eq!(cursor.text("half"), None);
    assert!(!cursor.said("word", "this"));
    assert_eq!(cursor.rest(&[]).len(), 9, "all but the null");
}

#[test]
fn marked_names_cannot_meet() {
    let document = object(
        br#"{"id":1,"native:id":2,"native:native:id":3,"\ud800":4,"native-token:\\ud800":5}"#,
    );
    let rest = Members::new(document.root()).expect("an object").rest(&MessageEntry::KEYS);
    let names: Vec<_> = rest.iter().map(|(name, _)| name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "native:id",
            "native:native:id",
            "native:native:native:id",
            "native-token:\\ud800",
            "native:native-token:\\ud800",
        ]
    );
}

#[test]
fn what_is_left_of_a_nested_object_stays_together() {
    let document = object(br#"{"m":{"a":1,"b":{"c": [2]},"d":null}}"#);
    let mut cursor = Members::new(document.root()).expect("an object");
    let mut inner = cursor.object("m").expect("an object");
    assert_eq!(inner.uint("a"), Some(1));
    let left = inner.remainder().expect("something");
    assert_eq!(left.to_json().expect("JSON"), r#"{"b":{"c":[2]}}"#);
    assert!(cursor.remainder().is_none());
}
