//! Generated files: which there are, and whether they are up to date.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use vac_cddl::Errors;
use vac_cddl::ir::{Schema, Warning};

use crate::Error;

/// The specification of this workspace, from its root.
const SPEC: &str = "spec/agent-conversation.cddl";

/// The folder for the files that are generated from it.
const RECORD: &str = "crates/vac-record/src/generated";

/// The folder with golden specifications. Their modules are in a folder `generated` of it.
const GOLDENS: &str = "fixtures/cddl";

/// A file that is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Where it belongs.
    pub path: PathBuf,
    /// What belongs in it.
    pub text: String,
}

/// A file that was not up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// The number of lines that are new.
    pub added: usize,
    /// The number of lines that are gone.
    pub removed: usize,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, added, removed } = self;
        write!(f, "{}: {added} lines added, {removed} lines removed", path.display())
    }
}

/// Why files cannot be generated.
#[derive(Debug)]
pub enum FileError {
    /// A file or folder cannot be read or written.
    Io(PathBuf, io::Error),
    /// A specification cannot be read.
    Spec(Errors),
    /// A specification cannot be turned into Rust.
    Generate(PathBuf, Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Spec(errors) if f.alternate() => write!(f, "{errors:#}"),
            Self::Spec(errors) => errors.fmt(f),
            Self::Generate(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            Self::Spec(errors) => Some(errors),
            Self::Generate(_, error) => Some(error),
        }
    }
}

/// Generates the module of a specification. Returns its text, and warnings about the
/// specification.
pub fn module(spec: &Path) -> Result<(String, Vec<Warning>), FileError> {
    let name =
        spec.file_name().map_or_else(|| spec.to_string_lossy(), |name| name.to_string_lossy());
    let schema = read_spec(spec, &name)?;
    let text = crate::standalone(&schema, &name)
        .map_err(|error| FileError::Generate(spec.to_owned(), error))?;
    Ok((text, schema.warnings))
}

/// Generates the module of a specification into a file, for use in build scripts. The file is
/// only written if it changes. Returns warnings about the specification.
pub fn generate(spec: impl AsRef<Path>, file: impl AsRef<Path>) -> Result<Vec<Warning>, FileError> {
    let (text, warnings) = module(spec.as_ref())?;
    update(&[Output { path: file.as_ref().to_owned(), text }])?;
    Ok(warnings)
}

/// Generates all files of this workspace, whose folder is `root`. Returns them, and warnings
/// about the specifications.
pub fn workspace(root: &Path) -> Result<(Vec<Output>, Vec<Warning>), FileError> {
    let spec = root.join(SPEC);
    let schema = read_spec(&spec, SPEC)?;
    let mut warnings = schema.warnings.clone();
    let files = crate::record_files(&schema, SPEC)
        .map_err(|error| FileError::Generate(spec.clone(), error))?;
    let record = root.join(RECORD);
    let mut outputs: Vec<Output> = files
        .into_iter()
        .map(|file| Output { path: record.join(file.name), text: file.text })
        .collect();
    let goldens = root.join(GOLDENS);
    for spec in specifications(&goldens)? {
        let (text, more) = module(&spec)?;
        warnings.extend(more);
        let path = goldens.join("generated").join(module_name(&spec)).with_extension("rs");
        outputs.push(Output { path, text });
    }
    Ok((outputs, warnings))
}

/// The name of the Rust module of a specification: `01-map.cddl` becomes `01_map`.
pub fn module_name(spec: &Path) -> String {
    let stem = spec.file_stem().unwrap_or_default().to_string_lossy();
    let usable = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    stem.chars().map(usable).collect()
}

/// The specifications of a folder, sorted.
fn specifications(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |error| FileError::Io(folder.to_owned(), error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cddl"));
    paths.sort();
    Ok(paths)
}

fn read_spec(path: &Path, name: &str) -> Result<Schema, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::Io(path.to_owned(), error))?;
    crate::read(name, &text).map_err(FileError::Spec)
}

/// Returns the files that are missing or whose text is another one.
pub fn stale(outputs: &[Output]) -> Result<Vec<Change>, FileError> {
    let mut changes = Vec::new();
    for Output { path, text } in outputs {
        let old = match fs::read_to_string(path) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(FileError::Io(path.clone(), error)),
        };
        if old != *text {
            let (added, removed) = difference(&old, text);
            changes.push(Change { path: path.clone(), added, removed });
        }
    }
    Ok(changes)
}

/// Writes the files that are not up to date, and returns them.
pub fn update(outputs: &[Output]) -> Result<Vec<Change>, FileError> {
    let changes = stale(outputs)?;
    for Output { path, text } in outputs {
        if !changes.iter().any(|change| change.path == *path) {
            continue;
        }
        let failed = |error| FileError::Io(path.clone(), error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(path, text).map_err(failed)?;
    }
    Ok(changes)
}

/// The number of lines that only the new text has, and of those that only the old one has.
fn difference(old: &str, new: &str) -> (usize, usize) {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for line in old.lines() {
        counts.entry(line).or_default().0 += 1;
    }
    for line in new.lines() {
        counts.entry(line).or_default().1 += 1;
    }
    let added = counts.values().map(|(old, new)| new.saturating_sub(*old)).sum();
    let removed = counts.values().map(|(old, new)| old.saturating_sub(*new)).sum();
    (added, removed)
}
