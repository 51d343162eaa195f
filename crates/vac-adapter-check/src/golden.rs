//! Golden fixtures: native files with the expected records next to them. `VAC_BLESS=1` writes
//! the records; read them before you commit them.

use std::fs;

use vac_adapter::Adapter;

use crate::convert::pretty;
use crate::logs::{Case, fixtures};

/// Fails unless every fixture of the adapter's agent gives the records beside it, and
/// no other record is there; gives the number of cases.
pub fn golden(adapter: &dyn Adapter) -> usize {
    let cases = fixtures(adapter);
    let wrong: Vec<_> = cases.iter().filter_map(|case| wrong(adapter, case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    cases.len()
}

/// What is wrong with a case.
fn wrong(adapter: &dyn Adapter, case: &Case) -> Option<String> {
    let mut records = Vec::new();
    for log in &case.logs {
        let converted = match pretty(adapter, log) {
            Ok(converted) => converted,
            Err(error) => return Some(format!("{}: {error}", log.shown)),
        };
        if let Some(other) = converted.iter().find(|record| record.variant != case.variant()) {
            return Some(format!("{}: the variant is {}", log.shown, other.variant));
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
                return Some(format!("{}: {}", path.display(), difference(&expected, record)));
            }
            Err(error) => return Some(format!("{}: {error}", path.display())),
        }
        stray.retain(|expected| *expected != path);
    }
    let stray = stray.first()?;
    Some(format!("{}: there are only {} records", stray.display(), records.len()))
}

/// The first line that differs.
fn difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines());
    match (1..).zip(lines).find(|(_, (expected, found))| expected != found) {
        Some((line, (expected, found))) => {
            format!("line {line}:\n  expected {expected}\n  found    {found}")
        }
        None => "one is longer than the other".to_owned(),
    }
}
