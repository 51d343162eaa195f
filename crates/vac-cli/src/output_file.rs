//! One file that a command makes, or the same on standard output.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use vac_value::{Document, Encoding, Problem, Scanner, SyntaxError};

use crate::atomic_file::{AtomicFile, is_taken};
use crate::input_guard::{InputGuard, refuse_agent_folder};
use crate::printer::Printer;
use crate::readers::Readers;

/// Where it goes.
pub enum OutputFile {
    /// Standard output.
    Stdout,
    /// A file of this name, for these readers.
    File(PathBuf, Readers),
}

/// What becomes of a file that already exists.
#[derive(Clone, Copy)]
pub enum Existing {
    /// It is replaced.
    Replaced,
    /// It stays. This option would have replaced it.
    KeptWithout(&'static str),
    /// It stays, whatever one says.
    Kept,
}

impl Existing {
    /// By an option of this name.
    pub fn by(option: &'static str, is_given: bool) -> Self {
        if is_given { Self::Replaced } else { Self::KeptWithout(option) }
    }
}

impl OutputFile {
    /// Nothing and `-` are standard output. A file is private unless
    /// [`readable_by`](Self::readable_by) says otherwise.
    pub fn of(output: Option<&Path>) -> Self {
        match output {
            Some(path) if path.as_os_str() != "-" => Self::File(path.to_owned(), Readers::Owner),
            _ => Self::Stdout,
        }
    }

    /// The same for these readers.
    pub fn readable_by(self, readers: Readers) -> Self {
        match self {
            Self::Stdout => Self::Stdout,
            Self::File(path, _) => Self::File(path, readers),
        }
    }

    /// Complains early about what could not be written in the end, or must not be because
    /// it is read.
    pub fn check<'i>(
        &self,
        existing: Existing,
        inputs: impl IntoIterator<Item = &'i PathBuf>,
    ) -> Result<()> {
        if let Self::File(path, _) = self {
            refuse_agent_folder(path)?;
        }
        match (self, existing) {
            (Self::File(path, _), Existing::Replaced) => {
                InputGuard::new(inputs.into_iter().map(PathBuf::as_path)).refuse(path)
            }
            (Self::File(path, _), _) if is_taken(path) => Err(is_there(path, existing)),
            _ => Ok(()),
        }
    }

    /// Writes it: a file is there as a whole or not at all.
    pub fn write(
        &self,
        parts: &[&[u8]],
        is_text: bool,
        existing: Existing,
        printer: &Printer,
    ) -> Result<()> {
        match self {
            Self::Stdout => to_stdout(parts, is_text, printer),
            Self::File(path, readers) => write_file(path, parts, *readers, existing),
        }
    }

    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::File(path, _) => path.display().to_string(),
        }
    }
}

/// Refuses to write CBOR to a terminal.
pub fn refuse_to_show(printer: &Printer) -> Result<()> {
    if printer.is_terminal() {
        bail!("refusing to write binary data to a terminal (use --output)");
    }
    Ok(())
}

fn to_stdout(parts: &[&[u8]], is_text: bool, printer: &Printer) -> Result<()> {
    if !is_text {
        refuse_to_show(printer)?;
    }
    let mut out = printer.records();
    let written = parts.iter().try_for_each(|part| out.write_all(part)).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Writes a file beside its place and puts it there.
pub fn write_file(
    path: &Path,
    parts: &[&[u8]],
    readers: Readers,
    existing: Existing,
) -> Result<()> {
    let mut file = AtomicFile::named(path, readers)
        .with_context(|| format!("cannot write {}", path.display()))?;
    parts
        .iter()
        .try_for_each(|part| file.write_all(part))
        // A key that is lost with the power cannot be made again.
        .and_then(|()| file.sync())
        .with_context(|| format!("cannot write {}", path.display()))?;
    match file.settle(matches!(existing, Existing::Replaced)) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(is_there(path, existing)),
        settled => settled.with_context(|| format!("cannot write {}", path.display())),
    }
}

fn is_there(path: &Path, existing: Existing) -> anyhow::Error {
    match existing {
        Existing::KeptWithout(option) => {
            anyhow::anyhow!("{} already exists (use {option} to overwrite)", path.display())
        }
        _ => anyhow::anyhow!("{} already exists", path.display()),
    }
}

/// Everything in a file, or in standard input.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Whether bytes are several documents, one after the other, where a command takes one.
pub fn are_several(bytes: &[u8], encoding: Encoding) -> bool {
    match Document::scan(bytes, encoding) {
        Err(SyntaxError { offset, problem: Problem::Trailing }) => {
            let rest = bytes.get(offset..).unwrap_or_default();
            let mut scanner = Scanner::default();
            match encoding {
                Encoding::Json => scanner.json_prefix(rest).is_ok(),
                Encoding::Cbor => scanner.cbor_prefix(rest).is_ok(),
            }
        }
        _ => false,
    }
}

/// What to say about several documents.
pub const SEVERAL: &str = "several records in one file, where one is expected (`vac convert -o \
                           FOLDER/` writes one file for each session)";
