//! The manifest of a folder of tables: which sessions of which logs are in which files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use vac::files::{AtomicFile, Readers};
use vac::store::{FileStat, StoredLog};
use vac::tables::{SessionTable, TableSet};

use super::exported_session::ExportedSession;
use super::{ExportFormat, ExportOptions, part_files, partition};
use crate::version;

/// The name of the manifest. Engines skip files whose names begin with a dot.
pub const MANIFEST_NAME: &str = ".vac-export.json";
/// The version of the format.
const VERSION: u32 = 1;
/// Maximum number of bytes in a manifest.
const MAX_BYTES: u64 = 1 << 30;

/// The manifest of a folder of tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Manifest {
    vac_export: u32,
    /// The build that wrote it. Another build may understand more or less of a log.
    build: String,
    format: String,
    tables: Vec<String>,
    partition_by: Vec<String>,
    pub parts: Vec<ManifestPart>,
    pub logs: Vec<ManifestLog>,
    /// The identities of the sessions in the tables, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sessions: BTreeMap<String, ExportedSession>,
    /// The paths of files that are not part of the export, or not yet: an export that was killed may
    /// have left them, and the next one removes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superfluous: Vec<String>,
}

/// The state of the manifest of a folder.
pub enum FoundManifest {
    None,
    /// It cannot be parsed, or names files that no export writes.
    Damaged(Error),
    Intact(Manifest),
}

/// A file for each table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ManifestPart {
    /// The folders that the values of columns give.
    pub partition: String,
    /// The sessions whose rows are in it.
    pub keys: Vec<String>,
}

/// A log that was exported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ManifestLog {
    /// The path of its first file; of a session in a store, with the name of the session. Empty for
    /// standard input.
    pub path: String,
    /// The state of the files, if they were unchanged for some time when they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<Vec<FileStat>>,
    /// Its sessions whose rows are in the tables.
    pub keys: Vec<String>,
    /// Its sessions that another log or record contains, too, and that are exported from there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<String>,
}

