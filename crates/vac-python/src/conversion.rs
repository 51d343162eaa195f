//! Defines the functions `convert` and `update_folder`, and the class `Record`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use vac::adapter::Profile;
use vac::output::UnchangedLogs;
use vac::parallel::with_stack;
use vac::{
    ConvertOptions, Encoding, Layout, OutputOptions, RecordOptions, Task, convert_to_records,
};

use crate::python_error::{refused, to_exception, to_python};
use crate::session_input::SessionInput;
use crate::task_class::PyTask;

/// A record, and the report on its conversion.
#[pyclass(name = "Record", module = "vac", frozen)]
pub struct PyRecord {
    bytes: Py<PyBytes>,
    report: Py<PyAny>,
}

#[pymethods]
impl PyRecord {
    /// The bytes of the record: JSON or CBOR.
    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.bytes.clone_ref(py)
    }

    /// The report on the conversion: the members of `vac convert --json`.
    #[getter]
    fn report(&self, py: Python<'_>) -> Py<PyAny> {
        self.report.clone_ref(py)
    }

    fn __bytes__(&self, py: Python<'_>) -> Py<PyBytes> {
        self.bytes.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let report = self.report.bind(py);
        let (agent, id) = (report.get_item("agent")?, report.get_item("session-id")?);
        Ok(format!("<vac.Record {agent} {id}, {} bytes>", self.bytes.bind(py).as_bytes().len()))
    }
}

impl PyRecord {
    /// Returns the bytes without copying them.
    pub fn bytes(&self, py: Python<'_>) -> PyBackedBytes {
        self.bytes.bind(py).clone().into()
    }
}

/// Converts the sessions of a task, of the bytes of a log, or of a path to records, one for each
/// session.
///
/// `encoding` is `"json"` or `"cbor"`, `profile` is `"full"` or `"canonical"` (only what the schema
/// names). `labels` are written to the record. Lines and messages of more than `max_event` bytes
/// are kept unparsed.
#[pyfunction]
#[pyo3(signature = (
    source, *, encoding = "json", pretty = false, profile = "full", labels = None, max_event = None
))]
// These are the keyword arguments of the Python function.
#[allow(clippy::too_many_arguments)]
pub fn convert(
    py: Python<'_>,
    source: SessionInput<'_>,
    encoding: &str,
    pretty: bool,
    profile: &str,
    labels: Option<BTreeMap<String, String>>,
    max_event: Option<usize>,
) -> PyResult<Vec<PyRecord>> {
    let options = parse_options(encoding, pretty, profile, labels, max_event)?;
    let tasks = source.resolve_logs(py).map_err(to_exception)?;
    let mut all = Vec::new();
    for task in tasks {
        let records = py.detach(|| convert_to_records(&task, &options)).map_err(to_exception)?;
        for record in records {
            all.push(PyRecord {
                bytes: PyBytes::new(py, &record.bytes).unbind(),
                report: to_python(py, &record.report)?.unbind(),
            });
        }
    }
    Ok(all)
}

/// Updates a folder of records, as `vac convert -o FOLDER/` does: converts the sessions that are
/// new or have changed, each to its own file.
///
/// A record is replaced only by one that contains it, or with `overwrite`. Otherwise it is kept, and
/// the new record gets another name. Returns the result of each session (`sessions`) and the errors
/// of logs that could not be converted (`failed`). `reconvert` converts unchanged logs, too, and
/// `rehash` ignores the index of the folder. The other options are those of `convert`.
#[pyfunction]
#[pyo3(signature = (
    tasks, folder, *, encoding = "json", pretty = false, profile = "full", labels = None,
    max_event = None, overwrite = false, reconvert = false, rehash = false, jobs = 0
))]
// The arguments of the Python function, which are named there.
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
pub fn update_folder<'py>(
    py: Python<'py>,
    tasks: Vec<PyRef<'py, PyTask>>,
    folder: PathBuf,
    encoding: &str,
    pretty: bool,
    profile: &str,
    labels: Option<BTreeMap<String, String>>,
    max_event: Option<usize>,
    overwrite: bool,
    reconvert: bool,
    rehash: bool,
    jobs: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let options = OutputOptions {
        convert: parse_options(encoding, pretty, profile, labels, max_event)?,
        unchanged: if reconvert { UnchangedLogs::Converted } else { UnchangedLogs::Kept },
        overwrite,
        rehash,
        jobs,
        ..OutputOptions::default()
    };
    let mut tasks: Vec<Task> = tasks.into_iter().map(|task| task.task().clone()).collect();
    let update = move || {
        with_stack(|| Task::open_stores(&mut tasks))?;
        vac::update_folder(&tasks, &folder, &options, &mut |_| {})
    };
    to_python(py, &py.detach(update).map_err(to_exception)?)
}

fn parse_options(
    encoding: &str,
    pretty: bool,
    profile: &str,
    labels: Option<BTreeMap<String, String>>,
    max_event: Option<usize>,
) -> PyResult<ConvertOptions> {
    let mut options = ConvertOptions::default();
    options.record = RecordOptions {
        encoding: match encoding {
            "json" => Encoding::Json,
            "cbor" => Encoding::Cbor,
            other => return Err(refused(format!("unknown encoding `{other}` (json, cbor)"))),
        },
        layout: if pretty { Layout::Pretty } else { Layout::Compact },
        profile: match profile {
            "full" => Profile::Full,
            "canonical" => Profile::Canonical,
            other => return Err(refused(format!("unknown profile `{other}` (full, canonical)"))),
        },
        labels: labels.unwrap_or_default(),
        ..options.record
    };
    options.max_event = max_event.unwrap_or(options.max_event);
    Ok(options)
}
