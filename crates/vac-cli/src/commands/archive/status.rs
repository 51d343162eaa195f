//! `vac archive status`

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use vac::Search;
use vac::record::time::utc;
use vac::store::MemoryBudget;
use vac::store::join::DetectedLog;
use vac::store::places::AgentRoot;
use vac_archive::{ArchivedVersion, Catalog};

use super::{format_time, open};
use crate::convert::selection::Selection;
use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::json_output::{ArchiveStatusOutput, Document, LogState, UnarchivedLog};
use crate::layout::{self, fit};
use crate::printer::Printer;
use crate::printer::columns::Columns;
use crate::printer::table::{Side, Table};
use crate::settings::retention::deletion;

/// At most this many logs are printed.
const MAX_PRINTED: usize = 20;

/// Print what is in an archive, and what is not yet
///
/// Counts sessions, versions, agents and labels. Lists the sessions that agents keep on this machine
/// and that are not in the archive, or have changed since, with the time that is left until the agent
/// deletes them: Claude Code and Gemini CLI delete sessions that were not changed for 30 days, or for
/// as long as their settings state.
#[derive(Args)]
#[command(after_help = help::ending(
    &["The state of a session in a database is not compared: `vac archive add` does that."],
    "a log no longer contains what was archived",
    &[
        ("vac archive status sessions", "What is in it, and what on this machine is not"),
        ("vac archive status sessions --root backup/home --json", "The same of another home, as JSON"),
    ],
))]
pub struct Status {
    /// Folder of the archive
    #[arg(value_name = "DIR")]
    archive: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let archive = open(&self.archive)?;
        let catalog = archive.catalog()?;
        let (head, _) = archive.newest_head()?;
        let jobs = std::thread::available_parallelism().map_or(1, Into::into);
        let found = self.selection.find(&[], None, jobs, &MemoryBudget::none(), printer)?;
        let output = status(&catalog, head.time, unarchived(&catalog, &found.logs, &self.roots()?));
        let exit = if output.discontinued.is_empty() { Exit::Success } else { Exit::Failure };
        if self.json {
            printer.json(&Document::new("archive status", &output))?;
            return Ok(exit);
        }
        let width = layout::width();
        let mut table = Table::new(&[Side::Left, Side::Left]);
        let mut row = |name: &str, value: String| {
            let room = width.map_or(value.len(), |width| width.saturating_sub(NAMES));
            table.row([name.to_owned(), fit(&value, room)]);
        };
        row("archive", archive.description().id.clone());
        row("key", archive.description().key.clone());
        row("sessions", output.sessions.to_string());
        row("versions", output.versions.to_string());
        let counts = |counts: &BTreeMap<String, usize>| {
            let parts: Vec<_> = counts.iter().map(|(it, count)| format!("{it} {count}")).collect();
            parts.join(", ")
        };
        row("agents", counts(&output.agents));
        row("labels", counts(&output.labels));
        row("last head", output.time.map_or("-".to_owned(), format_time));
        let count = |state| output.not_archived.iter().filter(|it| it.state == state).count();
        let changed = count(LogState::Changed);
        row(
            "not archived",
            format!("{}, {changed} changed since", pluralize(count(LogState::New), "session")),
        );
        for line in table.lines() {
            printer.line(line)?;
        }
        if !output.not_archived.is_empty() {
            printer.line("")?;
            for line in logs(&output.not_archived, width).lines() {
                printer.line(line)?;
            }
        }
        let more = output.not_archived.len().saturating_sub(MAX_PRINTED);
        if more > 0 {
            printer.info(&format!("and {more} more (--json lists all)"));
        }
        for session in &output.discontinued {
            printer.warn_always(&format!(
                "session {session} no longer contains what was archived (see `vac archive add`)"
            ));
        }
        Ok(exit)
    }

    /// Returns the places that were searched.
    fn roots(&self) -> Result<Vec<AgentRoot>> {
        let roots = self.selection.root.clone();
        Ok(Search { discover: roots.is_empty(), roots, ..Search::default() }.roots()?)
    }
}

/// The width of the column with names, and the gap after it.
const NAMES: usize = "not archived".len() + crate::printer::table::GAP;

