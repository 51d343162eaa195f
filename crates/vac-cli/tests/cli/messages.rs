//! Tests messages about violations.

use crate::records::{record, small, with};
use crate::run::{Folder, Ran};

fn validate(document: &str) -> Ran {
    let folder = Folder::new();
    folder.write("a.json", document);
    folder.vac(&["validate", "a.json"])
}

#[test]
fn valid_record_is_summarised_on_stderr() {
    let ran = validate(&small());
    ran.gives(0, "");
    assert_eq!(ran.stderr, "1 file: 1 valid, 0 invalid, 0 unreadable\n");
}

#[test]
fn a_bad_timestamp_four_levels_deep_is_named_by_its_pointer() {
    let mut entry = r#"{"type": "user", "timestamp": "2026-13-01T00:00:00Z"}"#.to_owned();
    for _ in 0..3 {
        entry = format!(r#"{{"type": "assistant", "children": [{entry}]}}"#);
    }
    validate(&record(&entry)).gives(
        1,
        "a.json: /session/entries/0/children/0/children/0/children/0/timestamp: expected text \
         matching date-time-regexp or uint, found text \"2026-13-01T00:00:00Z\" (rule abstract-timestamp)\n",
    );
}

#[test]
fn an_unknown_entry_type_lists_the_known_ones() {
    validate(&record(r#"{"type": "robot"}"#)).gives(
        1,
        "a.json: /session/entries/0/type: expected \"user\", \"assistant\", \"tool-call\", \
         \"tool-result\", \"reasoning\" or \"system-event\", found text \"robot\" (rule entry)\n",
    );
}

#[test]
fn an_extra_key_of_a_closed_map_is_named() {
    validate(&with(r#""file-attribution": {"files": [], "extra": 1}"#)).gives(
        1,
        "a.json: /file-attribution/extra: unexpected key \"extra\" (rule \
         file-attribution-record)\n",
    );
}

#[test]
fn a_missing_key_is_named_with_the_rule_of_its_map() {
    validate(&record(r#"{"type": "tool-call", "name": "ls"}"#)).gives(
        1,
        "a.json: /session/entries/0: missing key \"input\" (rule \
         tool-call-entry)\n",
    );
}

#[test]
fn a_choice_is_reported_inside_the_alternative_that_its_literal_picks() {
    let ran = validate(&record(r#"{"type": "tool-call", "name": 1, "input": 2, "call-id": 3}"#));
    let paths: Vec<_> = ran.lines().iter().map(|line| line.split(": ").nth(1).unwrap()).collect();
    assert_eq!(paths, ["/session/entries/0/name", "/session/entries/0/call-id"]);
}

#[test]
fn found_text_is_short_and_harmless_to_a_terminal() {
    let found = |text: &str| {
        let ran = validate(&with(&format!(r#""created": "\u001b[31m{text}""#)));
        let [line] = ran.lines()[..] else { panic!("{ran:?}") };
        line.to_owned()
    };
    let line = found("today");
    assert!(line.contains(r#"found text "\u{1b}[31mtoday" (rule"#), "{line}");
    let line = found(&"secret".repeat(20));
    assert!(line.contains("found text of 125 characters (rule"), "{line}");
}

#[test]
fn values_of_type_any_are_never_printed() {
    let ran = validate(&record(r#"{"type": "user", "content": {"password": "x"}, "id": 1}"#));
    assert!(!ran.stdout.contains("password"), "{ran:?}");
    assert_eq!(ran.code, 1);
}

#[test]
fn violations_are_reported_up_to_a_maximum() {
    let folder = Folder::new();
    let entries = vec!["1"; 30].join(",");
    folder.write("a.json", record(&entries));
    for (arguments, lines) in
        [(&[][..], 20), (&["--max-errors", "3"], 3), (&["--max-errors=0"], 30)]
    {
        let ran = folder.vac(&[&["validate", "a.json"], arguments].concat());
        assert_eq!(ran.lines().len(), lines);
        let rest = format!("a.json: {} more violations (see --max-errors)\n", 30 - lines);
        assert_eq!(ran.stderr.contains(&rest), lines < 30, "{}", ran.stderr);
    }
}

#[test]
fn syntax_errors_have_a_line_in_json_and_an_offset_in_cbor() {
    let folder = Folder::new();
    folder.write("a.json", "{\"é\": 1,\n  \"b\" 2}");
    folder.write("b.cbor", [0xa1, 0x61, b'a', 0x18]);
    folder.vac(&["validate", "a.json", "b.cbor"]).gives(
        1,
        "a.json: line 2, column 7: expected ':'\n\
         b.cbor: byte 3: the input ends inside the document\n",
    );
}

#[test]
fn verbose_prints_the_other_alternatives() {
    let folder = Folder::new();
    folder.write("a.cddl", "a = { b: 1, c: tstr } / { b: 1, d: [int] }");
    folder.write("a.json", r#"{"b": 1, "d": ["x"]}"#);
    let short = folder.vac(&["validate", "--schema", "a.cddl", "a.json"]);
    let long = folder.vac(&["validate", "-v", "--schema", "a.cddl", "a.json"]);
    assert_eq!(short.lines().len(), 1, "{short:?}");
    assert!(long.lines().len() > 1, "{long:?}");
    assert!(long.stdout.contains("\n  or: "), "{long:?}");
}
