//! Session logs where agents keep them.
//!
//! Adapters read JSON documents. On disk there are plain files, compressed files, trees of
//! small files and databases: this crate makes [inputs](vac_adapter::Input) of all of them, and
//! is the only one that reads logs from disk.
//!
//! ```
//! use vac_adapter::Input;
//!
//! let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/codex/envelopes/compressed");
//! let found = vac_store::find(&[fixture.into()], &[]);
//! let log = found.logs.iter().find(|log| log.shown.ends_with(".jsonl.zst")).ok_or("no log")?;
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
//!   or a tree of small files. What is particular to an agent's is in the agent's crate, and reads
//!   through this one.
//! * [`join`](join::join) joins the files of one session.
//! * A [`Source`] is where files are that are not on disk: everything else works on it as on disk.
//! * [`LogFiles`] is a log as data: it can be sent to another process and opened there.
//! * [`StoredLog::load`] reads a log to convert it, and ties its record to the bytes that were read
//!   ([`Loaded`]).
//!
//! # Decisions
//!
//! * Nothing that is read is ever changed, and no file is created next to it: databases are
//!   opened as immutable, and if they have a live journal, as a private copy ([`sqlite`]).
//! * A session of a database that other programs write to is read from one state of it.
//!   If none can be read for long enough, that is an error.
//! * Containers are recognised by their first bytes, their tables or their folders, never by
//!   their name. In the places of agents, names decide what is opened at all ([`places`]):
//!   credentials and copies of edited files are next to the sessions.
//! * Where sessions are, which tables of a database may be read and which files belong to a session
//!   is data of the agents' crates. This crate knows no agent by name.
//! * What went wrong while a session was read from its container is next to its documents
//!   ([`Input::troubles`](vac_adapter::Input::troubles)), never in them.
//! * A session of a store is read as its documents, one after the other, in a fixed order.
//!   They are the source that a record names, with their SHA-256: the database as a whole
//!   changes with every other session.
//! * Below what the user named, and below the folders in which agents keep sessions, no
//!   symbolic link is followed and nothing but regular files is opened ([`safe_path`]): a
//!   folder from elsewhere must not bring other files of the user into a record. What was
//!   skipped is listed ([`Skipped`]).
//! * Every session is returned once: copies are skipped, and so are logs that contain less of a
//!   session than another one ([`join`]). Callers also receive the list of what was skipped.

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
