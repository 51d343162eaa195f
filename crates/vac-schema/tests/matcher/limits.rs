//! Time and depth are bounded for every schema and document.

use super::*;

#[test]
fn alternatives_that_share_parts_take_little_time() {
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
fn tags_that_share_parts_take_little_time() {
    let mut source = [0xc1].repeat(250);
    source.push(0xf6);
    assert_eq!(cbor("t = #6.1(t) / #6.1(u) / int u = t / tstr", &source).len(), 1);
}

#[test]
fn wide_maps_take_little_time() {
    let entries: Vec<String> = (0..20_000).map(|at| format!("\"k{at}\": {at}")).collect();
    let source = format!("{{{}}}", entries.join(", "));
    valid("a = { * (tstr => int) }", &source);
    assert_eq!(json("a = { * tstr => bool }", &source).len(), 20);
    assert_eq!(json("a = { ? b: int }", &source).len(), 20);
}

/// Runs with the default stack of a thread.
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
        assert_eq!(lines(&cbor(schema, &nested(200, 1))), Vec::<String>::new());
        assert_eq!(cbor(schema, &nested(200, 0xf6)).len(), 1);
        // The limit of depth holds for all of them together.
        assert_eq!(cbor(schema, &nested(2000, 1)).len(), 1);
    });
}

/// Returns the verdict on a document, and the number of steps it took.
fn counted(text: &str, document: &str) -> (Result<(), Violations>, u64) {
    let schema = schema(text);
    let document = Document::json(document.as_bytes()).expect("JSON");
    let mut budget = Budget::new(document.root());
    let verdict = schema.validate_within(schema.root, document.root(), usize::MAX, &mut budget);
    (verdict, budget.steps())
}

