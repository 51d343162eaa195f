//! A database with one session, which is opened again when that is read: there can be
//! thousands of them, and not as many files can be open at once.

use std::io;
use std::path::PathBuf;

use crate::store::{self, Held, Store, bad_data};

/// Such a database.
#[derive(Debug)]
pub(crate) struct Reopened {
    /// Where it is.
    pub path: PathBuf,
}

impl Store for Reopened {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        open(self)?.sessions()
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        open(self)?.read(key)
    }
}

fn open(database: &Reopened) -> io::Result<std::sync::Arc<dyn Store>> {
    let store = store::of_database(&database.path)?;
    store.ok_or_else(|| bad_data("it has changed since it was looked at"))
}
