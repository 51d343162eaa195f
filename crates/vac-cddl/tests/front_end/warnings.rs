//! Warnings: constructs that are allowed and probably mistakes.

use std::fmt::Write as _;

use vac_cddl::ir::{Warning, WarningKind};

use super::read;

/// Returns the warnings of a text, of one kind, as `line:column`.
fn places(kind: WarningKind, text: &str) -> Vec<String> {
    let warnings = read(text).warnings.into_iter();
    let places = warnings.filter(|warning| warning.kind == kind);
    places
        .map(|Warning { location, .. }| format!("{}:{}", location.line, location.column))
        .collect()
}

#[track_caller]
fn check(kind: WarningKind, cases: &[(&str, &[&str])]) {
    for (text, wanted) in cases {
        assert_eq!(places(kind, text), *wanted, "in: {text}");
    }
}

#[test]
fn every_unused_rule_is_reported() {
    check(
        WarningKind::UnusedRule,
        &[
            ("a = b\nb = int", &[]),
            ("a = int\nb = c\nc = int", &["2:1", "3:1"]),
            ("a = {g}\ng = (x: b)\nb = int", &[]),
            ("a = l<b>\nl<T> = [T, c]\nb = int\nc = int", &[]),
            ("a = int\n$s /= b\nb = int", &["3:1"]),
            ("a = $s\n$s /= b\nb = int", &[]),
            ("a = {b: int}\nb = int", &["2:1"]),
            ("a = {b => int}\nb = 1", &[]),
            ("a = int\nversion = \"1.0\"\nb = 1 / 2", &["3:1"]),
            ("a = tstr .size b\nb = 1", &[]),
            ("a = l<1>\nl<b> = b\nb = int", &["3:1"]),
            ("a = #6.<b>(int)\nb = 1", &[]),
            ("a = ~b\nb = #6.1(int)\nc /= int", &["3:1"]),
        ],
    );
    let schema = read("a = int\nb = int");
    assert_eq!(
        schema.warnings[0].to_string(),
        "spec.cddl:2:1: rule `b` is not used: `a` does not lead to it (refer to it, or remove it)"
    );
}

#[test]
fn the_start_rule_counts_as_used() {
    let files = [vac_cddl::SpecFile::new("s.cddl", "a = b\nb = int\nc = d\nd = int\ne = int")];
    let options = vac_cddl::ParseOptions { start: Some("c"), modules: None };
    let schema = vac_cddl::parse_files(&files, &options).expect("CDDL");
    let shown: Vec<String> = schema.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(shown[0].starts_with("s.cddl:5:1: rule `e` is not used: `c` does not"), "{shown:?}");
}

#[test]
fn unreachable_alternatives_of_types_are_reported() {
    check(
        WarningKind::UnreachableAlternative,
        &[
            ("a = 1 / 2 / 3", &[]),
            ("a = 1 / 2 / 1", &["1:13"]),
            ("a = 1 / 1.0 / \"1\" / '1' / -1", &[]),
            ("a = int / 5", &["1:11"]),
            ("a = 5 / int", &[]),
            ("a = uint / -5", &[]),
            ("a = uint / int / nint", &["1:18"]),
            ("a = number / 1.5 / 3", &["1:14", "1:20"]),
            ("a = tstr / \"x\" / text .size 3", &["1:12", "1:18"]),
            ("a = tstr .size 3 / tstr", &[]),
            ("a = any / int", &["1:11"]),
            ("a = # / int", &["1:9"]),
            ("a = int / any", &[]),
            ("a = 1..9 / 5 / 10 / 2..3 / 5..12", &["1:12", "1:21"]),
            ("a = 1...9 / 9", &[]),
            ("a = b / b\nb = [int]", &["1:9"]),
            ("a = b / \"y\"\nb = \"x\" / \"y\"", &["1:9"]),
            ("a = b / c\nb = \"x\" / \"y\"\nc = \"y\" / \"x\"", &["1:9"]),
            ("a = {x: int} / { x: int }", &["1:16"]),
            ("a = {x: int} / {x: tstr} / [x: int]", &[]),
            ("a = {* any => any} / {x: int}", &["1:22"]),
            ("a = {* tstr => any} / {x: int}", &[]),
            ("a = [* any] / [int]", &["1:15"]),
            ("a = bool / true / null", &["1:12"]),
            ("a = #6.1(int) / #6.1(int) / #6.2(int)", &["1:17"]),
            ("a = (tstr / int) / 5", &["1:20"]),
            ("a = bstr / bstr .cbor int", &["1:12"]),
            ("a = float16 / float32 / 1.5", &[]),
            ("a = float / 1.5", &["1:13"]),
            // Sockets without plugs accept nothing, on purpose.
            ("a = int / $b", &[]),
            ("a = $b\n$b /= int\n$b /= 1", &["3:7"]),
            // Arguments of generic rules are not the rule's mistake.
            ("a = o<null>\no<T> = null / T", &[]),
            ("a = {x: int / 1, (int / 2) => any}", &["1:15", "1:25"]),
            ("a = int .default 1 / 2", &["1:22"]),
            ("a = \"x\" .feature \"f\" / \"x\"", &[]),
            ("a = &(x: 1, y: 2, z: 1)", &["1:22"]),
        ],
    );
}

