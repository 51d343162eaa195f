//! Finds the folder next to a log that has its name, by the rules of agents.

use std::io;
use std::path::{Path, PathBuf};

use vac_adapter::Adapter;
use vac_adapter::companions::SessionFolder;

use crate::log::{Part, StoredLog, name};
use crate::pattern::matches;
use crate::safe_path::SafePath;
use crate::walk::Files;

/// The folder of a log.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    pub path: SafePath,
    rule: SessionFolder,
}

/// Returns the folder of a log, if it has one. `siblings` is the content of the folder that the
/// log is in, in order.
pub fn find(agents: &[&dyn Adapter], file: &SafePath, siblings: &[SafePath]) -> Option<OwnFolder> {
    rules(agents).find_map(|rule| {
        let folder = folder_name(file, &rule)?;
        let at = siblings.binary_search_by(|sibling| sibling.as_path().cmp(&folder)).ok()?;
        let path = siblings.get(at).filter(|folder| is_own(folder, &rule)).cloned()?;
        Some(OwnFolder { path, rule })
    })
}

/// Returns the folder of a log that was named alone, if it has one.
pub fn find_for(agents: &[&dyn Adapter], file: &SafePath) -> Option<OwnFolder> {
    rules(agents).find_map(|rule| {
        let name = folder_name(file, &rule)?.file_name()?.to_owned();
        let path = Some(file.parent()?.join(name)).filter(|path| is_own(path, &rule))?;
        Some(OwnFolder { path, rule })
    })
}

fn rules(agents: &[&dyn Adapter]) -> impl Iterator<Item = SessionFolder> {
    agents.iter().filter_map(|adapter| adapter.companions().session_folder)
}

fn folder_name(file: &SafePath, rule: &SessionFolder) -> Option<PathBuf> {
    let file = file.as_path();
    let extension = rule.ending.strip_prefix('.').unwrap_or(rule.ending);
    (file.extension()? == extension).then(|| file.with_extension(""))
}

/// Returns whether a folder that has a log's name belongs to the log, by its content.
fn is_own(folder: &SafePath, rule: &SessionFolder) -> bool {
    let has_sign = |(sign, names): &(&str, &[&str])| {
        let sign = folder.join(sign);
        if names.is_empty() {
            return sign.is_folder();
        }
        let is_named = |entry: &SafePath| is_one_of(entry, names);
        sign.entries().is_ok_and(|entries| entries.iter().any(is_named))
    };
    folder.is_folder() && rule.signs.iter().any(has_sign)
}

fn is_one_of(path: &SafePath, patterns: &[&str]) -> bool {
    let name = name(path.as_path());
    patterns.iter().any(|pattern| matches(pattern, &name))
}

/// Adds the files of the folder to its session: logs as parts, others as attachments. Returns the
/// paths that could not be read, with the errors.
pub fn fill(log: &mut StoredLog, folder: &OwnFolder) -> Vec<(PathBuf, io::Error)> {
    let root = folder.path.as_path().parent().unwrap_or(Path::new(""));
    let mut files = Files::default();
    files.add_folder(&folder.path);
    for path in files.found {
        let part = Part::file(&path);
        if is_one_of(&path, folder.rule.logs) {
            log.parts.push(part);
        } else {
            log.attachments.push(attachment(part, path.as_path(), root));
        }
    }
    files.troubles
}

/// Returns a file named by its path below a folder.
pub fn attachment(mut part: Part, path: &Path, root: &Path) -> Part {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let names = relative.components().map(|name| name.as_os_str().to_string_lossy());
    part.name = names.collect::<Vec<_>>().join("/");
    part
}
