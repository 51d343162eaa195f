//! Which sessions are meant, of those that agents keep.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use vac::{AGENTS, Agent};
use vac_store::discover::roots_in;
use vac_store::join::{Known, Why};
use vac_store::places::{self, Root, Surroundings, System};
use vac_store::{Found, HeldBudget, Skipped, discover};

use super::when::{self, Span};
use super::work;
use crate::skipped;
use crate::terminal::{self, Talk};

/// Where to look, and from when sessions have to be.
#[derive(Args)]
pub struct Selection {
    /// Search this folder instead: a home folder, a folder of homes, or a copy of an agent's
    /// folder (repeatable)
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Only sessions that began then or later: 2026-03, 2026-03-01, 2026-03-01T09:30:00Z, 24h,
    /// 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only sessions that began then or earlier; a day or month is included
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
}

/// The sessions that are meant.
pub struct Selected {
    /// Those, and what else had the name of one.
    pub logs: Vec<Known>,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<String>,
    /// Whether everything could be looked into.
    pub is_complete: bool,
    /// Links and special files that were not opened, so far.
    pub skipped: Skipped,
}

impl Selection {
    /// Finds the sessions that agents keep.
    pub fn discover(
        &self,
        agent: Option<Agent>,
        jobs: usize,
        budget: &HeldBudget,
        talk: Talk,
    ) -> Result<Selected> {
        let mut roots = self.roots()?;
        roots.retain(|root| agent.is_none_or(|agent| root.agent == agent.name));
        for missing in missing(&roots) {
            talk.warn(&missing);
        }
        self.select(discover(&roots, AGENTS), agent, jobs, budget, talk)
    }

    /// Looks at what was found, and leaves out what is not meant.
    pub fn select(
        &self,
        found: Found,
        agent: Option<Agent>,
        jobs: usize,
        budget: &HeldBudget,
        talk: Talk,
    ) -> Result<Selected> {
        let mut is_complete = found.troubles.is_empty();
        for trouble in &found.troubles {
            terminal::error(trouble);
        }
        let mut logs = work::arrange(found.logs, agent, jobs, budget, talk)?;
        let mut duplicates = Vec::new();
        for thing in logs.iter().flat_map(|known| &known.left_out) {
            let words = thing.to_string();
            if let Why::Unreadable(_) = thing.why {
                terminal::error(&words);
                is_complete = false;
            } else {
                talk.say_more(&words);
                duplicates.push(words);
            }
        }
        skipped::warn(&found.skipped, talk);
        self.keep(&mut logs, talk);
        Ok(Selected { logs, duplicates, is_complete, skipped: found.skipped })
    }

    /// What nobody knows the time of is kept.
    fn keep(&self, logs: &mut Vec<Known>, talk: Talk) {
        let span = Span { since: self.since, until: self.until };
        if !span.is_bounded() {
            return;
        }
        let mut unknown = 0;
        logs.retain(|known| {
            let holds = span.holds(known.glimpse.start.as_ref());
            unknown += usize::from(holds.is_none() && known.agent.is_some());
            holds.unwrap_or(true)
        });
        match unknown {
            0 => {}
            1 => talk.warn("1 session does not say when it began, and is among these"),
            _ => talk.warn(&format!(
                "{unknown} sessions do not say when they began, and are among these"
            )),
        }
    }

    /// Returns the message that no session was found, with the places that were searched.
    pub fn none_found(&self, agent: Option<Agent>) -> Result<Vec<String>> {
        let mut places: Vec<(&str, Vec<String>)> = Vec::new();
        for root in self.roots()? {
            if agent.is_some_and(|agent| root.agent != agent.name) {
                continue;
            }
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

    fn roots(&self) -> Result<Vec<Root>> {
        if self.root.is_empty() {
            return Ok(own_roots());
        }
        let mut roots = Vec::new();
        for folder in &self.root {
            match roots_in(AGENTS, folder) {
                Ok(found) => roots.extend(found),
                Err(error) => bail!("{}: {error}", folder.display()),
            }
        }
        Ok(roots)
    }
}

/// Returns the places of agents in the home folder of the user, or where variables say.
pub fn own_roots() -> Vec<Root> {
    let (home, temporary) = (std::env::home_dir(), std::env::temp_dir());
    places::roots(
        AGENTS,
        &Surroundings {
            system: System::this(),
            home: home.as_deref().filter(|home| !home.as_os_str().is_empty()),
            temporary: &temporary,
            variable: &|name| std::env::var_os(name),
        },
    )
}

/// Variables that lead nowhere: somebody may have meant something else.
fn missing(roots: &[Root]) -> Vec<String> {
    let mut lines = Vec::new();
    for root in roots {
        // Only these are about an agent; the others are about everything.
        let Some(variable) =
            root.variable.filter(|name| !name.starts_with("XDG_") && *name != "APPDATA")
        else {
            continue;
        };
        let mut same = roots.iter().filter(|other| other.variable == Some(variable));
        if same.all(|root| !root.path.exists()) {
            let line = format!("{variable}: there is no {}", root.path.display());
            if !lines.iter().any(|other: &String| other.starts_with(&format!("{variable}: "))) {
                lines.push(line);
            }
        }
    }
    lines
}
