//! A file that gets its name when it is complete, and is gone if it never is.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;

use crate::cleanup_on_signal;
use crate::readers::Readers;

/// Such a file.
pub struct AtomicFile {
    place: PathBuf,
    bytes: Bytes,
}

enum Bytes {
    /// Beside their place.
    Aside(NamedTempFile),
    /// In it: a pipe or a device has no other.
    There(File),
}

impl AtomicFile {
    /// Begins a file in a folder of ours: nothing leads out of that. Those who cannot read
    /// the file it may replace cannot read this one either.
    pub fn new(place: &Path, readers: Readers) -> io::Result<Self> {
        let readers = readers.and_of_existing(place);
        let bytes = Bytes::Aside(cleanup_on_signal::create(|| aside(place, readers))?);
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
        let settled = cleanup_on_signal::release(&before, || {
            if replaces { file.persist(&self.place) } else { file.persist_noclobber(&self.place) }
        });
        settled.map(drop).map_err(|error| error.error)
    }
}

impl Write for AtomicFile {
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
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Whether something has a name, even if it leads nowhere, that cannot be written to as it
/// is.
pub fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok() && !is_stream(path)
}

/// Creates the temporary file, with its final permissions before anything is in it.
fn aside(place: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vac-");
    create(&mut builder, folder, readers).map_err(|error| without_path(folder, &error))
}

/// An error about a temporary file, without its name.
fn without_path(folder: &Path, error: &io::Error) -> io::Error {
    let kind = error.kind();
    match kind {
        io::ErrorKind::NotFound => {
            io::Error::new(kind, format!("folder {} does not exist", folder.display()))
        }
        _ => kind.into(),
    }
}

#[cfg(unix)]
fn create(
    builder: &mut tempfile::Builder<'_, '_>,
    folder: &Path,
    readers: Readers,
) -> io::Result<NamedTempFile> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let mode = match readers {
        Readers::Owner | Readers::Mode(_) => 0o600,
        Readers::Group(_) => 0o640,
        Readers::Everyone => 0o644,
    };
    // The system takes away what the umask says.
    let file = builder.permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
    match readers {
        // Another file: the group may have opened this one already.
        Readers::Group(group) if file.as_file().metadata()?.gid() != group => {
            create(builder, folder, Readers::Owner)
        }
        Readers::Mode(mode) => {
            file.as_file().set_permissions(Permissions::from_mode(mode))?;
            Ok(file)
        }
        _ => Ok(file),
    }
}

#[cfg(not(unix))]
fn create(
    builder: &mut tempfile::Builder<'_, '_>,
    folder: &Path,
    _: Readers,
) -> io::Result<NamedTempFile> {
    builder.tempfile_in(folder)
}

/// Creates a folder that is not there, and those around it, for files with these readers.
pub fn make_folder(path: &Path, readers: Readers) -> anyhow::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    create_folder(path, readers).with_context(|| format!("cannot create folder {}", path.display()))
}

#[cfg(unix)]
fn create_folder(path: &Path, readers: Readers) -> io::Result<()> {
    use std::fs::{DirBuilder, Permissions, set_permissions};
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    let mode = match readers {
        Readers::Owner => 0o700,
        Readers::Group(_) => 0o750,
        Readers::Everyone => 0o755,
        // Who may read files may list them and open them.
        Readers::Mode(mode) => 0o700 | mode & 0o444 | (mode & 0o444) >> 2,
    };
    DirBuilder::new().recursive(true).mode(mode).create(path)?;
    match readers {
        Readers::Group(group) if path.metadata()?.gid() != group => {
            set_permissions(path, Permissions::from_mode(0o700))
        }
        Readers::Mode(_) => set_permissions(path, Permissions::from_mode(mode)),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn create_folder(path: &Path, _: Readers) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_file_has_its_mode_before_it_has_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a");
        for (readers, most) in [
            (Readers::Owner, 0o600),
            (Readers::Group(u32::MAX), 0o600),
            (Readers::Everyone, 0o644),
            (Readers::Mode(0o440), 0o440),
        ] {
            let file = AtomicFile::new(&place, readers).unwrap();
            let entries = folder.path().read_dir().unwrap();
            let modes: Vec<_> =
                entries.map(|it| it.unwrap().metadata().unwrap().mode() & 0o7777).collect();
            assert_eq!(modes.len(), 1, "{readers:?}");
            assert_eq!(modes[0] & !most, 0, "{readers:?}");
            file.settle(false).unwrap();
            assert_eq!(place.metadata().unwrap().mode() & 0o7777, modes[0], "{readers:?}");
            std::fs::remove_file(&place).unwrap();
        }
    }
}
