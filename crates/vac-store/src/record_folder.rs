//! Interface to folders that keep records and logs in their own format, such as archives.
//!
//! This crate supports no such format. A program that does passes [`RecordFolders`] to the
//! [search](crate::find::find_with), which then returns the records of such a folder instead of its
//! files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use vac_adapter::companions::CompanionKind;
use vac_adapter::container::{Container, Documents, SessionStore, StoredSession};
use vac_adapter::{Adapter, SourceFile};
use vac_value::Encoding;

use crate::find::beginning;
use crate::log::{Part, Place, Stored, StoredLog, folder, name};
use crate::pattern::matches;
use crate::safe_path::SafePath;
use crate::skipped::Skipped;
use crate::source::{Source, SourceFiles};
use crate::zstandard;

/// Opens folders that keep records in their own format.
pub trait RecordFolders: Sync {
    /// Returns the records that a path names: all current ones if it is the path of such a folder,
    /// and one if it is the path of a record in it. `None` if it is neither.
    fn open(&self, path: &Path) -> Option<io::Result<KeptRecords>>;
}

/// The records of a folder that keeps them in its own format.
#[derive(Clone, Debug)]
pub struct KeptRecords {
    /// The bytes of the records. Every file is one record.
    pub source: Arc<dyn Source>,
    /// The encoding of the records.
    pub encoding: Encoding,
    /// The records, in order.
    pub records: Vec<KeptRecord>,
}

/// A record of a folder that keeps it in its own format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRecord {
    /// The name of the record in the source, which is unique among all folders.
    pub name: String,
    /// Its path in messages. It can also be opened by this path.
    pub shown: String,
    /// The id of its session.
    pub session_id: String,
}

impl KeptRecords {
    /// Returns the records as files to read.
    pub fn into_logs(self, named: bool) -> Vec<StoredLog> {
        let source = Arc::new(SourceFiles::new(self.source));
        let log = |record: KeptRecord| {
            let path = SafePath::named_in(Some(&source), record.name.as_ref(), &Skipped::default());
            let mut log = StoredLog::new(Part::file(&path), record.shown, named);
            log.record_encoding = Some(self.encoding);
            log
        };
        self.records.into_iter().map(log).collect()
    }
}

/// A log whose bytes are kept, although its files may not exist any more.
#[derive(Clone, Debug)]
pub struct KeptLog<'k> {
    /// The bytes of the log. The files are called `0`, `1` and so on, in the order of the sources.
    pub source: Arc<dyn Source>,
    /// The path of the log when it was read, or of the store that contained it.
    pub path: &'k str,
    /// Whether it was a session of a store.
    pub is_in_store: bool,
    /// The sources that the record states.
    pub sources: &'k [SourceFile],
    /// The name of the log in messages.
    pub shown: String,
}

impl KeptLog<'_> {
    /// Returns the log as it was in its place. Troubles in reading it from a store are not known.
    ///
    /// # Errors
    /// If a source cannot be read.
    pub fn to_log(&self, adapter: &dyn Adapter) -> io::Result<StoredLog> {
        let source = Arc::new(SourceFiles::new(self.source.clone()));
        let file =
            |name: &str| SafePath::named_in(Some(&source), name.as_ref(), &Skipped::default());
        let folder = folder(Path::new(self.path));
        let (mut parts, mut attachments) = (Vec::new(), Vec::new());
        for (number, stated) in self.sources.iter().enumerate() {
            let path = file(&number.to_string());
            let part = |place| Part::new(stated.name.clone(), folder.clone(), place);
            let store = stated.name.split_once('#').filter(|_| self.is_in_store);
            if let Some((store_name, key)) = store {
                let store: Arc<dyn SessionStore> = Arc::new(KeptSession(path));
                let stored = Stored {
                    store,
                    adapter: adapter.name(),
                    container: Container::Database,
                    path: file(store_name),
                    key: key.to_owned(),
                };
                parts.push(Part::new(key.to_owned(), folder.clone(), Place::Stored(stored)));
                continue;
            }
            let kind = companion_kind(adapter, &stated.name).filter(|_| number > 0);
            match kind {
                Some(CompanionKind::Note(_)) => parts.push(part(Place::Note(path))),
                Some(_) => attachments.push(part(Place::File(path))),
                None if beginning(&path)?.starts_with(&zstandard::MAGIC) => {
                    parts.push(part(Place::Compressed(path)));
                }
                None if number > 0 && stated.name.contains('/') => {
                    attachments.push(part(Place::File(path)));
                }
                None => parts.push(part(Place::File(path))),
            }
        }
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or(io::ErrorKind::NotFound)?;
        let mut log = StoredLog::new(first, self.shown.clone(), false);
        log.parts.extend(parts);
        log.attachments = attachments;
        Ok(log)
    }
}

/// Returns the kind of a companion file by the last name of its rule's path. A file in a folder of
/// companions is an attachment, which is named by its path.
fn companion_kind(adapter: &dyn Adapter, source: &str) -> Option<CompanionKind> {
    let last = name(Path::new(source));
    let rules = adapter.companions().files.iter();
    let mut rules = rules.filter(|rule| !matches!(rule.kind, CompanionKind::Folder));
    let is_meant = |path: &str| {
        let pattern = path.rsplit('/').next().unwrap_or(path).replace("{id}", "*");
        matches(&pattern, &last)
    };
    rules.find(|rule| is_meant(rule.path)).map(|rule| rule.kind)
}

/// The documents of a session of a store.
#[derive(Debug)]
struct KeptSession(SafePath);

impl SessionStore for KeptSession {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        Ok(Vec::new())
    }

    fn read(&self, _: &str) -> io::Result<Documents> {
        Ok(Documents::from_bytes(self.0.read(u64::MAX)?))
    }
}
