//! Finds sessions, and plans their conversion.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use vac_adapter::Adapter;
use vac_adapter::places::AgentPlace;
use vac_store::discover::roots_in;
use vac_store::join::{DetectedLog, Homes, UnusedFile, UnusedReason, detect_and_keep, join_homes};
use vac_store::places::{self, AgentRoot, Surroundings, System};
use vac_store::{
    MemoryBudget, Skipped, Source, SourceFiles, StoredLog, UnreadPath, find_all, find_in,
};

use crate::error::{Error, ErrorKind, Result};
use crate::parallel::{or_all_processors, ordered_parallel_map};
use crate::session_filter::{FilteredLogs, SessionFilter};
use crate::{AGENTS, Agent, Task, agent_names};

/// A search for sessions: the places to search, and the sessions that are wanted.
///
/// ```no_run
/// let search = vac::Search { roots: vec!["backup/home".into()], ..vac::Search::default() };
/// for task in search.plan()?.tasks {
///     println!("{} {}", task.agent, task.name);
/// }
/// # Ok::<(), vac::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The paths to search: files, folders (searched at any depth), or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// Home folders, folders of homes, or copies of agents' folders, of which only the places where
    /// agents keep sessions are searched.
    pub roots: Vec<PathBuf>,
    /// Whether to search the places where agents keep sessions on this machine.
    pub discover: bool,
    /// The names of the agents whose sessions are wanted; all if empty.
    ///
    /// A log of another agent that writes the same format has the name of the first of these with
    /// that format.
    pub agents: Vec<String>,
    /// Only sessions that began then or later, in nanoseconds since 1970. Sessions of unknown start
    /// are included.
    pub since: Option<i128>,
    /// Only sessions that began then or earlier, in nanoseconds since 1970. Sessions of unknown
    /// start are included.
    pub until: Option<i128>,
    /// Only sessions of projects whose path contains this text.
    pub project: Option<String>,
    /// Whether logs in different homes are different sessions, even if they are copies, because they
    /// belong to different users. A label with [`HOME`](crate::convert::HOME) distinguishes their
    /// records.
    pub homes_apart: bool,
    /// The maximum number of logs to read at once; 0 means one per processor.
    pub jobs: usize,
}

/// The result of a search: the logs to convert, and the other files that were found.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// The logs of sessions, each once.
    pub tasks: Vec<Task>,
    /// Files that are not logs of a supported agent, links and special files.
    pub skipped: Vec<SkippedFile>,
    /// Logs that are not converted because another log contains all of them.
    pub duplicates: Vec<Duplicate>,
    /// Errors of files that could not be read, and of named files that are not logs.
    pub troubles: Vec<Error>,
}

/// A file that was found and is not part of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SkippedFile {
    /// The path of the file.
    pub name: String,
    /// The reason why it was skipped.
    pub reason: SkippedBecause,
    /// The agent whose logs it resembles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<String>,
}

/// The reason why a file was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkippedBecause {
    /// The file is not a log of an agent that is wanted.
    NotALog,
    /// The file is a symbolic link.
    Link,
    /// The file is a pipe, a socket or a device.
    SpecialFile,
}

/// A log that is not converted because another log contains all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Duplicate {
    /// The path of the log.
    #[serde(rename = "file")]
    pub name: String,
    /// The log that is converted instead.
    pub of: String,
    /// Whether the two have the same bytes. Otherwise the other one has more of the session.
    pub is_copy: bool,
}

impl Duplicate {
    /// Returns the duplicate that a file is, or the reason why it could not be read.
    ///
    /// # Errors
    /// If it could not be read.
    pub fn from_unused(file: UnusedFile) -> Result<Self, String> {
        let UnusedFile { shown: name, reason, .. } = file;
        match reason {
            UnusedReason::Copy(of) => Ok(Self { name, of, is_copy: true }),
            UnusedReason::Remains(of) => Ok(Self { name, of, is_copy: false }),
            UnusedReason::Unreadable(reason) => Err(reason),
        }
    }
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, of, is_copy } = self.clone();
        let reason = if is_copy { UnusedReason::Copy(of) } else { UnusedReason::Remains(of) };
        UnusedFile { shown: name, reason, is_in_other_home: false }.fmt(f)
    }
}

