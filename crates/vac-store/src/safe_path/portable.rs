//! Access to files on systems without descriptors of folders: each component is checked before the
//! file is opened.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;

use super::{PathKind, SafePath};

pub fn open_root(path: &SafePath) -> io::Result<File> {
    File::open(path.root_path())
}

/// Opens a file below a root; `None` if it is not a regular file.
pub fn open_regular(path: &SafePath) -> io::Result<Option<File>> {
    if kind(path)? != PathKind::File {
        return Ok(None);
    }
    File::open(&path.path).map(Some)
}

pub fn kind(path: &SafePath) -> io::Result<PathKind> {
    if let Some(parent) = path.parent() {
        check(&parent)?;
    }
    Ok(PathKind::from_file_type(fs::symlink_metadata(&path.path)?.file_type()))
}

/// Returns the state of a file below a root; `None` if it is not a regular file.
pub fn stat(path: &SafePath) -> io::Result<Option<fs::Metadata>> {
    if kind(path)? != PathKind::File {
        return Ok(None);
    }
    fs::symlink_metadata(&path.path).map(Some)
}

pub fn names(path: &SafePath) -> io::Result<Vec<OsString>> {
    check(path)?;
    fs::read_dir(path.path_or_dot())?.map(|entry| Ok(entry?.file_name())).collect()
}

/// Fails if any component below the root is a link.
fn check(path: &SafePath) -> io::Result<()> {
    let mut link = path.root.path.clone();
    for name in path.below()? {
        link.push(name);
        if fs::symlink_metadata(&link)?.is_symlink() {
            return Err(path.refuse(&link));
        }
    }
    Ok(())
}

impl SafePath {
    fn path_or_dot(&self) -> &std::path::Path {
        if self.path.as_os_str().is_empty() { std::path::Path::new(".") } else { &self.path }
    }
}
