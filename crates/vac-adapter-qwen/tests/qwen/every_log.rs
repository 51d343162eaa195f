//! Checks of every log: fixtures, and hostile logs.

use vac_adapter_check::{check_all, fixture_logs, golden, hostile};
use vac_adapter_qwen::Qwen;
use vac_adapter_qwen::check::QWEN;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Qwen) >= 13);
}

#[test]
fn fixtures_are_converted_without_loss() {
    for (name, outcome) in check_all(&QWEN, &Qwen, &fixture_logs(&Qwen)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_converted_without_loss() {
    assert!(hostile::check_hostile(&QWEN, &Qwen) > 40);
}

#[test]
fn truncated_logs_are_converted_without_loss() {
    for log in fixture_logs(&Qwen) {
        hostile::check_truncated(&QWEN, &Qwen, &log, 60);
    }
}

#[test]
fn logs_with_a_changed_byte_are_converted_without_loss() {
    for log in fixture_logs(&Qwen) {
        hostile::check_changed_bytes(&QWEN, &Qwen, &log, 40);
    }
}
