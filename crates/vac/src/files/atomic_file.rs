//! Writes files that get their names when they are complete, and are removed if an error or a
//! signal prevents that.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::readers::Readers;
use super::temporary_paths;
use crate::error::{Error, Result};

/// A file that gets its name when it is complete. The name is known from the beginning.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A temporary file in the same folder.
    Temporary(NamedTempFile),
    /// The file of that name, because a pipe or a device cannot be replaced.
    Stream(File),
}

impl AtomicFile {
    /// Begins a file in a folder to which `vac` writes records. Users who cannot read the file that
    /// it may replace cannot read the new file either.
    pub fn new(path: &Path, readers: Readers) -> io::Result<Self> {
        let readers = readers.and_of_existing(path);
        let create = || create_temporary(parent(path), readers);
        let content = Content::Temporary(temporary_paths::create(create)?);
        Ok(Self { path: path.to_owned(), content })
    }

    /// Begins a file that the user named. If it is a link, the file to which it leads is replaced;
    /// a pipe or a device is written to.
    pub fn named(path: &Path, readers: Readers) -> io::Result<Self> {
        if is_stream(path) {
            let content = Content::Stream(OpenOptions::new().write(true).open(path)?);
            return Ok(Self { path: path.to_owned(), content });
        }
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let real = if is_link { path.canonicalize().ok() } else { None };
        Self::new(real.as_deref().unwrap_or(path), readers)
    }

    /// Returns the final path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file is a pipe or a device, from which written bytes cannot be removed.
    pub fn is_stream(&self) -> bool {
        matches!(self.content, Content::Stream(_))
    }

    /// Returns the open file. Clones of it share its position.
    pub fn file(&self) -> &File {
        match &self.content {
            Content::Temporary(file) => file.as_file(),
            Content::Stream(file) => file,
        }
    }

    /// Waits until the file is written to the disk.
    pub fn sync(&self) -> io::Result<()> {
        match &self.content {
            Content::Temporary(file) => file.as_file().sync_all(),
            Content::Stream(_) => Ok(()),
        }
    }

    /// Renames the file to its final name. A file of that name is replaced, or an error.
    pub fn persist(self, replaces: bool) -> io::Result<()> {
        let Content::Temporary(file) = self.content else { return Ok(()) };
        persist(file.into_temp_path(), &self.path, replaces)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// A file in a folder whose name is not known when it is created. It is closed until then, because
/// there can be more such files than a process may have open.
#[derive(Debug)]
pub struct NamelessFile {
    /// `None` only while it is dropped.
    path: Option<TempPath>,
    readers: Readers,
}

impl NamelessFile {
    /// Creates a file, and opens it for writing.
    pub fn create(folder: &Path, readers: Readers) -> io::Result<(Self, File)> {
        let file = temporary_paths::create(|| create_temporary(folder, readers))?;
        let (file, path) = file.into_parts();
        Ok((Self { path: Some(path), readers }, file))
    }

    /// Opens the file for reading.
    pub fn open(&self) -> io::Result<File> {
        match &self.path {
            Some(path) => File::open(path),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Renames the file within its folder. A file of that name is replaced, or an error. Users who
    /// cannot read the replaced file cannot read this one either.
    pub fn persist(mut self, path: &Path, replaces: bool) -> io::Result<()> {
        let readers = self.readers.and_of_existing(path);
        if readers != self.readers {
            // Users who must not read the result may have opened this file, so it is copied.
            let mut copy = AtomicFile::new(path, readers)?;
            io::copy(&mut self.open()?, &mut copy)?;
            return copy.persist(replaces);
        }
        match self.path.take() {
            Some(temporary) => persist(temporary, path, replaces),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for NamelessFile {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            let before = path.to_path_buf();
            temporary_paths::release(&before, || drop(path));
        }
    }
}

fn persist(file: TempPath, path: &Path, replaces: bool) -> io::Result<()> {
    let before = file.to_path_buf();
    let persisted = temporary_paths::release(&before, || {
        if replaces { file.persist(path) } else { file.persist_noclobber(path) }
    });
    persisted.map_err(|error| error.error)
}

/// Truncates a file at an offset, if it is longer.
pub fn cut_back(mut file: &File, end: u64) -> io::Result<()> {
    if file.metadata()?.len() > end {
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
    }
    Ok(())
}

fn parent(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Returns whether a path is that of a pipe or a device: it is written to, never replaced.
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Returns whether a path exists, even as a link that leads nowhere, and is not a pipe or a device.
pub fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok() && !is_stream(path)
}

/// The prefix of the names of temporary files.
const PREFIX: &str = ".vac-";

/// Returns whether a name is that of a temporary file.
pub fn is_nameless(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).filter(|rest| rest.len() == 6);
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Creates an empty temporary file with its final permissions.
fn create_temporary(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    create(&mut builder, folder, readers).map_err(|error| without_path(folder, &error))
}

/// Returns an error about a temporary file without its name.
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
    // The system removes the permissions in the umask.
    let file = builder.permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
    match readers {
        // A new file is created, because a member of the group may have opened this one already.
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

/// Creates a folder that does not exist, and its parents, for files with these readers.
///
/// # Errors
/// If it cannot be created.
pub fn make_folder(path: &Path, readers: Readers) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let cannot = |error| Error::io(format!("cannot create folder {}", path.display()), &error);
    create_folder(path, readers).map_err(cannot)
}

#[cfg(unix)]
fn create_folder(path: &Path, readers: Readers) -> io::Result<()> {
    use std::fs::{DirBuilder, Permissions, set_permissions};
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    let mode = match readers {
        Readers::Owner => 0o700,
        Readers::Group(_) => 0o750,
        Readers::Everyone => 0o755,
        // Users who may read files may list the folder and open them.
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
    fn names_of_temporary_files_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = NamelessFile::create(folder.path(), Readers::Owner).unwrap();
        let name = folder.path().read_dir().unwrap().next().unwrap().unwrap().file_name();
        assert!(is_nameless(name.to_str().unwrap()), "{name:?}");
        drop(file);
        assert!(!is_nameless(".vac-export.json") && !is_nameless(".vac-lock"));
    }

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
            file.persist(false).unwrap();
            assert_eq!(place.metadata().unwrap().mode() & 0o7777, modes[0], "{readers:?}");
            std::fs::remove_file(&place).unwrap();
        }
    }
}
