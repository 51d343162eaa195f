//! Sources provide files by name, which need not be on disk.
//!
//! A [`SafePath`] leads to a file on disk or to a file of a [`Source`], and all
//! of this crate reads through it. Searching, joining, companion files and stores therefore work on
//! every source as they do on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Read};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::path::{Component, Path};
use std::sync::{Arc, OnceLock};

use vac_adapter::container::bad_data;

use crate::safe_path::{MAX_DEPTH, PathKind, SafePath};
use crate::skipped::Skipped;
use crate::walk::{Visitor, walk};

/// A source of files by name: on disk, in memory, in an object store or in an archive.
///
/// A name is the path of a file with `/` between folders, such as `projects/shelf/a.jsonl`. There
/// are no links, and a folder exists if a name begins with it.
///
/// ```
/// use std::io::{self, Read};
///
/// /// The same log under any number of names.
/// #[derive(Debug)]
/// struct Repeated(Vec<String>, &'static [u8]);
///
/// impl vac_store::Source for Repeated {
///     fn names(&self) -> io::Result<Vec<String>> {
///         Ok(self.0.clone())
///     }
///
///     fn size(&self, _: &str) -> io::Result<u64> {
///         Ok(self.1.len() as u64)
///     }
///
///     fn open(&self, _: &str) -> io::Result<Box<dyn Read + Send>> {
///         Ok(Box::new(self.1))
///     }
/// }
/// ```
pub trait Source: fmt::Debug + Send + Sync {
    /// Lists all files. Called at most once for a search, and for a task that needs a folder.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Returns the number of bytes of a file.
    fn size(&self, name: &str) -> io::Result<u64>;

    /// Opens a file, to be read from its first byte. A large file is opened for every pass; a
    /// record fails if passes have read different bytes.
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>>;
}

/// Files in memory.
///
/// ```
/// use vac_store::{MemorySource, Source};
///
/// let memory = MemorySource::from_iter([("logs/a.jsonl", b"{}".to_vec())]);
/// assert_eq!(memory.size("logs/a.jsonl")?, 2);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MemorySource(BTreeMap<String, Arc<[u8]>>);

impl MemorySource {
    /// Adds a file, or replaces the one of this name.
    pub fn insert(&mut self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) {
        self.0.insert(name.into(), bytes.into());
    }

    fn file(&self, name: &str) -> io::Result<&Arc<[u8]>> {
        self.0.get(name).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl<N: Into<String>, B: Into<Arc<[u8]>>> FromIterator<(N, B)> for MemorySource {
    fn from_iter<I: IntoIterator<Item = (N, B)>>(files: I) -> Self {
        Self(files.into_iter().map(|(name, bytes)| (name.into(), bytes.into())).collect())
    }
}

impl fmt::Debug for MemorySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Logs contain secrets, so only names and sizes are printed.
        f.debug_map().entries(self.0.iter().map(|(name, bytes)| (name, bytes.len()))).finish()
    }
}

impl Source for MemorySource {
    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.0.keys().cloned().collect())
    }

    fn size(&self, name: &str) -> io::Result<u64> {
        Ok(self.file(name)?.len() as u64)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.file(name)?.clone())))
    }
}

/// The files of a folder on disk, by their paths below it. A task that was planned in one folder
/// can thus be converted in a copy of the folder with another path.
///
/// No link is followed below the folder: links, special files and names that are not Unicode are
/// listed, and become errors of the plan.
#[derive(Clone, Debug)]
pub struct DiskSource(SafePath);

impl DiskSource {
    /// Returns the files of a folder.
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self(SafePath::named(folder.as_ref(), &Skipped::default()))
    }
}

impl Source for DiskSource {
    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = DiskNames { root: self.0.as_path(), names: Vec::new(), error: None };
        walk(&self.0, MAX_DEPTH, &mut names);
        names.error.map_or(Ok(names.names), Err)
    }

    fn size(&self, name: &str) -> io::Result<u64> {
        self.0.join(name).size()
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(self.0.join(name).open()?))
    }
}

