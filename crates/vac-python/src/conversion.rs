//! The function `convert`, and the class `Record`.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use vac::{ConvertOptions, Encoding, Layout, RecordOptions, convert_to_records};
use vac_adapter::Profile;

use crate::python_error::{refused, to_exception, to_python};
use crate::session_input::SessionInput;

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

/// Converts logs to records: one for each session of a task, of the bytes of a log, or of a path.
///
/// `encoding` is `"json"` or `"cbor"`, `profile` is `"full"` or `"canonical"` (only what the schema
/// names). `labels` are written to the record. Lines and messages of more than `max_event` bytes
/// are kept unparsed.
#[pyfunction]
#[pyo3(signature = (
    source, *, encoding = "json", pretty = false, profile = "full", labels = None, max_event = None
))]
// The arguments of the Python function, which are named there.
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
