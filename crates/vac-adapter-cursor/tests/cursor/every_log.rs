//! Checks every log: fixtures, real sessions if they exist, and hostile logs.

use vac_adapter_check::{check_all, corpus, fixture_logs, golden, hostile};
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

#[test]
fn every_fixture_gives_its_expected_records() {
    assert!(golden(&Cursor) >= 3);
}

#[test]
fn fixtures_are_kept_completely() {
    for (name, outcome) in check_all(&CURSOR, &Cursor, &fixture_logs(&Cursor)) {
        assert!(!outcome.is_refused(), "{name}: {outcome}");
    }
}

#[test]
fn corpus_is_kept_completely_or_refused_with_a_reason() {
    let outcomes = check_all(&CURSOR, &Cursor, &corpus(&Cursor));
    let converted = outcomes.iter().filter(|(_, outcome)| !outcome.is_refused()).count();
    assert!(outcomes.is_empty() || converted >= 10, "only {converted} files converted");
}

#[test]
fn hostile_logs_are_kept_completely() {
    assert!(hostile::check_hostile(&CURSOR, &Cursor) > 40);
}

#[test]
fn truncated_logs_keep_what_is_left() {
    for log in fixture_logs(&Cursor) {
        hostile::check_truncated(&CURSOR, &Cursor, &log, 60);
    }
}

#[test]
fn changed_bytes_lose_nothing() {
    for log in fixture_logs(&Cursor) {
        hostile::check_changed_bytes(&CURSOR, &Cursor, &log, 40);
    }
}
