//! Features that callers disable.

use super::*;
use vac_schema::Features;

#[track_caller]
fn check(text: &str, features: &Features, document: &str, messages: &[&str]) {
    let schema = schema(text);
    let document = Document::json(document.as_bytes()).expect("JSON");
    let found = match schema.validate_with(features, schema.root, document.root(), 20) {
        Ok(()) => Vec::new(),
        Err(violations) => lines(violations.as_slice()),
    };
    assert_eq!(found, messages);
}

#[test]
fn disabled_feature_of_a_value_is_named() {
    let text = r#"a = { ? b: int .feature "x", ? c: [* d] }  d = tstr / bool .feature "y""#;
    let document = r#"{"b": 1, "c": ["t", true]}"#;
    check(text, &Features::ALL, document, &[]);
    check(
        text,
        &Features::except(["x", "y"]),
        document,
        &[
            "/b: expected int, found integer 1 of the disabled feature \"x\" (rule a)",
            "/c/1: expected text or bool, found bool true of the disabled feature \"y\" (rule d)",
        ],
    );
    check(text, &Features::only(["x", "y"]), document, &[]);
    check(text, &Features::except(["x"]), r#"{"c": [true]}"#, &[]);
    // A value of another type is reported without the feature.
    check(
        text,
        &Features::except(["x"]),
        r#"{"b": "t"}"#,
        &["/b: expected int, found text \"t\" (rule a)"],
    );
}

#[test]
fn disabled_feature_of_a_key_is_named() {
    let text = r#"a = { ? name: tstr, * (tstr .feature "more") => any }"#;
    check(text, &Features::ALL, r#"{"name": "n", "k": 1}"#, &[]);
    let message = "/k: unexpected key \"k\" of the disabled feature \"more\" (rule a)";
    check(text, &Features::except(["more"]), r#"{"name": "n", "k": 1}"#, &[message]);
    check(text, &Features::only(["other"]), r#"{"k": 1}"#, &[message]);
    let grouped = r#"a = { * ("n" => int // (tstr .feature "more") => any) }"#;
    check(grouped, &Features::except(["more"]), r#"{"n": 1, "k": 1}"#, &[message]);
}

#[test]
fn disabled_alternative_gives_way_to_another() {
    let text = r#"a = { b: int .feature "x" / int .feature "y" }"#;
    check(text, &Features::except(["x"]), r#"{"b": 1}"#, &[]);
    check(
        text,
        &Features::only(["z"]),
        r#"{"b": 1}"#,
        &["/b: expected int, found integer 1 of the disabled feature \"y\" (rule a)"],
    );
}

#[test]
fn disabled_map_is_reported_before_maps_that_match_less() {
    let text =
        r#"a = b / c   b = { x: int, y: int }   c = { x: int, * tstr => any } .feature "open""#;
    check(text, &Features::ALL, r#"{"x": 1, "z": {"k": 1}}"#, &[]);
    check(
        text,
        &Features::except(["open"]),
        r#"{"x": 1, "z": {"k": 1}}"#,
        &["/: expected map, found map of 2 of the disabled feature \"open\" (rule c)"],
    );
}

#[test]
fn features_inside_sizes_and_tables_are_found() {
    let text = r#"a = tstr .size (1 / 2 .feature "long")"#;
    check(text, &Features::ALL, "\"ab\"", &[]);
    let message = "/: expected text of size 1 or 2, found text \"ab\" (rule a)";
    check(text, &Features::except(["long"]), "\"ab\"", &[message]);
    let schema =
        schema(r#"a = { b: int .feature "x", * (tstr .feature "y") => any .feature "x" }"#);
    assert_eq!(schema.features().into_iter().collect::<Vec<_>>(), ["x", "y"]);
}