/// Logs that were found, with their agents, in order.
#[derive(Debug)]
pub struct Selected {
    /// The logs that are wanted, and files that are not recognised or could not be read.
    pub logs: Vec<DetectedLog>,
    /// The paths of all files that were found.
    pub found: Vec<PathBuf>,
    /// Unused files: duplicates, and companion files that could not be read.
    pub left_out: Vec<UnusedFile>,
    /// Paths that could not be read.
    pub troubles: Vec<UnreadPath>,
    /// Environment variables that name folders which do not exist.
    pub missing: Vec<String>,
    /// The number of sessions that do not state their start, if sessions were selected by it.
    pub unknown_start: usize,
    /// The number of sessions that were found, but are not wanted.
    pub excluded: usize,
    /// Links and special files that were not opened, so far.
    pub skipped: Skipped,
}

impl Search {
    /// Finds the sessions that are wanted.
    ///
    /// # Errors
    /// If an agent is unknown, or a root is not a folder that can be read.
    pub fn plan(&self) -> Result<Plan> {
        self.plan_files(None)
    }

    /// Finds the sessions that are wanted in files that are in memory, in an object store or
    /// elsewhere. Paths and roots are names in the source; without any, all of it is searched.
    ///
    /// A database is copied to a private temporary file, since `SQLite` reads only files.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vac::{MemorySource, Search, Source};
    ///
    /// let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
    /// let memory: Arc<dyn Source> = Arc::new(MemorySource::from_iter([("logs/a.jsonl", log.to_vec())]));
    /// let plan = Search::default().plan_in(&memory)?;
    /// // Another process that has the files converts the task.
    /// let json = serde_json::to_string(&plan.tasks[0])?;
    /// let task = serde_json::from_str::<vac::Task>(&json)?.in_source(&memory);
    /// let mut record = Vec::new();
    /// vac::convert(&task, &vac::ConvertOptions::default(), &mut record)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As of [`plan`](Self::plan), and if the places of this machine are to be searched, which are
    /// not in the source.
    pub fn plan_in(&self, source: &Arc<dyn Source>) -> Result<Plan> {
        self.plan_files(Some(&Arc::new(SourceFiles::new(source.clone()))))
    }

    fn plan_files(&self, source: Option<&Arc<SourceFiles>>) -> Result<Plan> {
        let budget = MemoryBudget::new(vac_adapter::frame::MAX_EVENT);
        let selected = self.find_in(source, &budget, &mut |_| {})?;
        let agents = self.selected_agents()?;
        let mut plan = Plan::default();
        let io = |reason| Error::new(ErrorKind::Io, reason);
        plan.troubles.extend(selected.troubles.into_iter().map(|UnreadPath { shown, reason }| {
            if shown.is_empty() { io(reason) } else { io(reason).at(shown) }
        }));
        plan.troubles.extend(selected.missing.into_iter().map(io));
        for file in selected.left_out {
            let name = file.shown.clone();
            match Duplicate::from_unused(file) {
                Ok(duplicate) => plan.duplicates.push(duplicate),
                Err(reason) => plan.troubles.push(io(reason).at(name)),
            }
        }
        for detected in selected.logs {
            plan.add(detected, &agents)?;
        }
        for (path, reason) in selected.skipped.unreported() {
            let reason = match reason {
                vac_store::skipped::SkippedReason::Link => SkippedBecause::Link,
                vac_store::skipped::SkippedReason::Special => SkippedBecause::SpecialFile,
            };
            let name = path.to_string_lossy().into_owned();
            plan.skipped.push(SkippedFile { name, reason, looks_like: None });
        }
        Ok(plan)
    }

    /// Finds logs, and [detects](Self::detect) their agents.
    ///
    /// This is the part of [`plan`](Self::plan) that keeps the logs in their order.
    pub fn find(&self, budget: &MemoryBudget, step: &mut dyn FnMut(usize)) -> Result<Selected> {
        self.find_in(None, budget, step)
    }

