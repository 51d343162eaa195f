//! Defines the function `plan`.

use std::path::PathBuf;

use pyo3::prelude::*;
use vac::{Plan, Search};

use crate::python_error::{to_exception, to_python};
use crate::python_files::PyFiles;
use crate::task_class::PyTask;

/// The tasks, and what else was found: skipped files, duplicates and errors.
type Planned<'py> = (Vec<PyTask>, Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<PyErr>);

/// Finds sessions. The package wraps the result in `vac.Plan`.
#[pyfunction]
#[pyo3(signature = (paths, roots, discover, agents, since, until, project, homes_apart, jobs, files))]
// These are the keyword arguments of the Python function.
#[allow(clippy::too_many_arguments)]
pub fn plan<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    roots: Vec<PathBuf>,
    discover: bool,
    agents: Vec<String>,
    since: Option<i128>,
    until: Option<i128>,
    project: Option<String>,
    homes_apart: bool,
    jobs: usize,
    files: Option<&PyFiles>,
) -> PyResult<Planned<'py>> {
    let search =
        Search { paths, roots, discover, agents, since, until, project, homes_apart, jobs };
    let source = files.map(PyFiles::source);
    let plan = py.detach(|| match source {
        Some(source) => search.plan_in(source),
        None => search.plan(),
    });
    let Plan { tasks, skipped, duplicates, troubles } = plan.map_err(to_exception)?;
    Ok((
        tasks.into_iter().map(|task| PyTask::new(task, files.is_some())).collect(),
        to_python(py, &skipped)?,
        to_python(py, &duplicates)?,
        troubles.into_iter().map(to_exception).collect(),
    ))
}
