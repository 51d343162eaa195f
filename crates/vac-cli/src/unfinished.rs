//! A file that gets its name when it is complete, and is gone if it never is.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::leftovers;

/// Who may read a file that is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the user's mask lets.
    Usual,
    /// Its owner alone.
    Owner,
}

/// Such a file.
pub struct Unfinished {
    place: PathBuf,
    bytes: Bytes,
}

enum Bytes {
    /// Beside their place.
    Aside(NamedTempFile),
    /// In it: a pipe or a device has no other.
    There(File),
}

impl Unfinished {
    /// Begins a file in a folder of ours: nothing leads out of that.
    pub fn new(place: &Path, readers: Readers) -> io::Result<Self> {
        let bytes = Bytes::Aside(leftovers::made(|| aside(place, readers))?);
        Ok(Self { place: place.to_owned(), bytes })
    }

    /// Begins a file that somebody named: links stay and what they lead to is meant, and
    /// a pipe or a device is written to.
    pub fn named(place: &Path, readers: Readers) -> io::Result<Self> {
        if is_stream(place) {
            let bytes = Bytes::There(OpenOptions::new().write(true).open(place)?);
            return Ok(Self { place: place.to_owned(), bytes });
        }
        let is_link = place.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let real = if is_link { place.canonicalize().ok() } else { None };
        Self::new(real.as_deref().unwrap_or(place), readers)
    }

    /// Its place.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Waits until the disk has it.
    pub fn sync(&self) -> io::Result<()> {
        match &self.bytes {
            Bytes::Aside(file) => file.as_file().sync_all(),
            Bytes::There(_) => Ok(()),
        }
    }

    /// Gives it its name, which is taken from a file that has it only if that is to be.
    pub fn settle(self, replaces: bool) -> io::Result<()> {
        let Bytes::Aside(file) = self.bytes else { return Ok(()) };
        let before = file.path().to_owned();
        let settled = leftovers::settled(&before, || {
            if replaces { file.persist(&self.place) } else { file.persist_noclobber(&self.place) }
        });
        settled.map(drop).map_err(|error| error.error)
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::Aside(file) => file.as_file_mut().write(bytes),
            Bytes::There(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Aside(file) => file.as_file_mut().flush(),
            Bytes::There(file) => file.flush(),
        }
    }
}

/// Whether a name is that of a pipe or a device: it is written to, never replaced.
fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Whether something has a name, even if it leads nowhere, that cannot be written to as it
/// is.
pub fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok() && !is_stream(path)
}

/// Nobody else may read it before it is told who may.
fn aside(place: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vac-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the user's mask leaves of it, as for any other new file.
        let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
