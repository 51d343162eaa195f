//! What was done, for people and for programs.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use vac_adapter::report::Report;
use vac_value::printable;

/// So many unknown types are told.
const MOST_UNKNOWN: usize = 20;

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
    /// Whether something was in the logs that nobody understood.
    pub fn has_unknown(&self) -> bool {
        self.sessions
            .iter()
            .any(|report| report.unparsed.count > 0 || !report.unknown_types.is_empty())
    }

    /// A table of agents and variants, and what was noticed.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.table();
        for (path, count) in self.total(|report| &report.omitted) {
            lines.push(format!("left out on purpose: {path} ({count})"));
        }
        let unknown = self.total(|report| &report.unknown_types);
        let more = unknown.len().saturating_sub(MOST_UNKNOWN);
        for (native, count) in unknown.into_iter().take(MOST_UNKNOWN) {
            lines.push(format!("unknown: {} ({count})", printable(&native, 80)));
        }
        if more > 0 {
            lines.push(format!("unknown: {more} more (see --report)"));
        }
        lines.push(format!(
            "{} converted, {} refused, {} passed over",
            counted(self.sessions.len(), "session"),
            self.refused.len(),
            self.passed_over
        ));
        if let Some(Changes { new, changed, unchanged }) = self.changes {
            lines.push(format!("{new} new, {changed} changed, {unchanged} unchanged"));
        }
        lines
    }

    fn table(&self) -> Vec<String> {
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
        let mut lines = Vec::new();
        if !rows.is_empty() {
            lines.push(format!(
                "{:<10} {:<24} {:>8} {:>9} {:>12} {:>11}",
                "agent", "variant", "sessions", "entries", "bytes read", "carried raw"
            ));
        }
        for ((agent, variant), [sessions, entries, bytes, raw]) in &rows {
            lines.push(format!(
                "{agent:<10} {variant:<24} {sessions:>8} {entries:>9} {bytes:>12} {raw:>11}"
            ));
        }
        lines
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

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
