//! Provides the content of an archive to the rest of the library: its records, wherever a folder of
//! records is accepted, and the logs of a record.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read, Seek as _};
use std::path::Path;
use std::sync::Arc;

use vac_sign::merkle::Hash;
use vac_store::{KeptLog, KeptRecord, KeptRecords, RecordFolders, Source};

use crate::archive::Archive;
use crate::catalog::{ArchivedVersion, Catalog, no_version};
use crate::error::{ArchiveErrorKind, Error, Result};
use crate::objects::{Bounded, Objects};
use crate::origin::Origin;

/// The maximum number of bytes of a file that is kept in memory. A larger one is written to a
/// temporary file while it is read.
const MAX_IN_MEMORY: usize = 32 << 20;
/// The prefix of a statement's number in the name of a record, where a version would be ambiguous.
const STATEMENT: &str = "statement-";

/// Opens archives wherever folders of records are read. The path of an archive means all sessions
/// in their latest version. A path below it that ends with the id of a session, or the beginning of
/// one, means that session, and with `@N` its version `N`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArchiveFolders;

impl RecordFolders for ArchiveFolders {
    fn open(&self, path: &Path) -> Option<io::Result<KeptRecords>> {
        let error = |error: Error| io::Error::other(error.to_string());
        if Archive::is_archive(path) {
            let open = || Archive::open(path)?.records();
            return Some(open().map_err(error));
        }
        let folder = path.parent().filter(|folder| Archive::is_archive(folder))?;
        let name = path.file_name()?.to_str().filter(|_| path.symlink_metadata().is_err())?;
        let open = || {
            let archive = Archive::open(folder)?;
            let catalog = archive.catalog()?;
            let version = catalog.find_named(name)?.clone();
            Ok(archive.kept_records([(name.to_owned(), version)]))
        };
        Some(open().map_err(error))
    }
}

impl Archive {
    /// Returns the latest version of each session.
    ///
    /// # Errors
    /// If something of the archive cannot be read.
    pub fn records(&self) -> Result<KeptRecords> {
        let catalog = self.catalog()?;
        let latest: Vec<_> = catalog.latest().collect();
        let mut taken = HashSet::new();
        // Of equal names, the newest version has the one without a number, because a search by name
        // finds it.
        let newest_first = latest.into_iter().rev().map(|version| {
            let mut name = file_name(&version.session_id);
            // The same session was read in two places.
            if !taken.insert(name.clone()) {
                name = format!("{name}@{STATEMENT}{}", version.number);
            }
            (name, version.clone())
        });
        let mut named: Vec<_> = newest_first.collect();
        named.reverse();
        Ok(self.kept_records(named))
    }

    fn kept_records(
        &self,
        versions: impl IntoIterator<Item = (String, ArchivedVersion)>,
    ) -> KeptRecords {
        let mut files = BTreeMap::new();
        let mut records = Vec::new();
        for (name, version) in versions {
            let in_source = format!("{}/{name}", self.description.id);
            files.insert(
                in_source.clone(),
                KeptFile { hash: version.record_sha_256, size: version.details.size },
            );
            let shown = self.folder.join(&name).to_string_lossy().into_owned();
            records.push(KeptRecord { name: in_source, shown, session_id: version.session_id });
        }
        let source = Arc::new(KeptFiles { objects: self.objects.clone(), files });
        KeptRecords { source, encoding: self.description.encoding(), records }
    }

    /// Returns the log that a version was made from. Pass its sources as
    /// [`RecordDetails::source_files`](crate::RecordDetails::source_files) returns them.
    ///
    /// # Errors
    /// If the archive does not keep the log.
    pub fn kept_log<'k>(
        &self,
        version: &'k ArchivedVersion,
        sources: &'k [vac_adapter::SourceFile],
    ) -> Result<KeptLog<'k>> {
        let missing = || {
            let reason = format!("the log of {} is not in the archive", version.session_id);
            Error::new(ArchiveErrorKind::Refused, reason).at(&self.folder)
        };
        if !version.logs || version.details.sources.is_empty() {
            return Err(missing());
        }
        let file = |(number, source): (usize, &crate::SourceLine)| {
            (number.to_string(), KeptFile { hash: source.sha_256, size: source.size })
        };
        let files = version.details.sources.iter().enumerate().map(file).collect();
        let name = format!("{}@{}", file_name(&version.session_id), version.version);
        let Origin { path, key, .. } = version.place();
        Ok(KeptLog {
            source: Arc::new(KeptFiles { objects: self.objects.clone(), files }),
            path,
            is_in_store: key.is_some(),
            sources,
            shown: self.folder.join(name).to_string_lossy().into_owned(),
        })
    }
}

