//! Folders that belong to a session.
//!
//! Claude Code keeps what does not fit into `<id>.jsonl` in a folder `<id>` beside it:
//! the logs of subagents, and tool output as plain files.

use std::io;
use std::path::{Path, PathBuf};

use crate::find::entries;
use crate::log::{Log, Part};

/// The folders that tell a session's own folder from any other.
const TELLING: &[&str] = &["subagents", "tool-results"];
/// No folder of a session is deeper.
const DEEPEST: usize = 8;

/// The folder of a session's file, if it has one.
pub fn own_folder(file: &Path, entries: &[PathBuf]) -> Option<PathBuf> {
    if file.extension()? != "jsonl" {
        return None;
    }
    let folder = file.with_extension("");
    let is_own = |folder: &Path| TELLING.iter().any(|name| folder.join(name).is_dir());
    (entries.binary_search(&folder).is_ok() && is_own(&folder)).then_some(folder)
}

/// Adds what is in the folder to its session: subagents' logs as parts, everything else
/// as attachments.
pub fn fill(log: &mut Log, folder: &Path) -> io::Result<()> {
    let root = folder.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    walk(folder, DEEPEST, &mut files)?;
    for path in files {
        let mut part = Part::file(&path);
        if part.name.starts_with("agent-") && part.name.ends_with(".jsonl") {
            log.parts.push(part);
        } else {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            let names = relative.components().map(|name| name.as_os_str().to_string_lossy());
            part.name = names.collect::<Vec<_>>().join("/");
            log.attachments.push(part);
        }
    }
    Ok(())
}

fn walk(folder: &Path, levels: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in entries(folder)? {
        let metadata = entry.symlink_metadata()?;
        if metadata.is_file() {
            files.push(entry);
        } else if metadata.is_dir() && levels > 0 {
            walk(&entry, levels - 1, files)?;
        }
    }
    Ok(())
}
