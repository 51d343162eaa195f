//! `vac doctor`

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use clap::Args;
use vac::store::MemoryBudget;
use vac::store::join::DetectedLog;
use vac::store::places::AgentRoot;
use vac::{ConvertOptions, Search};
use vac_archive::Archive;

use crate::exit::Exit;
use crate::format::pluralize;
use crate::help;
use crate::hook::{InstalledHook, installed};
use crate::json_output::{
    AgentState, ArchiveState, DeletionState, DoctorOutput, DoctorProblem, Document, HookPresence,
    HookState, PlaceState, ProblemCode,
};
use crate::key_files;
use crate::layout;
use crate::printer::Printer;
use crate::printer::columns::Columns;
use crate::printer::table::{Side, Table};
use crate::searched_places;
use crate::session_names::records_folder;
use crate::settings::retention::{Deletion, deletion};

/// The number of the latest logs of an agent that are read for types that are not known.
const MAX_READ: usize = 3;
/// Larger logs are not read for that.
const MAX_SIZE: u64 = 32 << 20;

/// Explain what is found on this machine, and why
///
/// Shows which places of agents exist, how many logs are in them, the newest version of each agent
/// against the newest that was tested, types in the latest logs that are not known, when the agent
/// deletes sessions, and whether it calls `vac` when one ends. Names what keeps sessions from being
/// found, and what keeps a hook from adding them. With DIR, shows the state of an archive, too.
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
        let is_serious = |problem: &DoctorProblem| problem.code != ProblemCode::NewerVersion;
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
            if agent.unexamined > 0 {
                notes.push(format!(
                    "{}: {} could not be examined for unknown types (see `vac convert`)",
                    agent.agent,
                    pluralize(agent.unexamined, "log")
                ));
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
                ProblemCode::NoHome,
                "the home folder is unknown: set the variable HOME, or use --root".to_owned(),
            );
        }
        for missing in &found.missing {
            problem(ProblemCode::MissingFolder, missing.clone());
        }
        let unread = found.logs.iter().filter_map(|it| Some((it, it.trouble.as_ref()?)));
        let unread = unread.map(|(log, trouble)| format!("{}: {trouble}", log.log.shown));
        for trouble in found.troubles.iter().map(ToString::to_string).chain(unread) {
            problem(ProblemCode::Unreadable, trouble);
        }
        let mut agents = Vec::new();
        for agent in vac::agents() {
            let own: Vec<_> = roots.iter().filter(|root| root.agent == agent.name).collect();
            if own.is_empty() {
                continue;
            }
            let logs: Vec<_> =
                found.logs.iter().filter(|log| log.agent == Some(agent.name)).collect();
            // Settings of another home are not those of this user.
            let hook = agent.adapter.upkeep().hook.filter(|_| discover && is_own(agent));
            let commands = hook.map(|hook| installed(&hook));
            let state = agent_state(agent, &own, &logs, commands.as_ref());
            // Both are often in one file.
            let trouble = own.iter().find_map(|root| deletion(root)?.trouble);
            let unread = || commands.and_then(Result::err).map(|error| format!("{error:#}"));
            if let Some(trouble) = trouble.or_else(unread) {
                problem(ProblemCode::Settings, trouble);
            }
            if state.is_newer {
                let message = format!(
                    "{}: version {} is newer than {}, the newest that was tested: update vac if \
                     something is missing",
                    state.agent,
                    state.newest_version.as_deref().unwrap_or("-"),
                    state.newest_tested.unwrap_or("-"),
                );
                problem(ProblemCode::NewerVersion, message);
            }
            for hook in &state.hooks {
                if let Some(error) = &hook.error {
                    let message = format!("{}: hook for {}: {error}", state.agent, hook.archive);
                    problem(ProblemCode::Hook, message);
                }
            }
            agents.push(state);
        }
        let others = found.logs.iter().filter(|it| it.agent.is_none() && it.trouble.is_none());
        let skipped = others.count();
        let logs = agents.iter().map(|agent| agent.logs).sum::<usize>();
        if logs == 0 {
            let message = if let Some(advice) = searched_places::advice(&self.root) {
                advice
            } else if agents.iter().flat_map(|it| &it.places).all(|place| !place.exists) {
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
            problem(ProblemCode::NoSession, message);
        }
        if let Err(error) = records_folder() {
            problem(ProblemCode::Records, format!("{error:#}"));
        }
        let archive =
            self.archive.as_ref().and_then(|it| examine_archive(it, &found.logs, &mut problem));
        Ok(DoctorOutput { agents, skipped, archive, problems })
    }
}