impl Catalog {
    /// Finds a version by the name of its record: the id of the session, or the beginning of one,
    /// with `@` and the version unless it is the latest.
    ///
    /// # Errors
    /// If there is no such version, or the beginning is that of several ids.
    pub fn find_named(&self, name: &str) -> Result<&ArchivedVersion> {
        let none = |reason: String| Error::new(ArchiveErrorKind::Session, reason);
        let (id, wanted) = match name.rsplit_once('@') {
            Some((id, wanted)) if !id.is_empty() => (id, Some(wanted)),
            _ => (name, None),
        };
        let statement = wanted.and_then(|wanted| wanted.strip_prefix(STATEMENT));
        if let Some(number) = statement.and_then(|number| number.parse().ok()) {
            let found = self.get(number).filter(|it| file_name(&it.session_id) == id);
            return found.ok_or_else(|| none(format!("no session {name} is in the archive")));
        }
        // The id may differ from its file name.
        let by_file_name = self.latest().filter(|it| file_name(&it.session_id) == id).last();
        let found = match by_file_name {
            Some(found) => found,
            None => self.find(id)?,
        };
        match wanted {
            None => Ok(found),
            Some(wanted) => {
                let number = wanted.parse().map_err(|_| no_version(found, &wanted))?;
                self.version_of(found, number)
            }
        }
    }
}

/// Objects of an archive by the names of files.
#[derive(Debug)]
struct KeptFiles {
    objects: Objects,
    files: BTreeMap<String, KeptFile>,
}

#[derive(Clone, Copy, Debug)]
struct KeptFile {
    hash: Hash,
    size: u64,
}

impl KeptFiles {
    fn file(&self, name: &str) -> io::Result<KeptFile> {
        self.files.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Source for KeptFiles {
    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.files.keys().cloned().collect())
    }

    fn size(&self, name: &str) -> io::Result<u64> {
        Ok(self.file(name)?.size)
    }

    /// Reads the whole object and checks its hash before returning it.
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        let file = self.file(name)?;
        let file_out = tempfile::SpooledTempFile::new(MAX_IN_MEMORY);
        let mut bounded = Bounded::new(file_out, file.size);
        let read = self.objects.read_to(&file.hash, &mut bounded);
        read.map_err(|error| {
            let advice = "`vac archive verify` lists what is wrong";
            io::Error::other(format!("an object of the archive: {error} ({advice})"))
        })?;
        let mut out = bounded.out;
        out.rewind()?;
        Ok(Box::new(out))
    }
}

/// Maximum length of a file name, in bytes. File systems accept 255, and endings are added.
const MAX_NAME: usize = 120;

/// Returns a file name for the id of a session or the name of a source. Both come from logs, so
/// different texts can give the same name.
pub fn file_name(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | ' ');
    let mut name = String::new();
    for c in text.chars().map(|c| if is_kept(c) { c } else { '_' }) {
        if name.len() + c.len_utf8() > MAX_NAME {
            break;
        }
        name.push(c);
    }
    match name.trim_start_matches('.') {
        "" => "_".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_becomes_a_file_name() {
        for (text, expected) in [
            ("5f0c-1", "5f0c-1"),
            ("store.db#a+b", "store.db#a_b"),
            ("../x/y", "_x_y"),
            ("..", "_"),
            ("", "_"),
        ] {
            assert_eq!(file_name(text), expected, "{text}");
        }
        assert_eq!(file_name(&"x".repeat(300)).len(), 120);
        assert_eq!(file_name(&"界".repeat(300)), "界".repeat(40));
    }
}
