//! Refuses to write to inputs and to folders of agents.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use vac_store::places::AgentRoot;

use crate::error::{Error, Result};
use crate::search::own_roots;

/// A guard of inputs that must not be overwritten: files, and folders with everything in them.
#[derive(Debug, Default)]
pub struct InputGuard {
    paths: Vec<PathBuf>,
    /// The paths without links, resolved when first needed.
    real: OnceLock<HashSet<PathBuf>>,
}

impl InputGuard {
    /// Creates a guard of these paths.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        Self { paths: paths.into_iter().map(Path::to_owned).collect(), real: OnceLock::new() }
    }

    /// Returns an error if a file is one of the inputs, even under another name.
    pub fn refuse(&self, output: &Path) -> Result<()> {
        let Ok(output) = output.canonicalize() else { return Ok(()) };
        let real = || self.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let real = self.real.get_or_init(real);
        if output.is_file() && output.ancestors().any(|path| real.contains(path)) {
            let shown = output.display();
            return Err(Error::refused(format!("{shown} is an input and is not overwritten")));
        }
        Ok(())
    }
}

/// Returns an error if a folder is one of those that are searched for sessions, because its files
/// would be among them.
pub fn refuse_input_folder(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    let output = real_path(output);
    if inputs.iter().any(|input| real_path(input) == output) {
        let shown = output.display();
        let reason = format!("{shown} is an input: choose another folder for output");
        return Err(Error::refused(reason));
    }
    Ok(())
}

/// Returns an error if a path is in a folder where an agent of this user keeps its sessions.
pub fn refuse_agent_folder(output: &Path) -> Result<()> {
    refuse_agent_roots(output, own_roots())
}

/// Returns an error if a path is in one of these folders, where agents keep their sessions.
pub fn refuse_agent_roots(output: &Path, roots: impl IntoIterator<Item = AgentRoot>) -> Result<()> {
    let output = real_path(output);
    for root in roots {
        let place = root.path.canonicalize().unwrap_or_else(|_| root.path.clone());
        if output.starts_with(&place) {
            return Err(Error::refused(format!(
                "{} is in {}, where {} keeps its sessions: choose another place for output",
                output.display(),
                place.display(),
                root.agent
            )));
        }
    }
    Ok(())
}

/// Resolves links and `..` of a path, as far as it exists.
fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(real.pop()),
            component => real.push(component),
        }
        real = real.canonicalize().unwrap_or(real);
    }
    real
}
