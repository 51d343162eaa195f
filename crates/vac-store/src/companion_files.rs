//! Finds the files that belong to a log by the rules of its agent, after the agent and the id of
//! the session are known.

use std::io;
use std::path::PathBuf;

use vac_adapter::companions::{Base, Companion, CompanionKind};
use vac_adapter::container::bad_data;
use vac_adapter::{Adapter, Preview, ids};

use crate::file_stat::FileStat;
use crate::log::{Part, Place, StoredLog};
use crate::safe_path::SafePath;
use crate::session_folder::attachment;
use crate::walk::Files;

/// The maximum number of bytes of a file that is read for facts about a session.
const MAX_READ: u64 = 1 << 16;

/// Adds the files to the session. Returns the paths that could not be read, with the errors.
pub fn add(
    log: &mut StoredLog,
    adapter: &dyn Adapter,
    preview: &mut Preview,
) -> Vec<(PathBuf, io::Error)> {
    let Some(path) = log.parts.first().and_then(Part::safe_path).cloned() else {
        return Vec::new();
    };
    let mut troubles = Vec::new();
    for rule in adapter.companions().files {
        let is_meant = rule.variants.is_empty() || rule.variants.contains(&preview.variant);
        if let Some(base) = base(&path, &rule.base).filter(|_| is_meant) {
            troubles.extend(apply(rule, log, &base, preview));
        }
    }
    troubles
}

impl StoredLog {
    /// Returns the path and the state of each of its files, and of those that belong to it by the
    /// rules of its agent, whose variant and session are known. It does not read the log. `None` if
    /// one of them is not a file of its own, or does not exist.
    pub fn stats_with_companions(
        &mut self,
        adapter: &dyn Adapter,
        variant: &str,
        session_id: Option<&str>,
    ) -> Option<Vec<(PathBuf, FileStat)>> {
        let rules = adapter.companions().files.iter();
        let known = rules.flat_map(|rule| rule.variants).copied().find(|it| *it == variant);
        let session_id = session_id.map(str::to_owned);
        let mut preview =
            Preview { variant: known.unwrap_or(""), session_id, ..Preview::default() };
        let counts = (self.parts.len(), self.attachments.len());
        // Detection reports files that cannot be read.
        let troubles = add(self, adapter, &mut preview);
        let stats = self.file_stats().filter(|_| troubles.is_empty());
        // Remove them again: detection adds them if the log is read.
        self.parts.truncate(counts.0);
        self.attachments.truncate(counts.1);
        stats
    }
}

/// Adds the files of one rule.
fn apply(
    rule: &Companion,
    log: &mut StoredLog,
    base: &SafePath,
    preview: &mut Preview,
) -> Vec<(PathBuf, io::Error)> {
    let id = preview.session_id.clone().filter(|id| is_name(id));
    let stem = log.parts.first().and_then(|part| ids::stem(&part.name)).map(str::to_owned);
    let mut files = Files::default();
    for path in paths(base, rule.path, id.as_deref(), stem.as_deref()) {
        let sibling = rule.unless.and_then(|name| Some(path.parent()?.join(name)));
        let is_taken = log.attachments.iter().any(|part| part.path() == Some(path.as_path()));
        if is_taken || sibling.is_some_and(|sibling| sibling.exists()) {
            continue;
        }
        match rule.kind {
            CompanionKind::Folder if path.is_folder() => files.add_folder(&path),
            CompanionKind::Attachment(says) if path.is_file() => {
                if let Ok(bytes) = path.read(MAX_READ)
                    && let Err(reason) = says(&bytes, preview)
                {
                    files.troubles.push((path.as_path().to_owned(), bad_data(reason)));
                }
                files.add_file(path);
            }
            CompanionKind::Note(says) => {
                let Ok(bytes) = path.read(MAX_READ) else { continue };
                if !says(&bytes, preview) {
                    continue;
                }
                let mut part = Part::file(&path);
                part.place = Place::Note(path);
                log.parts.push(part);
            }
            CompanionKind::Folder | CompanionKind::Attachment(_) => continue,
        }
        break;
    }
    for path in files.found {
        let part = Part::file(&path);
        log.attachments.push(attachment(part, path.as_path(), base.as_path()));
    }
    files.troubles
}

/// Returns the folder that the paths of a rule are relative to.
fn base(path: &SafePath, rule: &Base) -> Option<SafePath> {
    let folders = || std::iter::successors(path.parent(), SafePath::parent);
    let named = folders().take(rule.within).find(|it| it.as_path().ends_with(rule.folder));
    match named {
        Some(named) => std::iter::successors(Some(named), SafePath::parent).nth(rule.above),
        None if rule.or_own_folder => path.parent(),
        None => None,
    }
}

/// Returns the paths below a folder that a pattern describes, in order, whether they exist or
/// not. None without an id or a stem, if the pattern has one.
fn paths(base: &SafePath, pattern: &str, id: Option<&str>, stem: Option<&str>) -> Vec<SafePath> {
    let mut paths = vec![base.clone()];
    for name in pattern.split('/') {
        if name == "*" {
            // A folder that cannot be read counts as empty.
            let entries = paths.iter().map(|path| path.entries().unwrap_or_default());
            paths = entries.flatten().collect();
            continue;
        }
        let mut name = name.to_owned();
        for (placeholder, value) in [("{id}", id), ("{stem}", stem)] {
            if name.contains(placeholder) {
                let Some(value) = value else { return Vec::new() };
                name = name.replace(placeholder, value);
            }
        }
        paths = paths.iter().map(|path| path.join(&name)).collect();
    }
    paths
}

/// Returns whether an id can be a file's name, and does not lead to another folder.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
