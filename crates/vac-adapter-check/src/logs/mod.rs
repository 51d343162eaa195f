//! Finds the logs for tests: the fixtures of the workspace, and a corpus of real files if there is
//! one.
//!
//! They are found in the same way as by `vac convert`: compressed, in several files, in stores.

mod log;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use vac_adapter::Adapter;
use vac_store::safe_path::PathKind;
use vac_store::walk::{MAX_DEPTH, Visitor, walk};
use vac_store::{SafePath, Skipped, join};

pub use log::{Part, TestLog};

/// A fixture, which is a folder with native files and their expected records.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The path of the fixture's folder below `fixtures/<agent>`: `<variant>/<case>`.
    pub name: String,
    /// The folder of the fixture.
    pub folder: PathBuf,
    /// The logs that the native files contain, usually one.
    pub logs: Vec<TestLog>,
    /// The files with expected records.
    pub expected: Vec<PathBuf>,
}

impl Fixture {
    /// Returns the variant that the folder of the case states.
    pub fn variant(&self) -> &str {
        self.name.split_once('/').map_or("", |(variant, _)| variant)
    }
}

/// Returns the root of the workspace.
pub fn root() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).unwrap_or(Path::new("."))
}

/// Returns the fixtures of an adapter's agent.
///
/// A case is a folder `fixtures/<agent>/<variant>/<case>` with native files, and with
/// `expected.json`, or `expected-1.json` and so on for several sessions. Folders in it belong to
/// the case.
pub fn fixtures(adapter: &dyn Adapter) -> Vec<Fixture> {
    let top = root().join("fixtures").join(adapter.name());
    let mut cases = Cases { adapter, top: &top, found: Vec::new() };
    walk_folder(&top, &mut cases);
    assert!(!cases.found.is_empty(), "no fixtures in {}", top.display());
    cases.found
}

/// Returns the only log of the fixture `<variant>/<case>`.
pub fn fixture(adapter: &dyn Adapter, name: &str) -> TestLog {
    let mut cases = fixtures(adapter);
    cases.retain(|case| case.name == name);
    let logs = cases.pop().unwrap_or_else(|| panic!("no fixture {name}")).logs;
    let [log] = <[TestLog; 1]>::try_from(logs).unwrap_or_else(|_| panic!("{name} is not one log"));
    log
}

/// Returns the logs of all fixtures.
pub fn fixture_logs(adapter: &dyn Adapter) -> Vec<TestLog> {
    fixtures(adapter).into_iter().flat_map(|case| case.logs).collect()
}

/// Collects cases.
struct Cases<'a> {
    adapter: &'a dyn Adapter,
    top: &'a Path,
    found: Vec<Fixture>,
}

impl Visitor for Cases<'_> {
    fn folder(&mut self, folder: &SafePath, entries: Vec<SafePath>) -> Vec<SafePath> {
        let paths = entries.iter().map(|entry| entry.as_path().to_owned());
        let paths: Vec<_> = paths.collect();
        if paths.iter().all(|path| path.is_dir()) {
            return entries;
        }
        let is_expected = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("expected"))
        };
        let folder = folder.as_path();
        let (expected, native): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_expected);
        let name = folder.strip_prefix(self.top).unwrap_or(folder).to_string_lossy().into_owned();
        let logs = find_logs(self.adapter, &native);
        assert!(!logs.is_empty(), "{}: no native file", folder.display());
        self.found.push(Fixture { name, folder: folder.to_owned(), logs, expected });
        Vec::new()
    }

    fn visit(&mut self, path: SafePath, _: PathKind) {
        panic!("{}: not in the folder of a case", path.as_path().display());
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        panic!("{}: {error}", path.display());
    }
}

/// The folders with real sessions, and the environment variables that name other folders.
const CORPORA: [(&str, &str); 2] =
    [("corpus", "VAC_CORPUS"), ("corpus-meaning", "VAC_CORPUS_MEANING")];

/// Returns the logs of an adapter's agent in the corpora next to the workspace, or in the folders that
/// `VAC_CORPUS` and `VAC_CORPUS_MEANING` name. For an absent one, a line is printed.
pub fn corpus(adapter: &dyn Adapter) -> Vec<TestLog> {
    let logs = CORPORA.iter().flat_map(|(name, variable)| {
        let folder = std::env::var_os(variable)
            .map_or_else(|| root().with_file_name("shared").join(name), PathBuf::from)
            .join(adapter.name());
        if folder.is_dir() {
            return find_corpus_logs(adapter, &folder);
        }
        println!("skipped: no {name} of {} (set {variable} to name one)", adapter.name());
        Vec::new()
    });
    logs.collect()
}

fn find_corpus_logs(adapter: &dyn Adapter, folder: &PathBuf) -> Vec<TestLog> {
    let logs = find_logs(adapter, std::slice::from_ref(folder));
    let mut files = Files(Vec::new());
    walk_folder(folder, &mut files);
    let mut left = files.0;
    left.retain(|file| !logs.iter().flat_map(|log| &log.files).any(|path| file.starts_with(path)));
    assert!(left.is_empty(), "not part of any log: {left:?}");
    logs
}

/// Finds the logs in paths, joins those of one session, and omits companion files.
fn find_logs(adapter: &dyn Adapter, paths: &[PathBuf]) -> Vec<TestLog> {
    let found = vac_store::find(paths, &[adapter]);
    assert!(found.troubles.is_empty(), "{:?}", found.troubles);
    let known = found.logs.into_iter().map(|log| join::detect(log, &[adapter]));
    // A tree of files is a separate log here, even if a database contains its sessions, too.
    let (trees, known): (Vec<_>, Vec<_>) =
        known.partition(|known| known.log.paths().any(Path::is_dir));
    let mut known = join::join(known);
    known.extend(trees);
    let mut logs: Vec<_> = known.iter().map(|known| TestLog::load(&known.log)).collect();
    let companions =
        |log: &TestLog| log.files.iter().skip(log.parts.len()).cloned().collect::<Vec<_>>();
    let companions: HashSet<_> = logs.iter().flat_map(companions).collect();
    let is_companion = |log: &TestLog| log.files.iter().all(|file| companions.contains(file));
    logs.retain(|log| log.files.is_empty() || !is_companion(log));
    logs
}

/// Collects the paths of all files.
struct Files(Vec<PathBuf>);

impl Visitor for Files {
    fn visit(&mut self, path: SafePath, _: PathKind) {
        self.0.push(path.as_path().to_owned());
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        panic!("{}: {error}", path.display());
    }
}

fn walk_folder(folder: &Path, visitor: &mut impl Visitor) {
    walk(&SafePath::named(folder, &Skipped::default()), MAX_DEPTH, visitor);
}
