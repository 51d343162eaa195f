//! Defines tasks, each of which is one session log to convert.

use std::collections::HashMap;
use std::sync::Arc;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use vac_adapter::Preview;
use vac_store::join::DetectedLog;
use vac_store::log_files::OpenStores;
use vac_store::{LogFiles, MemorySource, Source, SourceFiles, StoredLog};
use vac_view::event_time::to_utc;

use crate::error::{Error, ErrorKind, Result};
use crate::{AGENTS, Agent, Plan, Search};

/// One session log: the files of a session, or a session of a store.
///
/// A task can be written as JSON and converted by another process on the same machine, or on
/// another one that has the files at the same paths. Its record has the same bytes. A task of a
/// [`Source`] needs its source there ([`Task::in_source`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Task {
    /// The path of the log, for messages; of a session in a store, with `#` and its key.
    pub name: String,
    /// The name of the agent that wrote the log.
    pub agent: String,
    /// The name of the adapter that reads it.
    pub adapter: String,
    /// The format of the log; empty if it was not recognised.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The id of the session, if the beginning of the log states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The time at which the session began, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The folder that the agent worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The version of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli_version: Option<String>,
    /// The size of the log on disk in bytes, if it is known without reading the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The files to open. `None` if the log came through standard input.
    #[serde(serialize_with = "write_files", deserialize_with = "read_files")]
    files: Option<LogFiles>,
    /// The log, in the process that found it.
    #[serde(skip)]
    log: Option<Arc<StoredLog>>,
    /// The source of the files, unless they are on disk.
    #[serde(skip)]
    source: Option<Arc<SourceFiles>>,
}

impl Task {
    /// Creates a task for a log of an agent.
    pub(crate) fn new(detected: DetectedLog, agent: Agent) -> Result<Self> {
        let variant = detected.variant(agent.adapter).to_owned();
        let DetectedLog { log, preview, .. } = detected;
        let files = log.to_files().map_err(|error| Error::from(error).at(log.shown.clone()))?;
        Ok(Self {
            name: log.shown.clone(),
            agent: agent.name.to_owned(),
            adapter: agent.adapter.name().to_owned(),
            variant,
            session_id: preview.session_id,
            start: preview.start.as_ref().and_then(to_utc),
            project: preview.project,
            cli_version: preview.version,
            size: log.size(),
            files,
            log: Some(Arc::new(log)),
            source: None,
        })
    }

    /// Creates a task for a log whose agent is known, without reading the log.
    ///
    /// # Errors
    /// If the log's paths are relative to a working directory that does not exist.
    pub fn from_log(log: StoredLog, agent: Agent, session_id: Option<String>) -> Result<Self> {
        let preview = Preview { session_id, ..Preview::default() };
        let detected = DetectedLog {
            log,
            agent: Some(agent.name),
            adapter: Some(agent.adapter.name()),
            preview,
            looks_like: None,
            trouble: None,
            left_out: Vec::new(),
        };
        Self::new(detected, agent)
    }

