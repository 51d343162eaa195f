//! Defines the class `Task`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyType;
use vac::Task;

use crate::python_error::{refused, to_exception};
use crate::python_files::PyFiles;

/// A session log to read: the files of a session, or a session of a store.
///
/// Tasks are data. They can be pickled or written as JSON, and read by another process that has the
/// files at the same paths. A task of `Files` also needs the `Files` object (`in_files`).
#[pyclass(name = "Task", module = "vac", frozen)]
pub struct PyTask {
    task: Task,
    /// Whether Python reads its files.
    is_read_by_python: bool,
}

#[pymethods]
impl PyTask {
    /// Creates a task from the bytes of a log that is one file. `name` is the name that the file
    /// would have. The task cannot be read in another process.
    #[staticmethod]
    #[pyo3(signature = (data, name = "log"))]
    fn from_bytes(py: Python<'_>, data: Vec<u8>, name: &str) -> PyResult<Self> {
        let task = py.detach(|| Task::from_bytes(name, data)).map_err(to_exception)?;
        Ok(Self::new(task, false))
    }

    /// Reads a task from JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        match serde_json::from_str(text) {
            Ok(task) => Ok(Self::new(task, false)),
            Err(error) => Err(refused(format!("not a task: {error}"))),
        }
    }

    /// Writes the task as JSON.
    fn to_json(&self) -> PyResult<String> {
        let json = serde_json::to_string(&self.task);
        json.map_err(|error| refused(format!("{}: {error}", self.task.name)))
    }

    /// Returns the task with the files from which it is read.
    fn in_files(&self, files: &PyFiles) -> Self {
        Self::new(self.task.clone().in_source_files(files.listed()), true)
    }

    /// The path of the log. For a session in a store, the path of the store, `#` and the key of the
    /// session.
    #[getter]
    fn name(&self) -> &str {
        &self.task.name
    }

    /// The agent that wrote the log.
    #[getter]
    fn agent(&self) -> &str {
        &self.task.agent
    }

    /// The format of the log; empty if it was not recognised.
    #[getter]
    fn variant(&self) -> &str {
        &self.task.variant
    }

    /// The id of the session, if the beginning of the log states it.
    #[getter]
    fn session_id(&self) -> Option<&str> {
        self.task.session_id.as_deref()
    }

    /// The time at which the session began, in UTC.
    #[getter]
    fn start(&self) -> Option<&str> {
        self.task.start.as_deref()
    }

    /// The folder that the agent worked in.
    #[getter]
    fn project(&self) -> Option<&str> {
        self.task.project.as_deref()
    }

    /// The version of the agent.
    #[getter]
    fn cli_version(&self) -> Option<&str> {
        self.task.cli_version.as_deref()
    }

    /// The number of bytes of the log, if it is known.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.task.size
    }

    /// The name of the home folder in which the log was found.
    #[getter]
    fn home(&self) -> Option<&str> {
        self.task.home()
    }

    /// The paths of the files of the log, or of its store.
    #[getter]
    fn paths(&self) -> Vec<PathBuf> {
        self.task.paths()
    }

    /// The path of the store that contains the log, if there is one. Tasks of the same store should
    /// be read together, so that it is opened once.
    #[getter]
    fn store(&self) -> Option<PathBuf> {
        self.task.store()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        Ok((class.getattr("from_json")?, (self.to_json()?,)))
    }

    fn __repr__(&self) -> String {
        format!("<vac.Task {} {}>", self.task.agent, self.task.name)
    }
}

impl PyTask {
    /// Wraps a task.
    pub fn new(task: Task, is_read_by_python: bool) -> Self {
        Self { task, is_read_by_python }
    }

    /// Returns the task of crate `vac`.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns whether Python reads its files.
    pub fn is_read_by_python(&self) -> bool {
        self.is_read_by_python
    }
}
