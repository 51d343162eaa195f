//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_goose::Goose;
use vac_adapter_goose::check::GOOSE;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Goose) >= 8);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&GOOSE, &Goose, &fixture_logs(&Goose)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&GOOSE, &Goose) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Goose) {
        hostile::check_truncated(&GOOSE, &Goose, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Goose) {
        hostile::check_changed_bytes(&GOOSE, &Goose, &log, 40);
    }
}
