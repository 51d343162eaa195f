//! Resolves the places where agents keep their sessions, on this system and for this user.
//!
//! Resolving the places of the agents is a pure function of the system, its variables and the home
//! folder; [`discover`](crate::discover::discover) then searches those that exist.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use vac_adapter::Adapter;
use vac_adapter::places::{AgentPlace, Keep, Variables};

pub use vac_adapter::places::System;

use crate::find::Origin;
use crate::safe_path::SafePath;

/// The properties of a system and a user that places depend on.
pub struct Surroundings<'s> {
    /// The system.
    pub system: System,
    /// The user's home folder, if there is one.
    pub home: Option<&'s Path>,
    /// The folder for temporary files.
    pub temporary: &'s Path,
    /// Returns the value of an environment variable.
    pub variable: &'s dyn Fn(&str) -> Option<OsString>,
}

/// A place of an agent, which need not exist.
#[derive(Clone, Debug)]
pub struct AgentRoot {
    /// The agent that keeps sessions here.
    pub agent: &'static str,
    /// The adapter that reads them.
    pub adapter: &'static str,
    /// The folder or file.
    pub path: PathBuf,
    /// The variable that names it, if one does.
    pub variable: Option<&'static str>,
    /// The home folder that contains it: that of the user, or one that the user named. `None` if
    /// the user has no home folder.
    pub home: Option<PathBuf>,
    /// The files and folders in it that contain sessions.
    pub(crate) keeps: &'static [Keep],
    /// The folder that the user named and the path of this place below it. Otherwise the place
    /// is the user's own, and may be a link.
    pub(crate) below: Option<(PathBuf, PathBuf)>,
}

/// Returns the places where agents keep their sessions.
///
/// ```
/// use std::path::Path;
/// use vac_adapter_gemini::Gemini;
/// use vac_store::places::{self, Surroundings, System};
///
/// let around = Surroundings {
///     system: System::Linux,
///     home: Some(Path::new("/home/ada")),
///     temporary: Path::new("/tmp"),
///     variable: &|name| (name == "GEMINI_CLI_HOME").then(|| "/srv".into()),
/// };
/// let roots = places::roots(&[&Gemini], &around);
/// assert_eq!(roots[0].path, Path::new("/srv/.gemini"));
/// ```
pub fn roots(agents: &[&dyn Adapter], around: &Surroundings<'_>) -> Vec<AgentRoot> {
    let mut roots = Vec::new();
    for adapter in agents {
        let first = roots.len();
        for place in adapter.places() {
            if place.systems.contains(&around.system) {
                let before = roots[first..].last().map(|root: &AgentRoot| root.path.clone());
                roots.extend(resolve(*adapter, place, before.as_deref(), around));
            }
        }
    }
    let home = around.home.map(Path::to_owned);
    for root in &mut roots {
        root.home.clone_from(&home);
    }
    roots
}

impl AgentRoot {
    /// Returns the name of the home folder. `None` if it has no name, such as `/`, or is a whole source.
    pub fn home_name(&self) -> Option<String> {
        let home = self.home.as_deref().filter(|home| !home.as_os_str().is_empty())?;
        let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
        // The working directory, or the folder above it. Nothing is opened there.
        #[allow(clippy::disallowed_methods)]
        let real = || name(&home.canonicalize().ok()?);
        name(home).or_else(real)
    }

    /// Returns its path relative to the home folder, if it is below that; empty if it is the home
    /// folder itself, which can be a copy of the agent's folder.
    pub fn name_in_home(&self) -> Option<&Path> {
        self.path.strip_prefix(self.home.as_deref()?).ok()
    }
}

/// Returns the path of a place on this system, even if it does not exist: the first one that a
/// variable names, or else the first below the home folder.
pub fn folder(place: &AgentPlace, around: &Surroundings<'_>) -> Option<PathBuf> {
    let named = match place.variables {
        Variables::Folder(names) | Variables::Folders(names) => names
            .iter()
            .find_map(|(name, below)| Some(join(&PathBuf::from(around.set(name)?), below))),
        Variables::File { .. } => None,
    };
    named.or_else(|| Some(join(around.home?, place.in_home.first()?)))
}

