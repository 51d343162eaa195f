//! Finds session logs in the places where agents keep them, and reads them.
//!
//! Adapters read JSON documents. On disk there are plain files, compressed files, trees of
//! small files and databases: this crate provides all of them as [inputs](vac_adapter::Input), and
//! is the only one that reads logs from disk.
//!
//! ```
//! use vac_adapter::Input;
//!
//! let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
//! let fixture = format!("{crates}/../fixtures/codex/envelopes/compressed");
//! let found = vac_store::find(&[fixture.into()], &[]);
//! let log = found.logs.iter().find(|log| log.shown.ends_with(".jsonl.zst"));
//! let log = log.ok_or("no log")?;
//! let log = log.load()?;
//! let mut text = String::new();
//! log.open()?.read_to_string(&mut text)?;
//! assert!(text.starts_with('{'), "JSON, whatever it is on disk");
//! # use std::io::Read as _;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`find()`] searches for logs in the paths that the user named, [`discover()`] in the
//!   [`places`] where agents keep them.
//! * A [`StoredLog`] is a file, several files that together contain one session, or a session of a
//!   store.
//! * A [`SessionStore`](vac_adapter::container::SessionStore) contains several sessions: a database,
//!   or a tree of small files. The rules for the stores of an agent are in the agent's crate, which
//!   reads them through this one.
//! * [`join`](join::join) joins the files of one session.
//! * A [`Source`] provides files that are not on disk. All other functions work on it as on disk.
//! * [`LogFiles`] is a log as data: it can be sent to another process and opened there.
//! * [`StoredLog::load`] reads a log to convert it, and ties its record to the bytes that were read
//!   ([`Loaded`]).
//!
//! # Decisions
//!
//! * Files that are read are never changed, and no file is created next to them: databases are
//!   opened as immutable, and if they have a live journal, as a private copy ([`sqlite`]).
//! * A session of a database that other programs write to is read from one state of it.
//!   If no state can be read for long enough, that is an error.
//! * Containers are recognised by their first bytes, their tables or their folders, never by
//!   their name. In the places of agents, names decide which files are opened ([`places`]), because
//!   credentials and copies of edited files are next to the sessions.
//! * Where sessions are, which tables of a database may be read and which files belong to a session
//!   is data of the agents' crates. This crate knows no agent by name.
//! * Problems in reading a session from its container are never part of its documents
//!   ([`Input::troubles`](vac_adapter::Input::troubles)).
//! * A session of a store is read as its documents, one after the other, in a fixed order.
//!   They are the source that a record names, with their SHA-256, because the database as a whole
//!   changes with every other session.
//! * Below what the user named, and below the folders in which agents keep sessions, no
//!   symbolic link is followed and only regular files are opened ([`safe_path`]): a folder from
//!   another source must not bring other files of the user into a record. Skipped links and special
//!   files are listed ([`Skipped`]).
//! * Every session is returned once: copies are skipped, and so are logs that contain less of a
//!   session than another one ([`join`]). Callers also receive the list of skipped files.

pub mod discover;
pub mod endless;
pub mod file_stat;
pub mod find;
pub mod in_memory;
pub mod join;
pub mod loaded;
pub mod log;
pub mod log_files;
pub mod places;
pub mod record_folder;
pub mod recorded;
pub mod safe_path;
pub mod sha256;
pub mod skipped;
pub mod source;
pub mod sqlite;
pub mod walk;
pub mod zstandard;

mod agent_database;
mod agent_folder;
mod buffer;
mod companion_files;
mod database_store;
mod growth;
mod hashing;
mod passes;
mod pattern;
mod prompts;
mod session_count;
mod session_folder;

pub use discover::discover;
pub use file_stat::FileStat;
pub use find::{Found, UnreadPath, find, find_all, find_in, find_with};
pub use in_memory::MemoryBudget;
pub use loaded::Loaded;
pub use log::StoredLog;
pub use log_files::LogFiles;
pub use record_folder::{KeptLog, KeptRecord, KeptRecords, RecordFolders};
pub use safe_path::SafePath;
pub use sha256::Sha256;
pub use skipped::Skipped;
pub use source::{DiskSource, MemorySource, Source, SourceFiles};