/// Returns the state of an archive, and reports what is wrong with it.
fn examine_archive(
    folder: &Path,
    logs: &[DetectedLog],
    problem: &mut impl FnMut(ProblemCode, String),
) -> Option<ArchiveState> {
    let state = match archive_state(folder, logs) {
        Ok(state) => state,
        Err(error) => {
            problem(ProblemCode::Archive, format!("{error:#}"));
            return None;
        }
    };
    if state.discontinued > 0 {
        let logs = pluralize(state.discontinued, "log");
        let contain = if state.discontinued == 1 { "contains" } else { "contain" };
        problem(ProblemCode::Discontinued, format!("{logs} no longer {contain} what was archived"));
    }
    if !state.has_key {
        problem(
            ProblemCode::Key,
            format!(
                "{}: no private key is found: `vac archive add` and hooks need --key or VAC_KEY",
                folder.display()
            ),
        );
    }
    Some(state)
}

/// Whether an agent is the one that its adapter is named after, whose settings and versions are known.
fn is_own(agent: vac::Agent) -> bool {
    agent.adapter.name() == agent.name
}

fn agent_state(
    agent: vac::Agent,
    roots: &[&AgentRoot],
    logs: &[&DetectedLog],
    commands: Option<&Result<Vec<String>>>,
) -> AgentState {
    let place = |root: &&AgentRoot| PlaceState {
        path: root.path.display().to_string(),
        name_in_home: root.name_in_home().map(|name| name.display().to_string()),
        variable: root.variable,
        exists: root.path.exists(),
        logs: logs.iter().filter(|log| is_in(log, &root.path)).count(),
    };
    let versions = logs.iter().filter_map(|log| log.preview.version.as_deref());
    let newest = versions.fold(None, |newest: Option<&str>, version| match newest {
        Some(newest) if !vac::is_newer_version(version, newest) => Some(newest),
        _ => Some(version),
    });
    let tested = agent.adapter.newest_tested().filter(|_| is_own(agent));
    let is_newer = newest.zip(tested).is_some_and(|(it, tested)| vac::is_newer_version(it, tested));
    let deletion = roots.iter().find_map(|root| deletion(root).filter(|_| root.path.exists()));
    let mut places = Vec::new();
    let mut seen = BTreeSet::new();
    for root in roots.iter().filter(|root| seen.insert(root.path.clone())) {
        let place = place(root);
        // A folder that the user named is a place only if it is a copy of the agent's.
        let is_folder_itself = root.name_in_home().is_some_and(|it| it.as_os_str().is_empty());
        if place.logs > 0 || !is_folder_itself {
            places.push(place);
        }
    }
    let hook = commands.map(|commands| match commands {
        Err(_) => HookPresence::Unknown,
        Ok(commands) if commands.is_empty() => HookPresence::Absent,
        Ok(_) => HookPresence::Installed,
    });
    // A command that was edited is the user's own.
    let hooks = commands.into_iter().flatten().flatten();
    let hooks = hooks.filter_map(|command| Some(hook_state(&InstalledHook::parse(command)?)));
    let (unknown_types, unexamined) = unknown_types(agent, logs);
    AgentState {
        agent: agent.name.to_owned(),
        places,
        logs: logs.len(),
        newest_version: newest.map(str::to_owned),
        newest_tested: tested,
        is_newer,
        unknown_types,
        unexamined,
        deletion: deletion.map(|Deletion { days, is_stated, file, .. }| DeletionState {
            days,
            is_stated,
            file: file.display().to_string(),
        }),
        hook,
        hooks: hooks.collect(),
    }
}

fn is_in(log: &DetectedLog, folder: &Path) -> bool {
    log.log.paths().next().is_some_and(|path| path.starts_with(folder))
}

fn hook_state(hook: &InstalledHook) -> HookState {
    let last = hook.runs().and_then(|runs| runs.last());
    let time = last.as_ref().ok().and_then(|last| Some(last.as_ref()?.time));
    // What is wrong now says more than what went wrong then.
    let error = match (hook.check(), last) {
        (Err(error), _) | (Ok(()), Err(error)) => Some(format!("{error:#}")),
        (Ok(()), Ok(last)) => last.and_then(|last| last.failure()),
    };
    HookState { archive: hook.archive.display().to_string(), time, error }
}

