//! Defines the function `write`, which writes tables as Parquet files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use vac::parallel::{ordered_parallel_map, with_stack};
use vac::tables::SessionTable;
use vac::tables::divide;
use vac::tables::file_writer::{FileFormat, TableFileWriter};
use vac::{Error, ErrorKind, Search, Task};

use crate::group_reader::Group;
use crate::ordered_batches::ReadOptions;
use crate::python_error::to_exception;
use crate::table_classes::{parse_on_error, parse_tables};
use crate::task_class::PyTask;

/// The result of writing tables.
#[pyclass(name = "Written", module = "vac", frozen)]
pub struct PyWritten {
    rows: BTreeMap<&'static str, u64>,
    failures: Vec<Error>,
}

#[pymethods]
impl PyWritten {
    /// The number of rows of each table.
    #[getter]
    fn rows(&self) -> BTreeMap<&'static str, u64> {
        self.rows.clone()
    }

    /// The errors of the sessions that were skipped.
    #[getter]
    fn failures(&self) -> Vec<PyErr> {
        self.failures.iter().cloned().map(to_exception).collect()
    }

    fn __repr__(&self) -> String {
        format!("<vac.Written {:?}, {} failures>", self.rows, self.failures.len())
    }
}

/// Writes tables of the sessions of tasks as Parquet, each to a folder with its name; all tables by
/// default.
///
/// Logs are read once for all tables, and encoded in parallel. Files get their final names when
/// everything was read, with `on_error` as for `tables`. Only the user who calls this can read the
/// files. A folder that already contains one of the tables is refused.
#[pyfunction]
#[pyo3(signature = (tasks, folder, tables = None, *, on_error = "raise", jobs = 0))]
pub fn write(
    py: Python<'_>,
    tasks: Vec<PyRef<'_, PyTask>>,
    folder: PathBuf,
    tables: Option<Vec<String>>,
    on_error: &str,
    jobs: usize,
) -> PyResult<PyWritten> {
    let selected = parse_tables(tables)?;
    let options = ReadOptions { selected, skips_failures: parse_on_error(on_error)?, jobs };
    let tasks = tasks.into_iter().map(|task| task.task().clone()).collect();
    py.detach(move || write_tables(tasks, options, &folder)).map_err(to_exception)
}

fn write_tables(
    mut tasks: Vec<Task>,
    options: ReadOptions,
    folder: &Path,
) -> vac::Result<PyWritten> {
    for table in options.selected.iter() {
        let path = folder.join(table.name());
        if path.exists() {
            return Err(Error {
                kind: ErrorKind::Refused,
                place: Some(path.display().to_string()),
                reason: "already exists (name another folder, or remove it)".to_owned(),
            });
        }
    }
    let at = |error: io::Error| Error {
        place: Some(folder.display().to_string()),
        ..Error::from(error)
    };
    fs::create_dir_all(folder).map_err(at)?;
    // Only the owner can read this folder. It is removed at the end, even after an error.
    let unfinished = tempfile::Builder::new().prefix(".vac-").tempdir_in(folder).map_err(at)?;
    for table in options.selected.iter() {
        fs::create_dir(unfinished.path().join(table.name())).map_err(at)?;
    }
    with_stack(|| Task::open_stores(&mut tasks))?;
    let groups = divide(tasks, |task| task.size).into_iter().enumerate();
    let jobs = Search { jobs: options.jobs, ..Search::default() }.jobs();
    let mut written = PyWritten {
        rows: options.selected.iter().map(|table| (table.name(), 0)).collect(),
        failures: Vec::new(),
    };
    let mut broken = Ok(());
    let work = |(number, tasks): (usize, Vec<Task>)| {
        let group = Group { tasks: &tasks, selected: options.selected };
        write_group(&group, number, options.skips_failures, unfinished.path())
    };
    ordered_parallel_map(groups, jobs, work, |group| match group {
        Ok(group) => {
            for (name, rows) in group.rows {
                *written.rows.entry(name).or_insert(0) += rows;
            }
            written.failures.extend(group.failures);
            ControlFlow::Continue(())
        }
        Err(error) => {
            broken = Err(error);
            ControlFlow::Break(())
        }
    })?;
    broken?;
    for table in options.selected.iter() {
        let path = unfinished.path().join(table.name());
        if written.rows[table.name()] == 0 {
            // The file of a table without rows contains its columns, too.
            let file = create(&path, 0).and_then(|file| begin(file, table));
            file.and_then(finish).map_err(at)?;
        }
        fs::rename(path, folder.join(table.name())).map_err(at)?;
    }
    Ok(written)
}

type PartWriter = TableFileWriter<BufWriter<File>>;

/// Writes the files of a group.
fn write_group(
    group: &Group<'_>,
    number: usize,
    skips_failures: bool,
    folder: &Path,
) -> vac::Result<PyWritten> {
    let mut writers: BTreeMap<SessionTable, PartWriter> = BTreeMap::new();
    let mut written = PyWritten { rows: BTreeMap::new(), failures: Vec::new() };
    let mut broken = Ok(());
    let mut write = |table: SessionTable, batch: &RecordBatch| {
        let writer = match writers.entry(table) {
            Entry::Occupied(writer) => writer.into_mut(),
            Entry::Vacant(place) => {
                place.insert(begin(create(&folder.join(table.name()), number)?, table)?)
            }
        };
        *written.rows.entry(table.name()).or_insert(0) += batch.num_rows() as u64;
        writer.write(batch)
    };
    let read = group.read_with(skips_failures, &mut |table, batch| match write(table, &batch) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            broken = Err(error);
            ControlFlow::Break(())
        }
    });
    broken?;
    written.failures = read?;
    for writer in writers.into_values() {
        finish(writer)?;
    }
    Ok(written)
}

/// Creates a file of a table. Logs contain secrets, so only the owner can read it.
fn create(folder: &Path, number: usize) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(folder.join(format!("part-{number:05}.parquet")))
}

fn begin(file: File, table: SessionTable) -> io::Result<PartWriter> {
    TableFileWriter::new(BufWriter::new(file), FileFormat::Parquet, table, true)
}

fn finish(writer: PartWriter) -> io::Result<()> {
    writer.finish()?.flush()
}
