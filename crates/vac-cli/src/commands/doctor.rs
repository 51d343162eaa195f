//! `vac doctor`

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use clap::Args;
use vac::{ConvertOptions, Search, Task};
use vac_archive::Archive;
use vac_store::MemoryBudget;
use vac_store::join::DetectedLog;
use vac_store::places::AgentRoot;

use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::hook::{Removal, remove};
use crate::json_output::{
    AgentState, ArchiveState, DeletionState, DoctorOutput, DoctorProblem, Document, PlaceState,
};
use crate::layout;
use crate::printer::Printer;
use crate::printer::columns::Columns;
use crate::printer::table::{Side, Table};
use crate::session_names::records_folder;
use crate::settings::edited_file::EditedFile;
use crate::settings::retention::{Deletion, deletion};

/// The number of the latest logs of an agent that are read for types that are not known.
const MAX_READ: usize = 3;
/// The code of logs that are of a newer version of their agent than was tested.
const NEWER_VERSION: &str = "newer-version";
/// Larger logs are not read for that.
const MAX_SIZE: u64 = 32 << 20;

/// Explain what is found on this machine, and why
///
/// Shows which places of agents exist, how many logs are in them, the newest version of each agent
/// against the newest that was tested, types in the latest logs that are not known, when the agent
/// deletes sessions, and whether it calls `vac` when one ends. Names what keeps sessions from being
/// found. With DIR, shows the state of an archive, too.
#[derive(Args)]
#[command(after_help = help::ending(
    &["Types that are not known are searched in the three latest logs of each agent. Their content is kept \
in records as it is."],
    "something keeps sessions from being found or kept",
    &[
        ("vac doctor", "Why is nothing found?"),
        ("vac doctor journal", "The same, with the state of an archive"),
        ("vac doctor --root backup/home --json", "The places in another home, as JSON"),
    ],
))]
pub struct DoctorArgs {
    /// Folder of an archive
    #[arg(value_name = "DIR")]
    archive: Option<PathBuf>,
    /// Examine this folder instead: a home folder, a folder of homes, or a copy of an agent's
    /// folder (repeatable)
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl DoctorArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let output = self.examine(printer)?;
        // A newer version is usually read as well.
        let is_serious = |problem: &DoctorProblem| problem.code != NEWER_VERSION;
        let is_failure = output.problems.iter().any(is_serious);
        let exit = if is_failure { Exit::Failure } else { Exit::Success };
        if self.json {
            printer.json(&Document::new("doctor", &output))?;
            return Ok(exit);
        }
        let width = layout::width();
        for line in table(&output, width).lines() {
            printer.line(line)?;
        }
        let absent = output.agents.iter().filter(|it| !it.places.iter().any(|it| it.exists));
        let absent: Vec<_> = absent.map(|it| it.agent.clone()).collect();
        let mut notes = Vec::new();
        if !absent.is_empty() {
            notes.push(format!("no folder of: {}", absent.join(", ")));
        }
        for agent in &output.agents {
            if !agent.unknown_types.is_empty() {
                let types: Vec<_> = agent.unknown_types.keys().map(String::as_str).collect();
                notes.push(format!("{}: unknown types: {}", agent.agent, types.join(", ")));
            }
        }
        if let Some(archive) = &output.archive {
            let newest = archive.time.map_or("-".to_owned(), crate::format::format_time);
            notes.push(format!(
                "{}: {} sessions, {} versions, {} not archived yet, newest head {newest}",
                archive.archive, archive.sessions, archive.versions, archive.not_archived
            ));
        }
        if !notes.is_empty() {
            printer.line("")?;
        }
        for line in notes.iter().flat_map(|note| layout::wrap(note, width.unwrap_or(usize::MAX))) {
            printer.line(&line)?;
        }
        for problem in &output.problems {
            printer.warn_always(&problem.message);
        }
        if output.problems.is_empty() {
            printer.info("no problem found");
        }
        Ok(exit)
    }

    fn examine(&self, printer: &Printer) -> Result<DoctorOutput> {
        let discover = self.root.is_empty();
        let search = Search { discover, roots: self.root.clone(), ..Search::default() };
        let roots = search.roots()?;
        let mut progress = None;
        let found = search.find(&MemoryBudget::none(), &mut |total| {
            progress.get_or_insert_with(|| printer.progress("looking", total)).step();
        });
        drop(progress);
        let found = found?;
        let mut problems = Vec::new();
        let mut problem = |code, message: String| problems.push(DoctorProblem { code, message });
        if discover && std::env::home_dir().is_none_or(|home| home.as_os_str().is_empty()) {
            problem(
                "no-home",
                "the home folder is unknown: set the variable HOME, or use --root".to_owned(),
            );
        }
        for missing in &found.missing {
            problem("missing-folder", missing.clone());
        }
        let unread = found.logs.iter().filter_map(|it| Some((it, it.trouble.as_ref()?)));
        let unread = unread.map(|(log, trouble)| format!("{}: {trouble}", log.log.shown));
        for trouble in found.troubles.iter().cloned().chain(unread) {
            problem("unreadable", trouble);
        }
        let mut agents = Vec::new();
        for agent in vac::agents() {
            let own: Vec<_> = roots.iter().filter(|root| root.agent == agent.name).collect();
            if own.is_empty() {
                continue;
            }
            let logs: Vec<_> =
                found.logs.iter().filter(|log| log.agent == Some(agent.name)).collect();
            let state = agent_state(agent, &own, &logs);
            if let Some(trouble) = own.iter().find_map(|root| deletion(root)?.trouble) {
                problem("settings", trouble);
            }
            if state.is_newer {
                let message = format!(
                    "{}: version {} is newer than {}, the newest that was tested: update vac if \
                     something is missing",
                    state.agent,
                    state.newest_version.as_deref().unwrap_or("-"),
                    state.newest_tested.unwrap_or("-"),
                );
                problem(NEWER_VERSION, message);
            }
            agents.push(state);
        }
        let others = found.logs.iter().filter(|it| it.agent.is_none() && it.trouble.is_none());
        let skipped = others.count();
        let logs = agents.iter().map(|agent| agent.logs).sum::<usize>();
        if logs == 0 {
            let message = if agents.iter().flat_map(|it| &it.places).all(|place| !place.exists) {
                "no folder of a supported agent exists here: was it run as another user, or on \
                 another machine? (--root searches another home)"
                    .to_owned()
            } else if skipped > 0 {
                format!(
                    "{} where agents keep sessions, but none is a log that is known",
                    pluralize(skipped, "file")
                )
            } else {
                "folders of agents exist, but they contain no session".to_owned()
            };
            problem("no-session", message);
        }
        if let Err(error) = records_folder() {
            problem("records", format!("{error:#}"));
        }
        let archive = match &self.archive {
            None => None,
            Some(folder) => match archive_state(folder, &found.logs) {
                Ok(state) => {
                    if state.discontinued > 0 {
                        let logs = pluralize(state.discontinued, "log");
                        problem(
                            "discontinued",
                            format!("{logs} no longer contain what was archived"),
                        );
                    }
                    if !state.has_key {
                        problem(
                            "key",
                            format!(
                                "{}: no private key is found: `vac archive add` and hooks need --key or VAC_KEY",
                                folder.display()
                            ),
                        );
                    }
                    Some(state)
                }
                Err(error) => {
                    problem("archive", format!("{error:#}"));
                    None
                }
            },
        };
        Ok(DoctorOutput { agents, skipped, archive, problems })
    }
}

