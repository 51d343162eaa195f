//! Tests which documents match, and the messages for those that do not.

use super::*;

#[test]
fn everything_wrong_with_a_map_is_reported() {
    let schema = r#"
        record = { version: tstr, id: tstr, ? mode: mode, ? n: uint }
        mode = "fast" / "safe"
    "#;
    invalid(
        schema,
        r#"{"id": 1, "mode": "slow", "x": 0}"#,
        &[
            "/id: expected text, found integer 1 (rule record)",
            r#"/mode: expected "fast" or "safe", found text "slow" (rule mode)"#,
            r#"/x: unexpected key "x" (rule record)"#,
            r#"/: missing key "version" (rule record)"#,
        ],
    );
}

#[test]
fn any_rule_can_be_checked() {
    let schema = schema("a = [* b] b = int");
    let document = Document::json(b"7").expect("JSON");
    let is_valid = |rule: &str| {
        let rule = schema.rule(rule)?;
        Some(schema.validate(rule, document.root(), 20).is_ok())
    };
    assert_eq!((is_valid("a"), is_valid("b"), is_valid("c")), (Some(false), Some(true), None));
}

#[test]
fn only_the_selected_map_is_reported() {
    let schema = r#"
        shape = circle / rect / null
        circle = { type: "circle", r: number, * tstr => any }
        rect = { type: "rect", w: number, h: number, * tstr => any }
    "#;
    let violations = json(schema, r#"{"type": "rect", "w": true}"#);
    assert_eq!(
        lines(&violations),
        ["/w: expected number, found bool true (rule rect)", r#"/: missing key "h" (rule rect)"#,]
    );
    assert!(violations[0].others.is_empty());
    invalid(
        schema,
        r#"{"type": "square", "w": 1}"#,
        &[r#"/type: expected "circle" or "rect", found text "square" (rule shape)"#],
    );
    invalid(schema, r#"{"w": 1}"#, &[r#"/: missing key "type" (rule shape)"#]);
    invalid(schema, "1", &["/: expected circle, rect or null, found integer 1 (rule shape)"]);
}

#[test]
fn alternatives_of_one_map_are_distinguished() {
    let schema = r#"a = { kind: "x", x: int // kind: "y", y: int }"#;
    valid(schema, r#"{"y": 1, "kind": "y"}"#);
    invalid(
        schema,
        r#"{"kind": "y", "y": "1"}"#,
        &[r#"/y: expected int, found text "1" (rule a)"#],
    );
}

#[test]
fn furthest_alternative_is_reported() {
    let schema = "a = [int, int, b] / [int, tstr, tstr] b = { ? c: int }";
    let violations = json(schema, r#"[1, 2, {"c": null}]"#);
    assert_eq!(lines(&violations), ["/2/c: expected int, found null (rule b)"]);
    assert_eq!(violations[0].others, ["/1: expected text, found integer 2 (rule a)"]);
}

#[test]
fn scalars_are_named_in_one_line() {
    invalid(
        "a = int / tstr .size 2 / 1.5..2.5",
        "true",
        &["/: expected int, text of size 2 or 1.5..2.5, found bool true (rule a)"],
    );
    invalid("a = $nothing", "1", &["/: expected nothing, found integer 1 (rule a)"]);
}

#[test]
fn mismatches_in_arrays_are_explained() {
    let schema = "a = [x: int, ? y: tstr, z: int]";
    invalid(schema, "[1, null, 2]", &["/1: expected text or int, found null (rule a)"]);
    invalid(schema, "[1]", &["/: expected element z, found array of 1 (rule a)"]);
    invalid(schema, "[1, 2, 3]", &["/2: expected no more elements, found integer 3 (rule a)"]);
}

#[test]
fn mismatches_of_groups_in_maps_are_explained() {
    let schema = "a = { id: int, ? (lat: number, lon: number) }";
    invalid(schema, r#"{"id": 1, "lat": 2}"#, &[r#"/: missing key "lon" (rule a)"#]);
    let schema = "a = { id: int, (mail: tstr // phone: tstr, ? ext: uint) }";
    invalid(
        schema,
        r#"{"id": 1, "phone": "1", "ext": -1}"#,
        &["/ext: expected uint, found integer -1 (rule a)"],
    );
    invalid(
        "a = { 2*3 tstr => int }",
        r#"{"b": 1}"#,
        &["/: expected at least 2 keys of type text, found 1 (rule a)"],
    );
}

#[test]
fn cuts_keep_a_key() {
    let schema = "a = { ? \"k\" => int, * tstr => any }";
    valid(schema, r#"{"k": "x"}"#);
    let schema = "a = { ? k: int, * tstr => any }";
    invalid(schema, r#"{"k": "x"}"#, &[r#"/k: expected int, found text "x" (rule a)"#]);
    // No member takes the second entry with that key.
    assert_eq!(json(schema, r#"{"k": 1, "k": 2}"#).len(), 1);
    // Another alternative may name the same key.
    let schema = r#"a = { (k: "x", b: int // k: "y", c: int), ? d: int }"#;
    valid(schema, r#"{"k": "x", "b": 1}"#);
    valid(schema, r#"{"k": "y", "c": 1}"#);
    // But no key type takes what a cut has named, also when its group fails.
    let schema = "a = { ? (k: int, b: tstr), * tstr => any }";
    valid(schema, r#"{"k": 1, "b": "x", "c": 1}"#);
    assert_eq!(json(schema, r#"{"k": "x"}"#).len(), 2);
}

#[test]
fn matching_continues_inside_bytes() {
    // {"m": h'a1626964 6178'}: {"id": "x"} inside
    let document = b"\xa1\x61m\x46\xa1\x62id\x61x";
    assert_eq!(
        lines(&cbor("a = { m: bstr .cbor b } b = { id: uint }", document)),
        [r#"/m/id: expected uint, found text "x" (rule b)"#]
    );
    assert_eq!(
        lines(&cbor("a = { m: bstr .cborseq [* b] } b = { id: uint }", document)),
        [r#"/m/0/id: expected uint, found text "x" (rule b)"#]
    );
    let cut_off = b"\xa1\x61m\x42\xa1\x62";
    assert_eq!(
        lines(&cbor("a = { m: bstr .cbor any }", cut_off)),
        [
            "/m: expected bytes that contain CBOR, found bytes that do not (byte 0: a length of 1 is more than the input holds) (rule a)"
        ]
    );
}

#[test]
fn empty_iterations_count_as_often_as_needed() {
    valid("a = [3*5 (? int)]", "[]");
    valid("a = { 2*2 (? b: int) }", "{}");
}

#[test]
fn integers_and_floats_are_compared_without_rounding() {
    valid("a = number .gt 9007199254740992", "9007199254740993");
    valid("a = number .ge 0.5", "1");
    assert_eq!(json("a = number .gt 9007199254740993", "9007199254740992.0").len(), 1);
    assert_eq!(cbor("a = float .ge 0", b"\xf9\x7e\x00").len(), 1); // NaN
    valid("a = number .lt 5", "-1e300");
}

#[test]
fn big_integers_are_tagged_bytes() {
    let big = "18446744073709551616";
    valid("a = bigint", big);
    valid("a = #6.2(bstr .size 9)", big);
    valid("a = #6(bstr)", big);
    for schema in
        ["a = int", "a = number", "a = bignint", "a = #6.2(bstr .size 8)", "a = #6.3(any)"]
    {
        assert_eq!(json(schema, big).len(), 1, "{schema}");
    }
    valid("a = biguint", &"9".repeat(5000));
    valid("a = bignint", &format!("-{}", "9".repeat(5000)));
}

#[test]
fn heads_have_numbers_of_a_type() {
    let tagged = "a = #6.<b>(int) b = 1 / 5..7 / uint .gt 100";
    for (document, violations) in [
        (&[0xc1, 0x00][..], 0),
        (&[0xc6, 0x00], 0),
        (&[0xd8, 0x65, 0x00], 0),
        (&[0xc2, 0x00], 1),
        (&[0xc8, 0x00], 1),
        (&[0xc1, 0x60], 1),
        (&[0x00], 1),
    ] {
        assert_eq!(cbor(tagged, document).len(), violations, "{document:02x?}");
    }
    let simple = "a = #7.<0..19 / 21 / 25>";
    for (document, violations) in [
        (&[0xe5][..], 0),
        (&[0xf5], 0),
        (&[0xf9, 0x3c, 0x00], 0),
        (&[0xf4], 1),
        (&[0xfb, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a], 1),
        (&[0x05], 1),
    ] {
        assert_eq!(cbor(simple, document).len(), violations, "{document:02x?}");
    }
    assert_eq!(
        lines(&cbor(tagged, &[0xc2, 0x00])),
        ["/: expected tag 1, 5..7 or uint greater than 100, found tag 2 on integer (rule a)"]
    );
}

#[test]
fn groups_that_contain_themselves_are_matched() {
    let schema = "a = { ? definitions: { * tstr => { form } }, form }
        form = (ref: tstr, shared // elements: { form }, shared // empty)
        shared = (? nullable: bool)
        empty = ()";
    valid(schema, r#"{"elements": {"elements": {"ref": "x"}, "nullable": true}}"#);
    valid(schema, r#"{"definitions": {"x": {"elements": {}}}}"#);
    invalid(
        "a = {g} g = (x: int, ? y: {g})",
        r#"{"x": 1, "y": {"x": 2, "y": {"x": "3"}}}"#,
        &["/y/y/x: expected int, found text \"3\" (rule {g})"],
    );
}

#[test]
fn lone_surrogates_are_not_text() {
    invalid(
        "a = tstr",
        r#""\ud800""#,
        &["/: expected text, found text with a lone surrogate (rule a)"],
    );
    valid("a = any", r#""\ud800""#);
    assert_eq!(json("a = tstr .size 3", r#""\ud800""#).len(), 1);
}

#[test]
fn size_of_an_integer_is_counted_in_bytes() {
    valid("a = uint .size 0", "0");
    assert_eq!(json("a = uint .size 0", "1").len(), 1);
    valid("a = uint .size (1..2)", "65535");
    assert_eq!(json("a = uint .size (1...2)", "256").len(), 1);
    valid("a = uint .size 100", "18446744073709551615");
    valid("a = uint .size (1 / 4)", "4294967295");
}

#[test]
fn half_precision_is_distinguished() {
    for fits in ["65504.0", "0.000000059604644775390625", "0.00006103515625", "-2048.0", "1e400"] {
        valid("a = float16", fits);
    }
    for too_much in ["65505.0", "65520.0", "2049.0", "0.0000000298023223876953125", "0.1"] {
        assert_eq!(json("a = float16", too_much).len(), 1, "{too_much}");
    }
}

#[test]
fn duplicate_keys_are_violations_at_every_depth() {
    let found = |text: &str| format!("{text}: duplicate key");
    for schema in ["a = any", "a = { * tstr => any }", "a = {x: any, y: any}"] {
        invalid(
            schema,
            r#"{"x": [{"b": 1, "\u0062": 1}], "x": 1, "y": {"c": {"d": 1, "d": 2}}}"#,
            &[
                &format!("{} \"b\"", found("/x/0/b")),
                &format!("{} \"x\"", found("/x")),
                &format!("{} \"d\"", found("/y/c/d")),
            ],
        );
    }
    // {1: 2, 0x18 01: 3}: the same integer; then inside a byte string that the schema knows.
    let twice = b"\xa2\x01\x02\x18\x01\x03";
    assert_eq!(lines(&cbor("a = any", twice)), [format!("{} 1", found("/1"))]);
    let embedded = [&[0x46][..], twice].concat();
    for schema in ["a = bstr .cbor any", "a = null / bstr .cbor any", "a = bstr .cborseq [any]"] {
        let violations = lines(&cbor(schema, &embedded));
        assert_eq!(violations.len(), 1, "{schema}: {violations:?}");
        assert!(violations[0].contains("duplicate key 1"), "{schema}: {violations:?}");
    }
    assert_eq!(lines(&cbor("a = bstr", &embedded)), Vec::<String>::new());
}

/// Both byte strings contain a document whose first node has the same number, and a choice is
/// probed at it: the verdict on one must not be taken for the other's.
#[test]
fn verdicts_are_not_shared_between_embedded_documents() {
    let schema = "a = [2*2 bstr .cbor b]\nb = [x] / [y]\nx = {k: 1}\ny = {k: 2, l: int}";
    // ['[{"k": 1}]', '[{"k": 3}]']
    let documents = b"\x82\x45\x81\xa1\x61k\x01\x45\x81\xa1\x61k\x03";
    assert_eq!(cbor(schema, documents).len(), 1);
    let documents = b"\x82\x45\x81\xa1\x61k\x03\x45\x81\xa1\x61k\x01";
    assert_eq!(cbor(schema, documents).len(), 1);
    let documents = b"\x82\x45\x81\xa1\x61k\x01\x45\x81\xa1\x61k\x01";
    assert_eq!(cbor(schema, documents), []);
}

#[test]
fn a_constant_selects_the_alternative_that_is_reported() {
    let text = "a = { id: uint, data, * tstr => any }
        data = ( first // second-data // third-data )
        first = ( method: \"first\", params: { x: int } )
        second-data = ( second.one // second.two )
        second.one = ( method: \"second.one\", params: { y: int } )
        second.two = ( method: \"second.two\", params: { z: int } )
        third-data = ( third.one // third.two )
        third.one = ( method: \"third.one\", params: { y: int } )
        third.two = ( method: \"third.two\", params: { z: int } )";
    valid(text, r#"{"id": 1, "method": "second.two", "params": {"z": 1}}"#);
    invalid(
        text,
        r#"{"id": 1, "method": "third.two", "params": {"z": "1"}}"#,
        &["/params/z: expected int, found text \"1\" (rule a)"],
    );
    invalid(
        text,
        r#"{"id": 1, "method": "fourth", "params": {"z": 1}}"#,
        &["/method: expected \"first\", \"second.one\", \"second.two\", \"third.one\" or \
           \"third.two\", found text \"fourth\" (rule a)"],
    );
}

#[test]
fn the_best_of_several_types_of_a_key_is_reported() {
    let text = "a = { * ( ( p: { * tstr => t }, q: int ) // ( p: { * tstr => t }, ? r: int ) ) }
        t = \"x\" / \"y\"";
    invalid(
        text,
        r#"{"p": {"k": "z"}}"#,
        &["/p/k: expected \"x\" or \"y\", found text \"z\" (rule t)"],
    );
}

#[test]
fn key_types_take_at_most_as_many_entries_as_they_allow() {
    let schema = "a = { ? x: int, 1*2 tstr => int }";
    valid(schema, r#"{"b": 1}"#);
    valid(schema, r#"{"x": 0, "b": 1, "c": 2}"#);
    let is_valid = |document: &str| json(schema, document).is_empty();
    assert!(!is_valid(r#"{"x": 0}"#));
    assert!(!is_valid(r#"{"b": 1, "c": 2, "d": 3}"#));
    // A second key type takes the entries for which the first one has no room.
    let schema = "a = { 0*1 tstr => int, * tstr => text }";
    valid(schema, r#"{"b": 1, "c": "text"}"#);
    assert!(!json(schema, r#"{"b": 1, "c": 2}"#).is_empty());
}
