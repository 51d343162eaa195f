//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_pi::Pi;
use vac_adapter_pi::check::PI;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Pi) >= 12);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&PI, &Pi, &fixture_logs(&Pi)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&PI, &Pi) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Pi) {
        hostile::check_truncated(&PI, &Pi, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Pi) {
        hostile::check_changed_bytes(&PI, &Pi, &log, 40);
    }
}
