//! Determines the readers of a file that a program writes.
//!
//! A file is readable only by users who can read everything it is made from: the permission bits of
//! each source count, and so do those of the folders around it, since a file of mode 0644 in a
//! folder of mode 0700 is private. [`Readers::Mode`] overrides this. Access control lists are not examined,
//! and on systems without permission bits new files inherit the rights of their folder.

use std::path::Path;

use vac_store::StoredLog;

/// The users who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The owner: mode 0600.
    Owner,
    /// The owner and the group with this id: mode 0640, or 0600 if the new file belongs to another
    /// group.
    Group(u32),
    /// All users, as far as the umask allows: mode 0644.
    Everyone,
    /// Exactly this mode, regardless of the umask.
    Mode(u32),
}

impl Readers {
    /// Returns the users who can read all of these files; `-` is standard input, which is private.
    pub fn of_files<'p>(files: impl IntoIterator<Item = &'p Path>) -> Self {
        Self::intersect_all(files.into_iter().map(platform::of_file))
    }

    /// Returns the users who can read all of these logs; only the owner if there are none.
    pub fn of_logs<'l>(logs: impl IntoIterator<Item = &'l StoredLog>) -> Self {
        Self::intersect_all(logs.into_iter().map(Self::of_log))
    }

    /// Returns the users who can read a log. Databases, storage trees and standard input are
    /// private.
    fn of_log(log: &StoredLog) -> Self {
        match log.files() {
            Some(files) => Self::of_files(files),
            None => Self::Owner,
        }
    }

    /// Returns the users who are in all sets of readers; only the owner if there are no sets.
    fn intersect_all(all: impl Iterator<Item = Self>) -> Self {
        all.reduce(Self::intersect).unwrap_or(Self::Owner)
    }

    /// Returns the users who are in both sets of readers. An explicit mode overrides the other set.
    fn intersect(self, other: Self) -> Self {
        match (self, other) {
            (Self::Mode(mode), _) | (_, Self::Mode(mode)) => Self::Mode(mode),
            (Self::Everyone, readers) | (readers, Self::Everyone) => readers,
            (Self::Group(one), Self::Group(two)) if one == two => self,
            _ => Self::Owner,
        }
    }

    /// Returns these readers, without those who cannot read the existing file at this path.
    #[must_use]
    pub fn and_of_existing(self, path: &Path) -> Self {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => self.intersect(platform::of_metadata(&metadata)),
            _ => self,
        }
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use super::Readers;

    /// The bits that let others read a file.
    const READ: u32 = 0o4;
    /// The bit that lets others open files in a folder.
    const SEARCH: u32 = 0o1;

    /// Returns the users who can read a file at its path. Files that are not regular are private.
    pub fn of_file(path: &Path) -> Readers {
        readers_of_path(path).unwrap_or(Readers::Owner)
    }

    fn readers_of_path(path: &Path) -> std::io::Result<Readers> {
        let path = path.canonicalize()?;
        let metadata = path.metadata()?;
        if !metadata.is_file() {
            return Ok(Readers::Owner);
        }
        let mut readers = of_metadata(&metadata);
        for folder in path.ancestors().skip(1) {
            readers = readers.intersect(allowed(&folder.metadata()?, SEARCH));
        }
        Ok(readers)
    }

    /// Returns the users whom the permission bits of a file allow to read it.
    pub fn of_metadata(metadata: &Metadata) -> Readers {
        allowed(metadata, READ)
    }

    /// Returns the users whom a permission bit allows. If the bits deny the group what they allow
    /// all others, the file counts as private.
    fn allowed(metadata: &Metadata, bit: u32) -> Readers {
        let mode = metadata.mode();
        match (mode & bit << 3 != 0, mode & bit != 0) {
            (true, true) => Readers::Everyone,
            (true, false) => Readers::Group(metadata.gid()),
            (false, _) => Readers::Owner,
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::fs::Metadata;
    use std::path::Path;

    use super::Readers;

    pub fn of_file(_: &Path) -> Readers {
        Readers::Everyone
    }

    pub fn of_metadata(_: &Metadata) -> Readers {
        Readers::Everyone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_of_several_sources_can_read_each() {
        use Readers::{Everyone, Group, Mode, Owner};
        for (one, two, both) in [
            (Everyone, Everyone, Everyone),
            (Everyone, Group(5), Group(5)),
            (Group(5), Group(5), Group(5)),
            (Group(5), Group(6), Owner),
            (Owner, Everyone, Owner),
            (Owner, Group(5), Owner),
            (Mode(0o664), Owner, Mode(0o664)),
        ] {
            assert_eq!(one.intersect(two), both);
            assert_eq!(two.intersect(one), both);
        }
        assert_eq!(Readers::intersect_all(std::iter::empty()), Owner);
    }
}
