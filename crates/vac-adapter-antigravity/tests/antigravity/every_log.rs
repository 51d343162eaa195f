//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_antigravity::Antigravity;
use vac_adapter_antigravity::check::ANTIGRAVITY;
use vac_adapter_check::{check_all, fixture_logs, golden, hostile};

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Antigravity) >= 12);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&ANTIGRAVITY, &Antigravity, &fixture_logs(&Antigravity)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&ANTIGRAVITY, &Antigravity) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Antigravity) {
        hostile::check_truncated(&ANTIGRAVITY, &Antigravity, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Antigravity) {
        hostile::check_changed_bytes(&ANTIGRAVITY, &Antigravity, &log, 40);
    }
}