/// Collects the names below a folder.
struct DiskNames<'f> {
    root: &'f Path,
    names: Vec<String>,
    error: Option<io::Error>,
}

impl Visitor for DiskNames<'_> {
    fn visit(&mut self, path: SafePath, _: PathKind) {
        let below = path.as_path().strip_prefix(self.root).unwrap_or(path.as_path());
        let names = below.iter().map(|name| name.to_string_lossy());
        self.names.push(names.collect::<Vec<_>>().join("/"));
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        let error = io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        self.error.get_or_insert(error);
    }
}

/// A source and the list of its file names, which is read when it is first needed.
#[derive(Debug)]
pub struct SourceFiles {
    source: Arc<dyn Source>,
    listed: OnceLock<Listed>,
}

/// The list of the names of a source.
#[derive(Debug, Default)]
struct Listed {
    /// All names that can be paths. A folder is a range of them.
    names: BTreeSet<String>,
    /// The names that cannot be opened, each with the reason.
    refused: Vec<(String, &'static str)>,
    /// The error that the list ended with.
    error: Option<(io::ErrorKind, String)>,
}

impl SourceFiles {
    /// Returns the files of a source.
    pub fn new(source: Arc<dyn Source>) -> Self {
        Self { source, listed: OnceLock::new() }
    }

    /// Returns a number that is the same for the same source, while it exists.
    pub fn source_id(&self) -> usize {
        Arc::as_ptr(&self.source).cast::<()>() as usize
    }

