//! What is true of every log: ours, real ones where there are any, and hostile ones.

use vac_adapter_check::{corpus, fixture_logs, golden, hostile, walk};
use vac_adapter_gemini::Gemini;
use vac_adapter_gemini::check::GEMINI;

#[test]
fn every_fixture_gives_the_records_beside_it() {
    assert!(golden(&Gemini) >= 31);
}

#[test]
fn nothing_of_a_fixture_is_lost() {
    for (name, outcome) in walk(&GEMINI, &Gemini, &fixture_logs(&Gemini)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn every_file_of_the_corpus_is_converted_and_nothing_of_it_is_lost() {
    for (name, outcome) in walk(&GEMINI, &Gemini, &corpus(&Gemini)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn hostile_logs_keep_what_they_hold() {
    assert!(hostile::hostile(&GEMINI, &Gemini) > 40);
}

#[test]
fn a_log_cut_anywhere_keeps_what_is_there() {
    for log in fixture_logs(&Gemini) {
        hostile::cut(&GEMINI, &Gemini, &log, 60);
    }
}

#[test]
fn a_byte_changed_anywhere_loses_nothing() {
    for log in fixture_logs(&Gemini) {
        hostile::change(&GEMINI, &Gemini, &log, 40);
    }
}
