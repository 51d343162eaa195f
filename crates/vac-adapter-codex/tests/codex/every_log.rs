//! What is true of every log: ours, real ones where there are any, and hostile ones.

use vac_adapter_check::{Agent, Log, corpus, fixture_logs, golden, hostile, walk};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

/// A log of lines, in which what is no document stays in one piece.
const LINES: Agent = Agent { takes_apart: |_| false, ..CODEX };

fn rules(log: &Log) -> &'static Agent {
    if log.shown.contains("typescript") { &CODEX } else { &LINES }
}

#[test]
fn fixtures_match_their_expected_records() {
    assert!(golden(&Codex) >= 18);
}

#[test]
fn fixtures_lose_nothing() {
    for (name, outcome) in walk(&CODEX, &Codex, &fixture_logs(&Codex)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn corpus_is_converted_or_refused_with_a_reason() {
    let outcomes = walk(&CODEX, &Codex, &corpus(&Codex));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 18, "only {converted} files converted");
}

#[test]
fn hostile_logs_lose_nothing() {
    assert!(hostile::hostile(&LINES, &Codex) > 40);
}

#[test]
fn truncated_logs_lose_nothing() {
    for log in fixture_logs(&Codex) {
        hostile::cut(rules(&log), &Codex, &log, 60);
    }
}

#[test]
fn changed_bytes_lose_nothing() {
    for log in fixture_logs(&Codex) {
        hostile::change(rules(&log), &Codex, &log, 40);
    }
}
