//! Writes the only output of a command to a file or to standard output.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use vac::files::{AtomicFile, InputGuard, Readers, is_taken, refuse_agent_folder};
use vac::store::RecordFolders as _;
use vac::store::endless::{check_stdin, read_rest, refuse_device};
use vac::value::{Document, Encoding, Problem, Scanner, SyntaxError};
use vac_archive::ArchiveFolders;

use crate::printer::Printer;
use crate::sessions;

/// The output of a command: a file, or standard output.
pub enum OutputFile {
    /// Standard output.
    Stdout,
    /// A file of this name, for these readers.
    File(PathBuf, Readers),
}

/// The treatment of a file that already exists.
#[derive(Clone, Copy)]
pub enum Existing {
    /// The file is replaced.
    Replaced,
    /// The file stays. This option would replace it.
    KeptWithout(&'static str),
    /// The file stays, and there is no option to replace it.
    Kept,
}

impl Existing {
    /// Replaces it if the option of this name was given.
    pub fn by(option: &'static str, is_given: bool) -> Self {
        if is_given { Self::Replaced } else { Self::KeptWithout(option) }
    }
}

impl OutputFile {
    /// Returns the output of an option; nothing and `-` are standard output. A file is private unless
    /// [`readable_by`](Self::readable_by) says otherwise.
    pub fn of(output: Option<&Path>) -> Self {
        match output {
            Some(path) if path.as_os_str() != "-" => Self::File(path.to_owned(), Readers::Owner),
            _ => Self::Stdout,
        }
    }

    /// Returns the same output with other readers.
    pub fn readable_by(self, readers: Readers) -> Self {
        match self {
            Self::Stdout => Self::Stdout,
            Self::File(path, _) => Self::File(path, readers),
        }
    }

    /// Returns an error if the output cannot be written later, or is one of the inputs.
    pub fn check<'i>(
        &self,
        existing: Existing,
        inputs: impl IntoIterator<Item = &'i PathBuf>,
    ) -> Result<()> {
        if let Self::File(path, _) = self {
            refuse_agent_folder(path)?;
        }
        self.check_inputs(existing, &InputGuard::new(inputs.into_iter().map(PathBuf::as_path)))
    }

    /// Returns an error if the output exists and may not be replaced, or is one of the inputs.
    pub fn check_inputs(&self, existing: Existing, inputs: &InputGuard) -> Result<()> {
        match (self, existing) {
            (Self::File(path, _), Existing::Replaced) => Ok(inputs.refuse(path)?),
            (Self::File(path, _), _) if is_taken(path) => Err(already_exists(path, existing)),
            _ => Ok(()),
        }
    }

    /// Writes the output. A file is replaced as a whole or not at all.
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

    /// Returns its name for messages.
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

/// Writes a file, which gets its name when it is complete.
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
        // A key that is lost in a power failure cannot be generated again.
        .and_then(|()| file.sync())
        .with_context(|| format!("cannot write {}", path.display()))?;
    match file.persist(matches!(existing, Existing::Replaced)) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(already_exists(path, existing))
        }
        settled => settled.with_context(|| format!("cannot write {}", path.display())),
    }
}

fn already_exists(path: &Path, existing: Existing) -> anyhow::Error {
    match existing {
        Existing::KeptWithout(option) => {
            anyhow::anyhow!("{} already exists (use {option} to overwrite)", path.display())
        }
        _ => anyhow::anyhow!("{} already exists", path.display()),
    }
}

/// Reads a file, standard input, or a record of an archive.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        check_stdin()
            .and_then(|max| read_rest(io::stdin().lock(), &mut bytes, max))
            .context("cannot read standard input")?;
        return Ok(bytes);
    }
    let cannot = || format!("cannot read {}", path.display());
    if path.symlink_metadata().is_err()
        && let Some(records) = ArchiveFolders.open(path)
    {
        let records = records.with_context(cannot)?;
        let [record] = &records.records[..] else {
            bail!("{} is not one record", path.display());
        };
        let mut bytes = Vec::new();
        let mut reader = records.source.open(&record.name).with_context(cannot)?;
        reader.read_to_end(&mut bytes).with_context(cannot)?;
        return Ok(bytes);
    }
    read_file(path).with_context(cannot)
}

/// Reads a file. A device is refused, and more of a pipe than fits into memory.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let max = refuse_device(&file)?;
    let mut bytes = Vec::new();
    if let Ok(size) = usize::try_from(file.metadata()?.len()) {
        // The error of a file that is too large for the memory, not the end of the program.
        bytes.try_reserve_exact(size)?;
    }
    read_rest(file, &mut bytes, max)?;
    Ok(bytes)
}

/// Returns whether bytes are several documents, one after the other.
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

/// Returns a reason for which bytes are not a record, if it is known: they are a log, or several
/// documents.
pub fn why_not_a_record(bytes: &[u8], encoding: Encoding) -> Option<String> {
    if let Some(agent) = sessions::agent_of_bytes(bytes) {
        return Some(sessions::not_a_record(agent));
    }
    are_several(bytes, encoding).then(|| SEVERAL.to_owned())
}

/// The error for several documents where a command expects one.
pub const SEVERAL: &str = "several records in one file, where one is expected (`vac convert -o \
                           FOLDER/` writes one file for each session)";
