//! Locks a folder, so that processes that write to it take turns.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// Whether to wait if another process has the lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// Wait until the lock is free.
    #[default]
    Yes,
    /// Return without the lock.
    No,
}

/// A lock on a folder. The lock is advisory. It is released when this value is dropped, and by the
/// system when the process ends.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks a folder. Calls `waits` before waiting for another process. Returns `None` if another
    /// process has the lock and `wait` is [`Wait::No`].
    ///
    /// # Errors
    /// If the folder cannot be opened or locked.
    pub fn acquire(folder: &Path, wait: Wait, waits: impl FnOnce()) -> io::Result<Option<Self>> {
        let file = open(folder)?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(Self { _file: file })),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if wait == Wait::No => return Ok(None),
            Err(TryLockError::WouldBlock) => waits(),
        }
        loop {
            match file.lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Locks a folder. Calls `waits` before waiting for another process.
///
/// # Errors
/// If the folder cannot be opened or locked, or if another process has the lock and `wait` is
/// [`Wait::No`] ([`ErrorKind::Locked`]).
pub fn lock_folder(folder: &Path, wait: Wait, waits: impl FnOnce()) -> Result<FolderLock> {
    let shown = folder.display();
    let failed = |error| {
        let what = format!("cannot lock {shown} (use a folder that can be read and locked)");
        Error::io(what, &error)
    };
    let lock = FolderLock::acquire(folder, wait, waits).map_err(failed)?;
    let is_locked = || Error::new(ErrorKind::Locked, format!("{shown} is in use by another vac"));
    lock.ok_or_else(is_locked)
}

/// Opens the folder itself, which can be locked on Unix, so that no file is left in it.
#[cfg(unix)]
fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Opens a file in the folder, because the folder itself cannot be locked. Its name is not that of
/// a record.
#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(folder.join(".vac-lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_locked_until_the_lock_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let lock = || FolderLock::acquire(folder.path(), Wait::No, || ()).unwrap();
        let first = lock();
        assert!(first.is_some());
        assert!(lock().is_none());
        let error = lock_folder(folder.path(), Wait::No, || ()).err().unwrap();
        assert_eq!(error.kind, ErrorKind::Locked);
        assert!(error.reason.contains("is in use by another vac"), "{error}");
        drop(first);
        assert!(lock().is_some());
    }
}
