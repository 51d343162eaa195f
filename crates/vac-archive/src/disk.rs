//! Writes files so that a crash at any point leaves a valid archive.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::NamedTempFile;

/// The disk that an archive is written to. Tests use one that fails after a number of steps:
/// forever, as when a process is killed, or once, as when a disk is full for a moment or for large
/// files.
#[derive(Debug, Default)]
pub struct Disk {
    /// The steps that are left; `None` for no limit.
    steps: Option<AtomicU64>,
    fails_once: bool,
}

impl Disk {
    /// Returns a disk on which writing fails after this many steps.
    #[doc(hidden)]
    pub fn failing_after(steps: u64) -> Self {
        Self { steps: Some(AtomicU64::new(steps)), fails_once: false }
    }

    /// Returns a disk on which writing fails once, after this many steps.
    #[doc(hidden)]
    pub fn failing_once_after(steps: u64) -> Self {
        Self { steps: Some(AtomicU64::new(steps)), fails_once: true }
    }

    /// Takes a step. Fails if none is left.
    pub(crate) fn step(&self) -> io::Result<()> {
        let Some(steps) = &self.steps else { return Ok(()) };
        let less = |steps: u64| match steps.checked_sub(1) {
            None if self.fails_once => Some(u64::MAX),
            less => less,
        };
        match steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(left) if left > 0 => Ok(()),
            Ok(_) | Err(_) => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// Begins a file in a folder for temporary files.
    pub(crate) fn create(&self, folder: &Path) -> io::Result<NamedTempFile> {
        self.step()?;
        let mut file = tempfile::Builder::new().prefix("new-").tempfile_in(folder)?;
        // A killed process does not remove temporary files.
        file.disable_cleanup(self.steps.is_some());
        Ok(file)
    }

    /// Flushes a temporary file to disk, and renames it.
    pub(crate) fn persist(&self, file: NamedTempFile, path: &Path) -> io::Result<()> {
        self.step()?;
        file.as_file().sync_all()?;
        self.step()?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }

    /// Writes a whole file under a temporary name, and renames it.
    pub(crate) fn replace(&self, tmp: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.create(tmp)?;
        file.write_all(bytes)?;
        self.persist(file, path)?;
        path.parent().map_or(Ok(()), |folder| self.sync_folder(folder))
    }

    /// Flushes the names of the files in a folder to disk.
    pub(crate) fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.step()?;
        // Folders can be opened on Unix only.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    /// Creates a folder that only its owner can read.
    pub(crate) fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder.create(path)
    }

    /// Appends bytes to a file of this size, and flushes it to disk. If that fails, tries to
    /// restore the size of the file.
    pub(crate) fn append(&self, path: &Path, size: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = open_own(path)?;
        if file.metadata()?.len() != size {
            return Err(io::Error::other("it was changed by another program"));
        }
        file.seek(SeekFrom::Start(size))?;
        let written = self.step().and_then(|()| {
            let (start, rest) = bytes.split_at(bytes.len() / 2);
            file.write_all(start)?;
            self.step()?;
            file.write_all(rest)?;
            self.step()?;
            file.sync_all()
        });
        if written.is_err() && self.step().is_ok() {
            // The next run removes an incomplete end, too.
            file.set_len(size).unwrap_or(());
        }
        written
    }

    /// Removes the end of a file.
    pub(crate) fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        self.step()?;
        let file = open_own(path)?;
        file.set_len(size)?;
        file.sync_all()
    }
}

/// Opens a file of the archive for writing; a link is not followed.
fn open_own(path: &Path) -> io::Result<File> {
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    if !path.symlink_metadata()?.is_file() {
        return Err(not_regular());
    }
    let mut options = OpenOptions::new();
    options.write(true);
    // The file may be replaced between the check and opening it.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}