fn agent_state(agent: vac::Agent, roots: &[&AgentRoot], logs: &[&DetectedLog]) -> AgentState {
    let place = |root: &&AgentRoot| PlaceState {
        path: root.path.display().to_string(),
        variable: root.variable,
        exists: root.path.exists(),
        logs: logs.iter().filter(|log| is_in(log, &root.path)).count(),
    };
    let versions = logs.iter().filter_map(|log| log.preview.version.as_deref());
    let newest = versions.fold(None, |newest: Option<&str>, version| match newest {
        Some(newest) if !vac::is_newer_version(version, newest) => Some(newest),
        _ => Some(version),
    });
    let is_own = agent.adapter.name() == agent.name;
    let tested = agent.adapter.newest_tested().filter(|_| is_own);
    let is_newer = newest.zip(tested).is_some_and(|(it, tested)| vac::is_newer_version(it, tested));
    let deletion = roots.iter().find_map(|root| deletion(root).filter(|_| root.path.exists()));
    let mut places = Vec::new();
    let mut seen = BTreeSet::new();
    for root in roots.iter().filter(|root| seen.insert(root.path.clone())) {
        places.push(place(root));
    }
    AgentState {
        agent: agent.name.to_owned(),
        places,
        logs: logs.len(),
        newest_version: newest.map(str::to_owned),
        newest_tested: tested,
        is_newer,
        unknown_types: unknown_types(agent, logs),
        deletion: deletion.map(|Deletion { days, is_stated, file, .. }| DeletionState {
            days,
            is_stated,
            file: file.display().to_string(),
        }),
        has_hook: if is_own { has_hook(agent) } else { None },
    }
}