fn logs(logs: &[UnarchivedLog], width: Option<usize>) -> Table {
    let mut columns = Columns::new(&[
        ("agent", Side::Left),
        ("session", Side::Left),
        ("state", Side::Left),
        ("deleted in", Side::Right),
        ("log", Side::Left),
    ]);
    for log in logs.iter().take(MAX_PRINTED) {
        #[allow(clippy::cast_possible_truncation)] // whole days are enough
        let days = log.days_left.map(|days| days.floor() as i64);
        columns.row([
            log.agent.clone(),
            log.session_id.clone().unwrap_or_else(|| "-".to_owned()),
            log.state.as_str().to_owned(),
            match days {
                None => "-".to_owned(),
                Some(days) if days < 0 => "overdue".to_owned(),
                Some(1) => "1 day".to_owned(),
                Some(days) => format!("{days} days"),
            },
            log.log.clone(),
        ]);
    }
    columns.fit(width, ("log", 16), &["log", "state", "agent"], "session")
}

/// Returns the logs that are not in the archive or have changed since, those first that the agent
/// deletes first.
fn unarchived(catalog: &Catalog, found: &[DetectedLog], roots: &[AgentRoot]) -> Vec<UnarchivedLog> {
    let mut known: HashMap<&str, Vec<&ArchivedVersion>> = HashMap::new();
    for version in catalog.latest() {
        known.entry(&version.session_id).or_default().push(version);
    }
    let deletions: Vec<_> = roots.iter().map(|root| (root, deletion(root))).collect();
    let now = SystemTime::now();
    let mut logs = Vec::new();
    for detected in found {
        let Some(agent) = detected.agent else { continue };
        let session_id = detected.preview.session_id.clone();
        let versions = session_id.as_deref().and_then(|id| known.get(id));
        let state = match versions {
            None => LogState::New,
            Some(versions) if has_changed(detected, versions) => LogState::Changed,
            Some(_) => continue,
        };
        let place = detected.log.paths().next().and_then(|path| {
            let is_here = |root: &AgentRoot| root.agent == agent && path.starts_with(&root.path);
            deletions.iter().find(|(root, _)| is_here(root))?.1.as_ref()
        });
        let deleted = place.and_then(|place| {
            let days = place.days?;
            let changed = detected.log.paths().filter_map(modified).max()?;
            let changed = changed.duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
            Some(changed + days * DAY)
        });
        let now = now.duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64());
        logs.push(UnarchivedLog {
            log: detected.log.shown.clone(),
            agent: agent.to_owned(),
            session_id,
            state,
            deleted_from: deleted.and_then(|seconds| {
                #[allow(clippy::cast_possible_truncation)] // a fraction of a second does not matter
                utc(i128::from(seconds as i64) * 1_000_000_000)
            }),
            days_left: deleted.map(|seconds| ((seconds - now) / DAY * 10.0).floor() / 10.0),
        });
    }
    let order = |log: &UnarchivedLog| log.days_left.unwrap_or(f64::INFINITY);
    logs.sort_by(|one, other| {
        order(one).total_cmp(&order(other)).then_with(|| one.log.cmp(&other.log))
    });
    logs
}

const DAY: f64 = 86_400.0;

fn modified(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata().ok()?.modified().ok()
}

/// Whether a log has another size than each of the versions of its session. The size of a session in a
/// database is not that of what was archived.
fn has_changed(detected: &DetectedLog, versions: &[&ArchivedVersion]) -> bool {
    let log = &detected.log;
    let (Some(_), Some(size)) = (log.files(), log.size()) else { return false };
    let archived =
        |version: &ArchivedVersion| version.details.sources.iter().map(|it| it.size).sum::<u64>();
    versions.iter().all(|version| archived(version) != size)
}

fn status(
    catalog: &Catalog,
    time: Option<f64>,
    not_archived: Vec<UnarchivedLog>,
) -> ArchiveStatusOutput {
    let (mut agents, mut labels) = (BTreeMap::new(), BTreeMap::new());
    for version in catalog.latest() {
        *agents.entry(version.agent.clone()).or_default() += 1;
        for (key, value) in &version.labels {
            *labels.entry(format!("{key}={value}")).or_default() += 1;
        }
    }
    ArchiveStatusOutput {
        sessions: catalog.sessions(),
        versions: catalog.versions().len(),
        agents,
        labels,
        time,
        not_archived,
        discontinued: catalog.discontinued().map(|it| it.session_id.clone()).collect(),
    }
}
