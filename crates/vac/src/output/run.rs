//! Converts found logs, and writes their records to an output.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::event::{OutputEvent, OutputObserver, OutputStage};
use super::existing_records::{DividedLogs, ExistingRecords, UnchangedLog};
use super::finished_record::FinishedRecord;
use super::found_log::{FoundLog, readers_of_found};
use super::options::{OutputOptions, UnchangedLogs};
use super::record_file::RecordFile;
use super::record_folder::RecordFolder;
use super::record_writer::{FolderTarget, Target, WrittenRecord};
use super::report::{OutputReport, OutputSession, RecordChange};
use super::workers::{self, LogOutcome};
use crate::error::{Error, Result};
use crate::parallel::or_all_processors;
use crate::{Report, Task};

/// The output for records.
pub enum RecordOutput<'o> {
    /// All records, one after the other, in a stream.
    Stream {
        /// The stream. It receives only complete records.
        out: &'o mut dyn Write,
        /// The name of the stream in errors, such as `standard output`.
        name: &'static str,
    },
    /// All records, one after the other, in a file.
    File(RecordFile),
    /// A folder with a file for each session.
    Folder(&'o mut RecordFolder),
}

/// Updates a folder of records: converts the sessions that are new or have changed. The folder is
/// created if it does not exist.
///
/// `observe` receives events during the conversion. Programs that lock the folder before they
/// search logs can call [`RecordFolder::open`] and [`convert_logs`] instead.
///
/// ```
/// use vac::output::{OutputOptions, RecordChange, update_folder};
///
/// let place = tempfile::tempdir()?;
/// let log = place.path().join("session.jsonl");
/// let line = r#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
/// std::fs::write(&log, line)?;
/// let plan = vac::Search { paths: vec![log], ..vac::Search::default() }.plan()?;
/// let records = place.path().join("records");
/// for is_first in [true, false] {
///     let report = update_folder(&plan.tasks, &records, &OutputOptions::default(), &mut |_| {})?;
///     assert_eq!(matches!(report.sessions[0].change, RecordChange::New { .. }), is_first);
///     assert_eq!(report.changes().unchanged, u64::from(!is_first));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the folder is one where an agent keeps sessions, or cannot be read, locked or written.
/// Sessions that cannot be converted are in the report.
pub fn update_folder(
    tasks: &[Task],
    folder: impl AsRef<Path>,
    options: &OutputOptions,
    observe: &mut OutputObserver<'_>,
) -> Result<OutputReport> {
    let waits = || observe(OutputEvent::Waiting);
    let mut folder = RecordFolder::open(folder.as_ref(), options.wait, waits)?;
    let logs = tasks.iter().map(FoundLog::from).collect();
    convert_logs(logs, RecordOutput::Folder(&mut folder), options, observe)
}

/// Converts logs, several in parallel, and writes their records to an output in the order of the
/// logs.
///
/// If the reader of a stream or a pipe closes it, the conversion ends early, without an error.
///
/// # Errors
/// If the output cannot be read, locked or written. Sessions that cannot be converted are in the
/// report.
pub fn convert_logs(
    logs: Vec<FoundLog>,
    output: RecordOutput<'_>,
    options: &OutputOptions,
    observe: &mut OutputObserver<'_>,
) -> Result<OutputReport> {
    let jobs = or_all_processors(options.jobs);
    let mut report = OutputReport::default();
    let mut labels = None;
    let (destination, logs) = match output {
        RecordOutput::Stream { out, name } => (Destination::Stream { out, name }, logs),
        RecordOutput::File(file) => (Destination::File(file), logs),
        // Without a log, no record is written, and a folder that does not exist contains no
        // records.
        RecordOutput::Folder(folder)
            if !folder.path().exists() && !logs.iter().any(FoundLog::is_source) =>
        {
            (Destination::Nowhere, logs)
        }
        RecordOutput::Folder(folder) => {
            let readers = options.readers.unwrap_or_else(|| readers_of_found(&logs));
            folder.begin(readers, options.wait, observe)?;
            let existing = compare(folder.path(), logs, options, jobs, &mut report, observe)?;
            let (existing, logs) = existing;
            if !options.overwrite {
                labels = Some(existing.labels());
            }
            (Destination::Folder { folder, existing: Box::new(existing) }, logs)
        }
    };
    let target = destination.target()?;
    observe(OutputEvent::Begins(OutputStage::Converting, logs.len()));
    let mut run = Run { destination, target: &target, options, report, over: None, observe };
    let labels = labels.as_ref();
    workers::convert_all(&logs, labels, options, jobs, &target, |found, outcome| {
        run.take(found, outcome)
    })?;
    let Run { destination, mut report, over, .. } = run;
    if let Some(error) = over {
        return Err(error);
    }
    report.index_error = destination.finish()?;
    Ok(report)
}

