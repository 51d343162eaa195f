//! Where agents keep their sessions.
//!
//! A pure function of the system, its variables and the home folder: what is really there
//! is [`discover`](crate::discover::discover)'s business.

mod table;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use table::{Keep, What};
use table::{OPENCODE, PLACES, Place};

/// An operating system, as far as places differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux, and everything that is like it.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The one that this program runs on.
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

/// What decides where an agent keeps its sessions.
pub struct Surroundings<'s> {
    /// The system.
    pub system: System,
    /// The user's home folder, if there is one.
    pub home: Option<&'s Path>,
    /// The folder for temporary files.
    pub temporary: &'s Path,
    /// The environment's variables.
    pub variable: &'s dyn Fn(&str) -> Option<OsString>,
}

/// A folder of an agent, or a file, whether it is there or not.
#[derive(Clone, Debug)]
pub struct Root {
    /// The agent.
    pub agent: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// The variable that says so, if one does.
    pub variable: Option<&'static str>,
    /// Where in it sessions are.
    pub(crate) keeps: &'static [Keep],
    /// The folder that the user named and the path of this place below it. Otherwise the place
    /// is the user's own, and may be a link.
    pub(crate) below: Option<(PathBuf, PathBuf)>,
}

/// Where agents keep their sessions.
///
/// ```
/// use std::path::Path;
/// use vac_store::places::{self, Surroundings, System};
///
/// let around = Surroundings {
///     system: System::Linux,
///     home: Some(Path::new("/home/ada")),
///     temporary: Path::new("/tmp"),
///     variable: &|name| (name == "CODEX_HOME").then(|| "/srv/codex".into()),
/// };
/// let roots = places::of(&around);
/// let of = |agent| roots.iter().find(|root| root.agent == agent).map(|root| root.path.as_path());
/// assert_eq!(of("claude"), Some(Path::new("/home/ada/.claude")));
/// assert_eq!(of("codex"), Some(Path::new("/srv/codex")));
/// ```
pub fn of(around: &Surroundings<'_>) -> Vec<Root> {
    let mut roots = Vec::new();
    for place in PLACES.iter().filter(|place| place.systems.contains(&around.system)) {
        let named = place.variables.iter().find_map(|(variable, below)| {
            let paths = listed(&around.set(variable)?, around.system, place.is_list);
            Some((*variable, paths.into_iter().map(|path| join(&path, below)).collect::<Vec<_>>()))
        });
        match named {
            Some((variable, paths)) => {
                roots.extend(paths.into_iter().map(|path| place.root(path, Some(variable))));
            }
            None => {
                let spare = place.without_home.then_some(around.temporary);
                let home = around.home.or(spare);
                let folders = home
                    .into_iter()
                    .flat_map(|home| place.in_home.iter().map(|name| join(home, name)));
                roots.extend(folders.map(|path| place.root(path, None)));
            }
        }
    }
    roots.extend(database(around, &roots));
    roots
}

/// The same in a folder that is like a home folder, of whatever system, or that is a copy
/// of an agent's folder. No variable counts.
pub fn below(folder: &Path) -> Vec<Root> {
    let in_home = |place: &'static Place| {
        let names = place.in_home.iter().copied().chain([""]);
        names.map(|names| {
            let below = Some((folder.to_owned(), join(Path::new(""), names)));
            Root { below, ..place.root(join(folder, names), None) }
        })
    };
    PLACES.iter().flat_map(in_home).collect()
}

impl Place {
    fn root(&self, path: PathBuf, variable: Option<&'static str>) -> Root {
        Root { agent: self.agent, path, variable, keeps: self.keeps, below: None }
    }
}

impl Surroundings<'_> {
    /// A variable; an empty one is none.
    fn set(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }
}

/// The database that `OPENCODE_DB` names: a path, or a name in `OpenCode`'s folder.
fn database(around: &Surroundings<'_>, roots: &[Root]) -> Option<Root> {
    const VARIABLE: &str = "OPENCODE_DB";
    let value = around.set(VARIABLE).filter(|value| value != ":memory:")?;
    let text = value.to_string_lossy();
    let is_absolute = text.starts_with(['/', '\\']) || text.get(1..2) == Some(":");
    let path = if is_absolute {
        PathBuf::from(value)
    } else {
        let data = roots.iter().find(|root| root.agent == OPENCODE)?;
        data.path.join(value)
    };
    let keeps = table::DATABASE;
    Some(Root { agent: OPENCODE, path, variable: Some(VARIABLE), keeps, below: None })
}

/// The paths that a value holds: itself, and if it looks like a list, those in it.
fn listed(value: &OsString, system: System, is_list: bool) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from(value)];
    let separator = if system == System::Windows { ';' } else { ':' };
    if let Some(text) = value.to_str().filter(|_| is_list) {
        let pieces: Vec<_> = text.split([',', separator]).map(str::trim).collect();
        if pieces.len() > 1 {
            paths.extend(pieces.into_iter().filter(|piece| !piece.is_empty()).map(PathBuf::from));
        }
    }
    paths
}

/// A folder below another, named with `/`; nothing is the folder itself.
fn join(folder: &Path, below: &str) -> PathBuf {
    below
        .split('/')
        .filter(|name| !name.is_empty())
        .fold(folder.to_owned(), |path, name| path.join(name))
}

#[cfg(test)]
mod tests;
