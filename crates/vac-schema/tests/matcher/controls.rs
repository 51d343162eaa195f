//! Control operators: messages, embedded documents and work. What they accept is in the
//! golden schemas.

use super::*;

#[test]
fn encoded_bytes_are_described() {
    invalid(
        "a = tstr .b64u (bstr .size 2)",
        "\"AQ=\"",
        &["/: expected text that is the base64url of bytes of size 2, found text \"AQ=\" (rule a)"],
    );
    invalid(
        "a = tstr .hex (bstr .size 2)",
        "\"010203\"",
        &["/: expected bytes of size 2, found 3 bytes (rule a)"],
    );
    invalid("a = tstr .hex bstr", "7", &["/: expected text, found integer 7 (rule a)"]);
    invalid(
        "a = tstr .base10 (0..9)",
        "\"x\"",
        &["/: expected text that is a decimal 0..9, found text \"x\" (rule a)"],
    );
    invalid(
        "a = tstr .printf ([\"%d.\", int])",
        "\"x.\"",
        &["/: expected text in the format \"%d.\", found text \"x.\" (rule a)"],
    );
    invalid(
        "a = [tstr .join b, tstr .join [\"x\"]]\nb = [\"x\"]",
        "[\"x\", \"y\"]",
        &["/1: expected text made of the elements of an array, found text \"y\" (rule a)"],
    );
    invalid(
        "a = tstr .join b\nb = [\"x\"]",
        "\"y\"",
        &["/: expected text made of the elements of b, found text \"y\" (rule a)"],
    );
    invalid(
        "a = tstr .abnf 'b\nb = %x62'",
        "\"y\"",
        &["/: expected text matching ABNF b, found text \"y\" (rule a)"],
    );
    invalid(
        "a = bool .ne true",
        "true",
        &["/: expected bool other than true, found bool true (rule a)"],
    );
}

