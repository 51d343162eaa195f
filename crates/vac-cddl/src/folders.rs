//! Reads specifications and modules from files.
//!
//! The name of a module is one plain component of a path (`ModuleLoader::load`), and links
//! are followed only within the folder that contains them: a specification from elsewhere
//! can read nothing but the files below the folders that the user names.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::modules::is_module_name;
use crate::{MAX_TEXT_BYTES, ModuleLoader, SpecFile};

/// Reads the modules that directives name from folders.
///
/// Module `rfc9052` is the file `rfc9052.cddl` of the first folder that has one. `RFC9052` is
/// the same module unless `RFC9052.cddl` exists.
#[derive(Clone, Debug)]
pub struct ModuleFolders {
    folders: Vec<PathBuf>,
}

impl ModuleFolders {
    /// Reads modules from these folders, in this order.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { folders: folders.into_iter().collect() }
    }
}

impl ModuleLoader for ModuleFolders {
    fn load(&self, module: &str) -> Result<SpecFile<'static>, String> {
        if !is_module_name(module) {
            return Err(format!("`{module}` is not the name of a module"));
        }
        let mut names = vec![format!("{module}.cddl"), format!("{}.cddl", module.to_lowercase())];
        if Path::new(module).extension().is_some_and(|extension| extension == "cddl") {
            names.insert(0, module.to_owned());
        }
        names.dedup();
        for folder in &self.folders {
            for name in &names {
                if let Some(file) = read_below(folder, name)? {
                    return Ok(file);
                }
            }
        }
        let folders: Vec<_> = self.folders.iter().map(|it| it.display().to_string()).collect();
        Err(format!(
            "module `{module}` is not found: no {} in {}",
            names.join(" or "),
            folders.join(", ")
        ))
    }
}

/// Reads a file of a folder; `None` if it does not exist.
fn read_below(folder: &Path, name: &str) -> Result<Option<SpecFile<'static>>, String> {
    let path = folder.join(name);
    let failed = |path: &Path, error: io::Error| format!("cannot read {}: {error}", path.display());
    let top = fs::canonicalize(folder).map_err(|error| failed(folder, error))?;
    let target = match fs::canonicalize(&path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&path, error)),
    };
    if !target.starts_with(&top) {
        return Err(format!("{} is a link to a file outside of its folder", path.display()));
    }
    if !fs::metadata(&target).is_ok_and(|metadata| metadata.is_file()) {
        return Err(format!("{} is not a file", path.display()));
    }
    let text = read_text(&target).map_err(|error| failed(&path, error))?;
    Ok(Some(SpecFile::new(path.display().to_string(), text)))
}

/// Reads the text of a specification. Its name is the path as it is given.
pub fn read_file(path: &Path) -> io::Result<SpecFile<'static>> {
    Ok(SpecFile::new(path.to_string_lossy().into_owned(), read_text(path)?))
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // Read one byte more than the parser accepts, so that it refuses a longer text.
    fs::File::open(path)?.take(MAX_TEXT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_TEXT_BYTES {
        // A text that was cut off can end inside a character.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
