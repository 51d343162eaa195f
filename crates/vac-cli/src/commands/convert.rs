//! `vac convert`

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use vac::Agent;
use vac::convert::ConvertOptions;
use vac_adapter::adapter::Profile;
use vac_adapter::report::NO_CONVERSATION;
use vac_adapter::session;
use vac_store::join::DetectedLog;
use vac_store::skipped::SkippedReason;
use vac_store::{MemoryBudget, StoredLog};
use vac_value::{Encoding, Layout};

use crate::atomic_file::make_folder;
use crate::convert::containment::Finished;
use crate::convert::destination::{Destination, Existing, KeptBecause, Placed};
use crate::convert::existing_records::{ExistingRecords, Reading, UnchangedLog};
use crate::convert::lock::{self, FolderLock, Wait};
use crate::convert::output::{OutputKind, is_for_lines, may_have_several};
use crate::convert::record_writer::Target;
use crate::convert::report_file::ReportFile;
use crate::convert::selection::Selection;
use crate::convert::summary::Summary;
use crate::convert::unknown;
use crate::convert::workers::{self, Outcome, SessionOutcome, Settings};
use crate::exit::Exit;
use crate::format::truncate;
use crate::help;
use crate::input_guard::{InputGuard, refuse_agent_folder};
use crate::json_output::{Changes, FailedFile};
use crate::output_file::refuse_to_show;
use crate::printer::{self, Printer};
use crate::readers::ModeOption;
use crate::session_names::{self, Last};
use crate::sessions;
use crate::size;
use crate::skipped;

/// Convert session logs of agents to records
///
/// Logs are recognised by their content. Every value of a log is in its record,
/// under its canonical or its native name. The same log always gives the same
/// bytes.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
#[command(after_help = help::ending(
    &["\
-o PATH is a folder, with a file for each session, if PATH ends in /, exists as a folder,
or more than one session could be written: with --discover, several paths, a directory or
a database. Otherwise it is a file. PATH.jsonl, PATH.ndjson and PATH.cborseq are always
files, for all records. Folders that do not exist are created.",
"\
In an output folder, only sessions that are new or have changed since are converted: a
record names its sources with size and SHA-256. A newer version of vac or another --label
changes no record; --reconvert does. A record is replaced only by one that contains it:
its log has only grown, or every entry of it is in the new one unchanged. Otherwise it is
kept, the new record gets another name, and the exit code is 1; --force replaces it. What
is not a record of the same session is never replaced.",
"\
The file .vac-index in a large output folder lists its records with size, times and inode,
and those of their logs, so that the next run opens no record, and reads only the
beginning of a log, where these are unchanged (logs in databases are read). --rehash reads
all of them. The file can be deleted.",
"\
Output is readable by those who can read all its sources, and by the owner alone if these
are in a database or on standard input. Two runs that write to one folder take turns."],
    "a log could not be converted, or an earlier record was kept",
    &[
        ("vac convert session.jsonl > record.json", "One session"),
        ("vac convert ~/.claude/projects -o records/", "All sessions of Claude Code, a file each"),
        ("vac convert --discover -o records/", "All sessions on this machine; again: what is new"),
        (
            "vac convert -f cbor --report report.json -o records.cborseq logs/",
            "In CBOR, all records in one file, with a report of what was found",
        ),
    ],
))]
pub struct ConvertArgs {
    /// Files, directories (searched for logs at any depth), - for stdin, or ids of sessions that
    /// agents keep (at least 4 characters)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    last: Last,
    /// Convert the sessions that agents keep on this machine (see `vac list`)
    #[arg(long, conflicts_with_all = ["paths", "last"])]
    discover: bool,
    #[command(flatten)]
    selection: Selection,
    /// Agent that wrote the logs
    #[arg(short, long, default_value = "auto", value_parser = sessions::agents())]
    agent: String,
    /// Encoding of records [default: by the ending of --output, else json]
    #[arg(short, long, value_enum)]
    format: Option<Format>,
    /// Write to this file, or to a folder with a file for each session (see below)
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Parts of a log to keep in its record
    #[arg(long, value_enum, default_value = "full")]
    profile: ProfileName,
    /// Pretty-print JSON
    #[arg(long)]
    pretty: bool,
    /// Keep this label in the `recording-agent` of every record that is written (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_label)]
    label: Vec<(String, String)>,
    /// Write a report of what was found to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Maximum size of a line or message that is parsed; a longer one is kept unparsed, in pieces
    /// (1KiB to 2GiB)
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::parse)]
    max_event: usize,
    /// Number of logs to convert in parallel [default: number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,
    /// Do not validate records against the schema
    #[arg(long)]
    no_validate: bool,
    /// Overwrite a file that already exists, or earlier records of the same sessions
    #[arg(long)]
    force: bool,
    /// Also convert sessions that have not changed; needs an output folder
    #[arg(long, requires = "output")]
    reconvert: bool,
    /// Read records and logs again that are unchanged according to the index of the output folder
    #[arg(long, requires = "output")]
    rehash: bool,
    #[command(flatten)]
    mode: ModeOption,
    /// Fail instead of waiting if another vac writes to the output folder
    #[arg(long)]
    no_wait: bool,
    /// Exit with 1 if anything was not understood, or a session has no message and no tool call
    #[arg(long)]
    strict: bool,
    /// Print the summary as JSON on stdout; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// One JSON record per line
    Json,
    /// Deterministic CBOR, one record after the other
    Cbor,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    /// Everything
    Full,
    /// Only members that the schema names
    Canonical,
}

