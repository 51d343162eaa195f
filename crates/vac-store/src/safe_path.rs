//! Opens files by paths below whose root no link is followed. All of this crate opens files through
//! them.
//!
//! A path leads to a file on disk, or to a file of a [`Source`](crate::Source), where there are
//! no links. The following applies to files on disk.
//!
//! A user names a file or a folder, or an agent keeps sessions in a place that is known.
//! That *root* may be reached through links. Below it, every component is opened without
//! following links, and only regular files are opened. The kind of a file is checked on the open
//! descriptor, because a path can lead to another file a moment later.
//!
//! `clippy.toml` bans the functions of the standard library that open files by a bare path
//! from the rest of this crate.
//!
//! Hard links cannot be distinguished from other regular files.

#![allow(clippy::disallowed_methods)] // here they are used with care

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use vac_adapter::container::bad_data;

use crate::file_stat::FileStat;
use crate::skipped::{Skipped, SkippedReason};
use crate::source::SourceFiles;
#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

/// The maximum number of folders below its root of a path that is opened. Walking a tree recurses,
/// and opening a path takes time proportional to its depth.
pub const MAX_DEPTH: usize = 128;

/// A path that was named or found, with the root that it was found below.
#[derive(Clone, Debug)]
pub struct SafePath {
    root: Arc<Root>,
    /// The whole path, which begins with that of the root.
    path: PathBuf,
}

#[derive(Debug)]
struct Root {
    /// The part of the path in which links are followed.
    path: PathBuf,
    skipped: Skipped,
    /// The source of the file, unless it is on disk.
    source: Option<Arc<SourceFiles>>,
}

/// A file that is open, at its first byte.
pub(crate) enum FileReader {
    Disk(File),
    /// A file of a source, and the path that it has there.
    Source(Box<dyn io::Read + Send>, SafePath),
}

impl FileReader {
    /// Returns the number of bytes of the file.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            Self::Disk(file) => Ok(file.metadata()?.len()),
            Self::Source(_, path) => path.size(),
        }
    }
}

impl io::Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(buffer),
            Self::Source(reader, _) => reader.read(buffer),
        }
    }

    fn read_to_end(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read_to_end(bytes),
            Self::Source(reader, _) => reader.read_to_end(bytes),
        }
    }
}