    /// Returns the names that cannot be paths, each with the reason.
    pub(crate) fn refused(&self) -> io::Result<&[(String, &'static str)]> {
        Ok(&self.listed()?.refused)
    }

    fn listed(&self) -> io::Result<&Listed> {
        let listed = self.listed.get_or_init(|| match self.source.names() {
            Ok(names) => Listed::new(names),
            Err(error) => {
                Listed { error: Some((error.kind(), error.to_string())), ..Listed::default() }
            }
        });
        match &listed.error {
            Some((kind, reason)) => Err(io::Error::new(*kind, reason.clone())),
            None => Ok(listed),
        }
    }

    /// Returns the kind of file that a path leads to.
    pub(crate) fn kind(&self, path: &Path) -> io::Result<PathKind> {
        let name = file_name(path)?;
        let listed = self.listed()?;
        if listed.names.contains(&name) {
            return Ok(PathKind::File);
        }
        let is_folder = name.is_empty() || listed.below(&name).next().is_some();
        if is_folder { Ok(PathKind::Folder) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// Returns the names in a folder, in order.
    pub(crate) fn entries(&self, folder: &Path) -> io::Result<Vec<String>> {
        if self.kind(folder)? != PathKind::Folder {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let folder = file_name(folder)?;
        let listed = self.listed()?;
        let mut entries = Vec::new();
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let mut next = listed.below(&folder).next();
        while let Some(name) = next {
            let rest = &name[start..];
            let entry = rest.split('/').next().unwrap_or(rest);
            entries.push(entry.to_owned());
            // Everything in a folder of this name is between `/` and the character after it.
            let after = format!("{}0", &name[..start + entry.len()]);
            let is_folder = entry.len() < rest.len();
            let after = if is_folder { Included(after.as_str()) } else { Excluded(name) };
            let after = listed.names.range::<str, _>((after, Unbounded)).next();
            next = after.map(String::as_str).filter(|name| is_below(name, &folder));
        }
        Ok(entries)
    }

    /// Returns the number of bytes of a file.
    pub(crate) fn size(&self, path: &Path) -> io::Result<u64> {
        self.source.size(&file_name(path)?)
    }

    /// Opens a file.
    pub(crate) fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.source.open(&file_name(path)?)
    }
}

impl Listed {
    fn new(names: Vec<String>) -> Self {
        let mut listed = Self::default();
        for name in names {
            // Object stores contain such names for empty folders.
            if name.ends_with('/') {
                continue;
            }
            match file_name(Path::new(&name)) {
                Ok(plain) if plain == name && !name.is_empty() => {
                    listed.names.insert(name);
                }
                _ => listed.refused.push((name, "not a path of names with `/` between them")),
            }
        }
        let is_in_file = |name: &String| {
            let folders = name.match_indices('/').map(|(end, _)| &name[..end]);
            folders.into_iter().any(|folder| listed.names.contains(folder))
        };
        let in_files: Vec<_> =
            listed.names.iter().filter(|name| is_in_file(name)).cloned().collect();
        for name in in_files {
            listed.names.remove(&name);
            listed.refused.push((name, "in a folder that is also a file"));
        }
        listed
    }

    /// Returns the names below a folder, in order.
    fn below<'n>(&'n self, folder: &'n str) -> impl Iterator<Item = &'n str> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let names = self.names.range(start..).map(String::as_str);
        names.take_while(move |name| is_below(name, folder))
    }
}

fn is_below(name: &str, folder: &str) -> bool {
    folder.is_empty() || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the name of a file in a source. Only a path of plain names has one.
fn file_name(path: &Path) -> io::Result<String> {
    let not_a_name = || bad_data("not a name of a file in a source");
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_str().ok_or_else(not_a_name)?),
            _ => return Err(not_a_name()),
        }
    }
    if names.len() > MAX_DEPTH {
        return Err(bad_data(format!("more than {MAX_DEPTH} folders deep")));
    }
    Ok(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> SourceFiles {
        let memory: MemorySource = names.iter().map(|name| (*name, Vec::new())).collect();
        SourceFiles::new(Arc::new(memory))
    }

    #[test]
    fn folders_are_listed_in_the_order_of_names() {
        let files = files(&["b/2", "b/1", "a", "b-c", "b/d/e", "b0", "d/e/f", "d/e/g", "x/"]);
        let entries = |folder: &str| files.entries(Path::new(folder)).unwrap();
        let mut all = entries("");
        all.sort_unstable();
        assert_eq!(all, ["a", "b", "b-c", "b0", "d"]);
        assert_eq!(entries("b"), ["1", "2", "d"]);
        assert_eq!(entries("d"), ["e"]);
        assert_eq!(entries("d/e"), ["f", "g"]);
        let error = |folder: &str| files.entries(Path::new(folder)).unwrap_err().kind();
        assert_eq!(error("a"), io::ErrorKind::NotADirectory);
        assert_eq!(error("none"), io::ErrorKind::NotFound);
        let kind = |path: &str| files.kind(Path::new(path)).map_err(|error| error.kind());
        assert_eq!(kind(""), Ok(PathKind::Folder));
        assert_eq!(kind("b"), Ok(PathKind::Folder));
        assert_eq!(kind("b/d/e"), Ok(PathKind::File));
        assert_eq!(kind("b/d/e/f"), Err(io::ErrorKind::NotFound));
        assert_eq!(kind("c"), Err(io::ErrorKind::NotFound));
        assert_eq!(kind("../b"), Err(io::ErrorKind::InvalidData));
    }

    #[test]
    fn names_that_are_not_paths_are_refused() {
        let names = ["/a", "../b", "c//d", "./e", "f", "f/g", "f/h/i", "", "j/../k"];
        let files = files(&names);
        assert_eq!(files.entries(Path::new("")).unwrap(), ["f"]);
        let refused: BTreeSet<_> =
            files.refused().unwrap().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(refused, names.into_iter().filter(|name| *name != "f").collect());
    }

    #[test]
    fn folder_on_disk_is_a_source() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b"), "text").unwrap();
        let disk = DiskSource::new(folder.path());
        assert_eq!(disk.names().unwrap(), ["a/b"]);
        assert_eq!(disk.size("a/b").unwrap(), 4);
        let mut text = String::new();
        disk.open("a/b").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        assert!(disk.open("../x").is_err() && disk.size("none").is_err());
        assert!(DiskSource::new(folder.path().join("none")).names().is_err());
    }
}