impl ConvertArgs {
    /// Runs the command.
    #[allow(clippy::too_many_lines)] // the steps of a conversion, one after the other
    pub fn run(mut self, printer: &Printer) -> Result<Exit> {
        if !self.selection.root.is_empty() && !self.discover {
            bail!("--root requires --discover");
        }
        if self.paths.is_empty() && !self.discover && self.last.last.is_none() {
            bail!("no PATH given (use --discover to convert the sessions on this machine)");
        }
        let named = session_names::resolve(&self.paths, self.last, sessions::agent(&self.agent))?;
        self.paths.clone_from(&named.paths);
        let output = self.output.as_deref();
        let is_several =
            self.discover || (may_have_several(&self.paths) && !named.is_one_session());
        let kind = OutputKind::new(output, is_several)?;
        let settings = self.settings(kind)?;
        if let Some(path) = output.filter(|_| kind != OutputKind::Stdout) {
            refuse_agent_folder(path)?;
        }
        self.check_options(kind, settings.options.record.encoding)?;
        let started = SystemTime::now();
        // Search logs only while no other run writes records of them.
        let folder = output.filter(|_| kind == OutputKind::Folder);
        let lock = folder.filter(|folder| folder.is_dir());
        let lock = lock.map(|folder| self.lock(folder, printer)).transpose()?;
        let (agent, jobs) = (settings.agent, settings.jobs);
        let budget = MemoryBudget::new(settings.options.max_event);
        let mut selected = self.selection.find(&self.paths, agent, jobs, &budget, printer)?;
        selected.logs.retain(|detected| {
            let id = detected.preview.session_id.as_deref();
            id.is_none_or(|id| named.selects(&detected.log, &[id]))
        });
        let found = if self.discover { &[][..] } else { &selected.found };
        let inputs = inputs(found, &selected.logs);
        let is_complete = selected.failed.is_empty();
        let mut summary = Summary {
            duplicates: selected.duplicates,
            failed: selected.failed,
            ..Summary::default()
        };
        let skipped = selected.skipped;
        let sources =
            selected.logs.iter().filter(|detected| detected.agent.is_some() || detected.log.named);
        let readers = self.mode.readers_of_logs(sources.map(|detected| &detected.log));
        let (destination, logs) = match folder {
            None => {
                (Destination::open(output, self.force, readers, &inputs, printer)?, selected.logs)
            }
            Some(folder) => {
                make_folder(folder, readers)?;
                let lock = match lock {
                    Some(lock) => lock,
                    None => self.lock(folder, printer)?,
                };
                let (existing, logs) = self.existing(
                    folder,
                    selected.logs,
                    &settings,
                    started,
                    &mut summary,
                    printer,
                )?;
                (Destination::folder(folder, existing, lock), logs)
            }
        };
        if destination.is_stdout() && settings.options.record.encoding == Encoding::Cbor {
            refuse_to_show(printer)?;
        }
        let report = self.report.as_deref();
        let report = report
            .map(|path| ReportFile::new(path, self.force, &inputs, &destination))
            .transpose()?;
        let target = destination.target()?;
        let mut run = Run {
            destination,
            target: &target,
            options: &settings.options,
            summary,
            exit: if is_complete { Exit::Success } else { Exit::Error },
            over: None,
            printer,
        };
        // Records that are printed on the terminal show the progress.
        let is_seen = run.destination.is_stdout() && printer.is_terminal();
        let progress = if is_seen {
            printer.no_progress()
        } else {
            printer.progress("converting", logs.len())
        };
        workers::convert_all(&logs, &settings, &target, &progress, |detected, outcome| {
            run.take(&detected.log, outcome)
        })?;
        drop(progress);
        let Run { destination, mut summary, mut exit, over, .. } = run;
        // Some are met only when a session is read.
        skipped::warn(&skipped, printer);
        summary.links_skipped = skipped.count(SkippedReason::Link);
        summary.special_files_skipped = skipped.count(SkippedReason::Special);
        if let Some(error) = over {
            return Err(error);
        }
        if let Some(report) = &report {
            report.refuse_records(&destination)?;
        }
        destination.finish(printer)?;
        if summary.sessions.is_empty() && summary.failed.is_empty() {
            exit = exit.max(self.nothing(&summary, agent, printer)?);
        }
        if self.strict && summary.has_unknown() {
            exit = exit.max(Exit::Failure);
        }
        if let Some(report) = &report {
            report.write(&printer::json(&summary.document())?, readers, printer)?;
        }
        if self.json {
            printer.json(&summary.document())?;
        }
        summary.print(printer);
        Ok(exit)
    }

