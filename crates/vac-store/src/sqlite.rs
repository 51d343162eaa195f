//! Reads `SQLite` databases without changing any file, even while another program writes to them.
//!
//! A database is consistent by itself unless it has a *live journal*: a write-ahead log with
//! frames in it, or a rollback journal of a transaction that has not ended.
//!
//! * Without one, the database is opened in place as immutable: no lock is taken and no file
//!   is created next to it. Because writers are not locked out, the state of the database is
//!   compared after every read with its state when it was opened (`Watch`).
//! * With one, the database and its journals are copied to a private folder, and `SQLite`
//!   applies the journals to the copy. On Unix, the copy is deleted as soon as it is open.
//!
//! If a writer interferes, both fail with [`io::ErrorKind::ResourceBusy`], and `retry` tries again.
//!
//! # Why comparing is enough
//!
//! In place: before a transaction changes the database, it has a live rollback journal, and when it
//! ends, the header of the database has changed. The header is therefore read before the journals
//! at first, and after them at the end. Size and time of the file also reveal writers that keep no
//! journal.
//!
//! Copying: the database is copied before its journals. A page of the database that is newer
//! than the beginning of the copy has its counterpart in the journal that is copied later
//! (its new content in a write-ahead log, its old content in a rollback journal), as long as
//! that is the same journal from beginning to end: random numbers in its header are compared.
//!
//! `SQLite` opens a database in place by its path, and is asked to follow no link. Before and
//! after, it is checked that the path leads to the same file. Only a program that replaces a folder
//! and restores it in between would not be noticed.

use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use vac_adapter::container::bad_data;

use crate::safe_path::{PathKind, SafePath};
use crate::skipped::Skipped;

/// The first bytes of a database.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The suffixes of the journals of a database.
pub(crate) const JOURNALS: [&str; 2] = ["-wal", "-journal"];

/// The length in bytes of the header of a database. Those of journals are shorter.
const HEADER: u64 = 100;
const WAL_HEADER: u64 = 32;
/// The first bytes of a write-ahead log.
const WAL_MAGIC: [[u8; 4]; 2] = [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]];
/// The first bytes of a rollback journal, and its last ones if it names another journal.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The pauses after each failed attempt, in milliseconds.
const PAUSES: [u64; 7] = [5, 10, 20, 40, 80, 160, 320];

/// An open database.
#[derive(Debug)]
pub struct SqliteDatabase {
    connection: Connection,
    watch: Watch,
    /// The folders of copies, on systems where an open file cannot be removed.
    folders: Vec<TempDir>,
}

impl SqliteDatabase {
    /// Opens a database for reading. Fails with [`io::ErrorKind::ResourceBusy`] if it is being
    /// written to.
    pub fn open(path: &SafePath) -> io::Result<Self> {
        if path.is_in_source() {
            return Self::open_elsewhere(path);
        }
        let path = path.resolve_named()?;
        let state = State::read(&path)?;
        if state.journals == Journals::default() {
            let connection = connect_in_place(&path.to_absolute()?)?;
            let watch = Watch(Some(Box::new((path, state))));
            return Ok(Self { connection, watch, folders: Vec::new() });
        }
        let folder = private_folder().map_err(cannot_copy)?;
        let copy = folder.path().join("copy");
        copy_files(&path, &state, &copy)?;
        apply_journals(&copy)?;
        let connection = connect_copy(&copy)?;
        let folders = keep_open(folder)?;
        Ok(Self { connection, watch: Watch(None), folders })
    }

    /// Opens a database of a source: `SQLite` reads files, so it is copied to a private folder.
    fn open_elsewhere(path: &SafePath) -> io::Result<Self> {
        let folder = private_folder().map_err(cannot_copy)?;
        let copy = folder.path().join("copy");
        copy_file(path.reader()?, &copy)?;
        for ending in JOURNALS {
            let journal = path.with_ending(ending).filter(SafePath::is_file);
            if let Some(journal) = journal {
                let mut name = copy.as_os_str().to_owned();
                name.push(ending);
                copy_file(journal.reader()?, Path::new(&name))?;
            }
        }
        let mut opened = Self::open(&SafePath::named(&copy, &Skipped::default()))?;
        // No other program writes to the copy.
        opened.watch = Watch(None);
        opened.folders.extend(keep_open(folder)?);
        Ok(opened)
    }

