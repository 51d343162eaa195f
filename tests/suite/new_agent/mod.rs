//! Adds a sample agent like any other: its adapter, its rules, its fixture, and the tests that call
//! the harness.

mod example;

use serde_json::Value;
use vac::AGENTS;
use vac_adapter::{Adapter, detect};
use vac_adapter_check::agents::{AgentRules, Exception, When};
use vac_adapter_check::references::text;
use vac_adapter_check::{References, TestLog, check_all, fixture_logs, golden, hostile};
use vac_tests::markdown::Document;

use example::Example;

/// The rules of the checks for logs of Example.
pub const EXAMPLE: AgentRules = AgentRules {
    name: "example",
    exceptions: &[
        Exception {
            paths: &["kind"],
            when: When::Is(&["said", "did", "saw"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["who"],
            when: When::Is(&["user", "example"]),
            reason: "the type of its entry",
        },
    ],
    copies: &[],
    one_entry_a_document: |_| true,
    reads_damaged: |_| false,
    documents: |log: &TestLog| log.parts.iter().map(|part| part.bytes.clone()).collect(),
    references,
    sample: concat!(
        r#"{"kind":"hello","session":"s1","cwd":VALUE}"#,
        "\n",
        r#"{"kind":"said","who":"user","words":VALUE,"at":VALUE}"#,
        "\n",
        r#"{"kind":"did","tool":"look","with":VALUE,"ticket":"t1","extra":VALUE}"#,
        "\n",
        r#"{"kind":"saw","what":VALUE,"ticket":"t1","ok":VALUE}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    match line["kind"].as_str() {
        Some("did") => found.calls.extend(text(&line["ticket"])),
        Some("saw") => found.results.extend(text(&line["ticket"])),
        _ => {}
    }
}

#[test]
fn every_fixture_gives_its_expected_record() {
    assert_eq!(golden(&Example), 1);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&EXAMPLE, &Example, &fixture_logs(&Example)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&EXAMPLE, &Example) > 40);
    for log in fixture_logs(&Example) {
        hostile::check_truncated(&EXAMPLE, &Example, &log, 60);
        hostile::check_changed_bytes(&EXAMPLE, &Example, &log, 40);
    }
}

#[test]
fn only_its_own_logs_are_detected_as_its_logs() {
    let all: Vec<&dyn Adapter> = AGENTS.iter().copied().chain([&Example as &dyn Adapter]).collect();
    for log in fixture_logs(&Example) {
        let (adapter, _) = detect(&log, &all).expect("memory").expect("a log of an agent");
        assert_eq!(adapter.name(), "example");
        assert!(detect(&log, AGENTS).expect("memory").is_none(), "a log of another agent");
    }
    for owner in AGENTS.iter().copied() {
        for log in fixture_logs(owner) {
            let (adapter, _) = detect(&log, &all).expect("memory").expect("a log of an agent");
            assert_ne!(adapter.name(), "example", "{}", log.shown);
        }
    }
}

#[test]
fn native_keys_with_the_names_of_annotations_mean_nothing() {
    assert_eq!(crate::keys::check_annotation_keys(&Example, &fixture_logs(&Example)), 1);
}

/// The guide shows parts of these files; they have to be the same.
#[test]
fn code_in_the_guide_is_that_of_the_example() {
    let code = [include_str!("example.rs"), include_str!("mod.rs")].concat();
    let guide = Document::read("crates/vac-adapter/README.md");
    let quotes = guide.blocks().into_iter().filter(|block| block.language == "rust");
    let mut count = 0;
    for quote in quotes {
        let text = quote.lines.join("\n") + "\n";
        let indented: String = quote.lines.iter().map(|line| indented(line)).collect();
        let is_there = code.contains(&text) || code.contains(&indented);
        assert!(is_there, "line {}: not in the example:\n{text}", quote.line);
        count += 1;
    }
    assert!(count >= 6, "only {count} quotes");
}

fn indented(line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }
}
