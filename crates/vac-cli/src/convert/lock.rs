//! The lock on a folder that records or tables are written to, so that two runs take turns.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
pub use vac_archive::{FolderLock, Wait};

use crate::printer::Printer;

/// Locks a folder, and says so if it has to wait.
pub fn acquire(folder: &Path, wait: Wait, printer: &Printer) -> Result<FolderLock> {
    let shown = folder.display();
    let failed = || format!("cannot lock {shown} (use a folder that can be read and locked)");
    let waits = || printer.info(&format!("waiting for another vac that writes to {shown}"));
    match FolderLock::acquire(folder, wait, waits).with_context(failed)? {
        Some(lock) => Ok(lock),
        None => bail!("{shown} is in use by another vac (without --no-wait, this one would wait)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::Verbosity;

    #[test]
    fn a_folder_is_locked_until_the_lock_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let lock = || acquire(folder.path(), Wait::No, &Printer::in_memory(Verbosity::Quiet));
        let first = lock().unwrap();
        let error = lock().err().unwrap().to_string();
        assert!(error.contains("is in use by another vac"), "{error}");
        drop(first);
        lock().unwrap();
    }
}
