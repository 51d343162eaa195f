//! What is true of every log: ours, real ones where there are any, and hostile ones.

use vac_adapter_check::{Agent, Log, corpus, fixture_logs, golden, hostile, walk};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

/// A log of lines, in which what is no document stays in one piece.
const LINES: Agent = Agent { takes_apart: |_| false, ..CODEX };

fn rules(log: &Log) -> &'static Agent {
    if log.shown.contains("typescript") { &CODEX } else { &LINES }
}

#[test]
fn every_fixture_gives_the_records_beside_it() {
    assert!(golden(&Codex) >= 18);
}

#[test]
fn nothing_of_a_fixture_is_lost() {
    for (name, outcome) in walk(&CODEX, &Codex, &fixture_logs(&Codex)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn every_file_of_the_corpus_is_converted_whole_or_refused_with_a_reason() {
    let outcomes = walk(&CODEX, &Codex, &corpus(&Codex));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 18, "only {converted} files converted");
}

#[test]
fn hostile_logs_keep_what_they_hold() {
    assert!(hostile::hostile(&LINES, &Codex) > 40);
}

#[test]
fn a_log_cut_anywhere_keeps_what_is_there() {
    for log in fixture_logs(&Codex) {
        hostile::cut(rules(&log), &Codex, &log, 60);
    }
}

#[test]
fn a_byte_changed_anywhere_loses_nothing() {
    for log in fixture_logs(&Codex) {
        hostile::change(rules(&log), &Codex, &log, 40);
    }
}
