//! Tests logs in stores, and troubles in reading them.

// Tests may use the functions that open files by paths.
#![allow(clippy::disallowed_methods)]

mod cursor;
mod find;
mod in_use;
mod opencode;
mod snapshot;
mod swapped;

use std::ops::Deref;
use std::path::Path;

use vac_adapter::container::{RowProblem, Trouble};
use vac_adapter::{Adapter, Input as _};
use vac_adapter_check::TestLog;

/// The agents whose stores are tested.
const AGENTS: &[&dyn Adapter] =
    &[&vac_adapter_cursor::Cursor, &vac_adapter_gemini::Gemini, &vac_adapter_opencode::OpenCode];

/// The documents of a session of a store, with their troubles.
#[derive(Clone, Debug)]
struct Stored(TestLog);

impl Deref for Stored {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.first()
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        **self == **other && self.0.troubles() == other.0.troubles()
    }
}

impl Stored {
    /// Returns the codes of the troubles of each document.
    fn codes(&self) -> Vec<Vec<&'static str>> {
        let mut offset = 0;
        let documents = serde_json::Deserializer::from_slice(self).into_iter::<serde_json::Value>();
        let mut documents = documents;
        let mut codes = Vec::new();
        while documents.next().is_some() {
            let is_here = |trouble: &&Trouble| trouble.offset == offset;
            let here = self.0.troubles().iter().filter(is_here);
            let here = here.filter(|it| !matches!(it.problem, RowProblem::Unreadable { .. }));
            codes.push(here.map(|trouble| trouble.problem.code()).collect());
            // Each document ends with a line end.
            offset = documents.byte_offset() as u64 + 1;
        }
        codes
    }
}

/// Returns the sessions in a path, with their keys.
fn sessions(path: &Path) -> Vec<(String, Stored)> {
    let found = vac_store::find(&[path.to_owned()], AGENTS);
    assert!(found.troubles.is_empty(), "{:?}", found.troubles);
    let sessions = found.logs.iter().map(|log| {
        let key = log.shown.rsplit_once('#').expect("a session of a store").1.to_owned();
        (key, Stored(TestLog::load(log)))
    });
    sessions.collect()
}