#[track_caller]
fn linear(schema: impl Fn(usize) -> String, document: impl Fn(usize) -> String, violations: bool) {
    let [one, four] = [200, 800].map(|size| {
        let (verdict, steps) = counted(&schema(size), &document(size));
        assert_eq!(verdict.is_err(), violations, "{verdict:.200?}");
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
    let violations = counted("a = [* int]", &elements(5000)).0.expect_err("invalid");
    assert_eq!(violations.total(), 5000);
    assert_eq!(violations.as_slice()[4999].path, "/4999");
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
        &["/: expected 1, 2.5, \"x\", 3, 4, 5, 6, 7, 8, array or \"c\", found integer 9 (rule a)"],
    );
    for good in ["1", "2.5", "\"x\"", "8", "[1]", "\"c\""] {
        valid("a = 1 / 2.5 / \"x\" / 3 / 4 / 5 / 6 / 7 / 8 / [int] / c\nc = \"c\"", good);
    }
}

#[test]
fn repetitions_within_repetitions_take_linear_work() {
    let schema = "a = [* (* (* (* int, \"x\" // int), \"y\" // int), \"z\" // int)]";
    let elements = |size: usize| format!("[{}]", vec!["1"; size].join(","));
    linear(|_| schema.to_owned(), elements, false);
    linear(|_| schema.to_owned(), |size| elements(size).replace("1]", "true]"), true);
}

#[test]
fn schemas_that_multiply_work_are_stopped() {
    let twice: Vec<_> = (0..60).map(|n| format!("r{n} = r{0} / r{0}", n + 1)).collect();
    let sizes: Vec<_> = (0..30).map(|n| format!("s{n} = uint .size s{}", n + 1)).collect();
    for (schema, document) in [
        (format!("{}\nr60 = 5", twice.join("\n")), "7"),
        (format!("a = s0\n{}\ns30 = 0", sizes.join("\n")), "7"),
    ] {
        let tables = super::schema(&schema);
        let document = Document::json(document.as_bytes()).expect("JSON");
        let mut budget = Budget::with_steps(20_000);
        let verdict = tables.validate_within(tables.root, document.root(), 20, &mut budget);
        let violations = verdict.expect_err("it takes more steps");
        assert_eq!(violations.as_slice()[0].kind, ViolationKind::Stopped, "{schema:.200}");
        assert_eq!(violations.total(), 1, "{schema:.200}");
    }
}

#[test]
fn long_chains_of_types_are_refused_and_of_rules_followed() {
    for operator in ["/ int", ".and any", ".within any"] {
        let rules: Vec<_> = (0..1500).map(|n| format!("r{n} = r{} {operator}", n + 1)).collect();
        let text = format!("{}\nr1500 = tstr / [* r0]", rules.join("\n"));
        let parsed = vac_cddl::parse("test.cddl", &text).expect("CDDL");
        let error = vac_cddl::tables(&parsed).expect_err("too many types in a row").to_string();
        assert!(error.contains("more than 500 types in a row"), "{error}");
    }
    // Few nested types per level of the document, but too many levels.
    let rules: Vec<_> = (0..20).map(|n| format!("r{n} = r{} / int", n + 1)).collect();
    let text = format!("{}\nr20 = tstr / [* r0]", rules.join("\n"));
    let document = format!("{}\"text\"{}", "[".repeat(200), "]".repeat(200));
    on_a_small_stack(move || {
        let violations = json(&text, &document);
        assert_eq!(violations[0].kind, ViolationKind::Stopped, "{}", violations[0]);
    });
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

/// Returns a schema with many plugs, and a document that uses all of them.
fn plugs(count: usize, plug: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| plug(at) + "\n").collect()
}

#[test]
fn many_alternatives_of_groups_take_linear_work() {
    let schema = |size: usize| {
        format!("a = {{ * $$g }}\n{}", plugs(size, |at| format!("$$g //= (n{at}: int)")))
    };
    linear(schema, |size| object(size, |_| "1"), false);
    linear(schema, |size| object(size, |_| "true"), true);
    // In another order than the schema's, and with keys that no alternative has.
    let reversed = |size: usize| {
        let members: Vec<_> = (0..size).rev().map(|at| format!("\"n{at}\":1")).collect();
        format!("{{{}}}", members.join(","))
    };
    linear(schema, reversed, false);
    linear(schema, |size| object(size, |_| "1").replace("0\":", "x\":"), true);
    // Alternatives without a key of their own are tried as well.
    let open = |size: usize| format!("{}$$g //= (tstr => bool)\n", schema(size));
    let mixed = |size: usize| object(size, |at| if at % 2 == 0 { "1" } else { "true" });
    linear(|size| open(size).replace("(n", "(? n"), |size| object(size, |_| "1"), true);
    let without_cuts = |size: usize| open(size).replace("(n", "(\"n").replace(": int", "\" => int");
    linear(without_cuts, mixed, false);
}

#[test]
fn alternatives_that_are_skipped_change_no_verdict() {
    // Nine alternatives are tried by key, eight one by one.
    let more = |count: usize| plugs(count, |at| format!("$$g //= (x{at}: int)"));
    for (first, document, is_valid) in [
        ("(a: int, b: int)", r#"{"a": 1, "b": 2}"#, true),
        ("(a: int, b: int)", r#"{"a": 1}"#, false),
        ("(a: int, b: int)", r#"{"b": 1}"#, false),
        ("(? a: int, b: int)", r#"{"b": 1}"#, true),
        ("(b: int, ? a: int)", r#"{"a": 1}"#, false),
        ("(tstr => bool, a: int)", r#"{"a": 1, "c": true}"#, true),
        ("(tstr => bool, a: int)", r#"{"c": true}"#, false),
        ("(1 => int)", r#"{"1": 1}"#, false),
        ("(0*0 a: int)", r#"{"a": 1}"#, false),
        ("(0*0 a: int)", "{}", true),
        // The cut keeps `a` from the key type, although its alternative fails.
        ("(a: bool) $$g //= (tstr => int)", r#"{"a": 1}"#, false),
        ("(\"a\" => bool) $$g //= (tstr => int)", r#"{"a": 1}"#, true),
    ] {
        let verdicts = [0, 8, 20].map(|count| {
            let schema = format!("r = {{ * $$g }}\n$$g //= {first}\n{}", more(count));
            json_lines(&schema, document)
        });
        assert_eq!(verdicts[0].is_empty(), is_valid, "{first} {document}: {verdicts:?}");
        assert!(verdicts.iter().all(|it| it.is_empty() == is_valid), "{first}: {verdicts:?}");
    }
}

#[test]
fn many_alternatives_of_types_take_linear_work() {
    let maps = |size: usize| {
        let plug = |at: usize| format!("$s /= r{at}\nr{at} = {{ type: \"t{at}\", v: int }}");
        format!("a = [* $s]\n{}", plugs(size, plug))
    };
    let elements = |size: usize| {
        let elements: Vec<_> = (0..size).map(|at| format!(r#"{{"type":"t{at}","v":1}}"#)).collect();
        format!("[{}]", elements.join(","))
    };
    linear(maps, elements, false);
    linear(maps, |size| elements(size).replace("\"v\":1", "\"v\":true"), true);
    // More alternatives than real schemas have still get a selector.
    let (verdict, steps) = counted(&maps(6000), &elements(6000));
    assert!(verdict.is_ok() && steps < 6000 * 10, "{steps}");
}

#[test]
fn search_for_deciding_members_is_bounded() {
    // Each of many choices refers to all maps of a large one.
    let maps = plugs(2000, |at| format!("$s /= {{ type: {at}, v: int }}"));
    let users = plugs(4000, |at| format!("u{at} = $s / [u{at}] / {at}.5"));
    let tables = schema(&format!("a = u0 / u3999\n{users}{maps}"));
    for document in [r#"{"type": 1999, "v": 1}"#, "[3999.5]", "[[0.5]]"] {
        let document = Document::json(document.as_bytes()).expect("JSON");
        assert_eq!(tables.validate(tables.root, document.root(), 20), Ok(()));
    }
}
