//! Describes the places where an agent keeps its sessions, as data.
//!
//! An adapter lists its places ([`Adapter::places`](crate::Adapter::places)); `vac-store` resolves
//! them and searches them. Only files that a [`Keep`] names are ever opened.
//!
//! ```
//! use vac_adapter::places::{Keep, AgentPlace, Variables};
//!
//! const PLACES: &[AgentPlace] = &[AgentPlace {
//!     variables: Variables::Folder(&[("NEST_HOME", "")]),
//!     in_home: &[".nest"],
//!     keeps: &[Keep::logs(&["sessions", "**"], &["*.jsonl"])],
//!     ..AgentPlace::DEFAULT
//! }];
//! assert_eq!(PLACES[0].systems.len(), 3);
//! ```

/// An operating system. Systems with the same places are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux, and systems with the same places.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// Every system.
    pub const ALL: &'static [Self] = &[Self::Linux, Self::MacOs, Self::Windows];

    /// Returns the system that this program runs on.
    pub fn this() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// A folder, or a file, in which an agent keeps sessions.
#[derive(Clone, Copy, Debug)]
pub struct AgentPlace {
    /// The agent that keeps sessions here, if it is not the adapter's own: one that writes the
    /// same format under another name.
    pub agent: Option<&'static str>,
    /// The systems that have the place.
    pub systems: &'static [System],
    /// Environment variables that name the place. If one is set, `in_home` does not apply.
    pub variables: Variables,
    /// Paths below the home folder, with `/` between the names.
    pub in_home: &'static [&'static str],
    /// Whether the folder for temporary files replaces a missing home folder.
    pub without_home: bool,
    /// The files and folders below the place that contain sessions.
    pub keeps: &'static [Keep],
}

impl AgentPlace {
    /// A place on all systems without a path: the base of struct updates.
    pub const DEFAULT: Self = Self {
        agent: None,
        systems: System::ALL,
        variables: Variables::Folder(&[]),
        in_home: &[],
        without_home: false,
        keeps: &[],
    };
}

/// Environment variables that name a place. The first that is set and not empty counts.
#[derive(Clone, Copy, Debug)]
pub enum Variables {
    /// Variables (the first texts) that name a folder. The second texts are the path of the place
    /// below it.
    Folder(&'static [(&'static str, &'static str)]),
    /// As `Folder`, but the value may be a list of folders.
    Folders(&'static [(&'static str, &'static str)]),
    /// A variable that names a file. A relative path is below the place that the adapter lists
    /// before this one.
    File {
        /// The variable.
        name: &'static str,
        /// A value that names no file.
        none: &'static str,
    },
}

/// Files or folders below a place that contain sessions.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// The names of folders below the place: `*` is any folder, `**` any number of them.
    pub folders: &'static [&'static str],
    /// The names of files there; `*` is any text. Empty if the place itself is the file.
    pub names: &'static [&'static str],
    /// The kind of such a file or folder.
    pub kind: KeepKind,
}

/// The kind of a file or folder in which an agent keeps sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepKind {
    /// A file with one session, or a part of one.
    Log,
    /// A database or a folder with several sessions.
    Store,
    /// A file with the prompts of several sessions, without the answers.
    Prompts,
}

impl Keep {
    /// Creates the value for files with one session each.
    pub const fn logs(folders: &'static [&'static str], names: &'static [&'static str]) -> Self {
        Self { folders, names, kind: KeepKind::Log }
    }

    /// Creates the value for databases or folders with several sessions each.
    pub const fn stores(folders: &'static [&'static str], names: &'static [&'static str]) -> Self {
        Self { folders, names, kind: KeepKind::Store }
    }

    /// Creates the value for files with the prompts of several sessions each.
    pub const fn prompts(folders: &'static [&'static str], names: &'static [&'static str]) -> Self {
        Self { folders, names, kind: KeepKind::Prompts }
    }
}
