//! Implements a [`Source`] of crate `vac` whose files a Python object reads, so that they need not
//! be on disk.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use vac::{Source, SourceFiles};

/// The size in bytes of the pieces in which files are read.
const PIECE: usize = 1 << 20;

/// Files by name that need not be on disk, such as those of an object store.
///
/// `files` is an object with three methods: `names()` returns the names of all files, with `/`
/// between folders; `size(name)` returns the number of bytes of a file; `open(name)` returns a
/// binary file object. The names are listed once. It can be pickled if `files` can.
#[pyclass(name = "Files", module = "vac", frozen)]
pub struct PyFiles {
    files: Py<PyAny>,
    source: Arc<dyn Source>,
    /// The files for tasks. Their names are listed once.
    listed: Arc<SourceFiles>,
}

#[pymethods]
impl PyFiles {
    #[new]
    fn new(py: Python<'_>, files: Py<PyAny>) -> Self {
        let source = PythonSource { files: files.clone_ref(py), names: OnceLock::new() };
        let source: Arc<dyn Source> = Arc::new(source);
        Self { files, listed: Arc::new(SourceFiles::new(source.clone())), source }
    }

    /// The object that reads the files.
    #[getter]
    fn files(&self, py: Python<'_>) -> Py<PyAny> {
        self.files.clone_ref(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Py<PyAny>,)) {
        (py.get_type::<Self>().into_any(), (self.files.clone_ref(py),))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("vac.Files({})", self.files.bind(py).repr()?))
    }
}

impl PyFiles {
    /// Returns the files as a source of crate `vac`.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Returns the files for tasks.
    pub fn listed(&self) -> &Arc<SourceFiles> {
        &self.listed
    }
}

/// Reads files by calling methods of a Python object.
struct PythonSource {
    files: Py<PyAny>,
    names: OnceLock<Vec<String>>,
}

impl fmt::Debug for PythonSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("files of a Python object")
    }
}

impl Source for PythonSource {
    fn names(&self) -> io::Result<Vec<String>> {
        if let Some(names) = self.names.get() {
            return Ok(names.clone());
        }
        let names: Vec<String> =
            attached(|py| self.files.bind(py).call_method0("names")?.extract())?;
        Ok(self.names.get_or_init(|| names).clone())
    }

    fn size(&self, name: &str) -> io::Result<u64> {
        attached(|py| self.files.bind(py).call_method1("size", (name,))?.extract())
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        let file = attached(|py| Ok(self.files.bind(py).call_method1("open", (name,))?.unbind()))?;
        Ok(Box::new(PythonFile { file, piece: None, read: 0 }))
    }
}

/// A binary file object.
struct PythonFile {
    file: Py<PyAny>,
    piece: Option<PyBackedBytes>,
    /// The number of bytes of the current piece that have been read.
    read: usize,
}

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.piece.as_ref().is_none_or(|piece| self.read == piece.len()) {
            let piece = attached(|py| {
                Ok(self.file.bind(py).call_method1("read", (PIECE,))?.extract::<PyBackedBytes>()?)
            })?;
            (self.piece, self.read) = (Some(piece), 0);
        }
        let rest = self.piece.as_ref().map_or(&[][..], |piece| &piece[self.read..]);
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.read += length;
        Ok(length)
    }
}

impl Drop for PythonFile {
    fn drop(&mut self) {
        // An error while closing has no effect on what has been read.
        drop(attached(|py| Ok(self.file.bind(py).call_method0("close")?.unbind())));
    }
}

/// Calls Python from any thread. An exception becomes an IO error with its text.
fn attached<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
    let result = Python::try_attach(|py| {
        work(py).map_err(|error| {
            use pyo3::exceptions::{PyFileNotFoundError, PyPermissionError};
            let kind = if error.is_instance_of::<PyFileNotFoundError>(py) {
                io::ErrorKind::NotFound
            } else if error.is_instance_of::<PyPermissionError>(py) {
                io::ErrorKind::PermissionDenied
            } else {
                io::ErrorKind::Other
            };
            io::Error::new(kind, error.to_string())
        })
    });
    result.unwrap_or_else(|| Err(io::Error::other("the Python interpreter has ended")))
}
