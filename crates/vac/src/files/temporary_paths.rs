//! Registers the paths of the temporary files and folders of this process, for programs that remove
//! them when a signal ends the program.
//!
//! Dropping a temporary file removes it. This module is for programs that end without dropping
//! their files.
//!
//! ```
//! // In a thread that waits for signals:
//! let temporary = vac::files::temporary_paths::lock();
//! for path in temporary.iter() {
//!     drop(std::fs::remove_file(path));
//! }
//! // The program ends before the lock is released, so that no further file is created.
//! ```

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The paths that currently exist.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The function that is called before a path is created.
static BEFORE_CREATE: OnceLock<fn()> = OnceLock::new();

/// Sets a function that is called before each temporary file or folder is created, such as one that
/// begins to wait for signals. Only the first call has an effect.
pub fn before_create(function: fn()) {
    BEFORE_CREATE.get_or_init(|| function);
}

/// Returns the paths. While the returned value exists, no temporary file is created, renamed or
/// removed.
pub fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a temporary file or folder.
///
/// # Errors
/// If it cannot be created.
pub fn create<T: AsRef<Path>>(create: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    if let Some(function) = BEFORE_CREATE.get() {
        function();
    }
    let mut temporary = lock();
    let created = create()?;
    temporary.insert(created.as_ref().to_owned());
    Ok(created)
}

/// Calls `release`, which renames or removes a temporary file, and removes the path from the
/// registered ones, even if `release` failed.
pub fn release<T>(path: &Path, release: impl FnOnce() -> T) -> T {
    let mut temporary = lock();
    let done = release();
    temporary.remove(path);
    done
}