    /// Returns the connection, for queries.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns a [`Watch`] that checks whether the database has changed since it was opened.
    pub(crate) fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Returns whether there is a table of this name. Views and virtual tables are not tables,
    /// because expressions in the database compute their content.
    pub fn is_table(&self, name: &str) -> io::Result<bool> {
        // A virtual table has no pages. A forged schema may state pages, but the statement of a
        // virtual table cannot begin like that of a table. SQLite ignores the case of names.
        let sql = "SELECT count(*), total(type = 'table' AND rootpage > 0 \
                AND substr(sql, 1, 13) = 'CREATE TABLE ') \
            FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE";
        let counts: (i64, f64) = self
            .connection
            .query_row(sql, [name], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(failed)?;
        Ok(counts == (1, 1.0))
    }

    /// Returns the name of the row id of a table that is not the name of a column. `None` if its
    /// rows have no numbers.
    pub fn row_id(&self, table: &str) -> io::Result<Option<&'static str>> {
        let sql = "SELECT lower(name) FROM pragma_table_xinfo(?1)";
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let names = statement.query_map([table], |row| row.get(0)).map_err(failed)?;
        let names: Vec<String> = names.collect::<Result<_, _>>().map_err(failed)?;
        let is_free = |name: &&str| !names.iter().any(|column| column == name);
        let Some(name) = ["rowid", "_rowid_", "oid"].into_iter().find(is_free) else {
            return Ok(None);
        };
        let has_numbers =
            self.connection.prepare(&format!("SELECT {name} FROM \"{table}\"")).is_ok();
        Ok(has_numbers.then_some(name))
    }

    /// Returns the names of a table's columns; empty if the table does not exist.
    pub fn columns(&self, table: &str) -> io::Result<Vec<String>> {
        let mut statement = self
            .connection
            .prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")
            .map_err(failed)?;
        let names = statement.query_map([table], |row| row.get(0)).map_err(failed)?;
        names.collect::<Result<_, _>>().map_err(failed)
    }
}

/// Checks whether a database has changed since it was opened.
#[derive(Clone, Debug)]
pub(crate) struct Watch(Option<Box<(SafePath, State)>>);

impl Watch {
    /// Fails with [`io::ErrorKind::ResourceBusy`] if the data read since the database was opened
    /// may belong to several transactions.
    pub fn check(&self) -> io::Result<()> {
        let Some((path, before)) = self.0.as_deref() else { return Ok(()) };
        let is_same = State::read_again(path).is_ok_and(|now| now == *before);
        if is_same { Ok(()) } else { Err(busy()) }
    }
}

/// Repeats work on a database, a few times, until no other program has written to it meanwhile.
pub(crate) fn retry<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in PAUSES {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                sleep(Duration::from_millis(pause));
            }
            done => return done,
        }
    }
    work()
}

fn busy() -> io::Error {
    let words = "the database is being written to by another program: try again later";
    io::Error::new(io::ErrorKind::ResourceBusy, words)
}

#[cfg(test)]
impl SqliteDatabase {
    /// Wraps an open connection.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, watch: Watch(None), folders: Vec::new() }
    }

    /// Counts the steps of `SQLite`'s virtual machine from now on.
    pub(crate) fn count_steps(&mut self) -> std::sync::Arc<std::sync::atomic::AtomicU64> {
        use std::sync::atomic::Ordering;
        let steps = std::sync::Arc::default();
        let counted = std::sync::Arc::<std::sync::atomic::AtomicU64>::clone(&steps);
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        self.connection.progress_handler(1, Some(count)).expect("a handler");
        steps
    }
}

/// Converts an error of `SQLite`.
#[allow(clippy::needless_pass_by_value)] // for map_err
pub fn failed(error: rusqlite::Error) -> io::Error {
    bad_data(format!("database: {error}"))
}

/// The state of a database and its journals at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    file: Identity,
    size: u64,
    modified: Option<SystemTime>,
    /// The header of the database, which contains the change counter.
    header: Vec<u8>,
    journals: Journals,
}

