//! A folder with a record for each session.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use vac_value::Encoding;

use super::event::{OutputEvent, OutputObserver};
use super::existing_record::ExistingRecord;
use super::existing_records::{ExistingRecords, Record};
use super::finished_record::FinishedRecord;
use super::options::{OutputOptions, UnchangedLogs};
use super::record_file::named;
use super::record_names::{Taken, file_stem, is_numbered, unused};
use super::record_writer::WrittenRecord;
use super::report::{KeptBecause, RecordChange};
use crate::Report;
use crate::error::Result;
use crate::files::{FolderLock, Readers, Wait, lock_folder, make_folder, refuse_agent_folder};
use crate::parallel::with_stack;

/// The maximum number of earlier records of one session that are compared with a new one. Reading
/// all of them for every log that claims the session would take quadratic time.
const MAX_COMPARED: usize = 16;

/// A folder with a record for each session. Another process cannot write to it while this value
/// exists.
#[derive(Debug)]
pub struct RecordFolder {
    path: PathBuf,
    /// `None` until the folder exists.
    lock: Option<FolderLock>,
    taken: Taken,
    /// The sessions whose records were written last, and the files of these.
    written: HashMap<SessionKey, PathBuf>,
}

impl RecordFolder {
    /// Locks a folder. A folder that does not exist is created and locked when records are written.
    /// Search logs only afterwards, so that they are found in their state after the wait for
    /// another process. Calls `waits` before waiting.
    ///
    /// # Errors
    /// If the folder is in one where an agent keeps sessions, or cannot be locked.
    pub fn open(path: &Path, wait: Wait, waits: impl FnOnce()) -> Result<Self> {
        refuse_agent_folder(path)?;
        let lock = path.is_dir().then(|| lock_folder(path, wait, waits)).transpose()?;
        Ok(Self { path: path.to_owned(), lock, taken: Taken::new(), written: HashMap::new() })
    }

    /// Returns whether a path is that of a record that was written in this run, or a path for which
    /// one was intended.
    pub fn holds(&self, path: &Path) -> bool {
        let (around, name) = real_place(path);
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
        around == self.path.canonicalize().ok()
            && self.taken.contains_key(&stem.to_ascii_lowercase())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to write records: creates and locks the folder if it does not exist.
    pub(super) fn begin(
        &mut self,
        readers: Readers,
        wait: Wait,
        observe: &mut OutputObserver<'_>,
    ) -> Result<()> {
        self.taken.clear();
        self.written.clear();
        make_folder(&self.path, readers)?;
        if self.lock.is_none() {
            self.lock = Some(lock_folder(&self.path, wait, || observe(OutputEvent::Waiting))?);
        }
        Ok(())
    }

    /// Gives the file of a record its name.
    pub(super) fn take(
        &mut self,
        existing: &mut ExistingRecords,
        mut finished: FinishedRecord<'_>,
        options: &OutputOptions,
    ) -> Result<RecordChange> {
        let change = self.place(existing, &mut finished, options)?;
        if let RecordChange::Unchanged { .. } = change {
            return Ok(change);
        }
        let (Some(path), WrittenRecord::Folder(file)) = (change.record(), finished.record) else {
            unreachable!("a record of a folder is written in it");
        };
        named(path, file.persist(path, matches!(change, RecordChange::Changed { .. })))?;
        existing.add_to_index(path, finished.report, finished.log);
        self.written.insert(SessionKey::new(finished.report), path.to_owned());
        Ok(change)
    }

    /// Returns the file that the record of a session is for.
    fn place(
        &mut self,
        records: &mut ExistingRecords,
        finished: &mut FinishedRecord<'_>,
        options: &OutputOptions,
    ) -> Result<RecordChange> {
        let (encoding, report) = (finished.encoding, finished.report);
        let stem = &file_stem(&report.agent, &report.session_id);
        let Self { path: folder, taken, written, .. } = self;
        let path = |name: &str| folder.join(name).with_extension_of(encoding);
        let is_name = |name: &str| is_numbered(name, stem);
        let candidates = records.of_session(report, options.overwrite, is_name);
        for number in candidates.iter().copied().take(MAX_COMPARED) {
            let Record { path, record, .. } = records.record(number);
            let is_up_to_date = options.unchanged != UnchangedLogs::Converted
                && !options.overwrite
                && finished.is_copy_of(record);
            // Comparing reads entries, which may be nested deeply.
            let contains = || finished.contains(path, &record.sources);
            let change = if !records.is_as_known(number) {
                continue;
            } else if is_up_to_date {
                RecordChange::Unchanged { record: path.clone() }
            } else if options.overwrite || with_stack(contains)?? {
                RecordChange::Changed { record: path.clone() }
            } else {
                continue;
            };
            if let Some(stem) = path.file_stem() {
                taken.entry(stem.to_string_lossy().to_ascii_lowercase()).or_insert(1);
            }
            records.settle(number);
            return Ok(change);
        }
        // The first of a session's names is the shortest.
        let kept = candidates.iter().map(|number| &records.record(*number).path);
        let kept = kept.min_by_key(|path| (path.as_os_str().len(), *path));
        let mut in_the_way = kept.map(|path| (path.clone(), KeptBecause::NotContained));
        let other = written.get(&SessionKey::new(report)).map(PathBuf::as_path);
        let other = other.or_else(|| records.unchanged_of(report, is_name));
        let same_session = other.map(Path::to_owned);
        loop {
            let name = unused(stem, taken);
            let found = path(&name);
            if found.symlink_metadata().is_err() {
                return Ok(match in_the_way {
                    Some((earlier, because)) => {
                        RecordChange::KeptEarlier { record: found, earlier, because }
                    }
                    None => RecordChange::New { record: found, same_session },
                });
            }
            if !records.is_settled(&found) {
                let has_other_labels = |record: &ExistingRecord| {
                    record.id == report.session_id && record.labels != report.labels
                };
                let is_labelled = records.in_file(&found).is_some_and(has_other_labels);
                let because =
                    if is_labelled { KeptBecause::OtherLabels } else { KeptBecause::OtherFile };
                in_the_way = in_the_way.or(Some((found, because)));
            }
        }
    }
}

/// A session with its labels.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SessionKey {
    agent: String,
    id: String,
    labels: BTreeMap<String, String>,
}

impl SessionKey {
    fn new(report: &Report) -> Self {
        Self {
            agent: report.agent.clone(),
            id: report.session_id.clone(),
            labels: report.labels.clone(),
        }
    }
}

/// Returns the folder of a file, without links, and its name in it.
pub(super) fn real_place(path: &Path) -> (Option<PathBuf>, OsString) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok();
    (folder, path.file_name().unwrap_or_default().to_owned())
}

trait WithExtensionOf {
    fn with_extension_of(self, encoding: Encoding) -> PathBuf;
}

impl WithExtensionOf for PathBuf {
    /// Adds the ending to the whole name, which may contain dots.
    fn with_extension_of(self, encoding: Encoding) -> PathBuf {
        let mut name = self.into_os_string();
        name.push(match encoding {
            Encoding::Json => ".json",
            Encoding::Cbor => ".cbor",
        });
        name.into()
    }
}