#[test]
fn violations_inside_json_have_paths() {
    let schema = "a = { b: tstr .json { c: [* d] } }\nd = tstr .json { e: int }";
    valid(schema, r#"{"b": "{\"c\": [\"{\\\"e\\\": 1}\"]}"}"#);
    invalid(
        schema,
        r#"{"b": "{\"c\": [\"{\\\"e\\\": true}\", \"{\\\"e\\\": 1, \\\"e\\\": 2}\"]}"}"#,
        &["/b/c/0/e: expected int, found bool true (rule d)", "/b/c/1/e: duplicate key \"e\""],
    );
    invalid(
        schema,
        r#"{"b": "{"}"#,
        &["/b: expected text that contains JSON, found text that does not \
           (byte 1: the input ends inside the document) (rule a)"],
    );
}

#[test]
fn one_string_can_be_read_in_several_ways() {
    // The same text is JSON, hex and a decimal; verdicts of one are not those of another.
    let schema = "a = [* b]\nb = c / d / e\nc = tstr .json [int]\nd = tstr .hex [int]\n\
                  e = tstr .hex (bstr .size 1) / tstr .base10 0";
    valid(schema, r#"["[1]", "00", "0"]"#);
    let violations = json(schema, r#"["[true]", "000", "7"]"#);
    assert_eq!(violations.len(), 3);
}

#[test]
fn documents_in_strings_share_one_depth_budget() {
    let schema = "a = [* a] / tstr .json a / tstr .b64u (bstr .cbor any)";
    let nested = |outer: usize, inner: usize| {
        let inside = format!("{}{}", "[".repeat(inner), "]".repeat(inner));
        format!("{}{inside:?}{}", "[".repeat(outer), "]".repeat(outer))
    };
    valid(schema, &nested(100, 150));
    assert_eq!(json(schema, &nested(100, 160)).len(), 1);
    assert_eq!(json(schema, &nested(200, 60)).len(), 1);
}

#[test]
fn work_on_strings_is_counted() {
    let steps = |schema: &str, text: &str| {
        let tables = super::schema(schema);
        let source = format!("{text:?}");
        let document = Document::json(source.as_bytes()).expect("JSON");
        let mut budget = Budget::new(document.root());
        let verdict = tables.validate_within(tables.root, document.root(), 20, &mut budget);
        assert_eq!(verdict, Ok(()), "{schema}");
        budget.steps()
    };
    for (schema, piece) in [
        ("a = tstr .regexp \"[ab,]*\"", "ab,"),
        ("a = tstr .json [* int]", ""),
        ("a = tstr .hex bstr", "ab"),
        ("a = tstr .join [* (\"a\", \"b\", \",\")]", "ab,"),
        ("a = tstr .abnf '(*(\"a\" \"b\" \",\"))'", "ab,"),
        ("a = tstr .printf ([\"%s\", tstr])", "ab,"),
    ] {
        let [one, four] = [500, 2000].map(|count| match piece {
            "" => steps(schema, &format!("[{}1]", "1,".repeat(count))),
            piece => steps(schema, &piece.repeat(count)),
        });
        assert!(one >= 50, "{schema}: {one}");
        assert!(four <= 4 * one + 100, "{schema}: {one} steps, then {four}");
    }
}

#[test]
fn strings_that_multiply_work_are_stopped() {
    let text = format!("\"{}b\"", "a".repeat(3000));
    for schema in [
        "a = tstr .join [* c, * c, * c, \"x\"]\nc = tstr .regexp \"a*\"",
        "a = tstr .printf ([\"%s%s%s%s!\", c, c, c, c])\nc = tstr .regexp \"a*\"",
        "a = tstr .abnf 'c\nc = c c / %x61'",
    ] {
        let tables = super::schema(schema);
        let document = Document::json(text.as_bytes()).expect("JSON");
        let mut budget = Budget::with_steps(100_000);
        let verdict = tables.validate_within(tables.root, document.root(), 20, &mut budget);
        let violations = verdict.expect_err("it takes more steps");
        assert_eq!(violations.as_slice()[0].kind, ViolationKind::Stopped, "{schema}");
    }
    // A negation of what could not be decided is not a match.
    let tables = schema("a = tstr .ne [1, 2] / any .ne {a: [[[1]]]}");
    let document = Document::json(br#"{"a": [[[2]]]}"#).expect("JSON");
    for steps in 0..20 {
        let mut budget = Budget::with_steps(steps);
        let verdict = tables.validate_within(tables.root, document.root(), 20, &mut budget);
        assert_eq!(verdict.is_err(), budget.is_stopped(), "{steps} steps");
    }
}

#[test]
fn pieces_of_many_sizes_are_divided_exactly() {
    let schema = "a = tstr .join [* (\"a\" / \"aa\" / b), ? \"c\"]\nb = tstr .size 3";
    valid(schema, "\"aaaaxyzc\"");
    valid(schema, "\"xyz\"");
    valid(schema, "\"\"");
    assert_eq!(json(schema, "\"xy\"").len(), 1);
    valid("a = tstr .join [3*3 b]\nb = tstr .regexp \"x?\"", "\"xx\"");
    valid("a = tstr .join [1000000*1000000 b]\nb = tstr .regexp \"x?\"", "\"xx\"");
    assert_eq!(json("a = tstr .join [3*3 b]\nb = tstr .regexp \"x\"", "\"xx\"").len(), 1);
}

#[test]
fn many_floats_are_written_alike() {
    // 0.004 is written as 0.00, although 0.00 itself is not in the range.
    valid("a = tstr .printf ([\"%.2f\", 0.001..0.004])", "\"0.00\"");
    valid("a = tstr .printf ([\"%.2f\", float .gt 0.004])", "\"0.00\"");
    valid("a = tstr .printf ([\"%.0f\", float .lt -0.4])", "\"-0\"");
    assert_eq!(json("a = tstr .printf ([\"%.2f\", float .gt 0.006])", "\"0.00\"").len(), 1);
}
