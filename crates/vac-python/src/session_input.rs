//! Parses the arguments of functions that read sessions: a task, a path, or the bytes of a log or
//! of records.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use vac::{Error, ErrorKind, MemorySource, Plan, Readable, Result, Search, Source, Task};

use crate::conversion::PyRecord;
use crate::task_class::PyTask;

/// The name of a log that is given as bytes.
const NAME: &str = "log";

/// An argument that names sessions.
#[derive(FromPyObject)]
pub enum SessionInput<'py> {
    /// A task.
    Task(Bound<'py, PyTask>),
    /// A record that `convert` returned.
    Record(Bound<'py, PyRecord>),
    /// The bytes of a log or of records.
    Bytes(PyBackedBytes),
    /// The path of a log, of a folder of logs, or of a file with records.
    Path(PathBuf),
}

/// The sessions to read. Reading them does not need the interpreter.
pub enum Sessions {
    /// Logs.
    Logs(Vec<Task>),
    /// The bytes of records.
    Records(RecordBytes),
}

/// The bytes of records: those of a Python object, or those of a file.
pub enum RecordBytes {
    /// The bytes of a Python object.
    Shared(PyBackedBytes),
    /// The bytes of a file.
    Read(Vec<u8>),
}

impl AsRef<[u8]> for RecordBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Read(bytes) => bytes,
        }
    }
}

impl SessionInput<'_> {
    /// Finds the sessions: all sessions of a log or a folder, or those of records.
    pub fn resolve(self, py: Python<'_>) -> Result<Sessions> {
        match self {
            Self::Task(task) => Ok(Sessions::Logs(vec![task.get().task().clone()])),
            Self::Record(record) => {
                Ok(Sessions::Records(RecordBytes::Shared(record.get().bytes(py))))
            }
            Self::Bytes(bytes) => py.detach(|| {
                let logs = plan_bytes(&bytes)?;
                if logs.tasks.is_empty() {
                    return Ok(Sessions::Records(RecordBytes::Shared(bytes)));
                }
                Ok(Sessions::Logs(logs.tasks))
            }),
            Self::Path(path) => py.detach(|| {
                let logs = plan_path(&path)?;
                let is_unrecognised = |error: &Error| matches!(error.kind, ErrorKind::Unrecognised);
                match logs.troubles.into_iter().next() {
                    None => Ok(Sessions::Logs(logs.tasks)),
                    Some(error) if is_unrecognised(&error) => {
                        Ok(Sessions::Records(RecordBytes::Read(read_file(&path)?)))
                    }
                    Some(error) => Err(error),
                }
            }),
        }
    }

    /// Finds logs. Records are an error.
    pub fn resolve_logs(self, py: Python<'_>) -> Result<Vec<Task>> {
        let plan = match self {
            Self::Task(task) => return Ok(vec![task.get().task().clone()]),
            Self::Record(_) => {
                let reason = "a record, not a log".to_owned();
                return Err(Error { kind: ErrorKind::Refused, place: None, reason });
            }
            Self::Bytes(bytes) => py.detach(|| plan_bytes(&bytes)),
            Self::Path(path) => py.detach(|| plan_path(&path)),
        }?;
        match plan.troubles.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(plan.tasks),
        }
    }

    /// Returns the bytes of records. Tasks are an error.
    pub fn resolve_records(self, py: Python<'_>) -> Result<RecordBytes> {
        match self {
            Self::Task(task) => Err(Error {
                kind: ErrorKind::Refused,
                place: Some(task.get().task().name.clone()),
                reason: "a log, not a record: convert it first".to_owned(),
            }),
            Self::Record(record) => Ok(RecordBytes::Shared(record.get().bytes(py))),
            Self::Bytes(bytes) => Ok(RecordBytes::Shared(bytes)),
            Self::Path(path) => Ok(RecordBytes::Read(py.detach(|| read_file(&path))?)),
        }
    }
}

impl Sessions {
    /// Calls a function with each log, or with the records.
    pub fn each(&self, mut read: impl FnMut(Readable<'_>) -> Result<()>) -> Result<()> {
        match self {
            Self::Logs(tasks) => tasks.iter().try_for_each(|task| read(task.into())),
            Self::Records(bytes) => read(bytes.as_ref().into()),
        }
    }
}

fn plan_path(path: &Path) -> Result<Plan> {
    let mut plan = Search { paths: vec![path.to_owned()], ..Search::default() }.plan()?;
    let name = path.display().to_string();
    for error in plan.troubles.iter_mut().filter(|error| error.place.is_none()) {
        // The reason already names a path that cannot be searched.
        if let Some(reason) = error.reason.strip_prefix(&format!("{name}: ")) {
            (error.reason, error.place) = (reason.to_owned(), Some(name.clone()));
        }
    }
    Ok(plan)
}

fn plan_bytes(bytes: &[u8]) -> Result<Plan> {
    let memory: Arc<dyn Source> = Arc::new(MemorySource::from_iter([(NAME, bytes)]));
    Search { paths: vec![NAME.into()], ..Search::default() }.plan_in(&memory)
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| Error { place: Some(path.display().to_string()), ..Error::from(error) })
}