    /// Refuses options that contradict each other.
    fn check_options(&self, kind: OutputKind, encoding: Encoding) -> Result<()> {
        if self.pretty && encoding == Encoding::Cbor {
            bail!("--pretty applies to JSON, not to CBOR");
        }
        if self.pretty && kind == OutputKind::File && is_for_lines(self.output.as_deref()) {
            bail!(
                "--pretty writes several lines for a record, but .jsonl and .ndjson files have one"
            );
        }
        if self.reconvert && kind != OutputKind::Folder {
            bail!("--reconvert requires an output folder");
        }
        if self.rehash && kind != OutputKind::Folder {
            bail!("--rehash requires an output folder");
        }
        if self.json && kind == OutputKind::Stdout {
            bail!("records and the summary cannot both go to standard output: see --output");
        }
        Ok(())
    }

    fn lock(&self, folder: &Path, printer: &Printer) -> Result<FolderLock> {
        let wait = if self.no_wait { Wait::No } else { Wait::Yes };
        lock::acquire(folder, wait, printer)
    }

    /// Returns the existing records of the output folder, and the logs to convert.
    fn existing(
        &self,
        folder: &Path,
        logs: Vec<DetectedLog>,
        settings: &Settings,
        started: SystemTime,
        summary: &mut Summary,
        printer: &Printer,
    ) -> Result<(Existing, Vec<DetectedLog>)> {
        let reading = Reading {
            encoding: settings.options.record.encoding,
            rehash: self.rehash,
            jobs: settings.jobs,
            started,
        };
        let mut records = ExistingRecords::in_folder(folder, &reading, printer)
            .with_context(|| format!("cannot read the folder {}", folder.display()))?;
        let (logs, unchanged) = if self.force || self.reconvert {
            (logs, Vec::new())
        } else {
            records.divide(logs, settings.jobs, printer)?
        };
        let count = unchanged.iter().map(|log| log.records.len() as u64).sum();
        summary.changes = Some(Changes { unchanged: count, ..Changes::default() });
        if self.strict {
            summary.unchanged_unknown = count_unknown(&mut records, unchanged, settings, printer)?;
        }
        Ok((Existing { records, force: self.force }, logs))
    }

    /// Reports that there is nothing to convert. In paths that the user named, that is an error.
    fn nothing(&self, summary: &Summary, agent: Option<Agent>, printer: &Printer) -> Result<Exit> {
        if summary.changes.is_some_and(|changes| changes.unchanged > 0) {
            return Ok(Exit::Success);
        }
        if self.discover {
            for line in self.selection.none_found(agent)? {
                printer.info(&line);
            }
            return Ok(Exit::Success);
        }
        printer.error(&sessions::none_found(&self.paths));
        Ok(Exit::Failure)
    }

