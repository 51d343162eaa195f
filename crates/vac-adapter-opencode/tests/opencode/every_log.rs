//! Checks every log: fixtures, real sessions if they exist, and hostile logs.

use vac_adapter_check::{check_all, corpus, fixture_logs, golden, hostile};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&OpenCode) >= 4);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&OPENCODE, &OpenCode, &fixture_logs(&OpenCode)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn corpus_is_converted_without_loss_or_refused_with_a_reason() {
    let outcomes = check_all(&OPENCODE, &OpenCode, &corpus(&OpenCode));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 7, "only {converted} files converted");
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&OPENCODE, &OpenCode) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&OpenCode) {
        hostile::check_truncated(&OPENCODE, &OpenCode, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&OpenCode) {
        hostile::check_changed_bytes(&OPENCODE, &OpenCode, &log, 40);
    }
}
