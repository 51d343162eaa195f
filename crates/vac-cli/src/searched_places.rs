//! Describes the places that were searched, for the message that no session was found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use vac::Search;
use vac::store::MemoryBudget;
use vac::store::places::AgentRoot;

use crate::format::{group_digits, pluralize};

/// Maximum number of folders that are named.
const MAX_NAMED: usize = 3;
/// Maximum number of files of a folder that are read to determine whether it contains logs.
const MAX_FILES: usize = 50;
/// Maximum number of folders that are opened for that.
const MAX_FOLDERS: usize = 200;

/// Returns the lines of a message that begins with `what`: the places that were searched in the
/// folders that the user named, or in the user's own home if there are none.
pub fn lines(what: &str, roots: &[AgentRoot], named: &[PathBuf]) -> Vec<String> {
    let mut places: Vec<(&str, Vec<String>)> = Vec::new();
    for root in roots {
        let path = match root.name_in_home().filter(|_| !named.is_empty()) {
            // The folder itself may be a copy of the agent's.
            Some(name) if name.as_os_str().is_empty() => continue,
            Some(name) => name.display().to_string(),
            None => root.path.display().to_string(),
        };
        match places.iter_mut().find(|(name, _)| *name == root.agent) {
            Some((_, paths)) if paths.contains(&path) => {}
            Some((_, paths)) => paths.push(path),
            None => places.push((root.agent, vec![path])),
        }
    }
    let heading = if named.is_empty() {
        format!("{what}; searched the places of these agents:")
    } else {
        format!("{what} in {}; searched the places of these agents there:", folders(roots, named))
    };
    let line = |(name, paths): &(&str, Vec<String>)| format!("  {name}: {}", paths.join(", "));
    std::iter::once(heading).chain(places.iter().map(line)).chain(advice(named)).collect()
}

/// Returns the advice for a folder that the user named as a home folder, but that contains logs
/// itself.
pub fn advice(named: &[PathBuf]) -> Option<String> {
    let folder = named.iter().take(MAX_NAMED).find(|folder| contains_logs(folder))?.display();
    Some(format!("{folder} is a folder of logs: run `vac convert {folder}`"))
}

/// Returns the folders that were searched, in words: `200 folders of homes/`.
fn folders(roots: &[AgentRoot], named: &[PathBuf]) -> String {
    let homes: BTreeSet<_> = roots.iter().filter_map(|root| root.home.as_deref()).collect();
    let is_named = |home: &&Path| named.iter().any(|folder| folder.as_path() == home.as_os_str());
    let inner = homes.len() - homes.iter().filter(|home| is_named(home)).count();
    let mut parts: Vec<_> =
        named.iter().take(MAX_NAMED).map(|it| it.display().to_string()).collect();
    if named.len() > MAX_NAMED {
        parts.push(format!("{} more", group_digits((named.len() - MAX_NAMED) as u64)));
    }
    let shown = parts.join(", ");
    if inner == 0 { shown } else { format!("{} of {shown}", pluralize(inner, "folder")) }
}

/// Returns whether a folder that the user named contains logs itself, which is not where an agent
/// keeps them in a home folder. Not everything in it is read.
fn contains_logs(folder: &Path) -> bool {
    let (mut waiting, mut files, mut opened) = (vec![folder.to_owned()], Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        opened += 1;
        if opened > MAX_FOLDERS || files.len() >= MAX_FILES {
            break;
        }
        // A folder that cannot be read has been reported.
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_log = path.extension().is_some_and(|it| it == "jsonl" || it == "json");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(path),
                Ok(kind) if kind.is_file() && is_log && files.len() < MAX_FILES => files.push(path),
                _ => {}
            }
        }
    }
    let search = Search { paths: files, ..Search::default() };
    let found = search.find(&MemoryBudget::none(), &mut |_| {});
    !search.paths.is_empty() && found.is_ok_and(|it| it.logs.iter().any(|it| it.agent.is_some()))
}
