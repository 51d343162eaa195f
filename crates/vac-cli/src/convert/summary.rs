//! The summary of a run, for people and for programs.

use std::collections::{BTreeMap, HashSet};

use vac::adapter::report::Report;
use vac::output::{FolderChanges, OutputReport};
use vac::search::Duplicate;

use super::messages::advise;
use crate::format::{format_size, group_digits, pluralize, truncate};
use crate::json_output::{ConvertOutput, Document, FailedFile};
use crate::printer::Printer;
use crate::printer::line::{HEADING, Line};
use crate::printer::table::{Side, Table};

/// The maximum number of unknown types that are printed.
const MAX_UNKNOWN: usize = 5;

/// The summary of a run.
#[derive(Default)]
pub struct Summary {
    /// One for each session that became a record.
    pub sessions: Vec<Report>,
    /// Logs and sessions that could not be converted.
    pub failed: Vec<FailedFile>,
    /// The number of files in directories that are not logs.
    pub skipped: u64,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<Duplicate>,
    /// Number of symbolic links that were not followed.
    pub links_skipped: usize,
    /// Number of pipes, sockets and devices that were not opened.
    pub special_files_skipped: usize,
    /// The number of unchanged sessions that are not fully understood, with --strict.
    pub unchanged_unknown: usize,
    /// The changes of the folder of records, if the output is one.
    pub changes: Option<FolderChanges>,
}

impl Summary {
    /// Adds the result of the conversion. `is_folder` says whether the output is a folder.
    pub fn add(&mut self, report: OutputReport, is_folder: bool) {
        self.changes = is_folder.then(|| report.changes());
        self.skipped = report.skipped;
        self.unchanged_unknown = report.unchanged_unknown;
        self.failed.extend(report.failed.into_iter().map(|error| {
            let reason = advise(&error).into_owned();
            FailedFile { file: error.place.unwrap_or_default(), error: reason }
        }));
        let reports = report.sessions.into_iter().filter_map(|session| session.report);
        self.sessions = reports.map(|report| *report).collect();
    }

    /// Returns the JSON document.
    pub fn document(&self) -> Document<ConvertOutput<'_>> {
        let output = ConvertOutput {
            sessions: &self.sessions,
            failed: &self.failed,
            skipped: self.skipped,
            duplicates: &self.duplicates,
            links_skipped: self.links_skipped,
            special_files_skipped: self.special_files_skipped,
            changes: self.changes,
        };
        Document::new("convert", output)
    }

    /// Returns whether something in the logs was not understood, or a session has no conversation.
    pub fn has_unknown(&self) -> bool {
        self.unchanged_unknown > 0 || self.sessions.iter().any(Report::has_unknown)
    }

    /// Prints what was noticed, and a table of sessions by agent and variant.
    pub fn print(&self, printer: &Printer) {
        for (path, count) in self.total(|report| &report.redacted) {
            printer.info(&format!("redacted: {path} ({count})"));
        }
        let unknown = self.total(|report| &report.unknown_types);
        let most = if printer.is_verbose() { usize::MAX } else { MAX_UNKNOWN };
        let more = unknown.len().saturating_sub(most);
        for (native, count) in unknown.into_iter().take(most) {
            printer.info(&format!("unknown: {} ({count})", truncate(&native, 80)));
        }
        if more > 0 {
            let more = group_digits(more as u64);
            printer.info(&format!("unknown: {more} more (-v and --report list them)"));
        }
        for (key, count) in self.total(|report| &report.unknown_keys) {
            printer.detail(&format!("unknown key: {} ({count})", truncate(&key, 80)));
        }
        if !self.duplicates.is_empty() {
            printer.info(&format!("{} skipped", pluralize(self.duplicates.len(), "duplicate")));
        }
        for line in self.table() {
            printer.info(&line);
        }
        printer.info(&format!(
            "{} converted, {} failed, {} skipped",
            pluralize(self.sessions.len(), "session"),
            group_digits(self.failed.len() as u64),
            group_digits(self.skipped)
        ));
        if let Some(FolderChanges { new, changed, unchanged, kept }) = self.changes {
            let kept =
                if kept > 0 { format!(", {} kept", group_digits(kept)) } else { String::new() };
            let [new, changed, unchanged] = [new, changed, unchanged].map(group_digits);
            printer.info(&format!("{new} new, {changed} changed, {unchanged} unchanged{kept}"));
        }
        if self.unchanged_unknown > 0 {
            let sessions = pluralize(self.unchanged_unknown, "unchanged session");
            printer.warn(&format!("{sessions} not fully understood"));
        }
    }

    fn table(&self) -> Vec<Line> {
        let mut rows: BTreeMap<(&str, &str), [u64; 4]> = BTreeMap::new();
        // Several sessions can come from one file.
        let mut seen = HashSet::new();
        for report in &self.sessions {
            let row = rows.entry((&report.agent, &report.variant)).or_default();
            row[0] += 1;
            row[1] += report.entries.values().sum::<u64>();
            let unseen = report.sources.iter().filter(|source| seen.insert(&source.sha_256));
            row[2] += unseen.map(|source| source.size).sum::<u64>();
            row[3] += report.unparsed.count;
        }
        if rows.is_empty() {
            return Vec::new();
        }
        let mut table = Table::with_names(&[
            ("agent", Side::Left),
            ("variant", Side::Left),
            ("sessions", Side::Right),
            ("entries", Side::Right),
            ("read", Side::Right),
            ("unparsed", Side::Right),
        ]);
        let cells = |names: [&str; 2], [sessions, entries, bytes, unparsed]: [u64; 4]| {
            let names = names.map(str::to_owned);
            let numbers = [
                group_digits(sessions),
                group_digits(entries),
                format_size(bytes),
                group_digits(unparsed),
            ];
            names.into_iter().chain(numbers)
        };
        let mut total = [0; 4];
        for ((agent, variant), counts) in &rows {
            table.row(cells([agent, variant], *counts));
            for (total, count) in total.iter_mut().zip(counts) {
                *total += count;
            }
        }
        if rows.len() > 1 {
            table.styled_row(HEADING, cells(["total", ""], total));
        }
        table.lines()
    }

    /// Returns the sums of counts over all reports, with the agent before each name.
    fn total(&self, counts: impl Fn(&Report) -> &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let mut total = BTreeMap::new();
        for report in &self.sessions {
            for (name, count) in counts(report) {
                *total.entry(format!("{} {name}", report.agent)).or_default() += count;
            }
        }
        total
    }
}
