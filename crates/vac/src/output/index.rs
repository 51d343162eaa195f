//! Reads and writes the index of an output folder. It contains the facts that records state, so
//! that the next run need not open them, and the state of their logs, so that these need not be
//! read.
//!
//! The index is a cache. An entry counts only while the size, times and inode of the record are
//! those that the entry states; without an index, or with a damaged one, records are opened. An
//! entry can have a log counted as unchanged, as a record can that states the same sources; before
//! a record is replaced, the record itself is read.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use vac_adapter::SourceFile;
use vac_store::walk::INDEX_NAME;
use vac_store::{FileStat, SafePath, Skipped};

use super::existing_record::ExistingRecord;
use crate::files::{AtomicFile, Readers};

/// The version of the format.
const FORMAT: u32 = 2;
/// Maximum size of an index in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Maximum length of a line of an index in bytes.
const MAX_LINE: u64 = 1 << 20;
/// Minimum number of records for an index. A smaller folder is read as quickly without one.
const MIN_RECORDS: usize = 32;
/// Number of bytes of logs from which a folder with fewer records has an index, too.
const MIN_BYTES: u64 = 16 << 20;

/// The first line.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Heading {
    vac_index: u32,
    /// The build that wrote the index. Another build may understand more or less of a log.
    build: String,
}

