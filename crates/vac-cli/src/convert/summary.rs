//! What was done, for people and for programs.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use vac_adapter::report::Report;

use crate::line::{HEADING, Line, beginning};
use crate::table::{Side, Table};
use crate::terminal::Talk;
use crate::words::{counted, grouped, size};

/// So many unknown types are told.
const MOST_UNKNOWN: usize = 5;

/// What became of all logs.
#[derive(Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Summary {
    /// One for each session that became a record.
    pub sessions: Vec<Report>,
    /// Logs and sessions that did not, and why.
    pub refused: Vec<Refused>,
    /// Files of directories that are nobody's logs.
    pub passed_over: u64,
    /// What was there twice, or could not be read, and is in no record.
    pub left_out: Vec<String>,
    /// Number of symbolic links that were not followed.
    pub links_skipped: usize,
    /// Number of pipes, sockets and devices that were not opened.
    pub special_files_skipped: usize,
    /// What became of the folder of records, if there was one before.
    #[serde(flatten)]
    pub changes: Option<Changes>,
}

/// How a folder of records has changed.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Changes {
    /// Records that were not there.
    pub new: u64,
    /// Records that took the place of earlier ones.
    pub changed: u64,
    /// Records that are as they were.
    pub unchanged: u64,
    /// Files that had the name of a new record and were kept, which got another name.
    pub kept: u64,
}

/// A log that was not converted.
#[derive(Serialize)]
pub struct Refused {
    /// What it is called.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl Summary {
    /// Whether something in the logs was not understood, or a session has no conversation.
    pub fn has_unknown(&self) -> bool {
        self.sessions.iter().any(|report| {
            report.unparsed.count > 0
                || !report.unknown_types.is_empty()
                || !report.has_conversation()
        })
    }

    /// Says what was noticed, and in a table what was made of which agents and variants.
    pub fn tell(&self, words_about_left_out: Option<String>, talk: Talk) {
        for (path, count) in self.total(|report| &report.redacted) {
            talk.say(&format!("redacted: {path} ({count})"));
        }
        let unknown = self.total(|report| &report.unknown_types);
        let most = if talk == Talk::Verbose { usize::MAX } else { MOST_UNKNOWN };
        let more = unknown.len().saturating_sub(most);
        for (native, count) in unknown.into_iter().take(most) {
            talk.say(&format!("unknown: {} ({count})", beginning(&native, 80)));
        }
        if more > 0 {
            talk.say(&format!("unknown: {more} more (-v tells them, and so does --report)"));
        }
        if let Some(words) = words_about_left_out {
            talk.say(&words);
        }
        for line in self.table() {
            talk.say_line(&line);
        }
        talk.say(&format!(
            "{} converted, {} refused, {} passed over",
            counted(self.sessions.len(), "session"),
            self.refused.len(),
            self.passed_over
        ));
        if let Some(Changes { new, changed, unchanged, kept }) = self.changes {
            let kept = if kept > 0 { format!(", {kept} kept") } else { String::new() };
            talk.say(&format!("{new} new, {changed} changed, {unchanged} unchanged{kept}"));
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
            ("carried raw", Side::Right),
        ]);
        let cells = |names: [&str; 2], [sessions, entries, bytes, raw]: [u64; 4]| {
            let names = names.map(str::to_owned);
            let numbers = [grouped(sessions), grouped(entries), size(bytes), grouped(raw)];
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

    /// What reports count, taken together, with the agent before each name.
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