/// The live journals of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Journals {
    wal: Option<Journal>,
    rollback: Option<Journal>,
}

/// The identity of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Journal {
    file: Identity,
    /// The constant part of the header, which contains random numbers.
    header: Vec<u8>,
}

/// Device and number of a file, where files have them.
type Identity = Option<(u64, u64)>;

impl State {
    /// Reads the database, then its journals.
    fn read(path: &SafePath) -> io::Result<Self> {
        let before = Self::without_journals(path)?;
        Ok(Self { journals: Journals::read(path)?, ..before })
    }

    /// Reads the journals, then the database.
    fn read_again(path: &SafePath) -> io::Result<Self> {
        let journals = Journals::read(path)?;
        Ok(Self { journals, ..Self::without_journals(path)? })
    }

    fn without_journals(path: &SafePath) -> io::Result<Self> {
        let (metadata, header) = beginning(&path.open()?)?;
        Ok(Self {
            file: identity(&metadata),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            header,
            journals: Journals::default(),
        })
    }
}

impl Journals {
    fn read(path: &SafePath) -> io::Result<Self> {
        Ok(Self { wal: wal(path)?, rollback: rollback_journal(path)? })
    }
}

/// Returns the write-ahead log, if there is a frame in it.
fn wal(path: &SafePath) -> io::Result<Option<Journal>> {
    let Some(file) = journal_file(path, "-wal")? else { return Ok(None) };
    let (metadata, mut header) = beginning(&file)?;
    let is_wal = WAL_MAGIC.iter().any(|magic| header.starts_with(magic));
    if !is_wal || metadata.len() <= WAL_HEADER {
        return Ok(None);
    }
    header.truncate(32);
    Ok(Some(Journal { file: identity(&metadata), header }))
}

/// Returns the rollback journal, unless its transaction was ended by erasing its beginning.
fn rollback_journal(path: &SafePath) -> io::Result<Option<Journal>> {
    let Some(file) = journal_file(path, "-journal")? else { return Ok(None) };
    let (metadata, mut header) = beginning(&file)?;
    if !header.starts_with(&JOURNAL_MAGIC) {
        return Ok(None);
    }
    header.truncate(28);
    // Ignore the number of pages in the journal, which grows.
    header.drain(8..header.len().min(12));
    Ok(Some(Journal { file: identity(&metadata), header }))
}

/// Opens a journal; `None` if it is a link or a special file.
fn journal_file(path: &SafePath, ending: &str) -> io::Result<Option<File>> {
    let Some(path) = path.with_ending(ending) else { return Ok(None) };
    let opened = match path.kind() {
        Ok(PathKind::File) => path.open(),
        Ok(PathKind::Special) => {
            path.skip_special();
            return Ok(None);
        }
        Ok(PathKind::Link | PathKind::Folder) => return Ok(None),
        Err(error) => Err(error),
    };
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn beginning(mut file: &File) -> io::Result<(Metadata, Vec<u8>)> {
    let mut header = Vec::new();
    file.take(HEADER).read_to_end(&mut header)?;
    file.seek(SeekFrom::Start(0))?;
    Ok((file.metadata()?, header))
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // not everywhere
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    None
}

/// Opens a database that has no live journal.
fn connect_in_place(path: &Path) -> io::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    connect(|| Connection::open_with_flags(immutable_uri(path)?, flags).map_err(failed))
}

/// Opens a copy that has no journal any more.
fn connect_copy(path: &Path) -> io::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(|| Connection::open_with_flags(immutable_uri(path)?, flags).map_err(failed))
}

fn connect(open: impl FnOnce() -> io::Result<Connection>) -> io::Result<Connection> {
    let connection = open()?;
    // A hostile schema must not execute functions.
    connection.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(failed)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(failed)?;
    Ok(connection)
}

