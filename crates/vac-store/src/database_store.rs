//! A database with sessions, which other programs may be writing to.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::safe_path::SafePath;
use crate::sqlite::{Database, Watch, retry};
use crate::store::{Held, Store, bad_data};
use crate::{cursor, opencode};

/// The sessions of a database. Each is read from one state of the database: if another
/// program changes it meanwhile, it is opened and read again.
#[derive(Debug)]
pub(crate) struct DatabaseStore {
    path: SafePath,
    /// Kept between reads, so that a database that has to be copied is copied once.
    opened: Mutex<Option<Arc<Opened>>>,
}

/// A database in one state.
#[derive(Debug)]
struct Opened {
    store: Arc<dyn Store>,
    watch: Watch,
}

impl DatabaseStore {
    /// Opens a database, if it is one of an agent that is known.
    pub fn open(path: &SafePath) -> io::Result<Option<Self>> {
        let store =
            |opened| Self { path: path.clone(), opened: Mutex::new(Some(Arc::new(opened))) };
        Ok(retry(|| Opened::new(path))?.map(store))
    }

    /// Closes the database until it is read again.
    pub fn close(&self) {
        *self.locked() = None;
    }

    /// Reads from one state of the database.
    fn read_once<T>(&self, read: impl Fn(&dyn Store) -> io::Result<T>) -> io::Result<T> {
        retry(|| {
            let opened = self.opened()?;
            let result = read(&*opened.store);
            // An error may be due to a change, too.
            opened.watch.check().inspect_err(|_| self.forget(&opened))?;
            result
        })
    }

    fn opened(&self) -> io::Result<Arc<Opened>> {
        let mut current = self.locked();
        if let Some(opened) = &*current {
            return Ok(opened.clone());
        }
        let changed = || bad_data("the database has changed since it was found");
        let opened = Opened::new(&self.path)?.ok_or_else(changed)?;
        Ok(current.insert(Arc::new(opened)).clone())
    }

    /// Closes a state that is out of date, unless another thread has done so.
    fn forget(&self, outdated: &Arc<Opened>) {
        let mut current = self.locked();
        if current.as_ref().is_some_and(|opened| Arc::ptr_eq(opened, outdated)) {
            *current = None;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        // A thread that panicked has not changed anything halfway.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    /// Opens a database, if it is one of an agent that is known.
    fn new(path: &SafePath) -> io::Result<Option<Self>> {
        let database = Database::open(path)?;
        let watch = database.watch();
        let store = recognise(database, path);
        // A database that changes meanwhile can look like another one, or like a damaged one.
        if !matches!(store, Ok(Some(_))) {
            watch.check()?;
        }
        Ok(store?.map(|store| Self { store, watch }))
    }
}

/// The store that a database is, if it is one of an agent that is known.
fn recognise(database: Database, path: &SafePath) -> io::Result<Option<Arc<dyn Store>>> {
    let database = match cursor::of_database(database, path)? {
        Ok(store) => return Ok(Some(store)),
        Err(database) => database,
    };
    Ok(opencode::of_database(database, path)?.ok())
}

impl Store for DatabaseStore {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        self.read_once(|store| store.sessions())
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        self.read_once(|store| store.read(key))
    }
}
