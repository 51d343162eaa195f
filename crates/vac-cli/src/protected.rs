//! What is read, and therefore never written to.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Files, and folders with everything in them.
#[derive(Default)]
pub struct Protected {
    paths: Vec<PathBuf>,
    /// The same without links, once somebody wants to know.
    real: OnceCell<HashSet<PathBuf>>,
}

impl Protected {
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
