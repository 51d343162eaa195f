//! Defines the function `validate`, and its result.

use pyo3::prelude::*;
use vac::Validation;

use crate::python_error::{to_exception, to_python};
use crate::session_input::SessionInput;

/// The result of validating records.
#[pyclass(name = "Validation", module = "vac", frozen)]
pub struct PyValidation(Validation);

#[pymethods]
impl PyValidation {
    /// Whether there are records, and all of them are valid.
    #[getter]
    fn is_valid(&self) -> bool {
        self.0.is_valid()
    }

    /// The number of records.
    #[getter]
    fn records(&self) -> usize {
        self.0.records
    }

    /// The syntax error of the bytes, or of those after the last record.
    #[getter]
    fn syntax_error(&self) -> Option<&str> {
        self.0.syntax_error.as_deref()
    }

    /// The first violations of the schema, with the number of the record, the path and the problem.
    #[getter]
    fn violations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.violations)
    }

    /// The number of all violations.
    #[getter]
    fn total_violations(&self) -> usize {
        self.0.total_violations
    }

    fn __repr__(&self) -> String {
        let (records, violations) = (self.0.records, self.0.total_violations);
        let state = if self.0.is_valid() { "valid" } else { "not valid" };
        format!("<vac.Validation {state}, records: {records}, violations: {violations}>")
    }
}

/// Validates records in JSON or CBOR: those in a file or in bytes, or a `Record`.
///
/// The record in a signed one is validated, too; its signature is not checked.
#[pyfunction]
pub fn validate(py: Python<'_>, record: SessionInput<'_>) -> PyResult<PyValidation> {
    let bytes = record.resolve_records(py).map_err(to_exception)?;
    py.detach(|| vac::validate(bytes.as_ref())).map(PyValidation).map_err(to_exception)
}
