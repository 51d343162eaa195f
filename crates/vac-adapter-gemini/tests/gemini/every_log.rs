//! Checks every log: fixtures, real sessions if they exist, and hostile logs.

use vac_adapter_check::{check_all, corpus, fixture_logs, golden, hostile};
use vac_adapter_gemini::Gemini;
use vac_adapter_gemini::check::GEMINI;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Gemini) >= 31);
}

#[test]
fn fixtures_are_kept_completely() {
    for (name, outcome) in check_all(&GEMINI, &Gemini, &fixture_logs(&Gemini)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn corpus_is_converted_and_kept_completely() {
    for (name, outcome) in check_all(&GEMINI, &Gemini, &corpus(&Gemini)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_kept_completely() {
    assert!(hostile::check_hostile(&GEMINI, &Gemini) > 40);
}

#[test]
fn truncated_logs_keep_what_is_left() {
    for log in fixture_logs(&Gemini) {
        hostile::check_truncated(&GEMINI, &Gemini, &log, 60);
    }
}

#[test]
fn changed_bytes_lose_nothing() {
    for log in fixture_logs(&Gemini) {
        hostile::check_changed_bytes(&GEMINI, &Gemini, &log, 40);
    }
}
