//! Selects sessions among those that agents keep.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use vac::store::join::{DetectedLog, UnusedReason};
use vac::store::{MemoryBudget, Skipped};
use vac::{Agent, Search, when};

use crate::format::pluralize;
use crate::json_output::FailedFile;
use crate::printer::Printer;
use crate::skipped;

/// The options that select sessions: places to search, and times.
#[derive(Args)]
pub struct Selection {
    /// Search this folder instead: a home folder, a folder of homes, or a copy of an agent's
    /// folder (repeatable)
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Only sessions that began then or later: 2026, 2026-03, 2026-03-01,
    /// 2026-03-01T09:30:00Z, 24h, 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only sessions that began then or earlier; all of a day, month or year
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
}

/// The sessions that were selected.
pub struct Selected {
    /// The logs, and other files with the name of a log.
    pub logs: Vec<DetectedLog>,
    /// The paths of all files that were found.
    pub found: Vec<PathBuf>,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<String>,
    /// Files and folders that could not be read.
    pub failed: Vec<FailedFile>,
    /// Links and special files that were not opened, so far.
    pub skipped: Skipped,
}

impl Selection {
    /// Finds sessions in paths, or if there are none, those that agents keep.
    pub fn find(
        &self,
        paths: &[PathBuf],
        agent: Option<Agent>,
        jobs: usize,
        budget: &MemoryBudget,
        printer: &Printer,
    ) -> Result<Selected> {
        when::check_span(self.since, self.until)?;
        let search = Search { jobs, ..self.search(paths, agent) };
        let mut progress = None;
        let found = search.find(budget, &mut |total| {
            progress.get_or_insert_with(|| printer.progress("looking", total)).step();
        });
        drop(progress);
        let found = found?;
        for missing in &found.missing {
            printer.warn(missing);
        }
        let mut failed = Vec::new();
        for trouble in found.troubles {
            printer.error(&trouble.to_string());
            failed.push(FailedFile { file: trouble.shown, error: trouble.reason });
        }
        let mut duplicates = Vec::new();
        for thing in &found.left_out {
            let words = thing.to_string();
            if let UnusedReason::Unreadable(reason) = &thing.reason {
                printer.error(&words);
                failed.push(FailedFile { file: thing.shown.clone(), error: reason.clone() });
            } else {
                printer.detail(&words);
                duplicates.push(words);
            }
        }
        skipped::warn(&found.skipped, printer);
        if found.unknown_start > 0 {
            let sessions = pluralize(found.unknown_start, "session");
            printer.warn(&format!("{sessions} of unknown start included"));
        }
        let (logs, skipped) = (found.logs, found.skipped);
        Ok(Selected { logs, found: found.found, duplicates, failed, skipped })
    }

    /// Returns the message that no session was found, with the places that were searched.
    pub fn none_found(&self, agent: Option<Agent>) -> Result<Vec<String>> {
        let mut places: Vec<(&str, Vec<String>)> = Vec::new();
        for root in self.search(&[], agent).roots()? {
            let path = root.path.display().to_string();
            match places.iter_mut().find(|(name, _)| *name == root.agent) {
                Some((_, paths)) if paths.contains(&path) => {}
                Some((_, paths)) => paths.push(path),
                None => places.push((root.agent, vec![path])),
            }
        }
        let line = |(name, paths): &(&str, Vec<String>)| format!("  {name}: {}", paths.join(", "));
        let is_bounded = self.since.is_some() || self.until.is_some();
        let when = if is_bounded { " in that time" } else { "" };
        let heading = format!("no session found{when}; searched the places of these agents:");
        Ok(std::iter::once(heading).chain(places.iter().map(line)).collect())
    }

    fn search(&self, paths: &[PathBuf], agent: Option<Agent>) -> Search {
        Search {
            paths: paths.to_vec(),
            roots: self.root.clone(),
            discover: paths.is_empty() && self.root.is_empty(),
            agents: agent.iter().map(|agent| agent.name.to_owned()).collect(),
            since: self.since,
            until: self.until,
            jobs: 0,
        }
    }
}