/// Returns the existing records of a folder, and the logs to convert.
fn compare(
    folder: &Path,
    logs: Vec<FoundLog>,
    options: &OutputOptions,
    jobs: usize,
    report: &mut OutputReport,
    observe: &mut OutputObserver<'_>,
) -> Result<(ExistingRecords, Vec<FoundLog>)> {
    let mut records =
        ExistingRecords::in_folder(folder, options, jobs, observe).map_err(|error| {
            Error::io(format!("cannot read the folder {}", folder.display()), &error)
        })?;
    if options.overwrite || options.unchanged == UnchangedLogs::Converted {
        return Ok((records, logs));
    }
    let DividedLogs { due: logs, unchanged, partly } = records.divide(logs, jobs, observe)?;
    let of_logs = unchanged.iter().map(|it| (it.log.name(), &it.records));
    for (log, of_log) in of_logs.chain(partly.iter().map(|(name, of_log)| (&**name, of_log))) {
        report.sessions.extend(of_log.iter().map(|number| {
            let record = records.record(*number);
            OutputSession {
                log: log.to_owned(),
                session_id: record.record.id.clone(),
                change: RecordChange::Unchanged { record: record.path.clone() },
                report: None,
            }
        }));
    }
    if options.unchanged == UnchangedLogs::Examined {
        report.unchanged_unknown = count_unknown(&mut records, unchanged, options, jobs, observe)?;
    }
    Ok((records, logs))
}

/// Counts unchanged sessions that are not fully understood. If the index does not state this, logs
/// are converted again, and the new records are dropped.
fn count_unknown(
    records: &mut ExistingRecords,
    unchanged: Vec<UnchangedLog>,
    options: &OutputOptions,
    jobs: usize,
    observe: &mut OutputObserver<'_>,
) -> io::Result<usize> {
    let mut count = 0;
    let (mut logs, mut numbers) = (Vec::new(), Vec::new());
    for UnchangedLog { log, records: of_log } in unchanged {
        match records.are_understood(&of_log) {
            Some(understood) => count += understood.iter().filter(|is| !**is).count(),
            None => {
                logs.push(log);
                numbers.push(of_log);
            }
        }
    }
    let mut numbers = numbers.into_iter();
    observe(OutputEvent::Begins(OutputStage::Converting, logs.len()));
    workers::convert_all(&logs, None, options, jobs, &Target::Discard, |_, outcome| {
        observe(OutputEvent::Step);
        let (LogOutcome::Converted(sessions), Some(numbers)) = (outcome, numbers.next()) else {
            return ControlFlow::Continue(());
        };
        let mut by_id = BTreeMap::new();
        for session in sessions {
            let is_understood = session.as_ref().is_ok_and(|(report, _)| !report.has_unknown());
            count += usize::from(!is_understood);
            if let Ok((report, _)) = session {
                by_id.insert(report.session_id, is_understood);
            }
        }
        records.set_understood(&numbers, &by_id);
        ControlFlow::Continue(())
    })?;
    Ok(count)
}

/// The state of the output.
enum Destination<'o> {
    Stream {
        out: &'o mut dyn Write,
        name: &'static str,
    },
    File(RecordFile),
    Folder {
        folder: &'o mut RecordFolder,
        existing: Box<ExistingRecords>,
    },
    /// A folder that is not created, because there is no log.
    Nowhere,
    /// The reader has closed the pipe, or the disk is full.
    Over,
}

