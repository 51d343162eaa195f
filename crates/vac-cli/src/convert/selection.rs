//! Which sessions are meant, of those that agents keep.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use vac::{Agent, Search};
use vac_store::join::{Known, Why};
use vac_store::{HeldBudget, Skipped};

use super::when;
use crate::progress::Progress;
use crate::skipped;
use crate::terminal::{self, Talk};

/// Where to look, and from when sessions have to be.
#[derive(Args)]
pub struct Selection {
    /// Look in this folder instead: a home folder, or a copy of an agent's folder
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Only sessions that began then or later: 2026-03-01, or 2026-03-01T09:30:00Z
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only sessions that began then or earlier; a day is all of it, in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
}

/// The sessions that are meant.
pub struct Selected {
    /// Those, and what else had the name of one.
    pub logs: Vec<Known>,
    /// The paths of all files that were found.
    pub found: Vec<PathBuf>,
    /// What was there twice.
    pub left_out: Vec<String>,
    /// Whether everything could be looked into.
    pub is_complete: bool,
    /// Links and special files that were not opened, so far.
    pub skipped: Skipped,
}

impl Selected {
    /// How much was there twice, in words.
    pub fn words_about_left_out(&self) -> Option<String> {
        match self.left_out.len() {
            0 => None,
            1 => Some("1 left out because it is there twice".to_owned()),
            count => Some(format!("{count} left out because they are there twice")),
        }
    }
}

impl Selection {
    /// Finds sessions in paths, or if there are none, those that agents keep.
    pub fn find(
        &self,
        paths: &[PathBuf],
        agent: Option<Agent>,
        jobs: usize,
        budget: &HeldBudget,
        talk: Talk,
    ) -> Result<Selected> {
        let search = Search {
            paths: paths.to_vec(),
            roots: self.root.iter().cloned().collect(),
            discover: paths.is_empty() && self.root.is_none(),
            agents: agent.iter().map(|agent| agent.name.to_owned()).collect(),
            since: self.since,
            until: self.until,
            jobs,
        };
        let mut progress = None;
        let found = search.find(budget, &mut |total| {
            progress.get_or_insert_with(|| Progress::new("looking", total, talk)).step();
        });
        drop(progress);
        let found = found?;
        for missing in &found.missing {
            talk.warn(missing);
        }
        let mut is_complete = found.troubles.is_empty();
        for trouble in &found.troubles {
            terminal::error(trouble);
        }
        let mut left_out = Vec::new();
        for thing in &found.left_out {
            let words = thing.to_string();
            if let Why::Unreadable(_) = thing.why {
                terminal::error(&words);
                is_complete = false;
            } else {
                talk.say_more(&words);
                left_out.push(words);
            }
        }
        skipped::warn(&found.skipped, talk);
        match found.unknown_start {
            0 => {}
            1 => talk.warn("1 session does not say when it began, and is among these"),
            unknown => talk.warn(&format!(
                "{unknown} sessions do not say when they began, and are among these"
            )),
        }
        let (logs, skipped) = (found.logs, found.skipped);
        Ok(Selected { logs, found: found.found, left_out, is_complete, skipped })
    }
}
