//! Describes the state of a file on disk, by which a later run recognises an unchanged file without
//! reading it.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use vac_adapter::container::Container;

use crate::log::{Place, Stored, StoredLog};
use crate::safe_path::SafePath;
use crate::sqlite;

/// The size, times and identity of a file. Every change of a file changes its `ctime`, which only
/// the system sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileStat {
    size: u64,
    /// The time of the last change of its bytes, in nanoseconds since 1970.
    mtime: i64,
    /// The time of the last change of its bytes, name or permissions, in nanoseconds since 1970.
    ctime: i64,
    inode: u64,
    device: u64,
}

impl FileStat {
    /// Returns the state of a file; `None` on systems that have no `ctime` and inodes.
    #[cfg(unix)]
    pub fn new(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self {
            size: metadata.len(),
            mtime: nanoseconds(metadata.mtime(), metadata.mtime_nsec())?,
            ctime: nanoseconds(metadata.ctime(), metadata.ctime_nsec())?,
            inode: metadata.ino(),
            device: metadata.dev(),
        })
    }

    /// Returns the state of a file as the system states it, the same as [`new`](Self::new).
    #[cfg(unix)]
    #[allow(clippy::useless_conversion)] // the types of the fields differ between systems
    pub(crate) fn from_system(stat: &rustix::fs::Stat) -> Option<Self> {
        let time = |seconds: i64, rest: Option<i64>| nanoseconds(seconds, rest?);
        Some(Self {
            size: u64::try_from(stat.st_size).ok()?,
            mtime: time(stat.st_mtime.into(), i64::try_from(stat.st_mtime_nsec).ok())?,
            ctime: time(stat.st_ctime.into(), i64::try_from(stat.st_ctime_nsec).ok())?,
            inode: stat.st_ino.into(),
            device: u64::try_from(stat.st_dev).ok()?,
        })
    }

    /// Returns the state of a file; `None` on systems that have no `ctime` and inodes.
    #[cfg(not(unix))]
    pub fn new(_: &Metadata) -> Option<Self> {
        None
    }

    /// Returns the state of a file as the system states it, the same as [`new`](Self::new).
    #[cfg(not(unix))]
    pub(crate) fn from_system(metadata: &Metadata) -> Option<Self> {
        Self::new(metadata)
    }

    /// Returns whether the file was last changed before a time, with a margin for clocks that count
    /// in steps of up to two seconds. If so, bytes that were read after that time are those that
    /// the file contains, because a change meanwhile would have set a later `ctime`.
    pub fn is_older_than(&self, time: SystemTime) -> bool {
        const MARGIN: Duration = Duration::from_secs(3);
        let limit = time.checked_sub(MARGIN).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let limit = limit.and_then(|limit| i64::try_from(limit.as_nanos()).ok());
        limit.is_some_and(|limit| self.mtime < limit && self.ctime < limit)
    }
}

/// Returns a time in nanoseconds since 1970, if it has one.
#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: i64) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(rest)
}

impl StoredLog {
    /// x
    pub fn stats(&self) -> Option<Vec<FileStat>> {
        let parts = self.parts.iter().chain(&self.attachments);
        let stat = |part: &crate::log::Part| match &part.place {
            Place::File(path) | Place::Compressed(path) | Place::Note(path) => path.stat().ok()?,
            Place::Kept(_) | Place::KeptCompressed(_) | Place::Stored(_) => None,
        };
        parts.map(stat).collect()
    }

    /// Returns the path and the state of each of its files; for a session in a database, those of
    /// the database and its journals. `None` if one of them is something else, or does not exist.
    pub fn file_stats(&self) -> Option<Vec<(PathBuf, FileStat)>> {
        let stat = |path: &SafePath| Some((path.as_path().to_owned(), path.stat().ok()??));
        let mut stats = Vec::new();
        for part in self.parts.iter().chain(&self.attachments) {
            match &part.place {
                Place::File(path) | Place::Compressed(path) | Place::Note(path) => {
                    stats.push(stat(path)?);
                }
                Place::Stored(Stored { path, container: Container::Database, .. }) => {
                    stats.push(stat(path)?);
                    // A journal that does not exist is not included, so a new journal is a change.
                    let journals = sqlite::JOURNALS.iter().filter_map(|it| path.with_ending(it));
                    stats.extend(journals.filter_map(|journal| stat(&journal)));
                }
                Place::Kept(_) | Place::KeptCompressed(_) | Place::Stored(_) => return None,
            }
        }
        Some(stats)
    }

    /// Returns a text that names the log on this system: the path of its first file, with `#` and the
    /// key of a session in a store. `None` if it came through standard input, or is not Unicode.
    pub fn key(&self) -> Option<String> {
        let part = self.parts.first()?;
        let path = part.path()?.to_str()?;
        Some(match &part.place {
            Place::Stored(stored) => format!("{path}#{}", stored.key),
            _ => path.to_owned(),
        })
    }

    /// Returns whether its sources have these names, in this order.
    pub fn has_sources<'n>(&self, names: impl ExactSizeIterator<Item = &'n str>) -> bool {
        let parts = self.parts.iter().chain(&self.attachments);
        names.len() == self.parts.len() + self.attachments.len()
            && parts.zip(names).all(|(part, name)| part.source_name() == name)
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::disallowed_methods)] // tests create the files that they read
mod tests {
    use super::*;
    use crate::skipped::Skipped;

    #[test]
    fn every_change_of_a_file_changes_its_stat() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "one").unwrap();
        let stat = || FileStat::new(&path.metadata().unwrap()).unwrap();
        let first = stat();
        assert_eq!(first, stat());
        // Restores size and time of change, as an attacker can.
        let modified = path.metadata().unwrap().modified().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, "two").unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        let second = stat();
        assert_eq!((first.size, first.mtime), (second.size, second.mtime));
        assert_ne!(first, second);
    }

    #[test]
    fn state_of_a_path_is_that_of_its_open_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        std::fs::write(&file, "one").unwrap();
        std::os::unix::fs::symlink("log", folder.path().join("link")).unwrap();
        let root = SafePath::named(folder.path(), &Skipped::default());
        let expected = FileStat::new(&file.metadata().unwrap());
        assert_eq!(root.join("log").stat().unwrap(), expected);
        assert_eq!(SafePath::named(&file, &Skipped::default()).stat().unwrap(), expected);
        for name in ["link", "missing", "."] {
            assert!(root.join(name).stat().is_err(), "{name}");
        }
    }

    #[test]
    fn fresh_file_is_not_older_than_now() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "one").unwrap();
        let stat = FileStat::new(&path.metadata().unwrap()).unwrap();
        let now = SystemTime::now();
        assert!(!stat.is_older_than(now));
        assert!(stat.is_older_than(now + Duration::from_secs(4)));
        assert!(!stat.is_older_than(UNIX_EPOCH));
    }
}
