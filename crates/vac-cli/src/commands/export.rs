//! `vac export`

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use vac::files::{refuse_agent_folder, refuse_input_folder};
use vac::interchange::InterchangeFormat;
use vac::tables::file_writer::FileFormat;
use vac::tables::{SessionTable, TableSet};
use vac::when;

use crate::commands::convert::parse_jobs;
use crate::exit::Exit;
use crate::export::{
    ExportFormat, ExportOptions, ExportSummary, PartitionColumn, export_to_folder, export_to_stdout,
};
use crate::format::pluralize;
use crate::help;
use crate::json_output::{Document, ExportOutput, ExportedTable, FailedFile};
use crate::mode_option::ModeOption;
use crate::output_file::refuse_to_show;
use crate::printer::Printer;
use crate::session_scan::{Limits, Scope};

/// Export sessions as tables for SQL and data frames, or for other tools
///
/// Writes up to five tables, each as a folder of files: `sessions`, `entries`, `tool_calls`, `usage`
/// and `files`. The column `record_key` joins them, and all columns are documented in TABLES.md of
/// crate `vac-table`. Engines for SQL and data frames read such folders.
///
/// `-f atif` writes a trajectory (Agent Trajectory Interchange Format) and `-f otel` the spans of a
/// trace (OTLP in JSON, with the attributes for generative AI) for each session, as a file each.
/// MAPPING.md of crate `vac-interchange` says what becomes of a session, and what is lost.
///
/// Later runs read only what is new or was changed: a session that grew replaces its rows, and
/// sessions whose logs were removed stay. CSV and NDJSON are written anew each time: what another run
/// has exported to the folder is removed, unless nothing was read.
///
/// A session counts once, also if its log was moved, or if its log and a record of it are given, and
/// the log has grown since. Other sessions of one id count each, with a warning.
///
/// Tables contain what logs contain, also secrets. JSON in tables is readable by every parser; where
/// that needed a change (lone surrogates), the column `is_lossy` says so. Records are exact.
///
/// A spreadsheet may run text of CSV that begins with =, +, - or @ as a formula, and text of a session
/// can come from anyone: import all columns as text.
#[derive(Args)]
#[command(after_help = help::ending(
    &["Sums of `usage` where `is_counted` is true are those of `vac inspect`. Signatures are not \
       verified."],
    "an input is not a session, or is an invalid record",
    &[
        ("vac export -o tables/", "All sessions on this machine, as Parquet"),
        ("vac export -o tables/ --partition-by agent,day", "Folders by agent and day"),
        ("vac export -f atif -o trajectories/", "A trajectory for each session"),
        ("vac export session.jsonl -f otel --output - > spans.json", "Spans, for a collector"),
    ],
))]
pub struct ExportArgs {
    #[command(flatten)]
    scope: Scope,
    /// Folder to write to, or - to write one table, or sessions as lines, to stdout
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Format of the files
    #[arg(short, long, value_enum, default_value = Format::DEFAULT)]
    format: Format,
    /// Tables to write, separated by commas [default: all]
    #[arg(long, value_name = "TABLES", value_delimiter = ',', value_parser = tables())]
    tables: Vec<String>,
    /// Divide tables into folders by the values of columns, separated by commas
    #[arg(long, value_enum, value_name = "COLUMNS", value_delimiter = ',')]
    partition_by: Vec<PartitionColumn>,
    /// Only sessions that began then or later: 2026, 2026-03, 2026-03-01,
    /// 2026-03-01T09:30:00Z, 24h, 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only sessions that began then or earlier; all of a day, month or year
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
    /// Number of groups of logs to read in parallel [default: number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<std::num::NonZeroUsize>,
    /// Replace an earlier export in the folder, whatever its options were
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    mode: ModeOption,
    /// Print what was exported as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Parquet, compressed with Zstandard
    #[cfg(feature = "parquet")]
    Parquet,
    /// Arrow IPC
    Arrow,
    /// CSV, with lists as JSON
    Csv,
    /// A JSON object on each line
    Ndjson,
    /// Spans of each session, as OTLP in JSON
    Otel,
    /// A trajectory of each session, in the Agent Trajectory Interchange Format
    Atif,
}

impl Format {
    const DEFAULT: &str = if cfg!(feature = "parquet") { "parquet" } else { "arrow" };
}

fn tables() -> PossibleValuesParser {
    PossibleValuesParser::new(SessionTable::ALL.map(SessionTable::name))
}