/// The entry of the index for a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The state of the record's file.
    pub stat: FileStat,
    /// The facts that the record states.
    pub record: ExistingRecord,
    /// The state of its sources, if these were unchanged for some time when it was made.
    pub source_stats: Option<Vec<FileStat>>,
    /// The number of sessions in the log, if that is known.
    pub session_count: Option<usize>,
    /// Whether everything in the log was understood, if that is known.
    pub is_understood: Option<bool>,
}

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Line {
    file: String,
    stat: FileStat,
    session_id: String,
    sources: Vec<SourceLine>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    canonical: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sessions: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    understood: Option<bool>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SourceLine {
    name: String,
    size: u64,
    #[serde(rename = "sha-256")]
    sha_256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stat: Option<FileStat>,
}

/// The entries by the names of their files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Index(BTreeMap<String, Entry>);

impl Index {
    /// Reads the index of a folder. One that is missing, damaged or of another format is empty.
    /// `build` is the program that reads it.
    pub fn read(folder: &Path, build: &str) -> Self {
        let path = SafePath::named(folder, &Skipped::default()).join(INDEX_NAME);
        // Without an index the run only takes longer.
        path.open().and_then(|file| read_lines(file, build)).unwrap_or_default()
    }

    /// Returns the entry of a file, if the file has the state that the entry states.
    pub fn get(&self, name: &str, stat: &FileStat) -> Option<&Entry> {
        self.0.get(name).filter(|entry| entry.stat == *stat)
    }

    /// Returns the entry of a file, even if the file has changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Entry> {
        self.0.get_mut(name)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds or replaces the entry of a file.
    pub fn insert(&mut self, name: String, entry: Entry) {
        self.0.insert(name, entry);
    }

    /// Keeps the entries of some files.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&str) -> bool) {
        self.0.retain(|name, _| is_kept(name));
    }

    /// Returns whether the folder is large enough for an index.
    pub fn is_useful(&self) -> bool {
        let sources = self.0.values().flat_map(|entry| &entry.record.sources);
        let bytes = sources.fold(0_u64, |sum, source| sum.saturating_add(source.size));
        self.0.len() >= MIN_RECORDS || bytes >= MIN_BYTES
    }

    /// Writes the index of a folder.
    pub fn write(&self, folder: &Path, build: &str) -> io::Result<()> {
        // Not all users who can read some of the records may read file names and session ids.
        let file = AtomicFile::new(&folder.join(INDEX_NAME), Readers::Owner)?;
        let mut out = BufWriter::with_capacity(1 << 18, file);
        let heading = Heading { vac_index: FORMAT, build: build.to_owned() };
        serde_json::to_writer(&mut out, &heading)?;
        out.write_all(b"\n")?;
        for (file, entry) in &self.0 {
            serde_json::to_writer(&mut out, &line(file, entry))?;
            out.write_all(b"\n")?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.persist(true)
    }
}

/// Returns the build of a program that was made from a commit.
pub fn build(commit: Option<&str>) -> String {
    let commit = commit.unwrap_or("unknown");
    format!("{} {commit}", env!("CARGO_PKG_VERSION"))
}

fn line(file: &str, entry: &Entry) -> Line {
    let stats = entry.source_stats.as_deref().unwrap_or_default();
    let sources = entry.record.sources.iter().enumerate().map(|(number, source)| SourceLine {
        name: source.name.clone(),
        size: source.size,
        sha_256: source.sha_256.clone(),
        stat: stats.get(number).copied(),
    });
    Line {
        file: file.to_owned(),
        stat: entry.stat,
        session_id: entry.record.id.clone(),
        sources: sources.collect(),
        labels: entry.record.labels.clone(),
        canonical: entry.record.is_canonical,
        sessions: entry.session_count,
        understood: entry.is_understood,
    }
}

fn read_lines(file: std::fs::File, build: &str) -> io::Result<Index> {
    let mut reader = BufReader::with_capacity(1 << 18, file.take(MAX_BYTES));
    let mut text = Vec::new();
    let mut next = |text: &mut Vec<u8>| {
        text.clear();
        reader.by_ref().take(MAX_LINE).read_until(b'\n', text).map(|count| count > 0)
    };
    next(&mut text)?;
    let heading: Heading = serde_json::from_slice(&text)?;
    let is_same_build = heading.build == build;
    if heading.vac_index != FORMAT {
        return Ok(Index::default());
    }
    let mut index = Index::default();
    while next(&mut text)? {
        let line: Line = serde_json::from_slice(&text)?;
        let source_stats = line.sources.iter().map(|source| source.stat).collect();
        let source = |source: SourceLine| SourceFile {
            name: source.name,
            size: source.size,
            sha_256: source.sha_256,
        };
        let sources: Vec<_> = line.sources.into_iter().map(source).collect();
        let entry = Entry {
            stat: line.stat,
            record: ExistingRecord {
                id: line.session_id,
                sources,
                labels: line.labels,
                is_canonical: line.canonical,
            },
            source_stats,
            session_count: line.sessions.filter(|_| is_same_build),
            is_understood: line.understood.filter(|_| is_same_build),
        };
        index.insert(line.file, entry);
    }
    Ok(index)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const BUILD: &str = "0.1.0 abc";

    fn entry(folder: &Path) -> Entry {
        let path = folder.join("record");
        std::fs::write(&path, "x").unwrap();
        let stat = FileStat::new(&path.metadata().unwrap()).unwrap();
        let source =
            SourceFile { name: "a \"log\"\n".to_owned(), size: 7, sha_256: "00ff".to_owned() };
        Entry {
            stat,
            record: ExistingRecord {
                id: "s \u{2028}1".to_owned(),
                sources: vec![source],
                labels: [("user".to_owned(), "ada".to_owned())].into(),
                is_canonical: true,
            },
            source_stats: Some(vec![stat]),
            session_count: Some(2),
            is_understood: Some(false),
        }
    }

    #[test]
    fn index_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let entry = entry(folder.path());
        let unknown =
            Entry { source_stats: None, session_count: None, is_understood: None, ..entry.clone() };
        let mut index = Index::default();
        index.insert("a.json".to_owned(), entry.clone());
        index.insert("b.json".to_owned(), unknown);
        index.write(folder.path(), BUILD).unwrap();
        let read = Index::read(folder.path(), BUILD);
        assert_eq!(read, index);
        assert_eq!(read.get("a.json", &entry.stat), Some(&entry));
        assert_eq!(read.get("c.json", &entry.stat), None);
        std::fs::write(folder.path().join("record"), "xy").unwrap();
        let other = FileStat::new(&folder.path().join("record").metadata().unwrap()).unwrap();
        assert_eq!(read.get("a.json", &other), None, "the record was changed");
    }

    #[test]
    fn damaged_or_foreign_index_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::default();
        index.insert("a.json".to_owned(), entry(folder.path()));
        index.write(folder.path(), BUILD).unwrap();
        let path = folder.path().join(INDEX_NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        for damaged in [
            String::new(),
            "not JSON".to_owned(),
            text.replace("\"vac-index\":2", "\"vac-index\":1"),
            text.replace("\"sha-256\"", "\"sha-512\""),
            text.replace("\"size\":1", "\"size\":-1"),
            text[..text.len() - 10].to_owned(),
        ] {
            std::fs::write(&path, &damaged).unwrap();
            assert_eq!(Index::read(folder.path(), BUILD), Index::default(), "{damaged}");
        }
        let older = text.replace("\"build\":\"", "\"build\":\"0");
        std::fs::write(&path, older).unwrap();
        let read = Index::read(folder.path(), BUILD);
        assert!(read.0.values().all(|entry| entry.is_understood.is_none()) && read.0.len() == 1);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("record", &path).unwrap();
        assert_eq!(Index::read(folder.path(), BUILD), Index::default(), "a link is not followed");
    }
}
