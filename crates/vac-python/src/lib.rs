//! Implements the module `vac._native` of the Python package `verifiable-agent-records`: the
//! functions of crate `vac`, and tables of sessions through the Arrow C data interface.
//!
//! `README.md` describes the package. Its reference documentation is in docstrings and in the type
//! stubs (`python/vac/_native.pyi`).
//!
//! ```python
//! import vac
//!
//! for task in vac.plan("logs"):
//!     for record in vac.convert(task):
//!         print(record.report["agent"], vac.validate(record).is_valid)
//! ```
//!
//! # Decisions
//!
//! * Every function that reads or computes releases the lock of the interpreter. Crate `vac` reads
//!   on its own threads, whose stacks are large enough for nested documents.
//! * Results are the serialized results of crate `vac`: dictionaries with the keys of its JSON.
//!   Tables are Arrow; nothing else is copied into Python objects row by row.
//! * Errors are `vac.Error` with the members of the Rust type `vac::Error`. They can be
//!   pickled, because engines send them from one process to another.
//! * Safe functions of pyo3 and arrow create the capsules of the Arrow C data interface, so unsafe
//!   code is forbidden here as in all crates.

mod arrow_capsules;
mod conversion;
mod group_reader;
mod ordered_batches;
mod parquet_files;
mod planning;
mod python_error;
mod python_files;
mod record_checks;
mod session_input;
mod session_reading;
mod signing;
mod table_classes;
mod task_class;

/// Functions and classes of the package `vac`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::conversion::{PyRecord, convert, update_folder};
    #[pymodule_export]
    use crate::parquet_files::{PyWritten, write};
    #[pymodule_export]
    use crate::planning::plan;
    #[pymodule_export]
    use crate::python_files::PyFiles;
    #[pymodule_export]
    use crate::record_checks::{PyValidation, validate};
    #[pymodule_export]
    use crate::session_reading::{EventIterator, events, inspect};
    #[pymodule_export]
    use crate::signing::{PyPublicKey, PySecretKey, PySignedRecord, PyVerified, sign, verify};
    #[pymodule_export]
    use crate::table_classes::{
        BatchIterator, PyBatch, PySchema, PyTable, batches, schema, tables,
    };
    #[pymodule_export]
    use crate::task_class::PyTask;

    /// The version of `vac`.
    #[allow(non_upper_case_globals)] // the name that Python packages use
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
