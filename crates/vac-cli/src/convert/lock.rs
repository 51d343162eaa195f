//! The lock on a folder that records are written to, so that two runs take turns.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::printer::Printer;

/// Whether a run waits for another one that has the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It waits.
    Yes,
    /// It fails.
    No,
}

/// A lock on a folder. The system releases it when this value is dropped, or when the process
/// ends in whatever way. It only excludes programs that ask for it.
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks a folder, and says so if it has to wait.
    pub fn acquire(folder: &Path, wait: Wait, printer: &Printer) -> Result<Self> {
        let shown = folder.display();
        let failed =
            || format!("cannot lock {shown} (records need a folder that can be read and locked)");
        let file = open(folder).with_context(failed)?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { _file: file }),
            Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
            Err(TryLockError::WouldBlock) => {}
        }
        if wait == Wait::No {
            bail!("{shown} is in use by another vac (without --no-wait, this one would wait)");
        }
        printer.info(&format!("waiting for another vac that writes to {shown}"));
        loop {
            match file.lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error).with_context(failed),
            }
        }
    }
}

/// The folder itself can be locked: no file is left in it.
#[cfg(unix)]
fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// A folder cannot be locked, but a file in it can. Its name is not that of a record.
#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(folder.join(".vac-lock"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::Verbosity;

    #[test]
    fn a_folder_is_locked_until_the_lock_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let lock =
            || FolderLock::acquire(folder.path(), Wait::No, &Printer::in_memory(Verbosity::Quiet));
        let first = lock().unwrap();
        let error = lock().err().unwrap().to_string();
        assert!(error.contains("is in use by another vac"), "{error}");
        drop(first);
        lock().unwrap();
    }
}
