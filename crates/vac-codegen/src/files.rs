//! Reads specifications, and generates, checks and writes the files made from them.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use vac_cddl::folders::ModuleFolders;
use vac_cddl::ir::{Schema, Warning};
use vac_cddl::{Errors, ModuleLoader, ParseOptions, SpecFile};

use crate::Error;

/// The specification of this workspace, from its root.
const SPEC: &str = "spec/agent-conversation.cddl";

/// The specification of annotations.
const ANNOTATIONS: &str = "spec/vac-annotations.cddl";

/// The folder for the files that are generated from both.
const RECORD: &str = "crates/vac-record/src/generated";

/// The folder with golden specifications. Their modules are in a folder `generated` of it.
const GOLDENS: &str = "fixtures/cddl";

/// A file that is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The path of the file.
    pub path: PathBuf,
    /// The content of the file.
    pub text: String,
}

/// A file that was not up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutdatedFile {
    /// The file.
    pub path: PathBuf,
    /// The number of lines that only the new text has.
    pub added: usize,
    /// The number of lines that only the old text has.
    pub removed: usize,
}

impl fmt::Display for OutdatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, added, removed } = self;
        write!(f, "{}: {added} lines added, {removed} lines removed", path.display())
    }
}

/// The reason why files cannot be generated.
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

/// A specification: its files, the folders of its modules, its start rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Specification {
    /// The files, which are read as one text.
    pub files: Vec<PathBuf>,
    /// The folders with the modules that it imports and includes.
    pub folders: Vec<PathBuf>,
    /// The start rule, if it is not the first.
    pub start: Option<String>,
}

impl From<&Path> for Specification {
    fn from(file: &Path) -> Self {
        Self { files: vec![file.to_owned()], ..Self::default() }
    }
}

impl Specification {
    /// Returns the name of its Rust module: `01-map.cddl` becomes `01_map`.
    pub fn module_name(&self) -> String {
        let stem = self.files.first().and_then(|file| file.file_stem());
        let stem = stem.map_or_else(|| "specification".into(), |stem| stem.to_string_lossy());
        let usable = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        stem.chars().map(usable).collect()
    }

    /// Reads all files. Locations contain their names without folders.
    fn read(&self) -> Result<Schema, FileError> {
        let read = |path: &PathBuf| read_file(path, &display_name(path));
        let files: Vec<SpecFile> = self.files.iter().map(read).collect::<Result<_, _>>()?;
        let loader = ModuleFolders::new(self.folders.iter().cloned());
        let modules = (!self.folders.is_empty()).then_some(&loader as &dyn ModuleLoader);
        let options = ParseOptions { start: self.start.as_deref(), modules };
        crate::read_files(&files, &options).map_err(FileError::Spec)
    }
}

/// Returns the name of a file without its folder.
fn display_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read_file(path: &Path, name: &str) -> Result<SpecFile<'static>, FileError> {
    let file = vac_cddl::folders::read_file(path);
    let file = file.map_err(|error| FileError::Io(path.to_owned(), error))?;
    Ok(SpecFile { name: name.to_owned().into(), ..file })
}

/// Generates the module of a specification. Returns its text, and warnings about the
/// specification.
pub fn module(spec: &Specification) -> Result<(String, Vec<Warning>), FileError> {
    let schema = spec.read()?;
    let names: Vec<_> = spec.files.iter().map(|path| display_name(path)).collect();
    let text = crate::standalone(&schema, &names.join(", "))
        .map_err(|error| FileError::Generate(names.join(", ").into(), error))?;
    Ok((text, schema.warnings))
}

/// Generates the module of a specification and writes it to a file, for use in build scripts. The
/// file is written only if it changes. Returns warnings about the specification.
pub fn generate(spec: impl AsRef<Path>, file: impl AsRef<Path>) -> Result<Vec<Warning>, FileError> {
    let (text, warnings) = module(&Specification::from(spec.as_ref()))?;
    update(&[Output { path: file.as_ref().to_owned(), text }])?;
    Ok(warnings)
}

/// Generates all files of this workspace, whose folder is `root`. Returns them, and warnings
/// about the specifications.
pub fn workspace(root: &Path) -> Result<(Vec<Output>, Vec<Warning>), FileError> {
    let failed = |name: &str| {
        let path = root.join(name);
        move |error| FileError::Generate(path, error)
    };
    let schema = read_spec(root, SPEC)?;
    let mut warnings = schema.warnings.clone();
    let files = crate::record_files(&schema, SPEC).map_err(failed(SPEC))?;
    let record = root.join(RECORD);
    let mut outputs: Vec<Output> = files
        .into_iter()
        .map(|file| Output { path: record.join(file.name), text: file.text })
        .collect();
    let schema = read_spec(root, ANNOTATIONS)?;
    warnings.extend(schema.warnings.iter().cloned());
    let text = crate::standalone(&schema, ANNOTATIONS).map_err(failed(ANNOTATIONS))?;
    outputs.push(Output { path: record.join("annotations.rs"), text });
    let goldens = root.join(GOLDENS);
    for spec in specifications(&goldens)? {
        let spec = Specification::from(&*spec);
        // Ignore the warnings of golden specifications, because many contain unusual constructs on
        // purpose.
        let (text, _) = module(&spec)?;
        let path = goldens.join("generated").join(spec.module_name()).with_extension("rs");
        outputs.push(Output { path, text });
    }
    Ok((outputs, warnings))
}

/// Returns the specifications of a folder, sorted.
fn specifications(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |error| FileError::Io(folder.to_owned(), error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cddl"));
    paths.sort();
    Ok(paths)
}

/// Reads a specification of this workspace.
fn read_spec(root: &Path, name: &str) -> Result<Schema, FileError> {
    let file = read_file(&root.join(name), name)?;
    crate::read_files(&[file], &ParseOptions::default()).map_err(FileError::Spec)
}

/// Returns the files that are missing or whose content differs.
pub fn stale(outputs: &[Output]) -> Result<Vec<OutdatedFile>, FileError> {
    let mut changes = Vec::new();
    for Output { path, text } in outputs {
        let old = match fs::read_to_string(path) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(FileError::Io(path.clone(), error)),
        };
        if old != *text {
            let (added, removed) = difference(&old, text);
            changes.push(OutdatedFile { path: path.clone(), added, removed });
        }
    }
    Ok(changes)
}

/// Writes the files that are not up to date, and returns them.
pub fn update(outputs: &[Output]) -> Result<Vec<OutdatedFile>, FileError> {
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

/// Returns the number of lines that only the new text has, and of those that only the old one has.
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
