//! Provides the inputs of the benchmarks: logs and records, generated and real.

use std::path::{Path, PathBuf};

use vac::AGENTS;
use vac_adapter::session::{self, RecordOptions};
use vac_adapter::{Adapter, Memory};
use vac_tests::{native, shared, synthetic};

use crate::measure::Effort;

/// A native log.
pub struct Log {
    pub adapter: &'static dyn Adapter,
    /// The name of the input in the tables.
    pub shown: String,
    /// The name of its file.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// All inputs.
pub struct Inputs {
    pub logs: Vec<Log>,
    /// Records in JSON, with their names in the tables.
    pub records: Vec<(String, String)>,
}

impl Inputs {
    pub fn new(effort: Effort) -> Self {
        let mut logs = Vec::new();
        for adapter in AGENTS.iter().copied() {
            let generated = native::logs(effort.pick(1_500, 50)).into_iter();
            logs.extend(generated.filter(|log| log.agent == adapter.name()).map(|log| Log {
                adapter,
                shown: format!("{}, made up", log.agent),
                name: log.name.to_owned(),
                bytes: log.text.into_bytes(),
            }));
        }
        let sizes: &[usize] = effort.pick(&[100, 1_000, 10_000, 40_000], &[100]);
        let made_up =
            |entries: &usize| (format!("{entries} entries, made up"), synthetic::record(*entries));
        let mut records: Vec<_> = sizes.iter().map(made_up).collect();
        for log in real() {
            let shown = log.shown.clone();
            records.extend(convert(&log).map(|record| (shown, record)));
            logs.push(log);
        }
        Self { logs, records }
    }
}

/// Returns the largest log of each agent in the corpus.
fn real() -> Vec<Log> {
    let Some(folder) = shared("corpus", "VAC_CORPUS") else { return Vec::new() };
    let log = |adapter: &'static dyn Adapter| {
        let path = largest(&folder.join(adapter.name()))?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).ok()?;
        Some(Log { adapter, shown: format!("{}, real", adapter.name()), name, bytes })
    };
    AGENTS.iter().copied().filter_map(log).collect()
}

fn largest(folder: &Path) -> Option<PathBuf> {
    let entries = folder.read_dir().ok()?.flatten();
    let files = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.ends_with("json") || name.ends_with("jsonl")
    });
    files
        .max_by_key(|entry| entry.metadata().map_or(0, |file| file.len()))
        .map(|entry| entry.path())
}

/// Returns the record of a log; if it contains several sessions, the largest record.
fn convert(log: &Log) -> Option<String> {
    let input = Memory { name: &log.name, bytes: &log.bytes };
    let sessions = log.adapter.survey(&input).ok()?;
    let records = sessions.iter().filter_map(|session| {
        let mut record = Vec::new();
        session::write(&**session, &RecordOptions::default(), &session::no_sources, &mut record)
            .ok()?;
        String::from_utf8(record).ok()
    });
    records.max_by_key(String::len)
}
