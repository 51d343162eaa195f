//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_hermes::Hermes;
use vac_adapter_hermes::check::HERMES;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Hermes) >= 6);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&HERMES, &Hermes, &fixture_logs(&Hermes)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&HERMES, &Hermes) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Hermes) {
        hostile::check_truncated(&HERMES, &Hermes, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Hermes) {
        hostile::check_changed_bytes(&HERMES, &Hermes, &log, 40);
    }
}
