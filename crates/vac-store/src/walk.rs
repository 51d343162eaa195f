//! Visits the files in a folder and in the folders below it.
//!
//! Crates `walkdir` and `ignore` open paths by name, so that a folder which is replaced by a link
//! during the search leads out of the folder that the user named. [`SafePath`] opens every
//! component relative to the folder before it and follows no link, so it is used to list all
//! folders.

use std::io;
use std::path::{Path, PathBuf};

pub use crate::safe_path::MAX_DEPTH;
use crate::safe_path::{PathKind, SafePath};

/// A visitor of the content of folders.
pub trait Visitor {
    /// Receives the content of a folder in the order of names, before any of it is visited. Returns
    /// the entries to visit, in this order.
    fn folder(&mut self, folder: &SafePath, entries: Vec<SafePath>) -> Vec<SafePath> {
        let _ = folder;
        entries
    }

    /// Visits a path that is not a folder.
    fn visit(&mut self, path: SafePath, kind: PathKind);

    /// Receives the error of a folder that cannot be listed, or of a path that cannot be visited.
    fn failed(&mut self, path: &Path, error: io::Error);
}

/// The name of the index of a folder of records. It is never a log or a record.
pub const INDEX_NAME: &str = ".vac-index";

/// Visits the entries of a folder and of the folders below it, at most `max_depth` levels deep
/// ([`MAX_DEPTH`] for all that can be opened), in the order of paths. Links are visited and not
/// followed.
pub fn walk(folder: &SafePath, max_depth: usize, visitor: &mut impl Visitor) {
    let entries = match folder.entries() {
        Ok(entries) => visitor.folder(folder, entries),
        Err(error) => return visitor.failed(folder.as_path(), error),
    };
    let is_index = |entry: &SafePath| entry.as_path().file_name() == Some(INDEX_NAME.as_ref());
    for entry in entries.into_iter().filter(|entry| !is_index(entry)) {
        match entry.kind() {
            Ok(PathKind::Folder) if max_depth > 0 => walk(&entry, max_depth - 1, visitor),
            Ok(PathKind::Folder) => {}
            Ok(kind) => visitor.visit(entry, kind),
            Err(error) => visitor.failed(entry.as_path(), error),
        }
    }
}

/// The maximum depth of folders from which files of a session are read.
const MAX_SESSION_DEPTH: usize = 8;

/// The files that belong to a session.
#[derive(Default)]
pub(crate) struct Files {
    /// The files that can be read, in the order of their paths.
    pub found: Vec<SafePath>,
    /// Files and folders that cannot be read, with the errors.
    pub troubles: Vec<(PathBuf, io::Error)>,
}

impl Files {
    /// Adds a file, unless it cannot be read.
    pub fn add_file(&mut self, path: SafePath) {
        match path.reader() {
            Ok(_) => self.found.push(path),
            Err(error) => self.failed(path.as_path(), error),
        }
    }

    /// Adds the files in a folder.
    pub fn add_folder(&mut self, folder: &SafePath) {
        walk(folder, MAX_SESSION_DEPTH, self);
    }
}

impl Visitor for Files {
    fn visit(&mut self, path: SafePath, kind: PathKind) {
        match kind {
            PathKind::File => self.add_file(path),
            PathKind::Special => path.skip_special(),
            PathKind::Folder | PathKind::Link => {}
        }
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        self.troubles.push((path.to_owned(), error));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::skipped::Skipped;

    /// Lists names below the root; folders named `closed` are not visited.
    struct Names {
        root: PathBuf,
        names: Vec<String>,
    }

    impl Names {
        fn add(&mut self, path: &Path, what: &str) {
            let name = path.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned();
            self.names.push(format!("{what} {name}"));
        }
    }

    impl Visitor for Names {
        fn folder(&mut self, folder: &SafePath, mut entries: Vec<SafePath>) -> Vec<SafePath> {
            self.add(folder.as_path(), "folder");
            entries.retain(|entry| !entry.as_path().ends_with("closed"));
            entries
        }

        fn visit(&mut self, path: SafePath, kind: PathKind) {
            self.add(path.as_path(), &format!("{kind:?}"));
        }

        fn failed(&mut self, path: &Path, error: io::Error) {
            self.add(path, &format!("{:?}", error.kind()));
        }
    }

    fn names(folder: &Path, max_depth: usize) -> Vec<String> {
        let mut names = Names { root: folder.to_owned(), names: Vec::new() };
        walk(&SafePath::named(folder, &Skipped::default()), max_depth, &mut names);
        names.names
    }

    #[test]
    fn walk_is_in_the_order_of_names_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for name in ["b/2", "b/1", "c", "closed/file", "d/e/f"] {
            fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
            fs::write(path.join(name), "").unwrap();
        }
        symlink("b", path.join("a")).unwrap();
        let all = [
            "folder ",
            "Link a",
            "folder b",
            "File b/1",
            "File b/2",
            "File c",
            "folder d",
            "folder d/e",
            "File d/e/f",
        ];
        assert_eq!(names(path, MAX_DEPTH), all);
        assert_eq!(names(path, 1), all[..7]);
        assert_eq!(names(&path.join("none"), 1), ["NotFound "]);
    }

    #[test]
    fn folders_that_are_too_deep_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("d/".repeat(MAX_DEPTH + 2))).unwrap();
        let names = names(folder.path(), MAX_DEPTH);
        assert_eq!(names.len(), MAX_DEPTH + 2);
        assert!(names.last().unwrap().starts_with("InvalidData d/d/"), "{names:?}");
    }
}
