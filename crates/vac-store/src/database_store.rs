//! Reads sessions of a database that other programs may be writing to.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vac_adapter::Adapter;
use vac_adapter::container::{Documents, SessionStore, StoredSession, Stores, bad_data};

use crate::agent_database::AgentDatabase;
use crate::safe_path::SafePath;
use crate::sqlite::{SqliteDatabase, Watch, retry};

/// The sessions of a database. Each is read from one state of the database: if another
/// program changes it meanwhile, it is opened and read again.
#[derive(Debug)]
pub(crate) struct DatabaseStore {
    path: SafePath,
    /// The agent that wrote the database.
    agent: Agent,
    /// The open database, kept between reads, so that a database that has to be copied is copied
    /// once.
    opened: Mutex<Option<Arc<Opened>>>,
}

/// An agent that keeps sessions in databases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent {
    /// The name of its adapter.
    pub adapter: &'static str,
    stores: &'static Stores,
}

impl Agent {
    /// Returns the adapters whose agents keep sessions in databases.
    fn all(adapters: &[&dyn Adapter]) -> Vec<Self> {
        let agents = adapters.iter().map(|it| Self { adapter: it.name(), stores: it.stores() });
        agents.filter(|agent| !agent.stores.tables.is_empty()).collect()
    }
}

/// A database in one state.
#[derive(Debug)]
struct Opened {
    store: Arc<dyn SessionStore>,
    watch: Watch,
}

impl DatabaseStore {
    /// Opens a database, if one of these agents wrote it.
    pub fn open(path: &SafePath, adapters: &[&dyn Adapter]) -> io::Result<Option<Self>> {
        let agents = Agent::all(adapters);
        let store = |(agent, opened)| Self {
            path: path.clone(),
            agent,
            opened: Mutex::new(Some(Arc::new(opened))),
        };
        Ok(retry(|| Opened::new(path, &agents))?.map(store))
    }

    /// Returns the name of the adapter of the agent that wrote the database.
    pub fn adapter(&self) -> &'static str {
        self.agent.adapter
    }

    /// Closes the database until it is read again.
    pub fn close(&self) {
        *self.locked() = None;
    }

    /// Reads from one state of the database.
    fn read_once<T>(&self, read: impl Fn(&dyn SessionStore) -> io::Result<T>) -> io::Result<T> {
        retry(|| {
            let opened = self.open_once()?;
            let result = read(&*opened.store);
            // An error can also be caused by a change.
            opened.watch.check().inspect_err(|_| self.forget(&opened))?;
            result
        })
    }

    fn open_once(&self) -> io::Result<Arc<Opened>> {
        let mut current = self.locked();
        if let Some(opened) = &*current {
            return Ok(opened.clone());
        }
        let changed = || bad_data("the database has changed since it was found");
        let (_, opened) = Opened::new(&self.path, &[self.agent])?.ok_or_else(changed)?;
        Ok(current.insert(Arc::new(opened)).clone())
    }

    /// Closes an outdated state, unless another thread has done so.
    fn forget(&self, outdated: &Arc<Opened>) {
        let mut current = self.locked();
        if current.as_ref().is_some_and(|opened| Arc::ptr_eq(opened, outdated)) {
            *current = None;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        // A thread that panicked has left no incomplete change.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    /// Opens a database, if one of these agents wrote it.
    fn new(path: &SafePath, agents: &[Agent]) -> io::Result<Option<(Agent, Self)>> {
        let database = SqliteDatabase::open(path)?;
        let watch = database.watch();
        let store = recognize(database, path, agents);
        // A database that changes meanwhile can look like that of another agent, or like a damaged
        // one.
        if !matches!(store, Ok(Some(_))) {
            watch.check()?;
        }
        Ok(store?.map(|(agent, store)| (agent, Self { store, watch })))
    }
}

/// Returns the agent that wrote a database, and its sessions.
fn recognize(
    database: SqliteDatabase,
    path: &SafePath,
    agents: &[Agent],
) -> io::Result<Option<(Agent, Arc<dyn SessionStore>)>> {
    let database = Arc::new(Mutex::new(database));
    for agent in agents {
        let tables = AgentDatabase::new(database.clone(), agent.stores.tables, path)?;
        if let Some(store) = (agent.stores.open_database)(Arc::new(tables)) {
            return Ok(Some((*agent, store)));
        }
    }
    Ok(None)
}

impl SessionStore for DatabaseStore {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        self.read_once(|store| store.sessions())
    }

    fn read(&self, key: &str) -> io::Result<Documents> {
        self.read_once(|store| store.read(key))
    }
}