    fn settings(&self, kind: OutputKind) -> Result<Settings> {
        let agent = sessions::agent(&self.agent);
        Ok(Settings {
            agent,
            options: ConvertOptions {
                record: self.record_options(kind)?,
                max_event: self.max_event,
            },
            mode: self.mode,
            jobs: self.jobs.or(std::thread::available_parallelism().ok()).map_or(1, Into::into),
        })
    }

    fn record_options(&self, kind: OutputKind) -> Result<session::RecordOptions> {
        let format = self.format.map(|format| match format {
            Format::Json => Encoding::Json,
            Format::Cbor => Encoding::Cbor,
        });
        Ok(session::RecordOptions {
            encoding: kind.encoding(self.output.as_deref(), format)?,
            layout: if self.pretty { Layout::Pretty } else { Layout::Compact },
            build: crate::version::COMMIT.map(str::to_owned),
            profile: match self.profile {
                ProfileName::Full => Profile::Full,
                ProfileName::Canonical => Profile::Canonical,
            },
            validate: !self.no_validate,
            labels: labels_by_key(&self.label)?,
        })
    }
}

/// Counts unchanged sessions that are not fully understood. Where the index does not state it, logs
/// are converted again, and the new records are dropped.
fn count_unknown(
    records: &mut ExistingRecords,
    unchanged: Vec<UnchangedLog>,
    settings: &Settings,
    printer: &Printer,
) -> Result<usize> {
    let mut count = 0;
    let (mut logs, mut numbers) = (Vec::new(), Vec::new());
    for UnchangedLog { detected, records: of_log } in unchanged {
        match records.are_understood(&of_log) {
            Some(understood) => count += understood.iter().filter(|is| !**is).count(),
            None => {
                logs.push(detected);
                numbers.push(of_log);
            }
        }
    }
    let mut numbers = numbers.into_iter();
    let progress = printer.progress("converting", logs.len());
    workers::convert_all(&logs, settings, &Target::Discard, &progress, |_, outcome| {
        let (Outcome::Converted(sessions), numbers) = (outcome, numbers.next()) else {
            return ControlFlow::Continue(());
        };
        let mut by_id = BTreeMap::new();
        for session in sessions {
            let is_understood = match &session {
                SessionOutcome::Record(report, _) => !report.has_unknown(),
                SessionOutcome::Failed(_) | SessionOutcome::Trouble(_) => false,
            };
            count += usize::from(!is_understood);
            if let SessionOutcome::Record(report, _) = session {
                by_id.insert(report.session_id, is_understood);
            }
        }
        records.set_understood(&numbers.unwrap_or_default(), &by_id);
        ControlFlow::Continue(())
    })?;
    Ok(count)
}

/// Parses the value of `--jobs`.
pub fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number, 1 or more".to_owned())
}

/// Parses the value of `--label`: `KEY=VALUE`.
pub fn parse_label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("the key is empty".to_owned()),
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("expected KEY=VALUE, such as user=ada".to_owned()),
    }
}

/// Returns the labels that `--label` states, by key.
pub fn labels_by_key(labels: &[(String, String)]) -> Result<BTreeMap<String, String>> {
    let mut by_key = BTreeMap::new();
    for (key, value) in labels {
        if by_key.insert(key.clone(), value.clone()).is_some() {
            bail!("--label: key `{key}` is given twice");
        }
    }
    Ok(by_key)
}

/// Returns the guard of all files that were found, including duplicates. A skipped file may be a
/// record of an earlier run.
fn inputs(found: &[PathBuf], logs: &[DetectedLog]) -> InputGuard {
    let is_other = |detected: &&DetectedLog| {
        detected.agent.is_none() && detected.trouble.is_none() && !detected.log.named
    };
    let skipped: HashSet<_> =
        logs.iter().filter(is_other).flat_map(|detected| detected.log.paths()).collect();
    let all = logs.iter().flat_map(|detected| detected.log.paths());
    let all = found.iter().map(PathBuf::as_path).chain(all);
    InputGuard::new(all.filter(|path| !skipped.contains(path)))
}

