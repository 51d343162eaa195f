//! Defines the functions `tables`, `batches` and `schema`, and their classes.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use vac::Task;
use vac::tables::{SessionTable, TableSet};

use crate::arrow_capsules::{batch_capsules, schema_capsule, stream_capsule};
use crate::ordered_batches::{Failures, OrderedBatches, ReadOptions};
use crate::python_error::{refused, to_exception};
use crate::task_class::PyTask;

/// The logs to read, and how to read them.
struct TableSource {
    tasks: Vec<Task>,
    options: ReadOptions,
    /// Whether Python reads the files of the tasks.
    is_read_by_python: bool,
    failures: Failures,
}

impl TableSource {
    fn new(
        tasks: Vec<PyRef<'_, PyTask>>,
        selected: TableSet,
        on_error: &str,
        jobs: usize,
    ) -> PyResult<Self> {
        let skips_failures = parse_on_error(on_error)?;
        Ok(Self {
            is_read_by_python: tasks.iter().any(|task| task.is_read_by_python()),
            tasks: tasks.into_iter().map(|task| task.task().clone()).collect(),
            options: ReadOptions { selected, skips_failures, jobs },
            failures: Failures::default(),
        })
    }

    /// Starts to read at the first log.
    fn start(&self, py: Python<'_>) -> PyResult<OrderedBatches> {
        let tasks = self.tasks.clone();
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let batches = py.detach(|| OrderedBatches::start(tasks, self.options, &self.failures));
        batches.map_err(|error| to_exception(error.into()))
    }

    fn failures(&self) -> Vec<PyErr> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.values().flatten().cloned().map(to_exception).collect()
    }
}

/// Returns one table of the sessions of tasks: `sessions`, `entries`, `tool_calls`, `usage` or
/// `files`.
///
/// The table is read when it is consumed by a library that accepts Arrow: `pyarrow.table(table)`,
/// `polars.DataFrame(table)`, `DuckDB` and `DataFusion`. Rows are in the order of the tasks, with
/// any number of `jobs` (0 means one for each processor).
///
/// With `on_error="raise"`, the first session that cannot be read ends the table with its error.
/// With `on_error="skip"`, such sessions have no rows, and their errors are in `failures`.
#[pyfunction]
#[pyo3(signature = (tasks, table, *, on_error = "raise", jobs = 0))]
pub fn tables(
    tasks: Vec<PyRef<'_, PyTask>>,
    table: &str,
    on_error: &str,
    jobs: usize,
) -> PyResult<PyTable> {
    let table = parse_table(table)?;
    let source = TableSource::new(tasks, TableSet::NONE.with(table), on_error, jobs)?;
    Ok(PyTable { table, source })
}

/// A table of sessions. It can be consumed several times, and is read each time.
#[pyclass(name = "Table", module = "vac", frozen)]
pub struct PyTable {
    table: SessionTable,
    source: TableSource,
}

#[pymethods]
impl PyTable {
    /// The name of the table.
    #[getter]
    fn name(&self) -> &'static str {
        self.table.name()
    }

    /// The schema of the table.
    #[getter]
    fn schema(&self) -> PySchema {
        PySchema(self.table)
    }

    /// The errors of the sessions that were skipped while the table was consumed the last time.
    #[getter]
    fn failures(&self) -> Vec<PyErr> {
        self.source.failures()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.table.schema())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface permits a producer to ignore the request; the consumer then converts the
        // data.
        drop(requested_schema);
        let reader = TableReader {
            schema: self.table.schema(),
            batches: self.source.start(py)?,
            is_read_by_python: self.source.is_read_by_python,
        };
        stream_capsule(py, Box::new(reader))
    }

    fn __repr__(&self) -> String {
        format!("<vac.Table {} of {} tasks>", self.table, self.source.tasks.len())
    }
}