impl Manifest {
    /// Creates a manifest without logs.
    pub fn new(options: &ExportOptions) -> Self {
        Self {
            vac_export: VERSION,
            build: version::build(),
            format: options.format.to_string(),
            tables: tables(options),
            partition_by: options.partition_by.iter().map(|it| it.name().to_owned()).collect(),
            parts: Vec::new(),
            logs: Vec::new(),
            sessions: BTreeMap::new(),
            superfluous: Vec::new(),
        }
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(folder: &Path) -> Result<FoundManifest> {
        let path = folder.join(MANIFEST_NAME);
        let damaged = || {
            let path = path.display();
            anyhow!(
                "{path} is damaged (use --force to replace the export, or choose another folder)"
            )
        };
        match path.symlink_metadata() {
            // A pipe would not end.
            Ok(metadata) if !metadata.is_file() => return Ok(FoundManifest::Damaged(damaged())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(FoundManifest::None);
            }
            Ok(_) | Err(_) => {}
        }
        let mut text = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut text))
            .with_context(|| path.display().to_string())?;
        Ok(match serde_json::from_slice::<Self>(&text) {
            Ok(manifest) if manifest.is_inside() => FoundManifest::Intact(manifest),
            Ok(_) => FoundManifest::Damaged(damaged()),
            Err(error) => FoundManifest::Damaged(anyhow!(error).context(damaged())),
        })
    }

    /// Whether all files that it names are inside of the folder, and have names that an export gives
    /// them: files are removed by what a manifest states.
    fn is_inside(&self) -> bool {
        let are_folders = self.parts.iter().all(|part| partition::is_folder(&part.partition));
        let mut keys = self.parts.iter().flat_map(|part| &part.keys);
        are_folders
            && keys.all(|key| is_record_key(key))
            && self.superfluous.iter().all(|path| is_path_of_export(path))
    }

    /// Returns an error if the folder contains other tables than the wanted ones, or the same
    /// tables in another form.
    pub fn check(&self, options: &ExportOptions, folder: &Path) -> Result<()> {
        let wanted = Self::new(options);
        let is_same = self.vac_export == wanted.vac_export
            && self.format == wanted.format
            && self.tables == wanted.tables
            && self.partition_by == wanted.partition_by;
        if !is_same {
            bail!(
                "{} contains an export with other options (use --force to replace it, or choose \
                 another folder)",
                folder.display()
            );
        }
        Ok(())
    }

    /// Returns whether this build wrote the manifest.
    pub fn is_current(&self) -> bool {
        self.build == version::build()
    }

    /// Writes the manifest of a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(MANIFEST_NAME);
        let write = || -> io::Result<()> {
            // Paths of logs are not for everyone who can read some of the tables.
            let mut out = BufWriter::new(AtomicFile::new(&path, Readers::Owner)?);
            serde_json::to_writer(&mut out, self)?;
            out.into_inner().map_err(io::IntoInnerError::into_error)?.persist(true)
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Returns the paths of the files of a part; none if this build does not know the format.
    pub fn paths(&self, part: &ManifestPart) -> Vec<PathBuf> {
        let tables: Option<TableSet> =
            self.tables.iter().map(|table| SessionTable::parse(table)).collect();
        let Some((format, tables)) = ExportFormat::parse(&self.format).zip(tables) else {
            return Vec::new();
        };
        let kinds = format.kinds(tables).into_iter();
        kinds.map(|kind| format.path(kind, &part.partition, &part.keys)).collect()
    }

    /// Returns the paths of the files of a part that do not exist.
    pub fn missing_files(
        &self,
        part: &ManifestPart,
        folder: &Path,
    ) -> impl Iterator<Item = PathBuf> {
        let paths: Vec<_> = self.paths(part).into_iter().map(|path| folder.join(path)).collect();
        paths.into_iter().filter(|path| path.symlink_metadata().is_err())
    }

    /// Returns the paths of the files of all parts that are not files of another export.
    pub fn files_without(&self, other: &Self) -> Vec<String> {
        let others = other.files();
        let files = self.files().into_iter().filter(|path| !others.contains(path));
        files.map(|path| path.to_string_lossy().into_owned()).collect()
    }

    /// Returns the paths of superfluous files.
    pub fn superfluous_files(&self) -> Vec<String> {
        let files = self.files();
        let is_superfluous = |path: &&String| !files.contains(Path::new(path));
        self.superfluous.iter().filter(is_superfluous).cloned().collect()
    }

    /// Returns the paths of the files of all parts.
    fn files(&self) -> BTreeSet<PathBuf> {
        self.parts.iter().flat_map(|part| self.paths(part)).collect()
    }

    /// Removes the parts of which a file no longer exists. Their sessions are then unknown.
    pub fn take_incomplete(&mut self, folder: &Path) -> Vec<ManifestPart> {
        let parts = std::mem::take(&mut self.parts);
        let is_complete = |part: &ManifestPart| self.missing_files(part, folder).next().is_none();
        let (complete, incomplete) = parts.into_iter().partition(is_complete);
        self.parts = complete;
        incomplete
    }

    /// Returns the logs by their paths.
    pub fn by_path(&self) -> HashMap<&str, usize> {
        let logs = self.logs.iter().enumerate().filter(|(_, log)| !log.path.is_empty());
        logs.map(|(index, log)| (log.path.as_str(), index)).collect()
    }

    /// Returns the sessions that need not be read again: those in the tables, and those that repeat
    /// others.
    pub fn known_keys(&self) -> HashSet<String> {
        let written = self.parts.iter().flat_map(|part| &part.keys);
        written.chain(self.logs.iter().flat_map(|log| &log.repeated)).cloned().collect()
    }

    /// Returns the path of the log that each session in the tables was read from.
    pub fn owners(&self) -> HashMap<&str, &str> {
        let mut owners = HashMap::new();
        for log in &self.logs {
            owners.extend(log.keys.iter().map(|key| (key.as_str(), log.path.as_str())));
        }
        owners
    }

    /// Returns the key of the largest session in the tables of each agent and id.
    pub fn largest_sessions(&self) -> HashMap<(&str, &str), &str> {
        let mut largest = HashMap::new();
        for (key, session) in &self.sessions {
            let at =
                largest.entry(session.agent_and_id()).or_insert((session.size(), key.as_str()));
            *at = (*at).max((session.size(), key));
        }
        largest.into_iter().map(|(name, (_, key))| (name, key)).collect()
    }

    /// Returns the sessions whose rows are in the tables.
    pub fn live_keys(&self) -> BTreeSet<&str> {
        self.logs.iter().flat_map(|log| &log.keys).map(String::as_str).collect()
    }
}