/// Handles outcomes in the order of the logs.
struct Run<'r> {
    destination: Destination,
    target: &'r Target,
    options: &'r ConvertOptions,
    summary: Summary,
    exit: Exit,
    /// The reason why no further record can be written.
    over: Option<anyhow::Error>,
    printer: &'r Printer,
}

impl Run<'_> {
    /// Handles one outcome. Breaks if no further record can be written.
    fn take(&mut self, log: &StoredLog, outcome: Outcome) -> ControlFlow<()> {
        if let Some(error) = self.target.take_failure() {
            self.over = self.destination.give_up(error).err();
            return ControlFlow::Break(());
        }
        match outcome {
            Outcome::Converted(sessions) => {
                for session in sessions {
                    self.take_session(log, session);
                }
            }
            Outcome::Unknown(looks_like) if log.named => {
                let reason = looks_like.unwrap_or_else(|| unknown::reason(log));
                self.fail(log, reason, Exit::Failure);
            }
            Outcome::Unknown(looks_like) => {
                let why = looks_like.map_or_else(String::new, |why| format!(" ({why})"));
                self.printer.detail(&format!("{}: skipped{why}", log.shown));
                self.summary.skipped += 1;
            }
            Outcome::Refused(reason) => self.fail(log, reason, Exit::Failure),
            Outcome::Trouble(reason) => self.fail(log, reason, Exit::Error),
        }
        if let Err(error) = self.destination.cut_back() {
            self.over = Some(error);
        }
        if self.destination.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn take_session(&mut self, log: &StoredLog, session: SessionOutcome) {
        match session {
            SessionOutcome::Failed(reason) => self.fail(log, reason, Exit::Failure),
            SessionOutcome::Trouble(reason) => self.fail(log, reason, Exit::Error),
            SessionOutcome::Record(report, record) => {
                let finished = Finished {
                    record,
                    encoding: self.options.record.encoding,
                    profile: self.options.record.profile,
                    report: &report,
                    log,
                };
                let placed = match self.destination.take(finished) {
                    Ok(placed) => placed,
                    Err(error) if self.destination.is_over() => {
                        self.over = Some(error);
                        return;
                    }
                    Err(error) => return self.fail(log, format!("{error:#}"), Exit::Error),
                };
                self.print_placed(log, &placed);
                for warning in &report.warnings {
                    let words = format!("{}: {}", log.shown, truncate(warning, 400));
                    match warning.as_str() {
                        NO_CONVERSATION => self.printer.warn(&words),
                        _ => self.printer.warn_detail(&words),
                    }
                }
                self.summary.sessions.push(*report);
            }
        }
    }

    fn print_placed(&mut self, log: &StoredLog, placed: &Placed) {
        let (path, is_changed) = match placed {
            Placed::Appended => return,
            Placed::New(path) | Placed::NextTo { path, .. } => (path, false),
            Placed::Changed(path) => (path, true),
        };
        if let Some(Changes { new, changed, .. }) = &mut self.summary.changes {
            *if is_changed { changed } else { new } += 1;
        }
        if let Placed::NextTo { kept, why, .. } = placed {
            self.warn_kept(log, path, kept, *why);
        }
        self.printer.detail(&format!("{} -> {}", log.shown, path.display()));
    }

    /// Warns that an earlier file is kept, because it may contain evidence that the new record does
    /// not have.
    fn warn_kept(&mut self, log: &StoredLog, path: &Path, kept: &Path, why: KeptBecause) {
        if let Some(changes) = &mut self.summary.changes {
            changes.kept += 1;
        }
        self.exit = self.exit.max(Exit::Failure);
        let why = match why {
            KeptBecause::OtherFile => "it is not a record of this session",
            KeptBecause::NotContained => "it has something that the new record does not have",
        };
        self.printer.warn_always(&format!(
            "{}: {} is kept, because {why}; the new record is {}",
            log.shown,
            kept.display(),
            path.display()
        ));
    }

    fn fail(&mut self, log: &StoredLog, reason: String, exit: Exit) {
        self.printer.error(&format!("{}: {}", log.shown, truncate(&reason, 400)));
        self.summary.failed.push(FailedFile { file: log.shown.clone(), error: reason });
        self.exit = self.exit.max(exit);
    }
}
