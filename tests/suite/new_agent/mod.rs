//! A made-up agent is added as any other would be: its adapter, its rules, its fixture, and
//! what the harness then asks of it.

mod example;

use serde_json::Value;
use vac::AGENTS;
use vac_adapter::{Adapter, detect};
use vac_adapter_check::agents::{Agent, Exception, When};
use vac_adapter_check::references::text;
use vac_adapter_check::{Log, References, fixture_logs, golden, hostile, walk};
use vac_tests::markdown::Document;

use example::Example;

/// What a test has to know about the logs of Example.
pub const EXAMPLE: Agent = Agent {
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
    takes_apart: |_| false,
    documents: |log: &Log| log.parts.iter().map(|part| part.bytes.clone()).collect(),
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
fn every_fixture_gives_the_record_beside_it() {
    assert_eq!(golden(&Example), 1);
}

#[test]
fn nothing_of_a_log_is_lost() {
    for (name, outcome) in walk(&EXAMPLE, &Example, &fixture_logs(&Example)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_keep_what_they_hold() {
    assert!(hostile::hostile(&EXAMPLE, &Example) > 40);
    for log in fixture_logs(&Example) {
        hostile::cut(&EXAMPLE, &Example, &log, 60);
        hostile::change(&EXAMPLE, &Example, &log, 40);
    }
}

#[test]
fn its_logs_are_known_and_those_of_others_are_not_its() {
    let all: Vec<&dyn Adapter> = AGENTS.iter().copied().chain([&Example as &dyn Adapter]).collect();
    for log in fixture_logs(&Example) {
        let (adapter, _) = detect(&log, &all).expect("memory").expect("somebody's");
        assert_eq!(adapter.name(), "example");
        assert!(detect(&log, AGENTS).expect("memory").is_none(), "somebody else's");
    }
    for owner in AGENTS.iter().copied() {
        for log in fixture_logs(owner) {
            let (adapter, _) = detect(&log, &all).expect("memory").expect("somebody's");
            assert_ne!(adapter.name(), "example", "{}", log.shown);
        }
    }
}

#[test]
fn native_keys_with_the_names_of_annotations_mean_nothing() {
    assert_eq!(crate::keys::check_annotation_keys(&Example, &fixture_logs(&Example)), 1);
}

/// What the guide quotes is in the code, to the letter.
#[test]
fn the_guide_quotes_the_code() {
    let code = [include_str!("example.rs"), include_str!("mod.rs")].concat();
    let guide = Document::read("crates/vac-adapter/README.md");
    let quotes = guide.blocks().into_iter().filter(|block| block.language == "rust");
    let mut count = 0;
    for quote in quotes {
        let text = quote.lines.join("\n") + "\n";
        let indented: String = quote.lines.iter().map(|line| indented(line)).collect();
        let is_there = code.contains(&text) || code.contains(&indented);
        assert!(is_there, "line {}: no such code:\n{text}", quote.line);
        count += 1;
    }
    assert!(count >= 6, "only {count} quotes");
}

fn indented(line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }
}
