//! Containers of several sessions.

use std::fmt;
use std::io;
use std::sync::Arc;

use vac_adapter::Glimpse;

use crate::opencode;
use crate::safe_path::SafePath;

/// A container of several sessions.
pub trait Store: fmt::Debug + Send + Sync {
    /// The sessions in it, in a fixed order.
    fn sessions(&self) -> io::Result<Vec<Held>>;

    /// The documents of one of them, one behind the other.
    fn read(&self, key: &str) -> io::Result<Vec<u8>>;
}

/// A session in a store.
#[derive(Clone, Debug)]
pub struct Held {
    /// What [`Store::read`] knows it by.
    pub key: String,
    /// How much there is of it, if that is easy to know.
    pub size: Option<u64>,
    /// Whose it is and what a list says about it.
    pub glimpse: Option<(&'static str, Glimpse)>,
}

/// The store that a folder is, if it is one.
pub(crate) fn of_folder(path: &SafePath) -> io::Result<Option<Arc<dyn Store>>> {
    opencode::of_folder(path)
}

/// An error that says what is wrong with the data.
pub(crate) fn bad_data(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}