impl ExportArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let is_stdout = self.output == Path::new("-");
        let options = self.options(is_stdout);
        for (index, column) in self.partition_by.iter().enumerate() {
            if self.partition_by[..index].contains(column) {
                bail!("--partition-by names the column {} twice", column.name());
            }
        }
        if matches!(options.format, ExportFormat::Sessions(_)) && !self.tables.is_empty() {
            bail!("--tables cannot be used with --format {}", options.format);
        }
        let stdout = is_stdout.then(|| table_for_stdout(&options, printer)).transpose()?;
        if is_stdout {
            self.refuse_options_of_folders()?;
        } else {
            refuse_agent_folder(&self.output)?;
            refuse_input_folder(&self.output, &self.scope.inputs()?)?;
        }
        let limits = Limits { since: self.since, until: self.until, filter: None };
        let (scan, units) = self.scope.scan(limits, printer)?;
        let found = scan.exit;
        let summary = match stdout {
            Some(table) => export_to_stdout(&options, table, &scan, units, printer)?,
            None => export_to_folder(&self.output, &options, &scan, units, printer)?,
        };
        let exit = summary.exit(found);
        if self.json {
            printer.json(&Document::new("export", output(summary, options.format)))?;
        } else {
            self.report(&summary, options.format, printer);
        }
        Ok(exit)
    }

    /// Refuses options that say how a folder is written, or what is printed to stdout.
    fn refuse_options_of_folders(&self) -> Result<()> {
        for (name, is_given) in [
            ("partition-by", !self.partition_by.is_empty()),
            ("force", self.force),
            ("json", self.json),
        ] {
            if is_given {
                bail!("--{name} cannot be used with --output -");
            }
        }
        Ok(())
    }

    fn options(&self, is_stdout: bool) -> ExportOptions {
        let tables = match self.tables.as_slice() {
            [] => TableSet::ALL,
            names => names.iter().filter_map(|name| SessionTable::parse(name)).collect(),
        };
        let jobs = self.jobs.or(std::thread::available_parallelism().ok()).map_or(1, Into::into);
        ExportOptions {
            tables,
            format: match self.format {
                #[cfg(feature = "parquet")]
                Format::Parquet => ExportFormat::Tables(FileFormat::Parquet),
                Format::Arrow if is_stdout => ExportFormat::Tables(FileFormat::ArrowStream),
                Format::Arrow => ExportFormat::Tables(FileFormat::Arrow),
                Format::Csv => ExportFormat::Tables(FileFormat::Csv),
                Format::Ndjson => ExportFormat::Tables(FileFormat::Ndjson),
                Format::Otel => ExportFormat::Sessions(InterchangeFormat::Otel),
                Format::Atif => ExportFormat::Sessions(InterchangeFormat::Atif),
            },
            partition_by: self.partition_by.clone(),
            force: self.force,
            jobs,
            mode: self.mode,
        }
    }

    fn report(&self, summary: &ExportSummary, format: ExportFormat, printer: &Printer) {
        let is_stdout = self.output == Path::new("-");
        let ExportSummary { new, changed, unchanged, failures, .. } = summary;
        let (count, what) = match format {
            ExportFormat::Tables(_) => (summary.rows.values().sum(), "row"),
            ExportFormat::Sessions(InterchangeFormat::Otel) => (summary.parts, "span"),
            ExportFormat::Sessions(InterchangeFormat::Atif) => (summary.parts, "step"),
        };
        let content = pluralize(count, what);
        let to = if is_stdout { "stdout".to_owned() } else { self.output.display().to_string() };
        let sessions = pluralize(new + changed, "session");
        let changes = if is_stdout {
            String::new()
        } else {
            format!(" ({new} new, {changed} changed, {unchanged} unchanged)")
        };
        let failed = match failures.len() {
            0 => String::new(),
            count => format!(", {count} failed"),
        };
        let message = format!("{sessions} exported to {to}: {content}{changes}{failed}");
        printer.info(&message);
    }
}

fn output(summary: ExportSummary, format: ExportFormat) -> ExportOutput {
    let ExportSummary { new, changed, unchanged, rows, parts, failures } = summary;
    let count = |wanted| (format == ExportFormat::Sessions(wanted)).then_some(parts);
    let table = |(table, rows): (SessionTable, u64)| ExportedTable { table: table.name(), rows };
    ExportOutput {
        new,
        changed,
        unchanged,
        tables: rows.into_iter().map(table).collect(),
        steps: count(InterchangeFormat::Atif),
        spans: count(InterchangeFormat::Otel),
        failed: failures
            .into_iter()
            .map(|failure| FailedFile { file: failure.file, error: failure.error })
            .collect(),
    }
}

/// Returns the table that is written to standard output; none if sessions are.
fn table_for_stdout(options: &ExportOptions, printer: &Printer) -> Result<Option<SessionTable>> {
    let ExportFormat::Tables(format) = options.format else { return Ok(None) };
    match format {
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => {
            bail!("Parquet cannot be written to stdout (use -f arrow, csv or ndjson)")
        }
        FileFormat::Arrow | FileFormat::ArrowStream => refuse_to_show(printer)?,
        FileFormat::Csv | FileFormat::Ndjson => {}
    }
    let mut tables = options.tables.iter();
    match (tables.next(), tables.next()) {
        (Some(table), None) => Ok(Some(table)),
        _ => bail!("only one table can be written to stdout (use --tables to choose it)"),
    }
}