/// Returns whether a text is a key of a session, as `vac::tables::record_key` creates it.
fn is_record_key(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text is the path of a file in the folder that an export wrote: the name of a table,
/// folders of a partition, and a file.
pub fn is_path_of_export(text: &str) -> bool {
    let (folders, name) = text.rsplit_once('/').unwrap_or(("", text));
    let mut folders = folders.split('/').filter(|folder| !folder.is_empty()).peekable();
    let table = folders.next_if(|folder| SessionTable::parse(folder).is_some());
    let Some((stem, extension)) = name.split_once('.') else { return false };
    let is_stem = if table.is_some() { part_files::is_stem(stem) } else { is_record_key(stem) };
    let is_extension = extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'.');
    let are_folders = folders.all(|folder| partition::is_folder(&format!("{folder}/")));
    is_stem && is_extension && are_folders && !text.starts_with('/')
}

/// Whether a log is a file that an export wrote to a folder, by its name.
pub fn is_file_of_export(log: &StoredLog, folder: &Path) -> bool {
    log.paths().next().is_some_and(|path| {
        let name = path.file_stem().and_then(OsStr::to_str).unwrap_or("");
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        if !is_record_key(stem) && !part_files::is_stem(stem) {
            return false;
        }
        let path = path.canonicalize();
        let path = path.as_deref().ok().and_then(|path| path.strip_prefix(folder).ok());
        path.and_then(Path::to_str).is_some_and(is_path_of_export)
    })
}

/// Returns the path that identifies a log; empty for standard input.
pub fn path(log: &StoredLog) -> String {
    if log.paths().next().is_none() {
        return String::new();
    }
    let path = Path::new(&log.shown);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.to_string_lossy().into_owned()
}

/// Returns the names of the tables that are written.
fn tables(options: &ExportOptions) -> Vec<String> {
    match options.format {
        ExportFormat::Tables(_) => {
            options.tables.iter().map(|table| table.name().to_owned()).collect()
        }
        ExportFormat::Sessions(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_an_export_are_removed() {
        let key = "0123456789abcdef0123456789abcdef";
        for text in [
            "sessions/part-0123456789abcdef.parquet",
            "usage/agent=a/day=2026-01-05/part-0123456789abcdef.csv",
            &format!("{key}.atif.json"),
            &format!("agent=a/{key}.otlp.json"),
        ] {
            assert!(is_path_of_export(text), "{text}");
        }
        for text in [
            "",
            "/",
            "sessions",
            "part-0123456789abcdef.parquet",
            "sessions/notes.parquet",
            "sessions/part-0123456789abcdeg.parquet",
            "sessions/part-0123456789abcdef.par/quet",
            "../sessions/part-0123456789abcdef.parquet",
            "sessions/../part-0123456789abcdef.parquet",
            "/sessions/part-0123456789abcdef.parquet",
            "sessions/a=b/../../part-0123456789abcdef.parquet",
            "sessions/a=\\..\\/part-0123456789abcdef.parquet",
            &format!("sessions/{key}.atif.json"),
            &format!("../{key}.atif.json"),
            &format!("/{key}.atif.json"),
            key,
        ] {
            assert!(!is_path_of_export(text), "{text}");
        }
        assert!(is_record_key(key));
        assert!(!is_record_key(&key.to_uppercase()) && !is_record_key(&format!("../{key}")));
    }
}
