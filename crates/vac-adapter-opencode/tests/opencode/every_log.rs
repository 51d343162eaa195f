//! What is true of every log: ours, real ones where there are any, and hostile ones.

use vac_adapter_check::{corpus, fixture_logs, golden, hostile, walk};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;

#[test]
fn every_fixture_gives_the_records_beside_it() {
    assert!(golden(&OpenCode) >= 4);
}

#[test]
fn nothing_of_a_fixture_is_lost() {
    for (name, outcome) in walk(&OPENCODE, &OpenCode, &fixture_logs(&OpenCode)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn every_file_of_the_corpus_is_converted_whole_or_refused_with_a_reason() {
    let outcomes = walk(&OPENCODE, &OpenCode, &corpus(&OpenCode));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 7, "only {converted} files converted");
}

#[test]
fn hostile_logs_keep_what_they_hold() {
    assert!(hostile::hostile(&OPENCODE, &OpenCode) > 40);
}

#[test]
fn a_log_cut_anywhere_keeps_what_is_there() {
    for log in fixture_logs(&OpenCode) {
        hostile::cut(&OPENCODE, &OpenCode, &log, 60);
    }
}

#[test]
fn a_byte_changed_anywhere_loses_nothing() {
    for log in fixture_logs(&OpenCode) {
        hostile::change(&OPENCODE, &OpenCode, &log, 40);
    }
}
