//! Folders that belong to a session.
//!
//! Claude Code keeps what does not fit into `<id>.jsonl` in a folder `<id>` beside it:
//! the logs of subagents, and tool output as plain files.

use std::io;
use std::path::{Path, PathBuf};

use crate::log::{Log, Part};
use crate::safe_path::{Kind, SafePath};

/// No folder of a session is deeper.
const DEEPEST: usize = 8;

/// Returns the folder of a session's file, if it has one. `entries` is the content of the
/// folder that the file is in, in order.
pub fn own_folder(file: &SafePath, entries: &[SafePath]) -> Option<SafePath> {
    let folder = folder_name(file)?;
    let at = entries.binary_search_by(|entry| entry.as_path().cmp(&folder)).ok()?;
    entries.get(at).filter(|folder| is_own(folder)).cloned()
}

/// Returns the folder of a session's file that was named alone, if it has one.
pub fn own_folder_of(file: &SafePath) -> Option<SafePath> {
    let name = folder_name(file)?.file_name()?.to_owned();
    Some(file.parent()?.join(name)).filter(is_own)
}

fn folder_name(file: &SafePath) -> Option<PathBuf> {
    let file = file.as_path();
    (file.extension()? == "jsonl").then(|| file.with_extension(""))
}

/// Whether a folder that has a session's name holds what belongs to the session.
fn is_own(folder: &SafePath) -> bool {
    let is_subagent = |entry: &SafePath| {
        let name = entry.as_path().file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("agent-") || name == "workflows"
    };
    folder.is_folder()
        && (folder.join("tool-results").is_folder()
            || folder.join("subagents").entries().is_ok_and(|all| all.iter().any(is_subagent)))
}

/// Adds what is in the folder to its session: subagents' logs as parts, everything else
/// as attachments. Gives what could not be looked into.
pub fn fill(log: &mut Log, folder: &SafePath) -> Vec<(PathBuf, io::Error)> {
    let root = folder.as_path().parent().unwrap_or(Path::new(""));
    let mut files = Files::default();
    files.folder(folder);
    for path in files.found {
        let part = Part::file(&path);
        let path = path.as_path();
        if part.name.starts_with("agent-") && path.extension().is_some_and(|end| end == "jsonl") {
            log.parts.push(part);
        } else {
            log.attachments.push(attachment(part, path, root));
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
    pub found: Vec<SafePath>,
    /// What cannot.
    pub troubles: Vec<(PathBuf, io::Error)>,
}

impl Files {
    /// Takes a file, unless it cannot be read: the session is more than this.
    pub fn file(&mut self, path: SafePath) {
        match path.open() {
            Ok(_) => self.found.push(path),
            Err(error) => self.troubles.push((path.as_path().to_owned(), error)),
        }
    }

    /// Takes what is in a folder.
    pub fn folder(&mut self, folder: &SafePath) {
        self.walk(folder, DEEPEST);
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
