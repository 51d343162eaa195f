//! Lists links and special files that were not opened.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The links and special files that were found while logs were searched for and read.
///
/// Clones share one list: every [`SafePath`](crate::SafePath) adds to the list of the search
/// that found it, also while its log is converted.
#[derive(Clone, Debug, Default)]
pub struct Skipped(Arc<Mutex<BTreeMap<PathBuf, Entry>>>);

#[derive(Clone, Copy, Debug)]
struct Entry {
    reason: SkippedReason,
    is_reported: bool,
}

/// The reason why a file was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkippedReason {
    /// The file is a symbolic link.
    Link,
    /// The file is a pipe, a socket or a device.
    Special,
}

impl fmt::Display for SkippedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Link => "symbolic link, not followed",
            Self::Special => "pipe, socket or device, not opened",
        })
    }
}

impl Skipped {
    /// Adds a path, unless it is listed already.
    pub(crate) fn add(&self, path: &Path, reason: SkippedReason) {
        let mut skipped = self.lock();
        if !skipped.contains_key(path) {
            skipped.insert(path.to_owned(), Entry { reason, is_reported: false });
        }
    }

    /// Returns the paths that earlier calls have not returned, in order.
    pub fn unreported(&self) -> Vec<(PathBuf, SkippedReason)> {
        let mut skipped = self.lock();
        let new = skipped.iter_mut().filter(|(_, entry)| !entry.is_reported);
        new.map(|(path, entry)| {
            entry.is_reported = true;
            (path.clone(), entry.reason)
        })
        .collect()
    }

    /// Returns the number of paths that were skipped for this reason.
    pub fn count(&self, reason: SkippedReason) -> usize {
        self.lock().values().filter(|entry| entry.reason == reason).count()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Entry>> {
        // Every insertion is either complete or absent, even if a thread panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
