//! Reads the stores in which `OpenCode` keeps its sessions: a tree of files or, in newer versions,
//! a database.
//!
//! # Decisions
//!
//! * The rows of a database are written as the documents that a tree has: the members of the
//!   column `data` as they are there, and the other columns next to them under the names that a
//!   tree gives them, or their own. So the same session gives the same documents, and numbers stay
//!   what they are.
//! * Only the [tables](database::TABLES) that contain conversations are read, and no view.
//!   `account`, `control_account`, `credential` and `session_share` contain secrets.
//! * Newer versions still keep `session_diff` as a file: it is read from the folder `storage` next
//!   to the database.
//! * A file, table or row that cannot be read is a trouble of the input, and everything else is
//!   read.
//! * What names no session is a session of its own, [`Without`].
//!
//! [`Without`]: vac_adapter::container::StoreKey::Without

mod database;
mod row;
mod tree;

use std::sync::Arc;

use vac_adapter::container::{SessionStore, Stores};

/// The stores of `OpenCode`: databases and trees.
pub(crate) const STORES: Stores = Stores {
    tables: database::TABLES,
    open_database: |database| {
        let sessions = database::Sessions::open(database)?;
        Some(Arc::new(sessions) as Arc<dyn SessionStore>)
    },
    open_folder: |folder| {
        let tree = tree::Tree::open(folder)?;
        Ok(tree.map(|tree| Arc::new(tree) as Arc<dyn SessionStore>))
    },
    ..Stores::NONE
};

/// Maximum size of a file in bytes. Larger files are not read.
const MAX_DOCUMENT: u64 = 256 << 20;
