//! Tables of all fixtures: the same numbers as `inspect`, the same rows for logs and records.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use vac::{ConvertOptions, Facts, Readable, Search, Task};
use vac_table::{SessionTable, TableSet};

/// The batches of every table.
type Batches = BTreeMap<SessionTable, Vec<RecordBatch>>;

fn tasks() -> Vec<Task> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let plan = Search { paths: vec![fixtures], ..Search::default() }.plan().expect("a plan");
    assert!(plan.tasks.len() > 100, "{} logs", plan.tasks.len());
    plan.tasks
}

fn tables<'r>(from: impl Into<Readable<'r>>) -> vac::Result<(Vec<String>, Batches)> {
    let mut batches = Batches::new();
    let keys = vac::read_tables(from, TableSet::ALL, |table, batch| {
        batches.entry(table).or_default().push(batch);
        Ok(())
    })?;
    Ok((keys, batches))
}

/// Returns a column of all rows of one session.
fn column<T>(
    batches: &Batches,
    table: SessionTable,
    key: &str,
    name: &str,
    read: impl Fn(&RecordBatch, usize, usize) -> Option<T>,
) -> Vec<Option<T>> {
    let mut values = Vec::new();
    for batch in batches.get(&table).into_iter().flatten() {
        let keys = batch.column_by_name("record_key").expect("a key").as_string::<i32>();
        let (index, _) = batch.schema_ref().column_with_name(name).expect("a column");
        for row in (0..batch.num_rows()).filter(|row| keys.value(*row) == key) {
            let is_null = batch.column(index).is_null(row);
            values.push((!is_null).then(|| read(batch, index, row)).flatten());
        }
    }
    values
}

fn integers(batches: &Batches, table: SessionTable, key: &str, name: &str) -> Vec<Option<i64>> {
    column(batches, table, key, name, |batch, column, row| {
        Some(batch.column(column).as_primitive::<Int64Type>().value(row))
    })
}

fn booleans(batches: &Batches, table: SessionTable, key: &str, name: &str) -> Vec<bool> {
    let values = column(batches, table, key, name, |batch, column, row| {
        Some(batch.column(column).as_boolean().value(row))
    });
    values.into_iter().map(Option::unwrap).collect()
}

fn texts(batches: &Batches, table: SessionTable, key: &str, name: &str) -> Vec<Option<String>> {
    column(batches, table, key, name, |batch, column, row| {
        Some(batch.column(column).as_string::<i32>().value(row).to_owned())
    })
}

/// Adds up the rows that count. `None` if no row has a value.
fn sum(batches: &Batches, key: &str, name: &str) -> Option<i64> {
    let is_counted = booleans(batches, SessionTable::Usage, key, "is_counted");
    let values = integers(batches, SessionTable::Usage, key, name);
    let counted = values.into_iter().zip(is_counted).filter_map(|(value, it)| value.filter(|_| it));
    counted.fold(None, |sum, value| Some(sum.unwrap_or(0_i64).saturating_add(value)))
}

fn assert_equals_facts(name: &str, key: &str, batches: &Batches, facts: &Facts) {
    let tokens = facts.tokens.clone().unwrap_or_default();
    for (column, expected) in [
        ("input_tokens", tokens.input),
        ("cache_read_tokens", tokens.cache_read),
        ("cache_write_tokens", tokens.cache_write),
        ("output_tokens", tokens.output),
        ("reasoning_tokens", tokens.reasoning),
        ("total_tokens", tokens.total),
    ] {
        let expected = expected.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX));
        assert_eq!(sum(batches, key, column), expected, "{name}: {column} of usage");
        let stated = integers(batches, SessionTable::Sessions, key, column);
        assert_eq!(stated, [expected], "{name}: {column} of sessions");
    }
    let is_counted = booleans(batches, SessionTable::Usage, key, "is_counted");
    let costs = column(batches, SessionTable::Usage, key, "cost", |batch, column, row| {
        Some(batch.column(column).as_primitive::<Float64Type>().value(row))
    });
    let cost: f64 =
        costs.iter().zip(is_counted).filter_map(|(it, counts)| it.filter(|_| counts)).sum();
    assert!((cost - facts.cost.unwrap_or(0.0)).abs() < 1e-5, "{name}: {cost} {:?}", facts.cost);

    let ordinals = integers(batches, SessionTable::Entries, key, "ordinal");
    let count = i64::try_from(facts.entries.values().sum::<u64>()).unwrap();
    assert!(ordinals.into_iter().eq((0..count).map(Some)), "{name}: ordinals");

    let is_counted = booleans(batches, SessionTable::ToolCalls, key, "is_counted");
    let calls = integers(batches, SessionTable::ToolCalls, key, "call_ordinal");
    let calls = calls.iter().zip(&is_counted).filter(|(call, counts)| call.is_some() && **counts);
    let expected: u64 = facts.tools.iter().map(|tool| tool.calls).sum();
    assert_eq!(calls.count() as u64, expected, "{name}: tool calls");
    let mut indices = integers(batches, SessionTable::ToolCalls, key, "call_index");
    indices.sort_unstable();
    let rows = i64::try_from(indices.len()).unwrap();
    assert!(indices.into_iter().eq((0..rows).map(Some)), "{name}: call_index");
}