/// The kind of file that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link. Never the kind of a root, for which the target of the link counts.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl SafePath {
    /// Creates a path on disk that the user named: links in it are followed.
    pub fn named(path: &Path, skipped: &Skipped) -> Self {
        Self::named_in(None, path, skipped)
    }

    /// Creates a path that the user named: on disk, or in a source.
    pub(crate) fn named_in(
        source: Option<&Arc<SourceFiles>>,
        path: &Path,
        skipped: &Skipped,
    ) -> Self {
        let (path, source) = (path.to_owned(), source.cloned());
        let root = Root { path: path.clone(), skipped: skipped.clone(), source };
        Self { root: Arc::new(root), path }
    }

    /// Creates a path in the same source that is a root.
    fn other_root(&self, path: &Path) -> Self {
        Self::named_in(self.root.source.as_ref(), path, &self.root.skipped)
    }

    /// Returns whether the file is in a source, not on disk.
    pub(crate) fn is_in_source(&self) -> bool {
        self.root.source.is_some()
    }

    /// Creates a path below this one.
    #[must_use]
    pub fn join(&self, below: impl AsRef<Path>) -> Self {
        Self { root: self.root.clone(), path: self.path.join(below) }
    }

    /// Creates a path below this one that may be a link, because it is part of an agent's place.
    pub(crate) fn join_root(&self, name: &str) -> Self {
        self.other_root(&self.path.join(name))
    }

    /// Returns the folder that contains this path. The folder of a root counts as named, too.
    pub(crate) fn parent(&self) -> Option<Self> {
        // `..` and `.` have no name: their parents cannot be found in the text of the path.
        self.path.file_name()?;
        let parent = self.path.parent()?;
        if self.is_root() {
            return Some(self.other_root(parent));
        }
        Some(Self { root: self.root.clone(), path: parent.to_owned() })
    }

    /// Returns the file in the same folder that has this name and an ending.
    pub(crate) fn with_ending(&self, ending: &str) -> Option<Self> {
        let mut name = OsString::from(self.path.file_name()?);
        name.push(ending);
        Some(self.parent()?.join(name))
    }

    /// Returns the path, to display or compare it.
    pub fn as_path(&self) -> &Path {
        &self.path
    }

    /// Returns the part of the path in which links are followed.
    pub(crate) fn root(&self) -> &Path {
        &self.root.path
    }

    /// Returns the part of the path in which links are not followed.
    pub(crate) fn below_root(&self) -> io::Result<PathBuf> {
        Ok(self.below()?.into_iter().collect())
    }

    /// Returns whether the path was named, and not found below a named one.
    pub(crate) fn is_root(&self) -> bool {
        self.path == self.root.path
    }

    /// Returns the target of a link that the user named, so that companion files are found next to
    /// the target. Any other path is returned as it is.
    pub(crate) fn resolve_named(&self) -> io::Result<Self> {
        let is_on_disk = self.is_root() && !self.is_in_source();
        if !is_on_disk || !fs::symlink_metadata(&self.path)?.is_symlink() {
            return Ok(self.clone());
        }
        Ok(Self::named(&self.path.canonicalize()?, &self.root.skipped))
    }

    /// Returns the path for a library that opens files itself and is asked to follow no link at
    /// all: absolute, and on Unix without the links that lead to the root.
    pub(crate) fn to_absolute(&self) -> io::Result<PathBuf> {
        let root = self.root_path();
        // On Windows, few libraries support the form of a canonical path.
        let root = if cfg!(unix) { root.canonicalize()? } else { std::path::absolute(root)? };
        Ok(self.below()?.into_iter().fold(root, |path, name| path.join(name)))
    }

    /// Returns `path`, which this leads to, without links. It may be compared, but never opened.
    pub(crate) fn to_real_path(&self, path: &Path) -> io::Result<PathBuf> {
        if self.is_in_source() { Ok(path.to_owned()) } else { path.canonicalize() }
    }

    /// Opens a regular file on disk.
    pub fn open(&self) -> io::Result<File> {
        if self.is_in_source() {
            return Err(bad_data("not a file on disk"));
        }
        // Check the kind first, because opening a pipe or a device has side effects.
        let file = if self.is_root() {
            let is_file = fs::metadata(self.root_path())?.is_file();
            if is_file { Some(system::open_root(self)?) } else { None }
        } else {
            system::open_regular(self)?
        };
        match file {
            // The file may have been replaced before it was opened.
            Some(file) if file.metadata()?.is_file() => Ok(file),
            _ => Err(self.refuse(&self.path)),
        }
    }

    /// Returns the state of a regular file on disk without opening it; `None` on systems that have no
    /// such state.
    pub(crate) fn stat(&self) -> io::Result<Option<FileStat>> {
        if self.is_in_source() {
            return Err(bad_data("not a file on disk"));
        }
        if self.is_root() {
            let metadata = fs::metadata(self.root_path())?;
            let stat = metadata.is_file().then(|| FileStat::new(&metadata));
            return stat.ok_or_else(|| self.refuse(&self.path));
        }
        let stat = system::stat(self)?.ok_or_else(|| self.refuse(&self.path))?;
        Ok(FileStat::from_system(&stat))
    }

    /// Opens a regular file, on disk or in a source.
    pub(crate) fn reader(&self) -> io::Result<FileReader> {
        Ok(match &self.root.source {
            Some(source) => FileReader::Source(source.open(self.in_source()?)?, self.clone()),
            None => FileReader::Disk(self.open()?),
        })
    }

    /// Returns the path of a file in its source. It is below the root, as on disk.
    fn in_source(&self) -> io::Result<&Path> {
        self.below()?;
        Ok(&self.path)
    }

    /// Opens the file on disk that the user named. Waits for a writer if it is a pipe.
    pub(crate) fn open_named(&self) -> io::Result<File> {
        if self.is_root() { File::open(&self.path) } else { self.open() }
    }

    /// Reads a regular file of at most `max` bytes.
    pub(crate) fn read(&self, max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader()?.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("larger than {max} bytes"),
            ));
        }
        Ok(bytes)
    }

    /// Returns the number of bytes of a regular file.
    pub(crate) fn size(&self) -> io::Result<u64> {
        match &self.root.source {
            Some(source) => source.size(self.in_source()?),
            None => Ok(self.open()?.metadata()?.len()),
        }
    }

    /// Returns the kind of the file. A link is added to the list of skipped files.
    pub(crate) fn kind(&self) -> io::Result<PathKind> {
        if let Some(source) = &self.root.source {
            return source.kind(self.in_source()?);
        }
        let kind = if self.is_root() {
            PathKind::from_file_type(fs::metadata(self.root_path())?.file_type())
        } else {
            system::kind(self)?
        };
        if kind == PathKind::Link {
            self.root.skipped.add(&self.path, SkippedReason::Link);
        }
        Ok(kind)
    }

    /// Returns whether this is a regular file.
    pub(crate) fn is_file(&self) -> bool {
        self.kind().is_ok_and(|kind| kind == PathKind::File)
    }

    /// Returns whether this is a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.kind().is_ok_and(|kind| kind == PathKind::Folder)
    }

    /// Returns whether a file or folder of this name exists.
    pub(crate) fn exists(&self) -> bool {
        self.kind().is_ok()
    }

    /// Returns the entries of a folder, in the order of names.
    pub(crate) fn entries(&self) -> io::Result<Vec<Self>> {
        let mut names = match &self.root.source {
            Some(source) => {
                source.entries(self.in_source()?)?.into_iter().map(OsString::from).collect()
            }
            None => system::names(self)?,
        };
        names.sort_unstable();
        Ok(names.into_iter().map(|name| self.join(name)).collect())
    }

    /// Adds a file that is not regular to the list of skipped files.
    pub(crate) fn skip_special(&self) {
        self.root.skipped.add(&self.path, SkippedReason::Special);
    }

    /// Adds `path`, which is not a regular file, to the list of skipped files, and returns the
    /// error.
    fn refuse(&self, path: &Path) -> io::Error {
        let link = Self { root: self.root.clone(), path: path.to_owned() };
        match link.kind() {
            // Return the error of the system for a link where a folder has to be.
            Ok(PathKind::Link) if path != self.path => {
                io::Error::new(io::ErrorKind::NotADirectory, SkippedReason::Link.to_string())
            }
            Ok(PathKind::Link) => bad_data(SkippedReason::Link.to_string()),
            Ok(PathKind::Special) => {
                link.skip_special();
                bad_data(SkippedReason::Special.to_string())
            }
            Ok(PathKind::File | PathKind::Folder) => bad_data("not a regular file"),
            Err(error) => error,
        }
    }

    /// Returns the root's path; that of the working directory is empty.
    fn root_path(&self) -> &Path {
        if self.root.path.as_os_str().is_empty() { Path::new(".") } else { &self.root.path }
    }

    /// Returns the names below the root.
    fn below(&self) -> io::Result<Vec<&OsStr>> {
        let leads_out = || bad_data("a path that leads out of its folder");
        let below = self.path.strip_prefix(&self.root.path).map_err(|_| leads_out())?;
        let mut names = Vec::new();
        for component in below.components() {
            let Component::Normal(name) = component else { return Err(leads_out()) };
            names.push(name);
        }
        if names.len() > MAX_DEPTH {
            return Err(bad_data(format!("more than {MAX_DEPTH} folders deep")));
        }
        Ok(names)
    }
}