fn is_in(log: &DetectedLog, folder: &Path) -> bool {
    log.log.paths().next().is_some_and(|path| path.starts_with(folder))
}

/// Returns whether the settings of an agent contain our hook; `None` if it is not known to call
/// programs.
fn has_hook(agent: vac::Agent) -> Option<bool> {
    let hook = agent.adapter.upkeep().hook?;
    let path = vac::search::own_folder(&hook.place)?.join(hook.file);
    let file = EditedFile::read(&path).ok()?;
    let removal = remove(hook.kind, file.text(), None, None);
    Some(removal.is_ok_and(|it| it != Removal::Absent))
}

/// Returns the types in the latest logs of an agent that its adapter does not know.
fn unknown_types(agent: vac::Agent, logs: &[&DetectedLog]) -> BTreeMap<String, u64> {
    let modified = |log: &DetectedLog| -> Option<SystemTime> {
        log.log.paths().next()?.symlink_metadata().ok()?.modified().ok()
    };
    let mut latest: Vec<_> = logs.iter().filter(|log| log.log.files().is_some()).collect();
    latest.sort_by_cached_key(|log| (Reverse(modified(log)), log.log.shown.clone()));
    let mut types = BTreeMap::new();
    for log in latest.into_iter().take(MAX_READ) {
        if log.log.size().is_none_or(|size| size > MAX_SIZE) {
            continue;
        }
        // What cannot be read is reported by other commands.
        let paths = log.log.paths().next().map(Path::to_owned).into_iter().collect();
        let search = Search { paths, agents: vec![agent.name.to_owned()], ..Search::default() };
        let tasks: Vec<Task> = search.plan().map(|plan| plan.tasks).unwrap_or_default();
        for task in &tasks {
            let converted = vac::convert(task, &ConvertOptions::default(), std::io::sink());
            for report in converted.into_iter().flat_map(|it| it.sessions) {
                for (name, count) in report.unknown_types {
                    *types.entry(name).or_default() += count;
                }
            }
        }
    }
    types
}

fn archive_state(folder: &Path, logs: &[DetectedLog]) -> Result<ArchiveState> {
    let archive = Archive::open(folder)?;
    let catalog = archive.catalog()?;
    let known: BTreeSet<_> = catalog.versions().iter().map(|it| it.session_id.as_str()).collect();
    let is_new = |log: &&DetectedLog| {
        let id = log.preview.session_id.as_deref();
        log.agent.is_some() && id.is_none_or(|id| !known.contains(id))
    };
    Ok(ArchiveState {
        archive: folder.display().to_string(),
        sessions: catalog.latest().count(),
        versions: catalog.versions().len(),
        time: archive.newest_head()?.0.time,
        not_archived: logs.iter().filter(is_new).count(),
        discontinued: catalog.discontinued().count(),
        has_key: super::archive::default_key(folder).is_file(),
    })
}

fn table(output: &DoctorOutput, width: Option<usize>) -> Table {
    let mut columns = Columns::new(&[
        ("agent", Side::Left),
        ("logs", Side::Right),
        ("version", Side::Left),
        ("tested", Side::Left),
        ("deletes", Side::Left),
        ("hook", Side::Left),
        ("place", Side::Left),
    ]);
    for agent in &output.agents {
        for (number, place) in agent.places.iter().filter(|place| place.exists).enumerate() {
            let first = |text: String| if number == 0 { text } else { String::new() };
            let text = |text: Option<&str>| text.unwrap_or("-").to_owned();
            let deletes = match agent.deletion.as_ref().map(|it| it.days) {
                None => "-".to_owned(),
                Some(None) => "never".to_owned(),
                Some(Some(days)) => format!("{days:.0} days"),
            };
            let hook = match agent.has_hook {
                None => "-",
                Some(true) => "yes",
                Some(false) => "no",
            };
            columns.row([
                first(agent.agent.clone()),
                place.logs.to_string(),
                first(text(agent.newest_version.as_deref())),
                first(text(agent.newest_tested)),
                first(deletes),
                first(hook.to_owned()),
                place.path.clone(),
            ]);
        }
    }
    columns.fit(width, ("place", 16), &["place", "tested", "hook", "deletes", "version"], "agent")
}