/// Returns the places of agents in a folder that is like a home folder, of any system, or that is
/// a copy of an agent's folder. Variables are ignored. A copy of the folder of an agent that writes
/// another agent's format is attributed to the other agent.
pub fn roots_below(agents: &[&dyn Adapter], folder: &Path) -> Vec<AgentRoot> {
    roots_of_home(agents, folder, Path::new(""))
}

/// Returns the places of agents in a home folder below a folder that the user named.
pub(crate) fn roots_of_home(agents: &[&dyn Adapter], folder: &Path, home: &Path) -> Vec<AgentRoot> {
    let mut roots = Vec::new();
    for adapter in agents {
        for place in adapter.places() {
            if matches!(place.variables, Variables::File { .. }) {
                continue;
            }
            let itself = place.agent.is_none().then_some("");
            for names in place.in_home.iter().copied().chain(itself) {
                let below = Some((folder.to_owned(), join(home, names)));
                let root = root(*adapter, place, join(&folder.join(home), names), None);
                roots.push(AgentRoot { below, home: Some(folder.join(home)), ..root });
            }
        }
    }
    roots
}

/// Returns the agent in whose place a path is, if it is one that writes the format of another
/// agent: its logs cannot be distinguished from the other's by their content.
pub(crate) fn fork_of_path(agents: &[&dyn Adapter], path: &SafePath) -> Option<Origin> {
    let is_on_disk = !path.is_in_source();
    let path = path.as_path().to_owned();
    // The working directory has no meaning in a source.
    let path = if is_on_disk { std::path::absolute(path).ok()? } else { path };
    let folders: Vec<_> = path.components().map(Component::as_os_str).collect();
    let contains = |names: &&'static str| {
        let names: Vec<_> = names.split('/').map(OsStr::new).collect();
        folders.windows(names.len()).any(|folders| folders == names)
    };
    agents.iter().find_map(|adapter| {
        let mut forks = adapter.places().iter().filter(|place| place.in_home.iter().any(contains));
        let agent = forks.find_map(|place| place.agent)?;
        Some(Origin { agent, adapter: adapter.name() })
    })
}

/// Returns the paths of one place. `before` is the adapter's place before it.
fn resolve(
    adapter: &dyn Adapter,
    place: &'static AgentPlace,
    before: Option<&Path>,
    around: &Surroundings<'_>,
) -> Vec<AgentRoot> {
    let named = match place.variables {
        Variables::File { name, none } => {
            let value = around.set(name).filter(|value| value != none);
            value.and_then(|value| Some((name, vec![file(value, before)?])))
        }
        Variables::Folder(names) | Variables::Folders(names) => {
            let is_list = matches!(place.variables, Variables::Folders(_));
            names.iter().find_map(|(name, below)| {
                let paths = listed(&around.set(name)?, around.system, is_list);
                Some((*name, paths.iter().map(|path| join(path, below)).collect()))
            })
        }
    };
    if let Some((variable, paths)) = named {
        return paths.into_iter().map(|path| root(adapter, place, path, Some(variable))).collect();
    }
    let spare = place.without_home.then_some(around.temporary);
    let Some(home) = around.home.or(spare) else { return Vec::new() };
    place.in_home.iter().map(|name| root(adapter, place, join(home, name), None)).collect()
}

fn root(
    adapter: &dyn Adapter,
    place: &'static AgentPlace,
    path: PathBuf,
    variable: Option<&'static str>,
) -> AgentRoot {
    let adapter = adapter.name();
    let agent = place.agent.unwrap_or(adapter);
    AgentRoot { agent, adapter, path, variable, home: None, keeps: place.keeps, below: None }
}

/// Returns the file that a variable names: by an absolute path of any system, or by a path below
/// the adapter's place before it.
fn file(value: OsString, before: Option<&Path>) -> Option<PathBuf> {
    let text = value.to_string_lossy();
    let is_absolute = text.starts_with(['/', '\\']) || text.get(1..2) == Some(":");
    if is_absolute { Some(PathBuf::from(value)) } else { Some(before?.join(value)) }
}

impl Surroundings<'_> {
    /// Returns the value of a variable that is set and not empty.
    fn set(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }
}

/// Returns the paths in the value of a variable: the value itself, and its elements if it has the
/// form of a list.
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

/// Returns a path below a folder; `below` has `/` between the names and may be empty.
fn join(folder: &Path, below: &str) -> PathBuf {
    below
        .split('/')
        .filter(|name| !name.is_empty())
        .fold(folder.to_owned(), |path, name| path.join(name))
}