fn assert_json(name: &str, batches: &Batches) {
    for (table, batches) in batches {
        for (column, batch) in table.columns().iter().flat_map(|column| {
            batches.iter().filter(|_| column.is_json).map(move |batch| (column, batch))
        }) {
            let texts = batch.column_by_name(column.name).expect("a column").as_string::<i32>();
            for text in texts.iter().flatten() {
                let parsed = serde_json::from_str::<serde_json::Value>(text);
                // serde_json reads 128 levels, and numbers up to 1e308.
                let is_limit = |error: &serde_json::Error| {
                    let error = error.to_string();
                    error.starts_with("recursion limit") || error.starts_with("number out of range")
                };
                if let Err(error) = parsed.map_err(|error| (is_limit(&error), error)) {
                    assert!(error.0, "{name}: {table}.{}: {}: {text}", column.name, error.1);
                }
            }
        }
    }
}

#[test]
fn tables_of_all_fixtures_have_the_numbers_of_inspect() {
    let mut lossy = 0;
    for task in tasks() {
        let Ok(facts) = vac::inspect(&task) else {
            assert!(tables(&task).is_err(), "{}", task.name);
            continue;
        };
        let (keys, batches) = tables(&task).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(keys.len(), facts.len(), "{}", task.name);
        for (key, facts) in keys.iter().zip(&facts) {
            assert_equals_facts(&task.name, key, &batches, facts);
            let is_lossy = booleans(&batches, SessionTable::Entries, key, "is_lossy");
            lossy += is_lossy.iter().filter(|it| **it).count();
        }
        assert_json(&task.name, &batches);
    }
    assert!(lossy > 0, "fixtures contain lone surrogates");
}

#[test]
fn log_and_record_have_the_same_keys_and_rows() {
    /// The columns that only logs, or only records, state.
    const ORIGIN: [&str; 7] = [
        "variant",
        "unknown_types",
        "record_sha256",
        "vac_version",
        "source_file",
        "source_line",
        "schema_version",
    ];
    for task in tasks() {
        let Ok((keys, of_log)) = tables(&task) else { continue };
        let mut record = Vec::new();
        vac::convert(&task, &ConvertOptions::default(), &mut record).expect("a record");
        let (keys_of_record, of_record) = tables(&record).expect("tables of the record");
        assert_eq!(keys, keys_of_record, "{}", task.name);
        for table in SessionTable::ALL {
            let rows = |batches: &Batches| -> Vec<RecordBatch> {
                let batches = batches.get(&table).into_iter().flatten();
                let same = |batch: &RecordBatch| {
                    let columns = table.columns().iter().enumerate();
                    let kept = columns.filter(|(_, column)| !ORIGIN.contains(&column.name));
                    batch.project(&kept.map(|(index, _)| index).collect::<Vec<_>>()).unwrap()
                };
                batches.map(same).collect()
            };
            assert_eq!(rows(&of_log), rows(&of_record), "{}: {table}", task.name);
        }
    }
}

#[test]
fn signed_record_states_its_signature() {
    let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
    let task = Task::from_bytes("session.jsonl", log.to_vec()).expect("a log");
    let mut record = Vec::new();
    vac::convert(&task, &ConvertOptions::default(), &mut record).expect("a record");
    let key = vac::SecretKey::ed25519(&[7; 32]);
    let signed = vac::sign(&record, &vac::SignOptions::default(), &key).expect("a signature");
    let (keys, batches) = tables(&signed.envelope).expect("tables");
    let (keys_of_log, _) = tables(&task).expect("tables");
    assert_eq!(keys, keys_of_log);
    let text = |name| texts(&batches, SessionTable::Sessions, &keys[0], name).remove(0);
    assert_eq!(text("signature").as_deref(), Some("EdDSA"));
    assert!(text("issuer").is_some() && text("record_sha256").is_some());
}
