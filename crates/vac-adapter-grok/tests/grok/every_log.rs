//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_grok::Grok;
use vac_adapter_grok::check::GROK;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Grok) >= 8);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&GROK, &Grok, &fixture_logs(&Grok)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&GROK, &Grok) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Grok) {
        hostile::check_truncated(&GROK, &Grok, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Grok) {
        hostile::check_changed_bytes(&GROK, &Grok, &log, 40);
    }
}
