//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_atif::Atif;
use vac_adapter_atif::check::ATIF;
use vac_adapter_check::{check_all, fixture_logs, golden, hostile};

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Atif) >= 10);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&ATIF, &Atif, &fixture_logs(&Atif)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&ATIF, &Atif) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Atif) {
        hostile::check_truncated(&ATIF, &Atif, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Atif) {
        hostile::check_changed_bytes(&ATIF, &Atif, &log, 40);
    }
}
