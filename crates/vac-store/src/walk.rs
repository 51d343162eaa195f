//! The files in a folder at any depth.
//!
//! Crates `walkdir` and `ignore` open paths by name, so that a folder which is replaced by a link
//! while it is searched leads out of what the user named. [`SafePath`] opens every component
//! relative to the folder before it and follows no link, so all folders are listed with it.

use std::io;
use std::path::PathBuf;

use crate::safe_path::{Kind, SafePath};

/// Folders that are deeper are not searched.
const MAX_DEPTH: usize = 8;

/// The files in folders.
#[derive(Default)]
pub(crate) struct Files {
    /// Those that can be read, in the order of their paths.
    pub found: Vec<SafePath>,
    /// Those that cannot, and folders that cannot.
    pub troubles: Vec<(PathBuf, io::Error)>,
}

impl Files {
    /// Adds a file, unless it cannot be read.
    pub fn file(&mut self, path: SafePath) {
        match path.open() {
            Ok(_) => self.found.push(path),
            Err(error) => self.troubles.push((path.as_path().to_owned(), error)),
        }
    }

    /// Adds the files in a folder.
    pub fn folder(&mut self, folder: &SafePath) {
        self.walk(folder, MAX_DEPTH);
    }

    fn walk(&mut self, folder: &SafePath, levels: usize) {
        let entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) => return self.troubles.push((folder.as_path().to_owned(), error)),
        };
        for entry in entries {
            match entry.kind() {
                Ok(Kind::File) => self.file(entry),
                Ok(Kind::Folder) if levels > 0 => self.walk(&entry, levels - 1),
                Ok(Kind::Folder | Kind::Link) => {}
                Ok(Kind::Special) => entry.skip_special(),
                Err(error) => self.troubles.push((entry.as_path().to_owned(), error)),
            }
        }
    }
}
