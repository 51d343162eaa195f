//! Checks of every log: fixtures, real sessions if they exist, and hostile logs.

use vac_adapter_check::{AgentRules, TestLog, check_all, corpus, fixture_logs, golden, hostile};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

/// The rules for logs of lines, in which a damaged document is kept in one piece.
const LINES: AgentRules = AgentRules { reads_damaged: |_| false, ..CODEX };

fn rules(log: &TestLog) -> &'static AgentRules {
    if log.shown.contains("typescript") { &CODEX } else { &LINES }
}

#[test]
fn fixtures_match_their_expected_records() {
    assert!(golden(&Codex) >= 18);
}

#[test]
fn fixtures_lose_nothing() {
    for (name, outcome) in check_all(&CODEX, &Codex, &fixture_logs(&Codex)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn corpus_is_converted_or_refused_with_a_reason() {
    let outcomes = check_all(&CODEX, &Codex, &corpus(&Codex));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 18, "only {converted} files converted");
}

#[test]
fn hostile_logs_lose_nothing() {
    assert!(hostile::check_hostile(&LINES, &Codex) > 40);
}

#[test]
fn truncated_logs_lose_nothing() {
    for log in fixture_logs(&Codex) {
        hostile::check_truncated(rules(&log), &Codex, &log, 60);
    }
}

#[test]
fn changed_bytes_lose_nothing() {
    for log in fixture_logs(&Codex) {
        hostile::check_changed_bytes(rules(&log), &Codex, &log, 40);
    }
}
