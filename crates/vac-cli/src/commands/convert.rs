//! `vac convert`

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use vac::adapter::adapter::Profile;
use vac::adapter::session;
use vac::convert::HOME;
use vac::files::{InputGuard, Wait, refuse_agent_folder};
use vac::output::{
    FoundLog, OutputOptions, RecordFile, RecordFolder, RecordOutput, UnchangedLogs, convert_logs,
    readers_of_found,
};
use vac::store::MemoryBudget;
use vac::store::join::DetectedLog;
use vac::store::skipped::SkippedReason;
use vac::value::{Encoding, Layout};
use vac::{Agent, ConvertOptions, Search};

use crate::convert::messages::{Messages, advise};
use crate::convert::output::{OutputKind, is_for_lines, may_have_several};
use crate::convert::report_file::ReportFile;
use crate::convert::selection::{Selected, Selection};
use crate::convert::summary::Summary;
use crate::convert::unknown;
use crate::exit::Exit;
use crate::help;
use crate::mode_option::ModeOption;
use crate::output_file::refuse_to_show;
use crate::printer::{self, Printer};
use crate::session_names::{self, Last, Named};
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
record names its sources with size and SHA-256. A newer version of vac alone changes no
record; --reconvert does. A record is replaced only by one that contains it: its log has
only grown, or every entry of it is in the new one unchanged. Otherwise it is kept, the new
record gets another name, and the exit code is 1; --force replaces it. A file that is not a
record of the same session is never replaced.",
"\
A new record keeps the labels of the record that it replaces; --force drops them. A record
without a label of --label is made again with it. One with another value of a label is
another user's: it stays, and the new record gets another name.",
"\
The file .vac-index in a large output folder lists its records with size, times and inode,
and those of their logs, so that the next run opens no record, and reads only the
beginning of a log, where these are unchanged (logs in databases are read). --rehash reads
all logs, and of the records their beginning and end. The file can be deleted.",
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
    /// Keep this label in the `recording-agent` of every record that is written; `{home}` in it is
    /// the name of the home folder in which --discover found the session (repeatable)
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
    /// Read logs, and what records state, even if the index of the output folder says unchanged
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
    pub fn run(mut self, printer: &Printer) -> Result<Exit> {
        if !self.selection.root.is_empty() && !self.discover {
            bail!("--root requires --discover");
        }
        if self.paths.is_empty() && !self.discover && self.last.last.is_none() {
            bail!("no PATH given (use --discover to convert the sessions on this machine)");
        }
        self.selection.homes_apart = self.label.iter().any(|(_, value)| value.contains(HOME));
        let named = session_names::resolve(&self.paths, self.last, sessions::agent(&self.agent))?;
        self.paths.clone_from(&named.paths);
        let output = self.output.as_deref();
        let is_several =
            self.discover || (may_have_several(&self.paths) && !named.is_one_session());
        let kind = OutputKind::new(output, is_several)?;
        let options = self.output_options(kind)?;
        if let Some(path) = output {
            refuse_agent_folder(path)?;
            self.selection.refuse_output(path)?;
        }
        let encoding = options.convert.record.encoding;
        self.check_options(kind, encoding)?;
        // Search logs only while no other run writes records of them.
        let folder = output.filter(|_| kind == OutputKind::Folder);
        let open = |path| RecordFolder::open(path, options.wait, || printer.waiting_for(path));
        let mut folder = folder.map(open).transpose().map_err(with_advice)?;
        let agent = sessions::agent(&self.agent);
        let Selected { logs, found, duplicates, excluded, failed, skipped } =
            self.select(&named, agent, &options, printer)?;
        let inputs = inputs(if self.discover { &[][..] } else { &found }, &logs);
        let is_complete = failed.is_empty();
        let mut summary = Summary { failed, duplicates, ..Summary::default() };
        let logs: Vec<_> = logs.into_iter().map(|it| describe(it, agent)).collect();
        let readers = options.readers.unwrap_or_else(|| readers_of_found(&logs));
        let file = output.filter(|_| kind == OutputKind::File);
        let create = |path| RecordFile::create(path, self.force, readers, &inputs);
        let file = file.map(create).transpose().map_err(with_advice)?;
        if kind == OutputKind::Stdout && encoding == Encoding::Cbor {
            refuse_to_show(printer)?;
        }
        let report_file = self.report.as_deref();
        let report_file =
            report_file.map(|path| ReportFile::new(path, self.force, &inputs, kind)).transpose()?;
        if let (Some(report_file), Some(file)) = (&report_file, &file) {
            report_file.refuse_records(|path| file.holds(path))?;
        }
        let mut stdout = printer.records();
        let records = match (&mut folder, file) {
            (Some(folder), _) => RecordOutput::Folder(folder),
            (None, Some(file)) => RecordOutput::File(file),
            (None, None) => RecordOutput::Stream { out: &mut stdout, name: "standard output" },
        };
        // Records that are printed on the terminal show the progress.
        let shows_progress = kind != OutputKind::Stdout || !printer.is_terminal();
        let mut messages = Messages::new(printer, output.unwrap_or(Path::new("-")), shows_progress);
        let converted = convert_logs(logs, records, &options, &mut |event| messages.take(event));
        let mut exit = messages.finish();
        if !is_complete {
            exit = Exit::Error;
        }
        // Some are met only when a session is read.
        skipped::warn(&skipped, printer);
        summary.links_skipped = skipped.count(SkippedReason::Link);
        summary.special_files_skipped = skipped.count(SkippedReason::Special);
        let report = converted.map_err(with_advice)?;
        if let Some(error) = &report.index_error {
            printer.warn_detail(&error.to_string());
        }
        summary.add(report, folder.is_some());
        if let (Some(report_file), Some(folder)) = (&report_file, &folder) {
            report_file.refuse_records(|path| folder.holds(path))?;
        }
        if summary.sessions.is_empty() && summary.failed.is_empty() {
            exit = exit.max(self.nothing(&summary, agent, excluded, printer)?);
        }
        if self.strict && summary.has_unknown() {
            exit = exit.max(Exit::Failure);
        }
        if let Some(report_file) = &report_file {
            report_file.write(&printer::json(&summary.document())?, readers, printer)?;
        }
        if self.json {
            printer.json(&summary.document())?;
        }
        summary.print(printer);
        Ok(exit)
    }

    /// Refuses options that contradict each other.
    fn check_options(&self, kind: OutputKind, encoding: Encoding) -> Result<()> {
        let by_home = self.label.iter().find(|(_, value)| value.contains(HOME));
        if let Some((key, value)) = by_home.filter(|_| !self.discover) {
            bail!("--label {key}={value} requires --discover: only sessions there have a home");
        }
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

    /// Finds the logs of the sessions that are meant.
    fn select(
        &self,
        named: &Named,
        agent: Option<Agent>,
        options: &OutputOptions,
        printer: &Printer,
    ) -> Result<Selected> {
        let budget = MemoryBudget::new(options.convert.max_event);
        let jobs = Search { jobs: options.jobs, ..Search::default() }.jobs();
        let mut selected =
            self.selection.find(&self.paths, agent, options.jobs, &budget, printer)?;
        selected.logs = named.keep_meant(selected.logs, jobs)?;
        Ok(selected)
    }

    /// Reports that there is nothing to convert. In paths that the user named, that is an error,
    /// unless there are other sessions than those that are wanted.
    fn nothing(
        &self,
        summary: &Summary,
        agent: Option<Agent>,
        excluded: usize,
        printer: &Printer,
    ) -> Result<Exit> {
        if summary.changes.is_some_and(|changes| changes.unchanged > 0) {
            return Ok(Exit::Success);
        }
        if self.discover {
            for line in self.selection.none_found(agent, excluded)? {
                printer.info(&line);
            }
            return Ok(Exit::Success);
        }
        if excluded > 0 {
            let paths: Vec<_> = self.paths.iter().map(|path| path.display().to_string()).collect();
            printer.info(&self.selection.none_wanted(&paths, excluded));
            return Ok(Exit::Success);
        }
        printer.error(&sessions::none_found(&self.paths));
        Ok(Exit::Failure)
    }

    fn output_options(&self, kind: OutputKind) -> Result<OutputOptions> {
        Ok(OutputOptions {
            convert: ConvertOptions {
                record: self.record_options(kind)?,
                max_event: self.max_event,
            },
            readers: self.mode.readers(),
            jobs: self.jobs.map_or(0, Into::into),
            overwrite: self.force,
            unchanged: match (self.reconvert, self.strict) {
                (true, _) => UnchangedLogs::Converted,
                (false, true) => UnchangedLogs::Examined,
                (false, false) => UnchangedLogs::Kept,
            },
            rehash: self.rehash,
            wait: if self.no_wait { Wait::No } else { Wait::Yes },
            searched: Some(SystemTime::now()),
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

/// Describes a file that the user named and that is not a log.
fn describe(mut detected: DetectedLog, agent: Option<Agent>) -> FoundLog {
    let is_unknown = agent.or_else(|| sessions::named(&detected)).is_none();
    if is_unknown && detected.log.named && detected.trouble.is_none() {
        let unknown = || unknown::reason(&detected.log);
        detected.looks_like = detected.looks_like.take().or_else(|| Some(unknown()));
    }
    FoundLog::new(detected, agent)
}

/// Returns an error with the option that would have prevented it.
fn with_advice(error: vac::Error) -> anyhow::Error {
    let reason = advise(&error).into_owned();
    vac::Error { reason, ..error }.into()
}