/// The batches of one table.
struct TableReader {
    schema: SchemaRef,
    batches: OrderedBatches,
    is_read_by_python: bool,
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = &mut self.batches;
        let next = if self.is_read_by_python {
            // The workers call Python, so a consumer must release the lock of the interpreter while
            // it waits for them.
            let waited = Python::try_attach(|py| py.detach(|| batches.next()));
            waited.unwrap_or_else(|| Err(crate::ordered_batches::ended_early()))
        } else {
            batches.next()
        };
        match next {
            Ok(batch) => batch.map(|(_, batch)| Ok(batch)),
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Iterates over the batches of several tables, in one pass over the logs. Each element is a pair
/// of the name of a table and a `Batch`. All tables by default.
///
/// `on_error` and `jobs` are as for `tables`.
#[pyfunction]
#[pyo3(signature = (tasks, tables = None, *, on_error = "raise", jobs = 0))]
pub fn batches(
    py: Python<'_>,
    tasks: Vec<PyRef<'_, PyTask>>,
    tables: Option<Vec<String>>,
    on_error: &str,
    jobs: usize,
) -> PyResult<BatchIterator> {
    let source = TableSource::new(tasks, parse_tables(tables)?, on_error, jobs)?;
    let batches = Mutex::new(source.start(py)?);
    Ok(BatchIterator { source, batches })
}

/// An iterator over batches of tables.
#[pyclass(module = "vac", frozen)]
pub struct BatchIterator {
    source: TableSource,
    batches: Mutex<OrderedBatches>,
}

#[pymethods]
impl BatchIterator {
    /// The errors of the sessions that were skipped so far.
    #[getter]
    fn failures(&self) -> Vec<PyErr> {
        self.source.failures()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(&'static str, PyBatch)>> {
        let next = py.detach(|| self.batches.lock().unwrap_or_else(PoisonError::into_inner).next());
        let next = next.map_err(to_exception)?;
        Ok(next.map(|(table, batch)| (table.name(), PyBatch(Arc::new(batch)))))
    }
}

/// A batch of rows of one table.
#[pyclass(name = "Batch", module = "vac", frozen)]
pub struct PyBatch(Arc<RecordBatch>);

#[pymethods]
impl PyBatch {
    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        batch_capsules(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!("<vac.Batch of {} rows>", self.0.num_rows())
    }
}

/// Returns the schema of a table.
#[pyfunction]
pub fn schema(table: &str) -> PyResult<PySchema> {
    parse_table(table).map(PySchema)
}

/// The schema of a table: `pyarrow.schema(schema)`.
#[pyclass(name = "Schema", module = "vac", frozen)]
pub struct PySchema(SessionTable);

#[pymethods]
impl PySchema {
    /// The name of the table.
    #[getter]
    fn table(&self) -> &'static str {
        self.0.name()
    }

    /// What the table contains.
    #[getter]
    fn doc(&self) -> &'static str {
        self.0.doc()
    }

    /// The columns: the name, the type, whether the value of a row can be null, and a description.
    #[getter]
    fn columns(&self) -> Vec<(&'static str, String, bool, &'static str)> {
        let columns = self.0.columns().iter();
        columns.map(|it| (it.name, it.type_name(), it.is_nullable, it.doc.trim())).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }

    fn __repr__(&self) -> String {
        format!("<vac.Schema of {}>", self.0)
    }
}

/// Returns the tables of these names; all by default.
pub fn parse_tables(names: Option<Vec<String>>) -> PyResult<TableSet> {
    match names {
        None => Ok(TableSet::ALL),
        Some(names) => names.into_iter().map(|name| parse_table(&name)).collect(),
    }
}

/// Returns whether sessions that cannot be read are skipped.
pub fn parse_on_error(on_error: &str) -> PyResult<bool> {
    match on_error {
        "raise" => Ok(false),
        "skip" => Ok(true),
        other => Err(refused(format!("unknown `on_error` `{other}` (raise, skip)"))),
    }
}

fn parse_table(name: &str) -> PyResult<SessionTable> {
    SessionTable::parse(name).ok_or_else(|| {
        let names = SessionTable::ALL.map(SessionTable::name).join(", ");
        refused(format!("unknown table `{name}` ({names})"))
    })
}
