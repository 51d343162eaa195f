//! Verdicts and messages that the golden cases do not reach.

use vac_value::{Document, Violation};

use super::Interpreter;

fn judged(schema: &str, document: &Document<'_>) -> Vec<Violation> {
    let schema = crate::parse("test.cddl", schema).expect("a schema");
    Interpreter::new(&schema).expect("an interpreter").validate(document)
}

fn json(schema: &str, document: &str) -> Vec<Violation> {
    judged(schema, &Document::json(document.as_bytes()).expect("JSON"))
}

fn cbor(schema: &str, document: &[u8]) -> Vec<Violation> {
    judged(schema, &Document::cbor(document).expect("CBOR"))
}

fn told(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn valid(schema: &str, document: &str) {
    assert_eq!(told(&json(schema, document)), Vec::<String>::new(), "{document}");
}

#[track_caller]
fn invalid(schema: &str, document: &str, messages: &[&str]) {
    assert_eq!(told(&json(schema, document)), messages, "{document}");
}

#[test]
fn tells_everything_that_is_wrong_with_a_map() {
    let schema = r#"
        record = { version: tstr, id: tstr, ? mode: mode, ? n: uint }
        mode = "fast" / "safe"
    "#;
    invalid(
        schema,
        r#"{"id": 1, "mode": "slow", "x": 0}"#,
        &[
            r#"/: expected key "version", found no such key (rule record)"#,
            "/id: expected text, found integer 1 (rule record)",
            r#"/mode: expected "fast" or "safe", found text "slow" (rule mode)"#,
            r#"/x: expected no such key, found key "x" (rule record)"#,
        ],
    );
}

#[test]
fn tells_as_much_as_it_is_asked_for() {
    let schema = crate::parse("test.cddl", "a = [* int]").expect("a schema");
    let interpreter = Interpreter::new(&schema).expect("an interpreter");
    let source = format!("[{}0]", "true, ".repeat(50));
    let document = Document::json(source.as_bytes()).expect("JSON");
    assert_eq!(interpreter.validate(&document).len(), 20);
    assert_eq!(interpreter.max_violations(3).validate(&document).len(), 3);
}

#[test]
fn judges_by_any_rule() {
    let schema = crate::parse("test.cddl", "a = [* b] b = int").expect("a schema");
    let interpreter = Interpreter::new(&schema).expect("an interpreter");
    let document = Document::json(b"7").expect("JSON");
    let judged = |rule| Some(interpreter.validate_rule(interpreter.rule(rule)?, &document).len());
    assert_eq!((judged("a"), judged("b"), judged("c")), (Some(1), Some(0), None));
    let missing = interpreter.validate_rule(crate::ir::RuleId(99), &document);
    assert_eq!(missing.len(), 1, "a rule that is not there accepts nothing");
}

#[test]
fn looks_only_into_the_map_that_is_meant() {
    let schema = r#"
        shape = circle / rect / null
        circle = { type: "circle", r: number, * tstr => any }
        rect = { type: "rect", w: number, h: number, * tstr => any }
    "#;
    let violations = json(schema, r#"{"type": "rect", "w": true}"#);
    assert_eq!(
        told(&violations),
        [
            "/w: expected number, found bool true (rule rect)",
            r#"/: expected key "h", found no such key (rule rect)"#,
        ]
    );
    assert!(violations[0].others.is_empty());
    invalid(
        schema,
        r#"{"type": "square", "w": 1}"#,
        &[r#"/type: expected "circle" or "rect", found text "square" (rule shape)"#],
    );
    invalid(schema, r#"{"w": 1}"#, &[r#"/: expected key "type", found no such key (rule shape)"#]);
    invalid(schema, "1", &["/: expected map or null, found integer 1 (rule shape)"]);
}

#[test]
fn tells_alternatives_of_one_map_apart_as_well() {
    let schema = r#"a = { kind: "x", x: int // kind: "y", y: int }"#;
    valid(schema, r#"{"y": 1, "kind": "y"}"#);
    invalid(
        schema,
        r#"{"kind": "y", "y": "1"}"#,
        &[r#"/y: expected int, found text "1" (rule a)"#],
    );
}

#[test]
fn follows_the_alternative_that_got_furthest() {
    let schema = "a = [int, int, b] / [int, tstr, tstr] b = { ? c: int }";
    let violations = json(schema, r#"[1, 2, {"c": null}]"#);
    assert_eq!(told(&violations), ["/2/c: expected int, found null (rule b)"]);
    assert_eq!(violations[0].others, ["/1: expected text, found integer 2 (rule a)"]);
}

#[test]
fn names_scalars_in_one_line() {
    invalid(
        "a = int / tstr .size 2 / 1.5..2.5",
        "true",
        &["/: expected int or text of size 2 or 1.5..2.5, found bool true (rule a)"],
    );
    invalid("a = $nothing", "1", &["/: expected nothing, found integer 1 (rule a)"]);
}

#[test]
fn explains_arrays() {
    let schema = "a = [x: int, ? y: tstr, z: int]";
    invalid(schema, "[1, null, 2]", &["/1: expected text or int, found null (rule a)"]);
    invalid(schema, "[1]", &["/: expected one more element: int, found array of 1 (rule a)"]);
    invalid(schema, "[1, 2, 3]", &["/2: expected no more elements, found integer 3 (rule a)"]);
}

#[test]
fn explains_groups_in_maps() {
    let schema = "a = { id: int, ? (lat: number, lon: number) }";
    invalid(
        schema,
        r#"{"id": 1, "lat": 2}"#,
        &[r#"/: expected key "lon", found no such key (rule a)"#],
    );
    let schema = "a = { id: int, (mail: tstr // phone: tstr, ? ext: uint) }";
    invalid(
        schema,
        r#"{"id": 1, "phone": "1", "ext": -1}"#,
        &["/ext: expected uint, found integer -1 (rule a)"],
    );
    invalid(
        "a = { 2*3 tstr => int }",
        r#"{"b": 1}"#,
        &["/: expected 2 or more keys that are text, found 1 (rule a)"],
    );
}

#[test]
fn cuts_keep_a_key() {
    let schema = "a = { ? \"k\" => int, * tstr => any }";
    valid(schema, r#"{"k": "x"}"#);
    let schema = "a = { ? k: int, * tstr => any }";
    invalid(schema, r#"{"k": "x"}"#, &[r#"/k: expected int, found text "x" (rule a)"#]);
    // The second entry with that key is nobody's.
    assert_eq!(json(schema, r#"{"k": 1, "k": 2}"#).len(), 1);
    // Another alternative may name the same key.
    let schema = r#"a = { (k: "x", b: int // k: "y", c: int), ? d: int }"#;
    valid(schema, r#"{"k": "x", "b": 1}"#);
    valid(schema, r#"{"k": "y", "c": 1}"#);
    // But no key type takes what a cut has named, also when its group fails.
    let schema = "a = { ? (k: int, b: tstr), * tstr => any }";
    valid(schema, r#"{"k": 1, "b": "x", "c": 1}"#);
    assert_eq!(json(schema, r#"{"k": "x"}"#).len(), 1);
}

#[test]
fn goes_on_inside_bytes() {
    // {"m": h'a1626964 6178'}: {"id": "x"} inside
    let document = b"\xa1\x61m\x46\xa1\x62id\x61x";
    assert_eq!(
        told(&cbor("a = { m: bstr .cbor b } b = { id: uint }", document)),
        [r#"/m/id: expected uint, found text "x" (rule b)"#]
    );
    assert_eq!(
        told(&cbor("a = { m: bstr .cborseq [* b] } b = { id: uint }", document)),
        [r#"/m/0/id: expected uint, found text "x" (rule b)"#]
    );
    let cut_off = b"\xa1\x61m\x42\xa1\x62";
    assert_eq!(
        told(&cbor("a = { m: bstr .cbor any }", cut_off)),
        [
            "/m: expected bytes that hold one CBOR item, found bytes that do not (a length of 1 is more than the input holds) (rule a)"
        ]
    );
}

#[test]
fn empty_iterations_count_as_often_as_needed() {
    valid("a = [3*5 (? int)]", "[]");
    valid("a = { 2*2 (? b: int) }", "{}");
}

#[test]
fn compares_across_kinds_without_rounding() {
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
        told(&cbor(tagged, &[0xc2, 0x00])),
        ["/: expected tag 1 or 5..7 or uint greater than 100, found tag 2 on integer (rule a)"]
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
fn sizes_of_integers() {
    valid("a = uint .size 0", "0");
    assert_eq!(json("a = uint .size 0", "1").len(), 1);
    valid("a = uint .size (1..2)", "65535");
    assert_eq!(json("a = uint .size (1...2)", "256").len(), 1);
    valid("a = uint .size 100", "18446744073709551615");
    valid("a = uint .size (1 / 4)", "4294967295");
}

#[test]
fn half_precision() {
    for fits in ["65504.0", "0.000000059604644775390625", "0.00006103515625", "-2048.0", "1e400"] {
        valid("a = float16", fits);
    }
    for too_much in ["65505.0", "65520.0", "2049.0", "0.0000000298023223876953125", "0.1"] {
        assert_eq!(json("a = float16", too_much).len(), 1, "{too_much}");
    }
}

#[test]
fn alternatives_that_share_parts_take_no_time() {
    let schema = "tree = {v: int, ? kids: [* tree]} / {n: tstr, ? kids: [* tree]}";
    for key in ["\"v\": 1", "\"n\": \"\""] {
        let depth = 100;
        let source = format!(
            "{}{{\"v\": null}}{}",
            format!("{{{key}, \"kids\": [").repeat(depth),
            "]}".repeat(depth)
        );
        let violations = json(schema, &source);
        assert_eq!(violations.len(), 1);
        assert!(violations[0].path.ends_with("/kids/0/v"), "{}", violations[0]);
    }
}

#[test]
fn tags_that_share_parts_take_no_time() {
    let mut source = [0xc1].repeat(250);
    source.push(0xf6);
    assert_eq!(cbor("t = #6.1(t) / #6.1(u) / int u = t / tstr", &source).len(), 1);
}

#[test]
fn wide_maps_take_no_time() {
    let entries: Vec<String> = (0..20_000).map(|at| format!("\"k{at}\": {at}")).collect();
    let source = format!("{{{}}}", entries.join(", "));
    valid("a = { * (tstr => int) }", &source);
    assert_eq!(json("a = { * tstr => bool }", &source).len(), 20);
    assert_eq!(json("a = { ? b: int }", &source).len(), 20);
}

/// Runs with the stack of a thread that nobody has configured.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test);
    thread.expect("a thread").join().expect("a verdict");
}

#[test]
fn deep_arrays_fit_the_stack() {
    on_a_small_stack(|| {
        let good = format!("{}{}", "[".repeat(256), "]".repeat(256));
        valid("a = [* a]", &good);
        valid("a = int / [* (a // tstr, b)] b = [a]", &good);
        let bad = format!("{}1{}", "[".repeat(256), "]".repeat(256));
        assert_eq!(json("a = [* a]", &bad).len(), 1);
        assert_eq!(json("a = tstr / [* (a // tstr, b)] b = [a]", &bad).len(), 1);
    });
}

#[test]
fn deep_maps_fit_the_stack() {
    on_a_small_stack(|| {
        let good = format!("{}{{}}{}", "{\"k\": ".repeat(255), "}".repeat(255));
        valid("a = { ? k: a }", &good);
        valid("a = int / { * tstr => a }", &good);
        valid("a = int / { ? (j: int // k: a // * tstr => a) }", &good);
        let bad = format!("{}1{}", "{\"k\": ".repeat(256), "}".repeat(256));
        assert_eq!(json("a = { ? k: a }", &bad).len(), 1);
        assert_eq!(json("a = tstr / { ? (j: int // k: a // * tstr => a) }", &bad).len(), 1);
    });
}

#[test]
fn deep_bytes_fit_the_stack() {
    on_a_small_stack(|| {
        let wrap = |inside: Vec<u8>| {
            let length = u32::try_from(inside.len()).expect("a length").to_be_bytes();
            [&[0x5a], &length[..], &inside].concat()
        };
        let schema = "a = bstr .cbor a / int";
        let nested = |depth, inside| (0..depth).fold(vec![inside], |source, _| wrap(source));
        assert_eq!(told(&cbor(schema, &nested(200, 1))), Vec::<String>::new());
        assert_eq!(cbor(schema, &nested(200, 0xf6)).len(), 1);
        // The limit of depth holds for all of them together.
        assert_eq!(cbor(schema, &nested(2000, 1)).len(), 1);
    });
}

/// The violations of a document and how many steps they took.
fn counted(schema: &str, document: &str) -> (Vec<Violation>, u64) {
    let schema = crate::parse("test.cddl", schema).expect("a schema");
    let interpreter = Interpreter::new(&schema).expect("an interpreter").max_violations(usize::MAX);
    let document = Document::json(document.as_bytes()).expect("JSON");
    let (violations, judge) = interpreter.judge(schema.root, &document);
    let steps = judge.budget.steps();
    (violations, steps)
}

#[track_caller]
fn linear(schema: impl Fn(usize) -> String, document: impl Fn(usize) -> String, violations: bool) {
    let [one, four] = [200, 800].map(|size| {
        let (found, steps) = counted(&schema(size), &document(size));
        assert_eq!(!found.is_empty(), violations, "{:?}", found.first());
        steps
    });
    assert!(four <= 4 * one + one / 10, "{one} steps, then {four}");
}

fn object(count: usize, value: impl Fn(usize) -> &'static str) -> String {
    let members: Vec<_> = (0..count).map(|at| format!("\"n{at}\":{}", value(at))).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn repeated_groups_over_maps_take_linear_work() {
    let good = |size: usize| object(size, |_| "1");
    let bad = |size: usize| object(size, |at| if at < size / 2 { "true" } else { "1" });
    for schema in [
        r#"a = { * ( "k": int // tstr => int ) }"#,
        "a = { * ( h'6b' => int // tstr => int ) }",
        "a = { * ( tstr => int, bstr => int // tstr => int ) }",
        "a = { * ( 2*2 tstr => int, bstr => int // tstr => int ) }",
        "a = { * ( tstr => int ), * tstr => int }",
    ] {
        linear(|_| schema.to_owned(), good, false);
        linear(|_| schema.to_owned(), bad, true);
    }
    let members = |size: usize| {
        let members: Vec<_> = (0..size).map(|at| format!("? n{at}: int")).collect();
        format!("a = {{ {} }}", members.join(",\n"))
    };
    linear(members, good, false);
    linear(members, bad, true);
}

#[test]
fn many_violations_take_linear_work() {
    let elements = |size: usize| format!("[{}]", vec!["true"; size].join(","));
    linear(|_| "a = [* int]".to_owned(), elements, true);
    linear(|_| "a = [* (int / [* int])]".to_owned(), elements, true);
    let maps = |size: usize| format!("[{}]", vec![r#"{"b":{"c":true}}"#; size].join(","));
    linear(|_| "a = [* ({ b: { c: int } } / { b: { c: tstr } })]".to_owned(), maps, true);
    let (violations, _) = counted("a = [* int]", &elements(5000));
    assert_eq!(violations.len(), 5000);
    assert_eq!(violations[4999].path, "/4999");
}

#[test]
fn many_alternatives_take_linear_work() {
    let literals = |size: usize| {
        let alternatives: Vec<_> = (0..size).map(|at| format!("\"n{at}\"")).collect();
        format!("a = [* b]\nb = {}", alternatives.join(" / "))
    };
    let elements = |size: usize| {
        let elements: Vec<_> = (0..size).map(|at| format!("\"n{at}\"")).collect();
        format!("[{}]", elements.join(","))
    };
    linear(literals, elements, false);
    linear(literals, |size| elements(size).replace('n', "m"), true);
    invalid(
        "a = 1 / 2.5 / \"x\" / 3 / 4 / 5 / 6 / 7 / 8 / [int] / c\nc = \"c\"",
        "9",
        &[
            "/: expected 1 or 2.5 or \"x\" or 3 or 4 or 5 or 6 or 7 or 8 or array or \"c\", found integer 9 (rule a)",
        ],
    );
    for good in ["1", "2.5", "\"x\"", "8", "[1]", "\"c\""] {
        valid("a = 1 / 2.5 / \"x\" / 3 / 4 / 5 / 6 / 7 / 8 / [int] / c\nc = \"c\"", good);
    }
}

#[test]
fn schemas_that_multiply_work_are_stopped() {
    let twice: Vec<_> = (0..60).map(|n| format!("r{n} = r{0} / r{0}", n + 1)).collect();
    let sizes: Vec<_> = (0..30).map(|n| format!("s{n} = uint .size s{}", n + 1)).collect();
    for (schema, document) in [
        (format!("{}\nr60 = int", twice.join("\n")), "true"),
        (format!("a = s0\n{}\ns30 = 0", sizes.join("\n")), "7"),
        ("a = [* (* (* (* int, \"x\" // int), \"y\" // int), \"z\" // int)]".to_owned(), "LIST"),
    ] {
        let list = format!("[{}]", vec!["1"; 300].join(","));
        let document = if document == "LIST" { &list } else { document };
        let parsed = crate::parse("test.cddl", &schema).expect("a schema");
        let mut interpreter = Interpreter::new(&parsed).expect("an interpreter");
        interpreter.steps = 20_000;
        let shown = told(&interpreter.validate(&Document::json(document.as_bytes()).unwrap()));
        assert!(
            shown.last().is_some_and(|last| last.contains("validation was stopped")),
            "{schema:.200} {shown:.200?}"
        );
    }
}

#[test]
fn long_chains_of_rules_are_stopped_not_followed() {
    for operator in ["/ int", ".and any", ".within any"] {
        let rules: Vec<_> = (0..1500).map(|n| format!("r{n} = r{} {operator}", n + 1)).collect();
        let schema = format!("{}\nr1500 = tstr / [* r0]", rules.join("\n"));
        let violations = json(&schema, r#""text""#);
        assert!(told(&violations)[0].contains("nested deeper"), "{:?}", told(&violations));
    }
    let names: Vec<_> = (0..1500).map(|n| format!("r{n} = r{}", n + 1)).collect();
    valid(&format!("{}\nr1500 = tstr / [* r0]", names.join("\n")), r#"[["text"]]"#);
}

#[test]
fn documents_of_all_levels_are_matched() {
    let (open, close) = ("[".repeat(256), "]".repeat(256));
    valid("a = int / [* a]", &format!("{open}{close}"));
    let (open, close) = (r#"{"b":"#.repeat(255), "}".repeat(255));
    valid("a = int / { ? b: a }", &format!("{open}1{close}"));
    let several = "a = {? b: c, * tstr => c}\nc = (e / int) .and any\ne = a / tstr";
    valid(several, &format!("{open}1{close}"));
}

#[test]
fn messages_about_large_types_stay_short() {
    let one = |level: usize| -> String {
        let inner: Vec<_> = (0..20).map(|n| format!("[int] .within l{}x{n}", level + 1)).collect();
        let rules = (0..20).map(|n| format!("l{level}x{n} = {}\n", inner.join(" / ")));
        rules.collect()
    };
    let last: Vec<_> = (0..20).map(|n| format!("l4x{n} = \"{n}\"")).collect();
    let levels = [one(0), one(1), one(2), one(3)].concat();
    let schema = format!("a = l0x0\n{levels}{}", last.join("\n"));
    let violations = json(&schema, "1");
    assert!(violations[0].to_string().len() < 20_000);
}

#[test]
fn duplicate_keys_are_violations_at_every_depth() {
    let found = |text: &str| format!("{text}: expected every key once, found duplicate key");
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
    assert_eq!(told(&cbor("a = any", twice)), [format!("{} 1", found("/1"))]);
    let embedded = [&[0x46][..], twice].concat();
    for schema in ["a = bstr .cbor any", "a = null / bstr .cbor any", "a = bstr .cborseq [any]"] {
        let violations = told(&cbor(schema, &embedded));
        assert_eq!(violations.len(), 1, "{schema}: {violations:?}");
        assert!(violations[0].contains("duplicate key 1"), "{schema}: {violations:?}");
    }
    assert_eq!(told(&cbor("a = bstr", &embedded)), Vec::<String>::new());
}
