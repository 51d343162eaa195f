//! The manifest of a folder of tables: which sessions of which logs are in which files.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use vac_store::{FileStat, StoredLog};
use vac_table::SessionTable;
use vac_table::file_writer::FileFormat;

use super::{ExportOptions, partition};
use crate::atomic_file::AtomicFile;
use crate::readers::Readers;
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
    /// The build that wrote it: another one may understand more or less of a log.
    build: String,
    format: String,
    tables: Vec<String>,
    partition_by: Vec<String>,
    pub parts: Vec<ManifestPart>,
    pub logs: Vec<ManifestLog>,
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
            tables: options.tables.iter().map(|table| table.name().to_owned()).collect(),
            partition_by: options.partition_by.iter().map(|it| it.name().to_owned()).collect(),
            parts: Vec::new(),
            logs: Vec::new(),
        }
    }

    /// Reads the manifest of a folder, if it has one.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(MANIFEST_NAME);
        let mut text = String::new();
        match std::fs::File::open(&path) {
            Ok(file) => file.take(MAX_BYTES).read_to_string(&mut text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(error),
        }
        .with_context(|| path.display().to_string())?;
        let damaged =
            || format!("{} is damaged (remove the folder and export again)", path.display());
        let manifest: Self = serde_json::from_str(&text).with_context(damaged)?;
        if !manifest.parts.iter().all(|part| partition::is_folder(&part.partition)) {
            bail!(damaged());
        }
        Ok(Some(manifest))
    }

    /// Fails if the folder contains other tables, or in another way, than those that are wanted.
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

    /// Whether this build wrote it.
    pub fn is_current(&self) -> bool {
        self.build == version::build()
    }

    /// Writes the manifest of a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(MANIFEST_NAME);
        let write = || -> io::Result<()> {
            // Paths of logs are not for everyone who can read some of the tables.
            let mut file = AtomicFile::new(&path, Readers::Owner)?;
            serde_json::to_writer(io::BufWriter::new(&mut file), self)?;
            file.persist(true)
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Returns the format and the tables of the files; `None` if this build does not know them.
    pub fn files(&self) -> Option<(FileFormat, Vec<SessionTable>)> {
        let format = FileFormat::parse(&self.format)?;
        let tables =
            self.tables.iter().map(|table| SessionTable::parse(table)).collect::<Option<_>>()?;
        Some((format, tables))
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

    /// Returns the sessions whose rows are in the tables.
    pub fn live_keys(&self) -> BTreeSet<&str> {
        self.logs.iter().flat_map(|log| &log.keys).map(String::as_str).collect()
    }
}

/// Returns the path that a log is known by; empty for standard input.
pub fn path(log: &StoredLog) -> String {
    if log.paths().next().is_none() {
        return String::new();
    }
    let path = Path::new(&log.shown);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.to_string_lossy().into_owned()
}
