//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_droid::Droid;
use vac_adapter_droid::check::DROID;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Droid) >= 8);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&DROID, &Droid, &fixture_logs(&Droid)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&DROID, &Droid) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Droid) {
        hostile::check_truncated(&DROID, &Droid, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Droid) {
        hostile::check_changed_bytes(&DROID, &Droid, &log, 40);
    }
}
