//! Checks logs on disk: compressed files, databases, folders.
//!
//! Files are written to the temporary folder, which `cargo xtask fuzz` places in memory if the
//! system supports it.

use std::fs;
use std::path::{Component, Path};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use tempfile::TempDir;
use vac::AGENTS;
use vac_store::join::{detect, join};

use super::logs::check_log;

/// The byte that ends a file or a row of an input (U+001E, record separator).
const RECORD: u8 = 0x1e;
/// The byte that ends a field of a row, or the path of a file (U+001F, unit separator).
const FIELD: u8 = 0x1f;
/// Maximum length of a path in an input, in bytes. Files with longer paths are omitted.
const MAX_PATH: usize = 200;

/// The tables that are read, with the columns that are read of them.
const TABLES: &[(&str, &[&str])] = &[
    ("cursorDiskKV", &["key", "value"]),
    ("blobs", &["id", "data"]),
    ("meta", &["key", "value"]),
    ("project", &["id", "worktree", "vcs", "sandboxes"]),
    ("session", &["id", "project_id", "directory", "title", "version", "time_created"]),
    ("message", &["id", "session_id", "time_created", "data"]),
    ("part", &["id", "message_id", "session_id", "time_created", "data"]),
    ("todo", &["session_id", "content", "status", "position"]),
    ("session_message", &["id", "session_id", "type", "seq", "data"]),
    ("session_diff", &["session_id", "data"]),
];

/// Checks the bytes of one file: compressed, a database, or a plain log.
pub fn file(bytes: &[u8]) {
    let folder = temporary_folder();
    let path = folder.path().join("log");
    fs::write(&path, bytes).expect("the temporary folder can be written to");
    check_path(&path);
}

/// Checks the rows of a database, in the form that [`write_database`] reads.
pub fn rows(bytes: &[u8]) {
    let folder = temporary_folder();
    let path = folder.path().join("log.db");
    write_database(&path, bytes);
    check_path(&path);
}

/// Writes the database that an input describes. The first field of a row names the table,
/// and the others are its columns. A field is a number or text if it has the form of one, and bytes
/// otherwise; an empty field is NULL. Rows of unknown tables are omitted.
pub fn write_database(path: &Path, bytes: &[u8]) {
    let connection = Connection::open(path).expect("the temporary folder can be written to");
    fill(&connection, bytes).expect("rows can be inserted");
}

fn fill(connection: &Connection, bytes: &[u8]) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
    for row in bytes.split(|byte| *byte == RECORD) {
        let mut fields = row.split(|byte| *byte == FIELD);
        let table = fields.next().unwrap_or_default().trim_ascii();
        let table = TABLES.iter().find(|(name, _)| name.as_bytes() == table);
        let Some((table, columns)) = table else { continue };
        let names = columns.join(", ");
        connection.execute_batch(&format!("CREATE TABLE IF NOT EXISTS {table} ({names})"))?;
        let values = fields.map(value).chain(std::iter::repeat(Value::Null)).take(columns.len());
        let marks = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {table} VALUES ({marks})");
        connection.execute(&sql, params_from_iter(values))?;
    }
    connection.execute_batch("COMMIT")
}

fn value(field: &[u8]) -> Value {
    match std::str::from_utf8(field) {
        Ok("") => Value::Null,
        Ok(text) => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Integer),
        Err(_) => Value::Blob(field.to_vec()),
    }
}

/// Checks the files of a folder, in the form that [`write_folder`] reads: a storage tree, or a
/// session with the files that belong to it.
pub fn folder(bytes: &[u8]) {
    let folder = temporary_folder();
    write_folder(folder.path(), bytes);
    check_path(folder.path());
}

/// Writes the files that an input describes into a folder. In the input, the path of a file
/// precedes its content. Paths that lead out of the folder are omitted.
pub fn write_folder(folder: &Path, bytes: &[u8]) {
    for file in bytes.split(|byte| *byte == RECORD) {
        let Some(end) = file.iter().position(|byte| *byte == FIELD) else { continue };
        let Ok(path) = std::str::from_utf8(file[..end].trim_ascii()) else { continue };
        let is_inside = Path::new(path).components().all(|it| matches!(it, Component::Normal(_)));
        if path.is_empty() || path.len() > MAX_PATH || path.contains('\0') || !is_inside {
            continue;
        }
        let path = folder.join(path);
        // If a file is in the place of a folder that another file needs, the first file stays.
        if fs::create_dir_all(path.parent().unwrap_or(folder)).is_ok() {
            let _ = fs::write(path, &file[end + 1..]);
        }
    }
}

fn temporary_folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Converts everything that is found in a path, as `vac convert` does.
fn check_path(path: &Path) {
    let found = vac_store::find(&[path.to_owned()], AGENTS);
    for trouble in &found.troubles {
        assert!(!trouble.reason.is_empty(), "a problem without a message");
    }
    let known = found.logs.into_iter().map(|log| detect(log, AGENTS)).collect();
    for known in join(known) {
        let adapter = AGENTS.iter().find(|adapter| Some(adapter.name()) == known.agent);
        let (Some(adapter), Ok(log)) = (adapter, known.log.load()) else { continue };
        check_log(*adapter, &log);
    }
}