/// Returns the types in the latest logs of an agent that its adapter does not know, and the number of
/// logs that could not be read for that. Other commands print why.
fn unknown_types(agent: vac::Agent, logs: &[&DetectedLog]) -> (BTreeMap<String, u64>, usize) {
    let modified = |log: &DetectedLog| -> Option<SystemTime> {
        log.log.paths().next()?.symlink_metadata().ok()?.modified().ok()
    };
    let mut latest: Vec<_> = logs.iter().filter(|log| log.log.files().is_some()).collect();
    latest.sort_by_cached_key(|log| (Reverse(modified(log)), log.log.shown.clone()));
    let (mut types, mut unexamined) = (BTreeMap::new(), 0);
    for log in latest.into_iter().take(MAX_READ) {
        if log.log.size().is_none_or(|size| size > MAX_SIZE) {
            continue;
        }
        match types_in(agent, log) {
            Ok(found) => {
                for (name, count) in found {
                    *types.entry(name).or_default() += count;
                }
            }
            Err(_) => unexamined += 1,
        }
    }
    (types, unexamined)
}

/// Returns the types in a log that the adapter of its agent does not know.
fn types_in(agent: vac::Agent, log: &DetectedLog) -> vac::Result<Vec<(String, u64)>> {
    let paths = log.log.paths().next().map(Path::to_owned).into_iter().collect();
    let search = Search { paths, agents: vec![agent.name.to_owned()], ..Search::default() };
    let plan = search.plan()?;
    if let Some(trouble) = plan.troubles.into_iter().next() {
        return Err(trouble);
    }
    let mut types = Vec::new();
    for task in &plan.tasks {
        let converted = vac::convert(task, &ConvertOptions::default(), std::io::sink())?;
        types.extend(converted.sessions.into_iter().flat_map(|it| it.unknown_types));
    }
    Ok(types)
}

fn archive_state(folder: &Path, logs: &[DetectedLog]) -> Result<ArchiveState> {
    let archive = Archive::open(folder)?;
    let catalog = archive.catalog()?;
    let known: BTreeSet<_> = catalog.versions().iter().map(|it| it.session_id.as_str()).collect();
    let is_new = |log: &&DetectedLog| {
        let id = log.preview.session_id.as_deref();
        log.agent.is_some() && id.is_none_or(|id| !known.contains(id))
    };
    let key = key_files::from_variable().unwrap_or_else(|| key_files::archive_key(folder));
    Ok(ArchiveState {
        archive: folder.display().to_string(),
        sessions: catalog.sessions(),
        versions: catalog.versions().len(),
        time: archive.newest_head()?.0.time,
        not_archived: logs.iter().filter(is_new).count(),
        discontinued: catalog.discontinued().count(),
        has_key: key.is_file(),
    })
}

/// Returns the places of an agent that exist, with the number of logs in them. Places with the same
/// name in several homes count as one.
fn shown_places(agent: &AgentState) -> Vec<(String, usize)> {
    let mut places: Vec<(&PlaceState, usize, usize)> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for place in agent.places.iter().filter(|place| place.exists) {
        let name = place.name_in_home.as_deref().filter(|name| !name.is_empty());
        let at = name.map_or(places.len(), |name| *by_name.entry(name).or_insert(places.len()));
        match places.get_mut(at) {
            Some((_, folders, logs)) => {
                *folders += 1;
                *logs += place.logs;
            }
            None => places.push((place, 1, place.logs)),
        }
    }
    let shown = places.into_iter().map(|(place, folders, logs)| match &place.name_in_home {
        Some(name) if folders > 1 => (format!("{name} in {}", pluralize(folders, "folder")), logs),
        _ => (place.path.clone(), logs),
    });
    shown.collect()
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
        for (number, (place, logs)) in shown_places(agent).into_iter().enumerate() {
            let first = |text: String| if number == 0 { text } else { String::new() };
            let text = |text: Option<&str>| text.unwrap_or("-").to_owned();
            let deletes = match agent.deletion.as_ref().map(|it| it.days) {
                None => "-".to_owned(),
                Some(None) => "never".to_owned(),
                Some(Some(days)) => format!("{days:.0} days"),
            };
            let hook = match agent.hook {
                None => "-",
                Some(HookPresence::Installed) => "yes",
                Some(HookPresence::Absent) => "no",
                Some(HookPresence::Unknown) => "unknown",
            };
            columns.row([
                first(agent.agent.clone()),
                logs.to_string(),
                first(text(agent.newest_version.as_deref())),
                first(text(agent.newest_tested)),
                first(deletes),
                first(hook.to_owned()),
                place,
            ]);
        }
    }
    columns.fit(width, ("place", 16), &["place", "tested", "hook", "deletes", "version"], "agent")
}
