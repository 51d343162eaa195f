//! Writes all records to one file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::record_folder::real_place;
use super::record_writer::{SharedFile, Target, WrittenRecord};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{
    AtomicFile, InputGuard, Readers, cut_back, is_taken, make_folder, refuse_agent_folder,
};

/// A file for all records. It gets its name when the records are complete. A file without records
/// is removed and replaces nothing.
#[derive(Debug)]
pub struct RecordFile {
    file: AtomicFile,
    /// Whether it may replace an existing file.
    overwrite: bool,
    /// The number of bytes in complete records.
    length: u64,
}

impl RecordFile {
    /// Begins a file for these readers. Missing parent folders are created. A pipe or a device is
    /// written to.
    ///
    /// # Errors
    /// If the file is one of the inputs, is in a folder where an agent keeps sessions, or cannot be
    /// created. If it already exists and may not be replaced ([`ErrorKind::Exists`]).
    pub fn create(
        path: &Path,
        overwrite: bool,
        readers: Readers,
        inputs: &InputGuard,
    ) -> Result<Self> {
        refuse_agent_folder(path)?;
        inputs.refuse(path)?;
        if !overwrite && is_taken(path) {
            return Err(already_exists(path));
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let cannot = |error: Error| {
                Error::new(error.kind, format!("cannot write {}: {error}", path.display()))
            };
            make_folder(folder, readers).map_err(cannot)?;
        }
        let file = AtomicFile::named(path, readers).map_err(|error| cannot_write(path, &error))?;
        Ok(Self { file, overwrite, length: 0 })
    }

    /// Returns whether this is the file at a path.
    pub fn holds(&self, path: &Path) -> bool {
        real_place(self.file.path()) == real_place(path)
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns where workers write records.
    pub(super) fn target(&self) -> Result<Target> {
        if self.file.is_stream() {
            return Ok(Target::Aside);
        }
        let copy = self.file.file().try_clone();
        let copy = copy.map_err(|error| cannot_write(self.path(), &error))?;
        Ok(Target::File(SharedFile::new(copy, self.path().to_owned())))
    }

    /// Writes a complete record.
    pub(super) fn append(&mut self, record: WrittenRecord) -> io::Result<()> {
        if let WrittenRecord::Output(end) = record {
            self.length = end;
            return Ok(());
        }
        let mut counted = Counted { file: self.file.file(), length: self.length };
        record.copy_to(&mut counted)?;
        self.length = counted.length;
        Ok(())
    }

    /// Removes the bytes after the complete records.
    pub(super) fn cut_back(&mut self) -> io::Result<()> {
        if self.file.is_stream() { Ok(()) } else { cut_back(self.file.file(), self.length) }
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<()> {
        if self.length == 0 {
            return Ok(());
        }
        let path = self.path().to_owned();
        named(&path, self.file.persist(self.overwrite))
    }

    /// Writes the buffered bytes.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Returns the error for a file that did not get its name.
pub(super) fn named(path: &Path, result: io::Result<()>) -> Result<()> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => already_exists(path),
        _ => cannot_write(path, &error),
    })
}

fn already_exists(path: &Path) -> Error {
    Error::new(ErrorKind::Exists, format!("{} already exists", path.display()))
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::io(format!("cannot write {}", path.display()), error)
}

/// A writer that counts the bytes that are written to a file.
struct Counted<'f> {
    file: &'f File,
    length: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
