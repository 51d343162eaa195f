//! The kind of output that `-o` names, and the encoding that its name implies.

use std::fs::File;
use std::io::Read as _;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use anyhow::{Result, bail};
use vac::files::is_stream;
use vac::value::Encoding;

/// The kind of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Standard output, for all records.
    Stdout,
    /// A file for all records.
    File,
    /// A folder with a file for each session.
    Folder,
}

/// The endings of files for one record.
const ONE: [(&str, Encoding); 2] = [("json", Encoding::Json), ("cbor", Encoding::Cbor)];
/// The endings of files for several records.
const SEVERAL: [(&str, Encoding); 3] =
    [("jsonl", Encoding::Json), ("ndjson", Encoding::Json), ("cborseq", Encoding::Cbor)];

impl OutputKind {
    /// Applies the rule of the help text. `is_several` says whether more than one session could
    /// be written.
    ///
    /// # Errors
    /// If more than one session could be written to a name that is one of a single record.
    pub fn new(output: Option<&Path>, is_several: bool) -> Result<Self> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self::Stdout);
        };
        if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("zst")) && !path.is_dir() {
            bail!(
                "{} is the name of a compressed file, and output is not compressed",
                path.display()
            );
        }
        if path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]) || path.is_dir() {
            return Ok(Self::Folder);
        }
        if !is_several || is_stream(path) || encoding_of(path, &SEVERAL).is_some() {
            return Ok(Self::File);
        }
        if let Some(encoding) = encoding_of(path, &ONE) {
            let lines = if encoding == Encoding::Json { "jsonl" } else { "cborseq" };
            bail!(
                "{} is the name of one record, but several sessions could be written (use {}/ for \
                 a file each, or {} for one file)",
                path.display(),
                path.with_extension("").display(),
                path.with_extension(lines).display()
            );
        }
        Ok(Self::Folder)
    }

    /// Returns the encoding of records: the one that was given, else that of the ending of a file.
    ///
    /// # Errors
    /// If the two contradict each other.
    pub fn encoding(self, output: Option<&Path>, given: Option<Encoding>) -> Result<Encoding> {
        let file = output.filter(|_| self == Self::File);
        let named = file.and_then(|file| encoding_of(file, &ONE).or(encoding_of(file, &SEVERAL)));
        match (given, named, file) {
            (Some(given), Some(named), Some(file)) if given != named => {
                bail!("--format and the ending of {} contradict each other", file.display())
            }
            (given, named, _) => Ok(given.or(named).unwrap_or(Encoding::Json)),
        }
    }
}

/// Returns whether more than one session could be in these paths: in several of them, in a folder,
/// or in a database.
pub fn may_have_several(paths: &[PathBuf]) -> bool {
    match paths {
        [path] => path.is_dir() || is_database(path),
        _ => true,
    }
}

fn is_database(path: &Path) -> bool {
    const BEGINNING: &[u8] = b"SQLite format 3\0";
    let mut bytes = Vec::new();
    // Reading a pipe would take bytes away.
    let is_read = path.is_file()
        && File::open(path)
            .and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut bytes))
            .is_ok();
    is_read && bytes == BEGINNING
}

/// Returns whether the name of a file promises a record on each line.
pub fn is_for_lines(output: Option<&Path>) -> bool {
    output.is_some_and(|path| encoding_of(path, &SEVERAL) == Some(Encoding::Json))
}

fn encoding_of(path: &Path, endings: &[(&str, Encoding)]) -> Option<Encoding> {
    let ending = path.extension()?.to_str()?;
    let found = endings.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    found.map(|(_, encoding)| *encoding)
}
