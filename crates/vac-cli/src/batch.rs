//! Finds the files of one run of `vac sign` or `vac verify`, and names its output files.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use anyhow::{Result, bail};
use vac_archive::Archive;

use crate::format::pluralize;
use crate::input::{self, Input};
use crate::printer::Printer;

/// The first byte of an envelope: the tag of `COSE_Sign1`.
const TAG: u8 = 0xd2;
/// The extensions of files that count as envelopes regardless of their content.
const ENVELOPES: [&str; 2] = ["cose", "acr"];

/// The files of folders that a command reads. Files that the user names are always read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Records that are not signed.
    Records,
    /// Envelopes.
    Envelopes,
}

/// The files of a run.
pub struct Batch {
    /// The files, in the order of the arguments and of their names.
    pub files: Vec<BatchFile>,
    /// Number of files in folders that are not of the wanted kind.
    pub skipped: usize,
    /// Whether exactly one file was named, and no folder.
    pub is_one: bool,
}

/// A file of a run.
#[derive(Clone)]
pub struct BatchFile {
    /// The path of the file, or `-`.
    pub path: PathBuf,
    /// The path of the file relative to the named folder, or its name.
    pub relative: PathBuf,
    /// The reason for which the file cannot be read.
    pub unreadable: Option<String>,
}

impl Batch {
    /// Finds the files of paths. `-` is standard input, and folders are searched at any depth.
    pub fn find(paths: &[PathBuf], wanted: Wanted) -> Self {
        let mut batch = Self { files: Vec::new(), skipped: 0, is_one: false };
        batch.is_one = matches!(paths, [path] if !path.is_dir());
        let mut has_stdin = false;
        for path in paths {
            if Archive::is_archive(path) {
                let why = "records of an archive are signed; `vac archive verify` checks them";
                batch.files.push(BatchFile::unreadable(path, why.to_owned()));
                continue;
            }
            let before = batch.files.len();
            for input in input::find(std::slice::from_ref(path)) {
                batch.add(input, path, wanted);
            }
            if path.is_dir() && batch.files.len() == before {
                let why = match wanted {
                    Wanted::Records => "no unsigned records in this directory",
                    Wanted::Envelopes => "no signed records in this directory",
                };
                batch.files.push(BatchFile::unreadable(path, why.to_owned()));
            }
            if path.as_os_str() == "-" && std::mem::replace(&mut has_stdin, true) {
                batch.files.pop();
                let why = "standard input can be read only once".to_owned();
                batch.files.push(BatchFile::unreadable(path, why));
            }
        }
        batch
    }

    fn add(&mut self, input: Input, root: &Path, wanted: Wanted) {
        match input {
            Input::Unreadable(path, why) => self.files.push(BatchFile::unreadable(&path, why)),
            Input::Stdin => self.files.push(BatchFile::named(root, Path::new("stdin"))),
            Input::File(path) if path == root => {
                let name = path.file_name().map_or(Path::new("record"), Path::new);
                self.files.push(BatchFile::named(&path, name));
            }
            Input::File(path) if is_envelope(&path) == (wanted == Wanted::Envelopes) => {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                self.files.push(BatchFile::named(&path, relative));
            }
            // The files of an archive inside a folder are signed and verified by `vac archive`.
            Input::File(_) | Input::Archived(_) => self.skipped += 1,
        }
    }
}

impl BatchFile {
    fn named(path: &Path, relative: &Path) -> Self {
        Self { path: path.to_owned(), relative: relative.to_owned(), unreadable: None }
    }

    fn unreadable(path: &Path, why: String) -> Self {
        Self { unreadable: Some(why), ..Self::named(path, path) }
    }

    /// Returns the path for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// Returns whether a file has the extension or the first byte of an envelope.
fn is_envelope(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let mut first = [0];
    ENVELOPES.iter().any(|known| extension.eq_ignore_ascii_case(known))
        || File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
            && first == [TAG]
}

/// The value of `-o`.
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
    /// A folder with one file for each input file.
    Folder(PathBuf),
}

impl Destination {
    /// Returns the output that `-o` names: a folder if it exists as one, ends in a slash, or has to
    /// be one.
    ///
    /// # Errors
    /// If several files would be written to one.
    pub fn new(output: Option<&Path>, is_one: bool) -> Result<Self> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            if !is_one {
                bail!("several files cannot be written to standard output (use -o FOLDER/)");
            }
            return Ok(Self::Stdout);
        };
        if path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]) || path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        if is_one {
            return Ok(Self::File(path.to_owned()));
        }
        if path.extension().is_some() {
            bail!(
                "{} is the name of one file, but several could be written (use {}/ for a folder)",
                path.display(),
                path.with_extension("").display()
            );
        }
        Ok(Self::Folder(path.to_owned()))
    }

    /// Returns the output file for each input file, with another extension; `None` is standard
    /// output. An input file whose output would have the name of an earlier one is marked as
    /// unreadable.
    pub fn assign(
        &self,
        files: Vec<BatchFile>,
        extension: &str,
    ) -> Vec<(BatchFile, Option<PathBuf>)> {
        let mut taken = HashMap::new();
        let assign = |mut file: BatchFile| {
            let output = match self {
                Self::Stdout => None,
                Self::File(path) => Some(path.clone()),
                Self::Folder(folder) => Some(folder.join(file.relative.with_extension(extension))),
            };
            if let Some(output) = output.as_ref().filter(|_| file.unreadable.is_none()) {
                let earlier = taken.entry(output.clone()).or_insert_with(|| file.name()).clone();
                if earlier != file.name() {
                    let output = output.display();
                    let why = format!("{output} is also the name for {earlier}");
                    file.unreadable = Some(why);
                }
            }
            (file, output)
        };
        files.into_iter().map(assign).collect()
    }
}

/// Creates the folders around a file.
pub fn create_parents(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => std::fs::create_dir_all(folder)
            .map_err(|error| anyhow::anyhow!("cannot create {}: {error}", folder.display())),
        None => Ok(()),
    }
}

/// Returns the end of a summary: the number of files in folders that are not of the wanted kind.
pub fn format_skipped(skipped: usize, what: &str) -> String {
    match skipped {
        0 => String::new(),
        count => format!("; {} skipped ({what})", pluralize(count, "other file")),
    }
}

/// A message about a file, printed in the order of the files.
pub enum FileMessage {
    /// An error.
    Error(String),
    /// A line that belongs to the error before it.
    Excerpt(String),
    /// A warning.
    Warning(String),
    /// A notice.
    Info(String),
}

impl FileMessage {
    /// Prints the message.
    pub fn print(&self, printer: &Printer) {
        match self {
            Self::Error(text) => printer.error(text),
            Self::Excerpt(text) => printer.excerpt(text),
            Self::Warning(text) => printer.warn(text),
            Self::Info(text) => printer.info(text),
        }
    }
}
