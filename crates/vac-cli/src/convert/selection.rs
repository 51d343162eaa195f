//! Selects sessions among those that agents keep.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use vac::files::refuse_agent_roots;
use vac::search::Duplicate;
use vac::store::join::DetectedLog;
use vac::store::places::AgentRoot;
use vac::store::{MemoryBudget, Skipped};
use vac::{Agent, Search, when};

use crate::format::{group_digits, pluralize};
use crate::json_output::FailedFile;
use crate::printer::Printer;
use crate::{searched_places, skipped};

/// Maximum number of copies in other homes that are listed without -v.
const MAX_LISTED: usize = 20;

/// The options that select sessions: places to search, and times.
#[derive(Args)]
pub struct Selection {
    /// Search this folder instead: a home folder, a folder of homes, or a copy of an agent's
    /// folder (repeatable; `vac convert` needs --discover with it)
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Only sessions that began then or later: 2026, 2026-03, 2026-03-01,
    /// 2026-03-01T09:30:00Z, 24h, 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only sessions that began then or earlier; all of a day, month or year
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
    /// Only sessions of projects whose path contains this text
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,
    /// Whether copies of a log in several homes are different sessions.
    #[arg(skip)]
    pub homes_apart: bool,
}

/// The sessions that were selected.
pub struct Selected {
    /// The logs, and other files with the name of a log.
    pub logs: Vec<DetectedLog>,
    /// The paths of all files that were found.
    pub found: Vec<PathBuf>,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<Duplicate>,
    /// The number of sessions that were found, but are not wanted.
    pub excluded: usize,
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
        let (mut duplicates, mut in_other_homes) = (Vec::new(), 0);
        for unused in found.left_out {
            let (file, words) = (unused.shown.clone(), unused.to_string());
            let is_in_other_home = unused.is_in_other_home;
            match Duplicate::from_unused(unused) {
                Ok(duplicate) => {
                    if is_in_other_home && in_other_homes < MAX_LISTED {
                        printer.info(&format!("{words} (in another home)"));
                    } else {
                        printer.detail(&words);
                    }
                    in_other_homes += usize::from(is_in_other_home);
                    duplicates.push(duplicate);
                }
                Err(error) => {
                    printer.error(&words);
                    failed.push(FailedFile { file, error });
                }
            }
        }
        if in_other_homes > MAX_LISTED && !printer.is_verbose() {
            let more = pluralize(in_other_homes - MAX_LISTED, "more copy");
            printer.info(&format!("{more} in other homes (-v lists them)"));
        }
        skipped::warn(&found.skipped, printer);
        if found.unknown_start > 0 {
            let sessions = pluralize(found.unknown_start, "session");
            printer.warn(&format!("{sessions} of unknown start included"));
        }
        let (logs, excluded, skipped) = (found.logs, found.excluded, found.skipped);
        Ok(Selected { logs, found: found.found, duplicates, excluded, failed, skipped })
    }

    /// Returns the message that no session was found, with the places that were searched, or that
    /// no found session is wanted.
    pub fn none_found(&self, agent: Option<Agent>, excluded: usize) -> Result<Vec<String>> {
        if excluded > 0 {
            let roots: Vec<_> = self.root.iter().map(|root| root.display().to_string()).collect();
            return Ok(vec![self.none_wanted(&roots, excluded)]);
        }
        let is_bounded = self.since.is_some() || self.until.is_some();
        let when = if is_bounded { " in that time" } else { "" };
        let roots = self.search(&[], agent).roots()?;
        Ok(searched_places::lines(&format!("no session found{when}"), &roots, &self.root))
    }

    /// Returns the message that no found session is wanted.
    pub fn none_wanted(&self, paths: &[String], excluded: usize) -> String {
        let has_times = self.since.is_some() || self.until.is_some();
        let (what, others) = match (has_times, self.project.is_some()) {
            (true, true) => ("in that time and project", "others"),
            (true, false) => ("in that time", "of other times"),
            (false, _) => ("of that project", "of other projects"),
        };
        let paths =
            if paths.is_empty() { String::new() } else { format!(" in {}", paths.join(", ")) };
        let count = group_digits(excluded as u64);
        format!("no session {what}{paths} ({count} {others})")
    }

    /// Returns an error if an output is in a folder below a named root where an agent keeps sessions.
    pub fn refuse_output(&self, output: &Path) -> Result<()> {
        if !self.root.is_empty() {
            // A named root is searched as a whole, too.
            let is_named = |place: &AgentRoot| self.root.contains(&place.path);
            let mut places = self.search(&[], None).roots()?;
            places.retain(|place| !is_named(place));
            refuse_agent_roots(output, places)?;
        }
        Ok(())
    }

    fn search(&self, paths: &[PathBuf], agent: Option<Agent>) -> Search {
        Search {
            paths: paths.to_vec(),
            roots: self.root.clone(),
            discover: paths.is_empty() && self.root.is_empty(),
            agents: agent.iter().map(|agent| agent.name.to_owned()).collect(),
            since: self.since,
            until: self.until,
            project: self.project.clone(),
            homes_apart: self.homes_apart,
            jobs: 0,
        }
    }
}
