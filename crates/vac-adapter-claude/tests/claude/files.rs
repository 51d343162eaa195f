//! The logs that tests run over: the fixtures, and the corpus where it is.

use std::fs;
use std::path::{Path, PathBuf};

use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, Error, Memory, Report};
use vac_adapter_claude::Claude;
use vac_value::Encoding;

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One log.
pub struct Log {
    pub path: PathBuf,
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Log {
    fn read(path: &Path) -> Self {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let bytes = fs::read(path).expect("a readable file");
        Self { path: path.to_owned(), name, bytes }
    }

    pub fn input(&self) -> Memory<'_> {
        Memory { name: &self.name, bytes: &self.bytes }
    }

    /// Its record.
    pub fn convert(&self, options: &Options) -> Result<(Vec<u8>, Report), Error> {
        let input = self.input();
        let sessions = Claude.survey(&input)?;
        assert_eq!(sessions.len(), 1, "a file is a session");
        let mut record = Vec::new();
        let report = session::write(&*sessions[0], options, &mut record)?;
        Ok((record, report))
    }

    pub fn json(&self) -> Result<(Vec<u8>, Report), Error> {
        self.convert(&Options::default())
    }

    pub fn cbor(&self) -> Result<(Vec<u8>, Report), Error> {
        self.convert(&Options { encoding: Encoding::Cbor, ..Options::default() })
    }
}

/// The fixtures.
pub fn fixtures() -> Vec<Log> {
    let logs = below(&root().join("fixtures/claude"));
    let logs: Vec<_> = logs.into_iter().filter(|log| log.name.starts_with("session.")).collect();
    assert!(logs.len() >= 12, "the fixtures are there");
    logs
}

/// The corpus; nothing if it is not there.
pub fn corpus() -> Vec<Log> {
    let corpus = std::env::var_os("VAC_CORPUS")
        .map_or_else(|| root().join("../shared/corpus"), PathBuf::from)
        .join("claude");
    if !corpus.is_dir() {
        println!("no corpus at {}: only the fixtures are tested", corpus.display());
        return Vec::new();
    }
    below(&corpus)
}

/// All logs.
pub fn all() -> Vec<Log> {
    fixtures().into_iter().chain(corpus()).collect()
}

fn below(directory: &Path) -> Vec<Log> {
    let mut paths: Vec<_> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let is_log = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
    };
    let mut logs = Vec::new();
    for path in paths {
        if path.is_dir() {
            logs.extend(below(&path));
        } else if is_log(&path) {
            logs.push(Log::read(&path));
        }
    }
    logs
}
