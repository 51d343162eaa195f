//! What is true of every log: ours, real ones where there are any, and hostile ones.

use vac_adapter_check::{corpus, fixture_logs, golden, hostile, walk};
use vac_adapter_gemini::Gemini;
use vac_adapter_gemini::check::GEMINI;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Gemini) >= 31);
}

#[test]
fn fixtures_are_kept_completely() {
    for (name, outcome) in walk(&GEMINI, &Gemini, &fixture_logs(&Gemini)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn corpus_is_converted_and_kept_completely() {
    for (name, outcome) in walk(&GEMINI, &Gemini, &corpus(&Gemini)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_are_kept_completely() {
    assert!(hostile::hostile(&GEMINI, &Gemini) > 40);
}

#[test]
fn truncated_logs_keep_what_is_left() {
    for log in fixture_logs(&Gemini) {
        hostile::cut(&GEMINI, &Gemini, &log, 60);
    }
}

#[test]
fn changed_bytes_lose_nothing() {
    for log in fixture_logs(&Gemini) {
        hostile::change(&GEMINI, &Gemini, &log, 40);
    }
}
