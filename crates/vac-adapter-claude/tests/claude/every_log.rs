//! Checks of every log: fixtures, real sessions if they exist, and hostile logs.

use vac_adapter_check::{check_all, corpus, fixture_logs, golden, hostile};
use vac_adapter_claude::Claude;
use vac_adapter_claude::check::CLAUDE;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Claude) >= 37);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&CLAUDE, &Claude, &fixture_logs(&Claude)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn real_sessions_are_converted_without_loss() {
    let outcomes = check_all(&CLAUDE, &Claude, &corpus(&Claude));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 16, "only {converted} files converted");
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&CLAUDE, &Claude) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Claude) {
        hostile::check_truncated(&CLAUDE, &Claude, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Claude) {
        hostile::check_changed_bytes(&CLAUDE, &Claude, &log, 40);
    }
}
