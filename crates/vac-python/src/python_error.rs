//! Converts errors of crate `vac` to the exception `vac.Error`, and results to Python objects.

use pyo3::prelude::*;
use serde::Serialize;
use vac::ErrorKind;

pyo3::import_exception!(vac._error, Error);

/// Returns the exception for an error.
pub fn to_exception(error: vac::Error) -> PyErr {
    Error::new_err((kind_name(error.kind), error.place, error.reason))
}

/// Returns the code of a kind, as in JSON.
fn kind_name(kind: ErrorKind) -> String {
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(name)) => name,
        _ => unreachable!("a kind is serialized as its code"),
    }
}

/// Returns the error for an argument that is not accepted.
pub fn refused(reason: impl Into<String>) -> PyErr {
    to_exception(vac::Error { kind: ErrorKind::Refused, place: None, reason: reason.into() })
}

/// Returns a result as dictionaries, lists, texts and numbers, as `json.loads` returns them for its
/// JSON.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value).map_err(|error| refused(error.to_string()))?;
    parse_json(py, &json)
}

/// Parses JSON.
pub fn parse_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
