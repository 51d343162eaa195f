//! Reads logs and statements of archives for `vac verify`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use vac::Task;
use vac_archive::Archive;

/// A note on a log of an archive that gives another record than the one that was made from it.
pub const NOT_AS_IN_PLACE: &str = "the sources in the archive have the bytes that the record states, but \
    an archive does not keep what was noted while a database was read, and the folders of further files: \
    if the session was in a database or in several folders, compare with the original";

/// Returns the logs that an archive keeps of a session, those of the latest version first.
fn logs(folder: &Path, session_id: &str) -> Result<Vec<Task>> {
    let cannot = || format!("cannot open the archive {}", folder.display());
    let archive = Archive::open(folder).with_context(cannot)?;
    let catalog = archive.catalog().with_context(cannot)?;
    let mut tasks = Vec::new();
    let versions = catalog.versions().iter().rev();
    for version in versions.filter(|it| it.session_id == session_id && it.logs) {
        // A later version of this program may know more agents.
        let Some(agent) = vac::agent(&version.agent) else { continue };
        let sources = version.details.source_files();
        let log = archive.kept_log(version, &sources)?.to_log(agent.adapter);
        let log = log.with_context(|| format!("{}: the log of {session_id}", folder.display()))?;
        tasks.push(Task::from_log(log, agent, Some(session_id.to_owned()))?);
    }
    Ok(tasks)
}

/// Separates archives from other paths with logs. Returns the logs that they keep of the session of a
/// record, and the other paths.
///
/// # Errors
/// If an archive cannot be read, or the bytes are not a record.
pub fn split_logs(paths: &[PathBuf], record: &[u8]) -> Result<(Vec<Task>, Vec<PathBuf>)> {
    let (archives, others): (Vec<_>, Vec<_>) =
        paths.iter().cloned().partition(|path| Archive::is_archive(path));
    let mut tasks = Vec::new();
    if !archives.is_empty() {
        let id = vac::record_id(record)?;
        for archive in &archives {
            tasks.extend(logs(archive, &id)?);
        }
    }
    Ok((tasks, others))
}

/// Returns the statement about a record of an archive, with its receipt; `None` if the path does
/// not name such a record.
///
/// # Errors
/// If the archive cannot be read.
pub fn statement(path: &Path) -> Result<Option<Vec<u8>>> {
    let folder = path.parent().filter(|it| Archive::is_archive(it));
    let (Some(folder), Some(name)) = (folder, path.file_name().and_then(|it| it.to_str())) else {
        return Ok(None);
    };
    if path.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let archive = Archive::open(folder)?;
    let catalog = archive.catalog()?;
    Ok(Some(archive.prove(catalog.find_named(name)?)?))
}
