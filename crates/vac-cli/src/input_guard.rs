//! What is read, and therefore never written to.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};
use vac::search::own_roots;

/// Files, and folders with everything in them.
#[derive(Default)]
pub struct InputGuard {
    paths: Vec<PathBuf>,
    /// The same without links, once somebody wants to know.
    real: OnceCell<HashSet<PathBuf>>,
}

impl InputGuard {
    /// These.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        Self { paths: paths.into_iter().map(Path::to_owned).collect(), real: OnceCell::new() }
    }

    /// Refuses to write to one of them, by whatever name.
    pub fn refuse(&self, output: &Path) -> Result<()> {
        let Ok(output) = output.canonicalize() else { return Ok(()) };
        let real = || self.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let real = self.real.get_or_init(real);
        if output.is_file() && output.ancestors().any(|path| real.contains(path)) {
            bail!("{} is an input: it is not written to", output.display());
        }
        Ok(())
    }
}

/// Refuses to write to a folder in which an agent keeps its sessions.
pub fn refuse_agent_folder(output: &Path) -> Result<()> {
    let output = real_path(output);
    for root in own_roots() {
        let place = root.path.canonicalize().unwrap_or_else(|_| root.path.clone());
        if output.starts_with(&place) {
            bail!(
                "{} is in {}, where {} keeps its sessions: choose another place for output",
                output.display(),
                place.display(),
                root.agent
            );
        }
    }
    Ok(())
}

/// A path without links and without `..`, as far as it exists.
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
