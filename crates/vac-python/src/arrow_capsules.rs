//! Capsules of the Arrow C data interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array as _, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::python_error::refused;

/// Returns a schema as a capsule.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| failed(&error))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Returns a batch as capsules of its schema and of its columns.
pub fn batch_capsules<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let columns = FFI_ArrowArray::new(&StructArray::from(batch.clone()).to_data());
    let columns = PyCapsule::new_with_value(py, columns, c"arrow_array")?;
    Ok((schema_capsule(py, &batch.schema())?, columns))
}

/// Returns a stream of batches as a capsule.
pub fn stream_capsule(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

fn failed(error: &ArrowError) -> PyErr {
    refused(error.to_string())
}
