//! Records that are in the folder already, so that only what is new or has changed is
//! converted.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use vac::parallel::ordered_parallel_map;
use vac_adapter::Source;
use vac_store::join::Known;
use vac_value::Encoding;

use super::existing_record::ExistingRecord;
use crate::printer::Printer;

/// The records in a folder.
pub struct ExistingRecords {
    records: Vec<Record>,
    /// Those whose first source has this name.
    by_source: HashMap<String, Vec<usize>>,
    /// Those of a session.
    by_id: HashMap<String, Vec<usize>>,
    by_path: HashMap<PathBuf, usize>,
    /// Those that are up to date, or have been replaced.
    settled: HashSet<usize>,
}

/// A record in the folder.
pub struct Record {
    /// Its file.
    pub path: PathBuf,
    /// What it says about itself.
    pub label: ExistingRecord,
}

/// Logs whose records are up to date.
#[derive(Default)]
pub struct Unchanged {
    /// The logs.
    pub logs: Vec<Known>,
    /// The number of their records.
    pub records: u64,
}

impl ExistingRecords {
    /// Looks at the records in a folder that are written in an encoding.
    pub fn in_folder(
        folder: &Path,
        encoding: Encoding,
        jobs: usize,
        printer: &Printer,
    ) -> io::Result<Self> {
        let ending = match encoding {
            Encoding::Json => "json",
            Encoding::Cbor => "cbor",
        };
        let mut paths = Vec::new();
        for entry in folder.read_dir()? {
            let path = entry?.path();
            let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
            if is_file && path.extension().is_some_and(|extension| extension == ending) {
                paths.push(path);
            }
        }
        paths.sort();
        let progress = printer.progress("looking at records", paths.len());
        let mut earlier = Self {
            records: Vec::new(),
            by_source: HashMap::new(),
            by_id: HashMap::new(),
            by_path: HashMap::new(),
            settled: HashSet::new(),
        };
        // What cannot be read is not ours to replace.
        let read = |path: PathBuf| {
            let label = ExistingRecord::read(&path, encoding).ok().flatten()?;
            Some(Record { path, label })
        };
        ordered_parallel_map(paths, jobs, read, |record| {
            progress.step();
            earlier.records.extend(record);
            ControlFlow::Continue(())
        })?;
        for (number, Record { path, label }) in earlier.records.iter().enumerate() {
            if let Some(first) = label.sources.first() {
                earlier.by_source.entry(first.name.clone()).or_default().push(number);
            }
            earlier.by_id.entry(label.id.clone()).or_default().push(number);
            earlier.by_path.insert(path.clone(), number);
        }
        Ok(earlier)
    }

    /// Parts logs whose records are up to date from those that have to be converted.
    pub fn divide(
        &mut self,
        logs: Vec<Known>,
        jobs: usize,
        printer: &Printer,
    ) -> io::Result<(Vec<Known>, Unchanged)> {
        let progress = printer.progress("comparing", logs.len());
        let mut due = Vec::new();
        let mut unchanged = Unchanged::default();
        let mut settled = Vec::new();
        let same = |known: Known| {
            let records = self.records_of(&known);
            (known, records)
        };
        ordered_parallel_map(logs, jobs, same, |(known, records)| {
            progress.step();
            if records.is_empty() {
                due.push(known);
            } else {
                unchanged.records += records.len() as u64;
                unchanged.logs.push(known);
                settled.extend(records);
            }
            ControlFlow::Continue(())
        })?;
        self.settled.extend(settled);
        Ok((due, unchanged))
    }

    /// The records that are made of exactly what a log is made of now.
    fn records_of(&self, known: &Known) -> Vec<usize> {
        let first = known.log.source_name();
        let named = self.by_source.get(&first).into_iter().flatten();
        let mut made = Vec::new();
        let mut sources: Option<&[Source]> = None;
        for number in named {
            let Some(record) = self.records.get(*number) else { continue };
            // What cannot be read is complained about when it is converted.
            let is_made = sources == Some(&record.label.sources)
                || known.log.is_made_of(&record.label.sources).unwrap_or(false);
            if is_made {
                sources = Some(&record.label.sources);
                made.push(*number);
            }
        }
        made
    }

    /// The records of a session that are neither up to date nor replaced, those first that a
    /// new record of these sources probably contains. `is_name` says which file names are the
    /// session's.
    pub fn of_session(
        &self,
        id: &str,
        sources: &[Source],
        is_name: impl Fn(&str) -> bool,
    ) -> Vec<usize> {
        let is_candidate = |number: &&usize| {
            let stem = self.record(**number).path.file_stem();
            !self.settled.contains(number)
                && stem.is_some_and(|stem| is_name(&stem.to_string_lossy()))
        };
        let same_id = self.by_id.get(id).into_iter().flatten();
        let mut candidates: Vec<_> = same_id.filter(is_candidate).copied().collect();
        let name = |sources: &[Source]| sources.first().map(|source| source.name.clone());
        candidates.sort_by_cached_key(|number| {
            let Record { path, label } = self.record(*number);
            let size = label.sources.iter().fold(0_u64, |sum, it| sum.saturating_add(it.size));
            let is_other = label.sources != sources;
            let is_elsewhere = name(&label.sources) != name(sources);
            (is_other, is_elsewhere, Reverse(size), path.as_os_str().len(), path.clone())
        });
        candidates
    }

    /// A record by its number.
    pub fn record(&self, number: usize) -> &Record {
        &self.records[number]
    }

    /// Notes that a record is up to date, or has been replaced.
    pub fn settle(&mut self, number: usize) {
        self.settled.insert(number);
    }

    /// Whether a file is a record that is up to date, or has been replaced.
    pub fn is_settled(&self, path: &Path) -> bool {
        self.by_path.get(path).is_some_and(|number| self.settled.contains(number))
    }
}