    /// Creates a task for a log in memory that is one file, compressed with Zstandard or not.
    /// `name` is the file name that the log would have on disk. [`Search::plan_in`] finds the
    /// sessions of several files in memory.
    ///
    /// ```
    /// let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
    /// let task = vac::Task::from_bytes("session.jsonl", log.to_vec())?;
    /// assert_eq!(task.agent, "cursor");
    /// # Ok::<(), vac::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not a log of a supported agent, or are a database that does not contain
    /// exactly one session.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self> {
        let memory: Arc<dyn Source> = Arc::new(MemorySource::from_iter([(name, bytes)]));
        let search = Search { paths: vec![name.into()], ..Search::default() };
        let Plan { mut tasks, troubles, .. } = search.plan_in(&memory)?;
        match (tasks.pop(), tasks.len()) {
            (Some(task), 0) => Ok(task),
            (None, _) => {
                let unknown = || Error::new(ErrorKind::Unrecognised, "no session found").at(name);
                Err(troubles.into_iter().next().unwrap_or_else(unknown))
            }
            (Some(_), others) => {
                let reason = format!("{} sessions: use `Search::plan_in`", others + 1);
                Err(Error::refused(reason).at(name))
            }
        }
    }

    /// Sets the source of the files of a task that was read from JSON. The names of its files are
    /// names in the source.
    #[must_use]
    pub fn in_source(self, source: &Arc<dyn Source>) -> Self {
        self.in_source_files(&Arc::new(SourceFiles::new(source.clone())))
    }

    /// Sets the source of the files, as [`in_source`](Self::in_source) does. Tasks with the same
    /// files list the names of the source once.
    #[must_use]
    pub fn in_source_files(mut self, files: &Arc<SourceFiles>) -> Self {
        self.log = None;
        self.source = Some(files.clone());
        self
    }

    /// Opens stores that contain several of the tasks, so that each is opened once and not for
    /// every task. Tasks of a [`Plan`] have them open; this is for tasks that were read from JSON. A
    /// store that cannot be opened is reported when its tasks are converted.
    pub fn open_stores(tasks: &mut [Self]) {
        let source = |task: &Self| task.source.as_ref().map(|source| source.source_id());
        let store = |task: &Self| Some((source(task), task.files.as_ref()?.store()?));
        let mut counts = HashMap::new();
        for path in tasks.iter().filter_map(store) {
            *counts.entry(path).or_insert(0_usize) += 1;
        }
        let mut stores: HashMap<_, OpenStores> = HashMap::new();
        for task in tasks.iter_mut().filter(|task| task.log.is_none()) {
            let is_shared = store(task).is_some_and(|path| counts.get(&path) > Some(&1));
            if let Some(files) = task.files.as_ref().filter(|_| is_shared) {
                let new = || OpenStores::new(task.source.clone());
                let stores = stores.entry(source(task)).or_insert_with(new);
                let log = files.open(task.name.clone(), AGENTS, stores);
                task.log = log.ok().map(Arc::new);
            }
        }
    }

    /// Opens the log. Returns it with the agent that wrote it, for
    /// [`read_log`](crate::convert::read_log).
    ///
    /// # Errors
    /// If the agent is unknown, a store cannot be opened, or the log needs a source or came through
    /// standard input. Files are opened when the log is read.
    pub fn open(&self) -> Result<(Arc<StoredLog>, Agent)> {
        let unknown = |what: &str| Error::refused(format!("unknown agent `{what}`")).at(&self.name);
        let agent = crate::agent(&self.agent).ok_or_else(|| unknown(&self.agent))?;
        if agent.adapter.name() != self.adapter {
            return Err(unknown(&format!("{} ({})", self.agent, self.adapter)));
        }
        let log = match (&self.log, &self.files) {
            (Some(log), _) => log.clone(),
            (None, Some(files)) => {
                if files.is_in_source() && self.source.is_none() {
                    let reason = "the log is not on disk: pass its source to `Task::in_source`";
                    return Err(Error::refused(reason).at(&self.name));
                }
                let mut stores = OpenStores::new(self.source.clone());
                let opened = files.open(self.name.clone(), AGENTS, &mut stores);
                Arc::new(opened.map_err(|error| Error::from(error).at(&self.name))?)
            }
            (None, None) => return Err(Error::refused(NOT_IN_FILES).at(&self.name)),
        };
        Ok((log, agent))
    }

    /// Returns the path of the store that the log is in, if it is in one. Tasks of one store are
    /// best read together ([`open_stores`](Self::open_stores)).
    pub fn store(&self) -> Option<std::path::PathBuf> {
        self.files.as_ref().and_then(LogFiles::store)
    }

    /// Returns the facts that the beginning of the log states, as far as the task contains them.
    pub(crate) fn preview(&self) -> Preview {
        // Only the variants of one log that other files do not change decide anything.
        let variants = ["envelopes", "paginated"];
        let variant = variants.into_iter().find(|variant| *variant == self.variant);
        let session_id = self.session_id.clone();
        Preview { variant: variant.unwrap_or_default(), session_id, ..Preview::default() }
    }

    /// Returns the name of the home folder in which the log was found. [`HOME`](crate::convert::HOME) in
    /// a label of its records is replaced by it.
    pub fn home(&self) -> Option<&str> {
        match &self.log {
            Some(log) => log.home.as_deref(),
            None => self.files.as_ref()?.home(),
        }
    }

    /// Returns the paths of the files that the log is in, or of the store.
    pub fn paths(&self) -> Vec<std::path::PathBuf> {
        self.files.iter().flat_map(LogFiles::paths).collect()
    }
}

const NOT_IN_FILES: &str = "a log from standard input cannot be opened elsewhere";

#[allow(clippy::ref_option)] // the signature that serde calls
fn write_files<S: Serializer>(files: &Option<LogFiles>, out: S) -> Result<S::Ok, S::Error> {
    match files {
        Some(files) => files.serialize(out),
        None => Err(S::Error::custom(NOT_IN_FILES)),
    }
}

fn read_files<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LogFiles>, D::Error> {
    LogFiles::deserialize(from).map(Some)
}