#[test]
fn unreachable_alternatives_of_groups_are_reported() {
    check(
        WarningKind::UnreachableAlternative,
        &[
            ("a = {x: 1 // y: 2}", &[]),
            ("a = {x: 1 // x: 1}", &["1:14"]),
            ("a = [x: 1 // (int, y: 2) // x: 1]", &["1:29"]),
            ("a = {* any => any // x: 1}", &["1:22"]),
            ("a = {(x: 1 // y: 2 // x: 1), z: 3}", &["1:23"]),
            ("a = {g}\ng = (x: 1 // x: 1)", &["2:14"]),
            ("a = {x: 1 // ? x: 1 // x => 1}\nx = \"x\"", &[]),
        ],
    );
}

#[test]
fn types_that_json_cannot_express_are_reported_by_rule() {
    check(
        WarningKind::NotJson,
        &[
            ("a = {x: int, y: [* tstr], z: null / 1.5}", &[]),
            ("a = {x: int, ? y: bstr}", &["1:19"]),
            ("a = {x: int, ? 1 => tstr, ? 2 => int}", &["1:14"]),
            ("a = {x: int, * int => tstr}", &["1:14"]),
            ("a = {x: b, ? y: b}\nb = {? 1 => int}", &["2:6"]),
            ("a = {? x: tdate}", &["1:11"]),
            ("a = [* (bstr / tstr)]", &[]),
            ("a = {? (\"x\" / 1) => int}", &[]),
            ("a = {x: 1 // 1 => 1}", &[]),
            ("a = [? #6.5(int), ? 'x', ? undefined]", &["1:8"]),
            // Labels of arrays are comments.
            ("a = [1: int]", &[]),
            // The other alternative is for CBOR.
            ("a = b / #6.18([bstr, {1 => int}])\nb = {x: int}", &[]),
            ("a = {x: int, ? y: b}\nb = #6.1(int)", &["2:5"]),
            // No JSON matches at all: one warning at the start rule.
            ("a = b\nb = [bstr, {1 => int}]", &["1:1"]),
            ("a = [+ a] / bstr", &[]),
        ],
    );
    let shown = |text: &str| read(text).warnings[0].to_string();
    assert_eq!(
        shown("a = {x: int, ? 1 => tstr}"),
        "spec.cddl:1:14: JSON cannot express what `a` asks for: the label 1; use texts for JSON, \
         or a choice of both"
    );
    assert_eq!(
        shown("a = b\nb = #6.18(int)"),
        "spec.cddl:1:1: no JSON document matches `a` (a tag, spec.cddl:2:5): it is for CBOR only"
    );
    assert_eq!(
        shown("a = c / {1 => 1}\nb = bstr\nc = [? 'x', {? 2 => int}, (x: b // 'y')]"),
        "spec.cddl:1:1: no JSON document matches `a` (`bstr`, spec.cddl:2:5): it is for CBOR only"
    );
}

#[test]
fn many_rules_without_json_are_one_warning() {
    let mut text = "a = {".to_owned();
    for n in 0..50 {
        write!(text, "? x{n}: r{n}, ").expect("a string");
    }
    text.push('}');
    for n in 0..50 {
        write!(text, "\nr{n} = {{? {n} => int}}").expect("a string");
    }
    let warnings = read(&text).warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(
        warnings[0].to_string(),
        "spec.cddl:2:7: JSON cannot express what 50 rules ask for, such as `r0`, `r1`, `r2` \
         (the label 0): use texts for JSON, or a choice of both"
    );
}

#[test]
fn warnings_of_a_kind_are_limited() {
    let rules: Vec<String> = (0..1000).map(|n| format!("a{n} = int / 1")).collect();
    let warnings = read(&rules.join("\n")).warnings;
    let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let more: Vec<&String> = shown.iter().filter(|line| line.contains(" more warnings ")).collect();
    assert_eq!(shown.len(), 20, "{shown:?}");
    assert_eq!(
        more,
        [
            "spec.cddl:10:12: 991 more warnings of this kind (unreachable-alternative)",
            "spec.cddl:11:1: 990 more warnings of this kind (unused-rule)"
        ]
    );
}

#[test]
fn search_for_warnings_takes_bounded_time() {
    // Each choice repeats the one before it twice.
    let mut text = "r0 = {x: 1} / {y: 2}".to_owned();
    for n in 1..200 {
        write!(text, "\nr{n} = r{0} / [r{0}] / r{0} / {{z: r{0}}}", n - 1).expect("a string");
    }
    read(&text);
    let wide: Vec<String> = (0..20_000).map(|n| format!("[{n}]")).collect();
    read(&format!("a = {}", wide.join(" / ")));
    let chain: Vec<String> = (0..20_000).map(|n| format!("a{n} = a{} / {n}", n + 1)).collect();
    read(&format!("{}\na20000 = bstr", chain.join("\n")));
}

#[test]
fn a_byte_order_mark_gives_a_warning() {
    let schema = read("\u{feff}a = int");
    assert_eq!(
        schema.warnings[0].to_string(),
        "spec.cddl:1:1: a byte order mark (U+FEFF) is not part of CDDL: remove it"
    );
    assert_eq!(schema.warnings[0].kind.code(), "lenient");
}

#[test]
fn the_specification_of_agent_records_has_no_warnings() {
    let text = include_str!("../../../../spec/agent-conversation.cddl");
    assert_eq!(read(text).warnings, []);
}