impl Destination<'_> {
    /// Returns where workers write records.
    fn target(&self) -> Result<Target> {
        match self {
            Self::Stream { .. } | Self::Nowhere | Self::Over => Ok(Target::Aside),
            Self::File(file) => file.target(),
            Self::Folder { folder, .. } => {
                Ok(Target::Folder(FolderTarget::new(folder.path().to_owned())))
            }
        }
    }

    /// Returns whether the output accepts no further records.
    fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }

    /// Writes a complete record. A closed pipe is not an error.
    fn take(
        &mut self,
        finished: FinishedRecord<'_>,
        options: &OutputOptions,
    ) -> Result<RecordChange> {
        let appended = match self {
            Self::Over => Ok(()),
            Self::Nowhere => unreachable!("a record is made from a log"),
            Self::Stream { out, .. } => finished.record.copy_to(out),
            Self::File(file) => file.append(finished.record),
            Self::Folder { folder, existing } => return folder.take(existing, finished, options),
        };
        match appended {
            Ok(()) => Ok(RecordChange::Appended),
            Err(error) => self.give_up(&error).map(|()| RecordChange::Appended),
        }
    }

    /// Removes the bytes of a log that failed from the file.
    fn cut_back(&mut self) -> Result<()> {
        let Self::File(file) = self else { return Ok(()) };
        match file.cut_back() {
            Ok(()) => Ok(()),
            Err(error) => self.give_up(&error),
        }
    }

    /// Writes the buffered bytes, gives a file its name, and updates the index of a folder. Returns
    /// the error of the index.
    fn finish(mut self) -> Result<Option<Error>> {
        let flushed = match &mut self {
            Self::Stream { out, .. } => out.flush(),
            Self::File(file) => file.flush(),
            Self::Folder { .. } | Self::Nowhere | Self::Over => Ok(()),
        };
        if let Err(error) = flushed {
            return self.give_up(&error).map(|()| None);
        }
        match self {
            Self::File(file) => file.finish().map(|()| None),
            Self::Folder { folder, existing } => {
                let path = folder.path();
                let cannot = |error| {
                    Error::io(format!("cannot write the index of {}", path.display()), &error)
                };
                Ok(existing.write_index(path).map_err(cannot).err())
            }
            Self::Stream { .. } | Self::Nowhere | Self::Over => Ok(None),
        }
    }

    /// Ends the output, because its reader has closed it or the disk is full.
    fn give_up(&mut self, error: &io::Error) -> Result<()> {
        let name = match std::mem::replace(self, Self::Over) {
            Self::Stream { name, .. } => format!("to {name}"),
            Self::File(file) => file.path().display().to_string(),
            Self::Folder { .. } | Self::Nowhere | Self::Over => String::new(),
        };
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(Error::io(format!("cannot write {name}"), error)),
        }
    }
}

/// Handles outcomes in the order of the logs.
struct Run<'r, 'o> {
    destination: Destination<'o>,
    target: &'r Target,
    options: &'r OutputOptions,
    report: OutputReport,
    /// The reason for which no further record can be written.
    over: Option<Error>,
    observe: &'r mut OutputObserver<'o>,
}

impl Run<'_, '_> {
    /// Handles one outcome. Returns `Break` if no further record can be written.
    fn take(&mut self, found: &FoundLog, outcome: LogOutcome) -> ControlFlow<()> {
        (self.observe)(OutputEvent::Step);
        if let Some(error) = self.target.take_failure() {
            self.over = self.destination.give_up(&error).err();
            return ControlFlow::Break(());
        }
        match outcome {
            LogOutcome::Converted(sessions) => {
                for session in sessions {
                    match session {
                        Ok((report, record)) => self.take_record(found, report, record),
                        Err(error) => self.fail(error),
                    }
                }
            }
            LogOutcome::Skipped(looks_like) => {
                let looks_like = looks_like.as_deref();
                (self.observe)(OutputEvent::Skipped { log: found.name(), looks_like });
                self.report.skipped += 1;
            }
            LogOutcome::Failed(error) => self.fail(error),
        }
        if let Err(error) = self.destination.cut_back() {
            self.over = Some(error);
        }
        if self.destination.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn take_record(&mut self, found: &FoundLog, report: Box<Report>, record: WrittenRecord) {
        let log = found.log().expect("a log that was converted is open");
        let finished = FinishedRecord {
            record,
            encoding: self.options.convert.record.encoding,
            profile: self.options.convert.record.profile,
            report: &report,
            log,
        };
        match self.destination.take(finished, self.options) {
            Ok(change) => {
                let session = OutputSession {
                    log: log.shown.clone(),
                    session_id: report.session_id.clone(),
                    change,
                    report: Some(report),
                };
                (self.observe)(OutputEvent::Converted(&session));
                self.report.sessions.push(session);
            }
            Err(error) if self.destination.is_over() => self.over = Some(error),
            Err(error) => self.fail(error.at(log.shown.clone())),
        }
    }

    fn fail(&mut self, error: Error) {
        (self.observe)(OutputEvent::Failed(&error));
        self.report.failed.push(error);
    }
}
