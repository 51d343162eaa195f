//! Constant tables, reports and budgets.

use super::*;

#[test]
fn every_violation_of_a_map_is_reported() {
    let text = "a = { x: int, ? y: tstr, z: bool }";
    assert!(json_lines(text, r#"{"z": true, "x": 1}"#).is_empty());
    assert_eq!(
        json_lines(text, r#"{"x": "1", "y": 2, "w": 3}"#),
        [
            r#"/x: expected int, found text "1" (rule a)"#,
            "/y: expected text, found integer 2 (rule a)",
            r#"/w: unexpected key "w" (rule a)"#,
            r#"/: missing key "z" (rule a)"#,
        ]
    );
}

#[test]
fn value_of_a_typed_key_is_named_as_wrong() {
    let text = "a = { * tstr => int }";
    assert_eq!(
        json_lines(text, r#"{"k": 1, "l": true}"#),
        ["/l: expected int, found bool true (rule a)"]
    );
    let two = "a = { * tstr => int, * tstr => bool }";
    assert_eq!(
        json_lines(two, r#"{"k": null}"#),
        ["/k: expected int or bool, found null (rule a)"]
    );
}

#[test]
fn selecting_member_decides_between_maps() {
    let text = r#"a = b / c / null
b = { type: "b", x: int }
c = { type: "c" / "d", y: int }"#;
    for valid in [r#"{"type": "b", "x": 1}"#, r#"{"y": 1, "type": "d"}"#, "null"] {
        assert!(json_lines(text, valid).is_empty(), "{valid}");
    }
    assert_eq!(
        json_lines(text, r#"{"type": "c", "y": true}"#),
        ["/y: expected int, found bool true (rule c)"]
    );
    assert_eq!(
        json_lines(text, r#"{"type": "e"}"#),
        [r#"/type: expected "b", "c" or "d", found text "e" (rule a)"#]
    );
    assert_eq!(json_lines(text, "{}"), [r#"/: missing key "type" (rule a)"#]);
    assert_eq!(json_lines(text, "7"), ["/: expected b, c or null, found integer 7 (rule a)"]);
}

#[test]
fn furthest_alternative_is_reported_with_the_others() {
    let text = "a = [int, int] / [tstr, { k: int }]";
    let found = json(text, r#"["x", {"k": "y"}]"#);
    assert_eq!(found[0].to_string(), r#"/1/k: expected int, found text "y" (rule a)"#);
    assert_eq!(found[0].others, [r#"/0: expected int, found text "x" (rule a)"#]);
}

#[test]
fn arrays_say_what_is_missing_or_too_much() {
    let text = "a = [x: int, ? tstr, * bool]";
    for valid in ["[1]", r#"[1, "a"]"#, r#"[1, "a", true, false]"#, "[1, true]"] {
        assert!(json_lines(text, valid).is_empty(), "{valid}");
    }
    assert_eq!(json_lines(text, "[]"), ["/: expected element x, found array of 0 (rule a)"]);
    assert_eq!(json_lines(text, "[1, 2]"), ["/1: expected text or bool, found integer 2 (rule a)"]);
    assert_eq!(
        json_lines("a = [int]", "[1, 2]"),
        ["/1: expected no more elements, found integer 2 (rule a)"]
    );
    assert_eq!(
        json_lines("a = [2*3 int]", "[1]"),
        ["/: expected 2 to 3 elements, found array of 1 (rule a)"]
    );
}

#[test]
fn cut_key_is_not_taken_by_a_key_type() {
    let cut = "a = { ? x: int, * tstr => any }";
    assert_eq!(
        json_lines(cut, r#"{"x": "text"}"#),
        [r#"/x: expected int, found text "text" (rule a)"#]
    );
    let no_cut = r#"a = { ? "x" => int, * tstr => any }"#;
    assert!(json_lines(no_cut, r#"{"x": "text"}"#).is_empty());
}

#[test]
fn groups_in_maps_are_matched_whole_or_not_at_all() {
    let text = "a = { ? (x: int, y: int), * tstr => any }";
    assert!(json_lines(text, r#"{"x": 1, "y": 2}"#).is_empty());
    // The cut of `x` keeps it from the key type, though the group did not match.
    assert_eq!(json_lines(text, r#"{"x": 1}"#).len(), 1);
    let repeated = r#"a = { * ( "k": int // tstr => int ) }"#;
    assert!(json_lines(repeated, r#"{"a": 1, "k": 2, "b": 3}"#).is_empty());
    assert_eq!(
        json_lines(repeated, r#"{"a": 1, "k": true}"#),
        ["/k: expected int, found bool true (rule a)"]
    );
}

#[test]
fn duplicate_keys_are_violations_at_every_depth() {
    assert_eq!(
        json_lines("a = any", r#"{"x": [{"k": 1, "\u006b": 2}]}"#),
        [r#"/x/0/k: duplicate key "k""#]
    );
    // {1: 0, 1: 0} inside a byte string
    let embedded = b"\x45\xa2\x01\x00\x01\x00";
    assert_eq!(cbor_lines("a = bstr .cbor any", embedded), ["/1: duplicate key 1"]);
    assert!(cbor_lines("a = bstr", embedded).is_empty());
}

#[test]
fn paths_carry_the_names_of_labels() {
    let text = "a = { &(alg: 1) => int, 2 => [first: int, second: tstr] }";
    // {1: "x", 2: [0, 0]}
    assert_eq!(
        cbor_lines(text, b"\xa2\x01\x61x\x02\x82\x00\x00"),
        [
            r#"/1(alg): expected int, found text "x" (rule a)"#,
            "/2/1(second): expected text, found integer 0 (rule a)",
        ]
    );
}

#[test]
fn embedded_documents_share_one_depth_budget() {
    let text = "a = bstr .cbor b\nb = [* b]";
    let nested = |levels: usize| {
        let mut inner = vec![0x81; levels];
        inner.push(0x80);
        let length = u16::try_from(inner.len()).expect("a short document");
        [&[0x59][..], &length.to_be_bytes(), &inner].concat()
    };
    assert!(cbor_lines(text, &nested(200)).is_empty());
    let refused = cbor_lines(text, &nested(256));
    assert!(refused[0].contains("bytes that do not"), "{refused:?}");
}

#[test]
fn scalars_follow_their_control_operators() {
    for (text, valid, invalid) in [
        ("a = tstr .size (1..3)", r#""abc""#, r#""abcd""#),
        ("a = uint .size 1", "255", "256"),
        ("a = uint .bits b\nb = 0 / 2", "5", "2"),
        (r#"a = tstr .regexp "[a-c]+""#, r#""abc""#, r#""abd""#),
        ("a = int .lt 3.5", "3", "4"),
        ("a = number .ne 1", "1.0", "1"),
        ("a = 1...3", "2", "3"),
        ("a = int .and (0..9)", "9", "10"),
        ("a = #6.2(bstr .size 9)", "18446744073709551616", "18446744073709551615"),
    ] {
        assert!(json_lines(text, valid).is_empty(), "{text}: {valid}");
        assert_eq!(json_lines(text, invalid).len(), 1, "{text}: {invalid}");
    }
}

#[test]
fn all_violations_are_counted_and_some_recorded() {
    let schema = schema("a = [* int]");
    let text = format!("[{}1]", "true,".repeat(1000));
    let document = Document::json(text.as_bytes()).expect("JSON");
    let verdict = schema.validate(schema.root, document.root(), 3);
    let violations = verdict.expect_err("invalid");
    assert_eq!((violations.total(), violations.as_slice().len()), (1000, 3));
    assert_eq!(violations.as_slice()[2].path, "/2");
    assert!(violations.to_string().ends_with("and 997 more violations"), "{violations}");
}

#[test]
fn tables_that_are_constants_equal_those_made_at_run_time() {
    use vac_schema::constant as c;
    use vac_schema::{Element, Group, MemberKey, Pattern, Rule, Sequence, Type};

    static RULES: [Rule; 2] = [c::rule("a", 2), c::prelude("tstr", 3)];
    static TYPES: [Type; 4] = [
        c::scalar(1 << vac_value::Kind::Text as u16, c::reference(1)),
        c::scalar(1 << vac_value::Kind::Text as u16, c::control(0, c::regexp(0))),
        c::compound(1 << vac_value::Kind::Map as u16, c::map(0)),
        c::scalar(1 << vac_value::Kind::Text as u16, c::major(3, None)),
    ];
    static ELEMENTS: [Element; 1] =
        [c::member(1, 1, MemberKey::Literal(c::label(c::text("x"), "")), true, 1)];
    static SEQUENCES: [Sequence; 1] = [c::flat(&ELEMENTS)];
    static GROUPS: [Group; 1] = [c::group(&SEQUENCES)];
    static PATTERNS: [Pattern; 1] = [c::pattern("[a-c]+", r"\A(?:[a-c]+)\z", "")];
    static SCHEMA: Schema = c::schema(&RULES, &TYPES, &GROUPS, &PATTERNS, 0);

    assert_eq!(SCHEMA, schema(r#"a = { x: tstr .regexp "[a-c]+" }"#));
    let document = Document::json(br#"{"x": "abc"}"#).expect("JSON");
    assert_eq!(SCHEMA.validate(SCHEMA.root, document.root(), 1), Ok(()));
}