    fn find_in(
        &self,
        source: Option<&Arc<SourceFiles>>,
        budget: &MemoryBudget,
        step: &mut dyn FnMut(usize),
    ) -> Result<Selected> {
        let roots = self.roots_in(source)?;
        let found = match source {
            None => find_all(&self.paths, &roots, AGENTS),
            Some(_) if self.discover => {
                return Err(Error::refused("a source has no places of this machine: name roots"));
            }
            Some(source) if self.paths.is_empty() && self.roots.is_empty() => {
                find_in(source, &[PathBuf::new()], &roots, AGENTS)
            }
            Some(source) => find_in(source, &self.paths, &roots, AGENTS),
        };
        let paths = found.logs.iter().flat_map(StoredLog::paths).map(Path::to_owned).collect();
        let logs = self.detect(found.logs, budget, step)?;
        let left_out = logs.iter().flat_map(|detected| &detected.left_out).cloned().collect();
        let FilteredLogs { logs, unknown_start, excluded } =
            self.filter().apply(logs, self.jobs())?;
        Ok(Selected {
            logs,
            found: paths,
            left_out,
            troubles: found.troubles,
            missing: missing(&roots),
            unknown_start,
            excluded,
            skipped: found.skipped,
        })
    }

    /// Detects the agents of logs, and joins the logs of one session. `step` is called once per
    /// log, after it was read, with the number of all logs.
    ///
    /// # Errors
    /// If an agent is unknown, or no thread can be started.
    pub fn detect(
        &self,
        logs: Vec<StoredLog>,
        budget: &MemoryBudget,
        step: &mut dyn FnMut(usize),
    ) -> Result<Vec<DetectedLog>> {
        Ok(join_homes(self.detect_each(logs, budget, step)?, self.homes()))
    }

    /// Detects the agents of logs, without joining the logs of one session.
    ///
    /// # Errors
    /// As of [`detect`](Self::detect).
    pub fn detect_each(
        &self,
        logs: Vec<StoredLog>,
        budget: &MemoryBudget,
        step: &mut dyn FnMut(usize),
    ) -> Result<Vec<DetectedLog>> {
        let agents = self.selected_agents()?;
        let mut adapters: Vec<&dyn Adapter> = Vec::new();
        for adapter in AGENTS.iter().copied() {
            let is_wanted = |agent: &Agent| agent.adapter.name() == adapter.name();
            if agents.is_empty() || agents.iter().any(is_wanted) {
                adapters.push(adapter);
            }
        }
        let total = logs.len();
        let mut detected = Vec::with_capacity(total);
        let work = |log| detect_and_keep(log, &adapters, budget);
        ordered_parallel_map(logs, self.jobs(), work, |log| {
            step(total);
            detected.push(log);
            ControlFlow::Continue(())
        })?;
        Ok(detected)
    }

    /// Returns the homes whose logs can be one session.
    pub fn homes(&self) -> Homes {
        if self.homes_apart { Homes::Apart } else { Homes::Together }
    }

    /// Returns the filter of the sessions that are wanted.
    pub fn filter(&self) -> SessionFilter {
        SessionFilter { since: self.since, until: self.until, project: self.project.clone() }
    }

    /// Returns the number of logs that are read at once.
    pub fn jobs(&self) -> usize {
        or_all_processors(self.jobs)
    }

    fn selected_agents(&self) -> Result<Vec<Agent>> {
        let agent = |name: &String| {
            let unknown = || Error::refused(format!("unknown agent `{name}`"));
            crate::agent(name).ok_or_else(unknown)
        };
        self.agents.iter().map(agent).collect()
    }

    /// Returns the places to search: those of the wanted agents in [`roots`](Self::roots), and on
    /// this machine if that is wanted.
    ///
    /// # Errors
    /// If an agent is unknown, or a root is not a folder that can be read.
    pub fn roots(&self) -> Result<Vec<AgentRoot>> {
        self.roots_in(None)
    }

