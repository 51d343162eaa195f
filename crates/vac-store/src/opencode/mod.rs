//! Where `OpenCode` keeps its sessions: a tree of files, then a database.
//!
//! # Decisions
//!
//! * The rows of a database are written as the documents that a tree has: the members
//!   of the column `data` as they stand there, and the other columns beside them under
//!   the names that a tree gives them, or their own. So the same session gives the same
//!   documents, and numbers stay what they are.
//! * Only the tables that hold conversations are ever read (`session`, `session_v2`, `message`,
//!   `part`, `todo`, `project`, `session_message`, `session_diff`, and `session_inbox` and
//!   `session_pending`, where prompts wait), and no view. `account`,
//!   `control_account`, `credential` and `session_share` hold secrets.
//! * Newer versions still keep `session_diff` as a file: it is read from the folder
//!   `storage` beside the database.
//! * A file, table or row that cannot be read is told in the session's own documents, as
//!   an object of the type `unreadable`, and everything else is read.
//! * What names no session is one of its own, [`WITHOUT`].

mod database;
mod documents;
mod files;
mod index;
mod reader;
mod row;
mod tables;
mod tree;

use std::io;
use std::sync::Arc;

use crate::safe_path::SafePath;
use crate::sqlite::Database;
use crate::store::Store;

/// The adapter that reads these documents.
const AGENT: &str = "opencode";

/// The session of what names none.
pub(crate) const WITHOUT: &str = "without-session";

/// The store that a database is, if it is one of `OpenCode`'s; otherwise it is given back.
pub(crate) fn of_database(
    database: Database,
    path: &SafePath,
) -> io::Result<Result<Arc<dyn Store>, Database>> {
    Ok(database::Database::of(database, path)?.map(|store| Arc::new(store) as Arc<dyn Store>))
}

/// The store that a folder is, if it is one of `OpenCode`'s.
pub(crate) fn of_folder(path: &SafePath) -> io::Result<Option<Arc<dyn Store>>> {
    Ok(tree::Tree::of(path)?.map(|store| Arc::new(store) as Arc<dyn Store>))
}