/// Returns the URI by which `SQLite` opens a file as immutable.
fn immutable_uri(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path)?;
    // Escape the path byte by byte, because file names need not be Unicode.
    let path = path.as_os_str().as_encoded_bytes();
    let mut uri = String::from("file:");
    if !path.starts_with(b"/") {
        uri.push('/');
    }
    for &byte in path {
        match char::from(byte) {
            std::path::MAIN_SEPARATOR => uri.push('/'),
            kept if kept.is_ascii_alphanumeric() || "/-_.~:".contains(kept) => uri.push(kept),
            _ => write!(uri, "%{byte:02X}").unwrap_or_default(),
        }
    }
    uri.push_str("?immutable=1");
    Ok(uri)
}

/// Creates a folder that only this user can read.
fn private_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("vac-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// Removes the folder of an open copy on systems where open files stay readable, so that nothing is
/// left if this process is killed. On others, returns the folder to keep.
fn keep_open(folder: TempDir) -> io::Result<Vec<TempDir>> {
    if cfg!(unix) { folder.close().map(|()| Vec::new()) } else { Ok(vec![folder]) }
}

/// Creates a file that only this user can read.
#[allow(clippy::disallowed_methods)] // it is not there yet
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn cannot_copy(error: io::Error) -> io::Error {
    let folder = tempfile::env::temp_dir();
    let words = format!("the database cannot be copied to {}: {error}", folder.display());
    io::Error::new(error.kind(), words)
}

/// Copies a database, then its live journals.
fn copy_files(path: &SafePath, before: &State, copy: &Path) -> io::Result<()> {
    copy_file(path.open()?, copy)?;
    let Journals { wal, rollback } = &before.journals;
    for (journal, ending) in [(wal, "-wal"), (rollback, "-journal")] {
        if journal.is_some() {
            let file = journal_file(path, ending)?.ok_or_else(busy)?;
            let mut name = copy.as_os_str().to_owned();
            name.push(ending);
            let copy = copy_file(file, Path::new(&name))?;
            if ending == "-journal" && names_another_journal(copy)? {
                let words = "the database's journal is of a transaction over several databases";
                return Err(bad_data(words));
            }
        }
    }
    let after = State::read_again(path)?;
    let is_same = (after.file, &after.journals) == (before.file, &before.journals);
    if is_same { Ok(()) } else { Err(busy()) }
}

fn copy_file(mut from: impl io::Read, to: &Path) -> io::Result<File> {
    let mut to = private_file(to).map_err(cannot_copy)?;
    io::copy(&mut from, &mut to).map_err(cannot_copy)?;
    Ok(to)
}

/// Returns whether a journal ends with the name of another one. `SQLite` would open the file of
/// that name and those that it names in turn, wherever they are, and may delete it.
fn names_another_journal(mut copy: File) -> io::Result<bool> {
    let mut end = [0; JOURNAL_MAGIC.len()];
    if copy.metadata()?.len() < end.len() as u64 {
        return Ok(false);
    }
    copy.seek(SeekFrom::End(-8))?;
    copy.read_exact(&mut end)?;
    Ok(end == JOURNAL_MAGIC)
}

/// Lets `SQLite` apply the journals of a copy, so that it needs none afterwards.
fn apply_journals(copy: &Path) -> io::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = connect(|| Connection::open_with_flags(copy, flags).map_err(failed))?;
    // The copy is not shared with other processes, so no further file is needed.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(failed)?;
    // The first read applies a rollback journal.
    let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    connection.pragma_query_value(None, "user_version", read).map_err(failed)?;
    let mode = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let mode = connection.pragma_update_and_check(None, "journal_mode", "DELETE", mode);
    if mode.map_err(failed)? == "delete" {
        connection.close().map_err(|(_, error)| failed(error))
    } else {
        Err(bad_data("the database's write-ahead log cannot be applied"))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // files of the tests
mod tests {
    use super::*;

    fn database() -> (TempDir, SafePath, Connection) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("some.db");
        let connection = Connection::open(&path).unwrap();
        // With other settings, a journal is live only after the database is written to.
        let sql = "PRAGMA synchronous = OFF; CREATE TABLE t (n integer); INSERT INTO t VALUES (1)";
        connection.execute_batch(sql).unwrap();
        (folder, SafePath::named(&path, &Skipped::default()), connection)
    }

    fn number(database: &SqliteDatabase) -> i64 {
        database.connection().query_row("SELECT n FROM t", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_change_since_the_database_was_opened_is_found() {
        let (_folder, path, other) = database();
        let opened = SqliteDatabase::open(&path).unwrap();
        opened.watch().check().unwrap();
        other.execute_batch("BEGIN; UPDATE t SET n = 2").unwrap();
        let error = opened.watch().check().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "a transaction that has begun");
        other.execute_batch("ROLLBACK").unwrap();
        opened.watch().check().unwrap();
        other.execute_batch("UPDATE t SET n = 3").unwrap();
        assert!(opened.watch().check().is_err(), "a transaction that has ended");
        let opened = SqliteDatabase::open(&path).unwrap();
        assert_eq!(number(&opened), 3);
        other.execute_batch("PRAGMA journal_mode = WAL").unwrap();
        let opened = SqliteDatabase::open(&path).unwrap();
        opened.watch().check().unwrap();
        other.execute_batch("UPDATE t SET n = 4").unwrap();
        assert!(opened.watch().check().is_err(), "a write-ahead log");
        let opened = SqliteDatabase::open(&path).unwrap();
        assert_eq!(number(&opened), 4);
        other.execute_batch("UPDATE t SET n = 5").unwrap();
        opened.watch().check().unwrap();
        assert_eq!(number(&opened), 4, "a copy does not change");
    }

    #[test]
    fn a_journal_that_vanishes_or_changes_is_busy() {
        let (folder, path, other) = database();
        let copy = |name: &str, before: &State| {
            copy_files(&path, before, &folder.path().join(name)).map_err(|error| error.kind())
        };
        other.execute_batch("BEGIN; UPDATE t SET n = 2").unwrap();
        let before = State::read(&path).unwrap();
        assert!(before.journals.rollback.is_some());
        assert_eq!(copy("same", &before), Ok(()));
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(copy("gone", &before), Err(io::ErrorKind::ResourceBusy));
        other.execute_batch("BEGIN; UPDATE t SET n = 3").unwrap();
        assert_eq!(copy("another", &before), Err(io::ErrorKind::ResourceBusy));
        other.execute_batch("COMMIT; PRAGMA journal_mode = WAL; UPDATE t SET n = 4").unwrap();
        let before = State::read(&path).unwrap();
        assert!(before.journals.wal.is_some());
        other.execute_batch("UPDATE t SET n = 5").unwrap();
        assert_eq!(copy("longer", &before), Ok(()));
        // The log is written from its beginning again.
        other.execute_batch("PRAGMA wal_checkpoint(RESTART); UPDATE t SET n = 6").unwrap();
        assert_eq!(copy("restarted", &before), Err(io::ErrorKind::ResourceBusy));
    }

    #[test]
    fn a_writer_that_never_stops_is_reported() {
        let mut tries = 0;
        let error = retry(|| {
            tries += 1;
            Err::<(), _>(busy())
        })
        .unwrap_err();
        assert_eq!(tries, PAUSES.len() + 1);
        assert!(error.to_string().contains("try again later"), "{error}");
        let kind = retry(|| Err::<(), _>(bad_data("damaged"))).unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::InvalidData, "other errors are final");
    }

    #[cfg(unix)]
    #[test]
    fn copies_are_private_and_have_no_name() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, path, other) = database();
        other.execute_batch("BEGIN; UPDATE t SET n = 2").unwrap();
        let folder = private_folder().unwrap();
        let copy = folder.path().join("copy");
        copy_files(&path, &State::read(&path).unwrap(), &copy).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder.path()), 0o700);
        assert_eq!(mode(&copy), 0o600);
        assert_eq!(mode(&folder.path().join("copy-journal")), 0o600);
        let opened = SqliteDatabase::open(&path).unwrap();
        assert_eq!(number(&opened), 1);
        if let Ok(open) = fs::read_dir("/proc/self/fd") {
            let targets = open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
            let copies: Vec<_> =
                targets.filter(|it| it.to_string_lossy().contains("/copy")).collect();
            assert!(
                copies.iter().all(|it| it.to_string_lossy().ends_with("(deleted)")),
                "{copies:?}"
            );
        }
    }
}