    fn roots_in(&self, source: Option<&Arc<SourceFiles>>) -> Result<Vec<AgentRoot>> {
        let agents = self.selected_agents()?;
        let mut roots = Vec::new();
        for folder in &self.roots {
            match roots_in(source, AGENTS, folder) {
                Ok(found) => roots.extend(found),
                Err(error) => return Err(Error::from(error).at(folder.display().to_string())),
            }
        }
        if self.discover {
            roots.extend(own_roots());
        }
        if !agents.is_empty() {
            roots.retain(|root| agents.iter().any(|agent| root.agent == agent.name));
        }
        Ok(roots)
    }
}

/// Returns the places of agents in the user's home folder, or in the folders that environment
/// variables name.
pub fn own_roots() -> Vec<AgentRoot> {
    in_surroundings(|around| places::roots(AGENTS, around))
}

/// Returns the path of a place for the current user. `None` if the user has no home folder.
pub fn own_folder(place: &AgentPlace) -> Option<PathBuf> {
    in_surroundings(|around| places::folder(place, around))
}

fn in_surroundings<T>(resolve: impl FnOnce(&Surroundings<'_>) -> T) -> T {
    let (home, temporary) = (std::env::home_dir(), std::env::temp_dir());
    resolve(&Surroundings {
        system: System::this(),
        home: home.as_deref().filter(|home| !home.as_os_str().is_empty()),
        temporary: &temporary,
        variable: &|name| std::env::var_os(name),
    })
}

impl Plan {
    /// Adds a log as a task, or to the files that are skipped or could not be read.
    fn add(&mut self, detected: DetectedLog, agents: &[Agent]) -> Result<()> {
        let name = detected.log.shown.clone();
        if let Some(reason) = detected.trouble {
            self.troubles.push(Error::new(ErrorKind::Io, reason).at(name));
            return Ok(());
        }
        match name_agent(&detected, agents) {
            Some(agent) => self.tasks.push(Task::new(detected, agent)?),
            None if detected.log.named => {
                self.troubles.push(unrecognised(&detected.log, detected.looks_like));
            }
            None => {
                let (reason, looks_like) = (SkippedBecause::NotALog, detected.looks_like);
                self.skipped.push(SkippedFile { name, reason, looks_like });
            }
        }
        Ok(())
    }
}

/// Returns the error of a log that the user named and that is not one.
pub(crate) fn unrecognised(log: &StoredLog, looks_like: Option<String>) -> Error {
    let unknown = || format!("unrecognised log format (supported: {})", agent_names());
    let reason = looks_like.unwrap_or_else(unknown);
    Error::new(ErrorKind::Unrecognised, reason).at(log.shown.clone())
}

/// Returns the agent of a log. The name that the user gave takes precedence over that of the place,
/// and the one agent that is wanted reads a named file even if it is not recognised.
fn name_agent(detected: &DetectedLog, agents: &[Agent]) -> Option<Agent> {
    let found = detected.agent.and_then(crate::agent);
    let is_same = |agent: &&Agent| Some(agent.adapter.name()) == detected.adapter;
    match agents {
        [] => found,
        [only] if detected.log.named => Some(*only),
        several => {
            let is_wanted = |agent: &&Agent| Some(agent.name) == detected.agent;
            several.iter().find(is_wanted).or_else(|| several.iter().find(is_same)).copied()
        }
    }
}

/// Returns the environment variables that name places which do not exist, with the first of these.
fn missing(roots: &[AgentRoot]) -> Vec<String> {
    let mut lines = Vec::new();
    for root in roots {
        // Skip variables that are not about one agent.
        let Some(variable) =
            root.variable.filter(|name| !name.starts_with("XDG_") && *name != "APPDATA")
        else {
            continue;
        };
        let mut same = roots.iter().filter(|other| other.variable == Some(variable));
        if same.all(|root| !root.path.exists()) {
            let line = format!("{variable}: {} does not exist", root.path.display());
            if !lines.iter().any(|other: &String| other.starts_with(&format!("{variable}: "))) {
                lines.push(line);
            }
        }
    }
    lines
}
