//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_copilot::Copilot;
use vac_adapter_copilot::check::COPILOT;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Copilot) >= 11);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&COPILOT, &Copilot, &fixture_logs(&Copilot)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&COPILOT, &Copilot) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Copilot) {
        hostile::check_truncated(&COPILOT, &Copilot, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Copilot) {
        hostile::check_changed_bytes(&COPILOT, &Copilot, &log, 40);
    }
}
