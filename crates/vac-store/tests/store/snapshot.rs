//! Snapshots of folders, to check that reading changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A snapshot of a folder: its files, their bytes and modification times.
#[derive(Debug, PartialEq)]
pub struct Snapshot(BTreeMap<PathBuf, (Option<SystemTime>, Vec<u8>)>);

impl Snapshot {
    /// Takes a snapshot of a folder.
    pub fn new(folder: &Path) -> Self {
        let mut found = BTreeMap::new();
        walk(folder, &mut found);
        Self(found)
    }

    /// Fails if anything in the folder has changed.
    pub fn assert_unchanged(&self, folder: &Path) {
        let now = Self::new(folder);
        let names = |of: &Self| of.0.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&now), names(self), "other files than before");
        for (path, before) in &self.0 {
            assert!(now.0[path] == *before, "{} changed", path.display());
        }
    }
}

fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, (Option<SystemTime>, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let metadata = path.symlink_metadata().expect("there");
        let bytes =
            if metadata.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        found.insert(path.clone(), (metadata.modified().ok(), bytes));
        if metadata.is_dir() {
            walk(&path, found);
        }
    }
}
