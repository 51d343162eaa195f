//! Checks golden fixtures: native files with the expected records next to them. `VAC_BLESS=1`
//! writes the records; read them before you commit them.

use std::fs;

use vac_adapter::Adapter;

use crate::convert::convert_pretty;
use crate::logs::{Fixture, fixtures};

/// Panics unless every fixture of the adapter's agent gives exactly the expected records in its
/// folder. Returns the number of cases.
pub fn golden(adapter: &dyn Adapter) -> usize {
    let cases = fixtures(adapter);
    let differences: Vec<_> =
        cases.iter().filter_map(|case| find_difference(adapter, case)).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    cases.len()
}

/// Returns the first difference between a case and its records.
fn find_difference(adapter: &dyn Adapter, case: &Fixture) -> Option<String> {
    let mut records = Vec::new();
    for log in &case.logs {
        let converted = match convert_pretty(adapter, log) {
            Ok(converted) => converted,
            Err(error) => return Some(format!("{}: {error}", log.shown)),
        };
        if let Some(other) = converted.iter().find(|record| record.variant != case.variant()) {
            return Some(format!("{}: its variant is {}", log.shown, other.variant));
        }
        records.extend(converted.iter().map(|record| record.text().to_owned()));
    }
    let mut stray = case.expected.clone();
    for (number, record) in (1..).zip(&records) {
        let path = case.folder.join(match records.len() {
            1 => "expected.json".to_owned(),
            _ => format!("expected-{number}.json"),
        });
        if std::env::var_os("VAC_BLESS").is_some() {
            fs::write(&path, record).expect("an expected record can be written");
        }
        match fs::read_to_string(&path) {
            Ok(expected) if expected == *record => {}
            Ok(expected) => {
                return Some(format!(
                    "{}: {}",
                    path.display(),
                    describe_difference(&expected, record)
                ));
            }
            Err(error) => return Some(format!("{}: {error}", path.display())),
        }
        stray.retain(|expected| *expected != path);
    }
    let stray = stray.first()?;
    Some(format!("{}: unexpected file; the log gives {} records", stray.display(), records.len()))
}

/// Describes the first line that differs.
fn describe_difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines());
    match (1..).zip(lines).find(|(_, (expected, found))| expected != found) {
        Some((line, (expected, found))) => {
            format!("line {line}:\n  expected {expected}\n  found    {found}")
        }
        None => "one is longer than the other".to_owned(),
    }
}
