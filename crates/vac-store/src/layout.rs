//! Folders that belong to a session.
//!
//! Claude Code keeps what does not fit into `<id>.jsonl` in a folder `<id>` beside it:
//! the logs of subagents, and tool output as plain files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::find::entries;
use crate::log::{Log, Part};

/// No folder of a session is deeper.
const DEEPEST: usize = 8;

/// The folder of a session's file, if it has one; `entries` is what lies beside it, in
/// order.
pub fn own_folder(file: &Path, entries: &[PathBuf]) -> Option<PathBuf> {
    if file.extension()? != "jsonl" {
        return None;
    }
    let folder = file.with_extension("");
    (entries.binary_search(&folder).is_ok() && is_own(&folder)).then_some(folder)
}

/// The same for a file alone.
pub fn own_folder_of(file: &Path) -> Option<PathBuf> {
    own_folder(file, &[file.with_extension("")])
}

/// Others have folders of that name too, with other things in them.
fn is_own(folder: &Path) -> bool {
    let is_subagent = |entry: &PathBuf| {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("agent-") || name == "workflows"
    };
    folder.join("tool-results").is_dir()
        || entries(&folder.join("subagents")).is_ok_and(|entries| entries.iter().any(is_subagent))
}

/// Adds what is in the folder to its session: subagents' logs as parts, everything else
/// as attachments. Gives what could not be looked into.
pub fn fill(log: &mut Log, folder: &Path) -> Vec<(PathBuf, io::Error)> {
    let root = folder.parent().unwrap_or(Path::new(""));
    let mut files = Files::default();
    files.folder(folder);
    for path in files.found {
        let part = Part::file(&path);
        if part.name.starts_with("agent-") && path.extension().is_some_and(|end| end == "jsonl") {
            log.parts.push(part);
        } else {
            log.attachments.push(attachment(part, &path, root));
        }
    }
    files.troubles
}

/// A file, named by its path below a folder.
pub fn attachment(part: Part, path: &Path, root: &Path) -> Part {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let names = relative.components().map(|name| name.as_os_str().to_string_lossy());
    Part { name: names.collect::<Vec<_>>().join("/"), ..part }
}

/// The files in a folder at any depth.
#[derive(Default)]
pub struct Files {
    /// Those that can be read.
    pub found: Vec<PathBuf>,
    /// What cannot.
    pub troubles: Vec<(PathBuf, io::Error)>,
}

impl Files {
    /// Takes a file, unless it cannot be read: the session is more than this.
    pub fn file(&mut self, path: PathBuf) {
        match File::open(&path) {
            Ok(_) => self.found.push(path),
            Err(error) => self.troubles.push((path, error)),
        }
    }

    /// Takes what is in a folder.
    pub fn folder(&mut self, folder: &Path) {
        self.walk(folder, DEEPEST);
    }

    fn walk(&mut self, folder: &Path, levels: usize) {
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => return self.troubles.push((folder.to_owned(), error)),
        };
        for entry in entries {
            match entry.symlink_metadata() {
                Ok(metadata) if metadata.is_file() => self.file(entry),
                Ok(metadata) if metadata.is_dir() && levels > 0 => self.walk(&entry, levels - 1),
                Ok(_) => {}
                Err(error) => self.troubles.push((entry, error)),
            }
        }
    }
}
