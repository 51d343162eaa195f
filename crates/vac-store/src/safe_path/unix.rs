//! Access to files on Unix: each component is opened relative to the descriptor of the folder
//! before it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, statat};

use super::{PathKind, SafePath};

/// Flags to open a folder on the way to a file. It need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PASS: OFlags = LIST;
const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Flags to open a file. Opening never waits for a writer, and no terminal becomes the controlling
/// one.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub fn open_root(path: &SafePath) -> io::Result<File> {
    Ok(File::from(rustix::fs::open(path.root_path(), READ, Mode::empty())?))
}

/// Opens a file below a root; `None` if it is not a regular file.
pub fn open_regular(path: &SafePath) -> io::Result<Option<File>> {
    let names = path.below()?;
    let Some((last, before)) = names.split_last() else { return Ok(None) };
    let folder = folder(path, before)?;
    if kind_in(&folder, last)? != PathKind::File {
        return Ok(None);
    }
    let opened = openat(&folder, *last, READ | OFlags::NOFOLLOW, Mode::empty());
    opened.map(|file| Some(file.into())).map_err(|error| refuse(path, &folder, &names, error))
}

pub fn kind(path: &SafePath) -> io::Result<PathKind> {
    let names = path.below()?;
    let Some((last, before)) = names.split_last() else { return Ok(PathKind::Folder) };
    Ok(kind_in(&folder(path, before)?, last)?)
}

/// Returns the state of a file below a root, without opening the file; `None` if it is not a
/// regular file.
pub fn stat(path: &SafePath) -> io::Result<Option<Stat>> {
    let names = path.below()?;
    let Some((last, before)) = names.split_last() else { return Ok(None) };
    let stat = statat(folder(path, before)?, *last, AtFlags::SYMLINK_NOFOLLOW)?;
    let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok(is_regular.then_some(stat))
}

pub fn names(path: &SafePath) -> io::Result<Vec<OsString>> {
    let folder = folder(path, &path.below()?)?;
    let mut names = Vec::new();
    for entry in Dir::new(openat(&folder, c".", LIST, Mode::empty())?)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(names)
}

fn folder(path: &SafePath, names: &[&OsStr]) -> io::Result<OwnedFd> {
    let mut folder = rustix::fs::open(path.root_path(), PASS, Mode::empty())?;
    for at in 1..=names.len() {
        let names = &names[..at];
        let next = openat(&folder, names[at - 1], PASS | OFlags::NOFOLLOW, Mode::empty());
        folder = next.map_err(|error| refuse(path, &folder, names, error))?;
    }
    Ok(folder)
}

fn kind_in(folder: &OwnedFd, name: &OsStr) -> rustix::io::Result<PathKind> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => PathKind::File,
        FileType::Directory => PathKind::Folder,
        FileType::Symlink => PathKind::Link,
        _ => PathKind::Special,
    })
}

/// Returns the error of a component that could not be opened. Systems report different errors
/// for a link, so the kind of the file is read.
fn refuse(
    path: &SafePath,
    folder: &OwnedFd,
    names: &[&OsStr],
    error: rustix::io::Errno,
) -> io::Error {
    let is_link = names.last().is_some_and(|last| kind_in(folder, last) == Ok(PathKind::Link));
    if is_link {
        let link = names.iter().fold(path.root.path.clone(), |path: PathBuf, name| path.join(name));
        return path.refuse(&link);
    }
    error.into()
}