impl From<SafePath> for PathBuf {
    fn from(path: SafePath) -> Self {
        path.path
    }
}

impl PathKind {
    fn from_file_type(kind: fs::FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Returns a folder `in` with a file in `in/a`, and a file next to it.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("in/a")).unwrap();
        fs::write(folder.path().join("in/a/file"), "inside").unwrap();
        fs::write(folder.path().join("outside"), "outside").unwrap();
        folder
    }

    fn text(path: &SafePath) -> String {
        match path.read(100) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn links_are_followed_up_to_the_root_only() {
        let folder = folder();
        symlink("in", folder.path().join("link")).unwrap();
        symlink("a", folder.path().join("in/b")).unwrap();
        symlink("file", folder.path().join("in/a/again")).unwrap();
        let skipped = Skipped::default();
        let link = SafePath::named(&folder.path().join("link"), &skipped);
        assert_eq!(text(&link.join("a/file")), "inside");
        for below in ["b/file", "b/again", "a/again"] {
            assert_eq!(text(&link.join(below)), "error: symbolic link, not followed");
        }
        assert!(link.join("b").entries().is_err());
        let names: Vec<_> = skipped.unreported().into_iter().map(|(path, _)| path).collect();
        let expected = ["link/a/again", "link/b"].map(|name| folder.path().join(name));
        assert_eq!(names, expected, "each link once, by its own name");
        // Links that are named are followed.
        let again = SafePath::named(&folder.path().join("link/b/again"), &skipped);
        assert_eq!(text(&again), "inside");
        // What is next to them is below the folder that was named with them.
        let next = again.parent().unwrap();
        assert_eq!(text(&next.join("file")), "inside");
        assert!(text(&next.join("again")).starts_with("error: "));
        assert!(skipped.unreported().len() == 1 && skipped.unreported().is_empty());
        assert_eq!(skipped.count(SkippedReason::Link), 3);
    }

    #[test]
    fn names_cannot_lead_out_of_their_folder() {
        let folder = folder();
        let inside = SafePath::named(&folder.path().join("in"), &Skipped::default());
        for below in ["../outside", "a/../../outside", "/etc/passwd", "a/\0"] {
            assert!(text(&inside.join(below)).starts_with("error: "), "{below}");
            assert!(inside.join(below).entries().is_err(), "{below}");
            assert!(!inside.join(below).exists(), "{below}");
        }
        let up = SafePath::named(&folder.path().join("in/.."), &Skipped::default());
        assert_eq!(text(&up.join("outside")), "outside");
        assert!(up.parent().is_none());
    }

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = folder();
        let skipped = Skipped::default();
        let inside = SafePath::named(&folder.path().join("in"), &skipped);
        assert_eq!(text(&inside.join("a")), "error: not a regular file");
        let _socket =
            std::os::unix::net::UnixListener::bind(folder.path().join("in/socket")).unwrap();
        let words = "error: pipe, socket or device, not opened";
        assert_eq!(text(&inside.join("socket")), words);
        assert_eq!(skipped.count(SkippedReason::Special), 1);
        fs::write(folder.path().join("in/large"), [b'x'; 101]).unwrap();
        assert_eq!(text(&inside.join("large")), "error: larger than 100 bytes");
    }

    #[test]
    fn depth_of_folders_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let root = SafePath::named(folder.path(), &Skipped::default());
        let names = |count: usize| ["d"].repeat(count).join("/");
        fs::create_dir_all(folder.path().join(names(MAX_DEPTH + 1))).unwrap();
        assert!(root.join(names(MAX_DEPTH)).is_folder());
        let error = root.join(names(MAX_DEPTH + 1)).kind().unwrap_err();
        assert!(error.to_string().contains("folders deep"), "{error}");
    }
}
