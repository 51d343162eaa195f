//! The destination of records: standard output, one file, or a file for each session.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use vac_value::Encoding;

use super::containment::Finished;
use super::existing_records::{ExistingRecords, Record};
use super::lock::FolderLock;
use super::record_writer::{SharedFile, Target, WrittenRecord};
use crate::atomic_file::{AtomicFile, cut_back, is_taken, make_folder};
use crate::input_guard::InputGuard;
use crate::printer::{Printer, Records};
use crate::readers::Readers;

/// The maximum number of earlier records of one session that are compared with a new one. Reading
/// all of them for every log that claims the session would take quadratic time.
const MAX_COMPARED: usize = 16;

/// The destination of records.
pub enum Destination {
    /// One after the other to standard output.
    Stdout(Records),
    /// One after the other to a file, which gets its name at the end.
    File(OneFile),
    /// One file each in this folder.
    Folder { folder: PathBuf, existing: Box<Existing>, taken: Taken, _lock: FolderLock },
    /// None: the reader has closed the pipe, or the disk is full.
    Over,
}

/// A file for all records.
pub struct OneFile {
    file: AtomicFile,
    /// Whether it may replace an existing file.
    force: bool,
    /// The number of bytes in complete records. A file without any replaces nothing.
    length: u64,
}

/// Names that are used, and how often; `A` and `a` are one file on some disks.
pub type Taken = HashMap<String, usize>;

/// The records that a folder contains. Those of the same session are replaced, by force or if the
/// new ones contain them; every other file stays.
pub struct Existing {
    /// The records.
    pub records: ExistingRecords,
    /// Whether a record is replaced by one that does not contain it.
    pub force: bool,
}

/// The reason why an earlier file keeps the name that a new record was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptBecause {
    /// It is not a record of the session, or cannot be read.
    OtherFile,
    /// It is a record of the session that the new one does not contain.
    NotContained,
}

/// The place that a record was written to.
#[derive(Debug, PartialEq, Eq)]
pub enum Placed {
    /// To the end of the output.
    Appended,
    /// Into a file of its own.
    New(PathBuf),
    /// Into a file of its own, next to an earlier one that is kept.
    NextTo { path: PathBuf, kept: PathBuf, why: KeptBecause },
    /// Into a file that replaced an earlier one.
    Changed(PathBuf),
}

impl Destination {
    /// Opens standard output, or one file for these readers. An absent name and `-` are standard
    /// output.
    pub fn open(
        output: Option<&Path>,
        force: bool,
        readers: Readers,
        inputs: &InputGuard,
        printer: &Printer,
    ) -> Result<Self> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self::Stdout(printer.records()));
        };
        inputs.refuse(path)?;
        if !force && is_taken(path) {
            bail!("{} already exists (use --force to overwrite)", path.display());
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder, readers)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let file = AtomicFile::named(path, readers)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self::File(OneFile { file, force, length: 0 }))
    }

    /// Creates the destination for a folder that exists and is locked.
    pub fn folder(path: &Path, existing: Existing, lock: FolderLock) -> Self {
        let existing = Box::new(existing);
        Self::Folder { folder: path.to_owned(), existing, taken: Taken::new(), _lock: lock }
    }

    /// Returns where workers write records.
    pub fn target(&self) -> Result<Target> {
        Ok(match self {
            Self::Stdout(_) | Self::Over => Target::Aside,
            Self::File(OneFile { file, .. }) if file.is_stream() => Target::Aside,
            Self::File(OneFile { file, .. }) => {
                let copy = file.file().try_clone();
                let copy =
                    copy.with_context(|| format!("cannot write {}", file.path().display()))?;
                Target::File(SharedFile::new(copy, file.path().to_owned()))
            }
            Self::Folder { folder, .. } => Target::Folder(folder.clone()),
        })
    }

    /// Returns whether a file is one that records go to.
    pub fn holds(&self, path: &Path) -> bool {
        match self {
            Self::Stdout(_) | Self::Over => false,
            Self::File(OneFile { file, .. }) => real_place(file.path()) == real_place(path),
            Self::Folder { folder, taken, .. } => {
                let (around, name) = real_place(path);
                let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
                around == folder.canonicalize().ok()
                    && taken.contains_key(&stem.to_ascii_lowercase())
            }
        }
    }

    /// Returns whether nothing more can be taken.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }

    /// Returns whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(_))
    }

    /// Writes a complete record. A closed pipe is not an error.
    pub fn take(&mut self, finished: Finished<'_>) -> Result<Placed> {
        let appended = match self {
            Self::Over => Ok(()),
            Self::Stdout(out) => append(finished.record, out),
            Self::File(file) => file.append(finished.record),
            Self::Folder { folder, existing, taken, .. } => {
                return name_file(folder, existing, taken, finished);
            }
        };
        match appended {
            Ok(()) => Ok(Placed::Appended),
            Err(error) => self.give_up(error).map(|()| Placed::Appended),
        }
    }

    /// Removes the bytes of a log that failed from the file.
    pub fn cut_back(&mut self) -> Result<()> {
        let Self::File(OneFile { file, length, .. }) = self else { return Ok(()) };
        if file.is_stream() {
            return Ok(());
        }
        match cut_back(file.file(), *length) {
            Ok(()) => Ok(()),
            Err(error) => self.give_up(error),
        }
    }

    /// Writes what is still to be written, gives a file its name, and updates the index of a folder.
    /// Without an index, the next run takes longer.
    pub fn finish(mut self, printer: &Printer) -> Result<()> {
        let flushed = match &mut self {
            Self::Stdout(out) => out.flush(),
            Self::File(OneFile { file, .. }) => file.flush(),
            Self::Folder { .. } | Self::Over => Ok(()),
        };
        if let Err(error) = flushed {
            return self.give_up(error);
        }
        match self {
            Self::File(OneFile { file, force, length: 1.. }) => {
                let path = file.path().to_owned();
                named(&path, file.persist(force))
            }
            Self::Folder { folder, existing, .. } => {
                if let Err(error) = existing.records.write_index(&folder) {
                    let words = format!("cannot write the index of {}: {error}", folder.display());
                    printer.warn_detail(&words);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends the output, because there is neither a reader nor room.
    pub fn give_up(&mut self, error: io::Error) -> Result<()> {
        let name = match std::mem::replace(self, Self::Over) {
            Self::Stdout(_) => "to standard output".to_owned(),
            Self::File(OneFile { file, .. }) => file.path().display().to_string(),
            Self::Folder { .. } | Self::Over => String::new(),
        };
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error).with_context(|| format!("cannot write {name}")),
        }
    }
}

impl OneFile {
    fn append(&mut self, record: WrittenRecord) -> io::Result<()> {
        if let WrittenRecord::Output(end) = record {
            self.length = end;
            return Ok(());
        }
        let mut counted = Counted { file: self.file.file(), length: self.length };
        append(record, &mut counted)?;
        self.length = counted.length;
        Ok(())
    }
}

/// Counts what is written to a file.
struct Counted<'f> {
    file: &'f File,
    length: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append(mut record: WrittenRecord, out: &mut dyn Write) -> io::Result<()> {
    if let WrittenRecord::Memory(bytes) = &record {
        return out.write_all(bytes);
    }
    let mut reader = record.open()?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => out.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Names the file of a record in a folder.
fn name_file(
    folder: &Path,
    existing: &mut Existing,
    taken: &mut Taken,
    mut finished: Finished<'_>,
) -> Result<Placed> {
    let placed = place(folder, existing, taken, &mut finished)?;
    let (Placed::New(path) | Placed::NextTo { path, .. } | Placed::Changed(path)) = &placed else {
        return Ok(placed);
    };
    let WrittenRecord::Folder(file) = finished.record else {
        bail!("cannot write {}: the record is not in its folder", path.display());
    };
    named(path, file.persist(path, matches!(placed, Placed::Changed(_))))?;
    existing.records.add_to_index(path, finished.report, finished.log);
    Ok(placed)
}

/// Explains why a file did not get its name.
fn named(path: &Path, result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("{} already exists (use --force to overwrite)", path.display())
        }
        result => result.with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Returns the file that the record of a session is for.
fn place(
    folder: &Path,
    existing: &mut Existing,
    taken: &mut Taken,
    finished: &mut Finished<'_>,
) -> Result<Placed> {
    let (encoding, report) = (finished.encoding, finished.report);
    let stem = &file_stem(&report.agent, &report.session_id);
    let path = |name: &str| folder.join(name).with_extension_of(encoding);
    let Existing { records, force } = existing;
    let is_name = |name: &str| is_numbered(name, stem);
    let candidates = records.of_session(&report.session_id, &report.sources, is_name);
    for number in candidates.iter().copied().take(MAX_COMPARED) {
        let Record { path, record, .. } = records.record(number);
        let is_replaced =
            records.is_as_known(number) && (*force || finished.contains(path, &record.sources)?);
        if is_replaced {
            let path = path.clone();
            if let Some(stem) = path.file_stem() {
                taken.entry(stem.to_string_lossy().to_ascii_lowercase()).or_insert(1);
            }
            records.settle(number);
            return Ok(Placed::Changed(path));
        }
    }
    // The first of a session's names is the shortest.
    let kept = candidates.iter().map(|number| &records.record(*number).path);
    let kept = kept.min_by_key(|path| (path.as_os_str().len(), *path));
    let mut in_the_way = kept.map(|path| (path.clone(), KeptBecause::NotContained));
    loop {
        let name = unused(stem, taken);
        let found = path(&name);
        if found.symlink_metadata().is_err() {
            return Ok(match in_the_way {
                Some((kept, why)) => Placed::NextTo { path: found, kept, why },
                None => Placed::New(found),
            });
        }
        if !records.is_settled(&found) {
            in_the_way = in_the_way.or(Some((found, KeptBecause::OtherFile)));
        }
    }
}

/// Returns the folder of a file, without links, and its name in it.
fn real_place(path: &Path) -> (Option<PathBuf>, OsString) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok();
    (folder, path.file_name().unwrap_or_default().to_owned())
}

trait WithExtensionOf {
    fn with_extension_of(self, encoding: Encoding) -> PathBuf;
}

impl WithExtensionOf for PathBuf {
    /// Adds the ending to the whole name, which may contain dots.
    fn with_extension_of(self, encoding: Encoding) -> PathBuf {
        let mut name = self.into_os_string();
        name.push(match encoding {
            Encoding::Json => ".json",
            Encoding::Cbor => ".cbor",
        });
        name.into()
    }
}

/// Returns `<agent>-<session id with safe characters>`. The first bytes of its hash distinguish an
/// id that had to be changed from others.
fn file_stem(agent: &str, session: &str) -> String {
    const MAX_CHARS: usize = 100;
    let safe: String = session
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' })
        .take(MAX_CHARS)
        .collect();
    if safe == session {
        return format!("{agent}-{safe}");
    }
    let hash = Sha256::digest(session.as_bytes());
    format!("{agent}-{safe}-{:02x}{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2], hash[3])
}

/// Returns an unused name: the first is the stem, the others have numbers.
fn unused(stem: &str, taken: &mut Taken) -> String {
    let folded = stem.to_ascii_lowercase();
    loop {
        let count = taken.entry(folded.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return stem.to_owned();
        }
        let number = format!("-{count}");
        if taken.insert(folded.clone() + &number, 1).is_none() {
            return stem.to_owned() + &number;
        }
    }
}

/// Returns whether a name is one that [`unused`] can return.
fn is_numbered(name: &str, stem: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix(stem)
        .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_cannot_leave_the_folder() {
        assert_eq!(file_stem("claude", "0a-1_b"), "claude-0a-1_b");
        let stem = file_stem("claude", "../../etc/passwd");
        assert!(stem.starts_with("claude-______etc_passwd-"), "{stem}");
        assert_ne!(file_stem("x", "a/b"), file_stem("x", "a:b"));
        assert!(file_stem("x", &"long".repeat(100)).len() < 130);
    }

    #[test]
    fn the_second_of_a_name_gets_a_number() {
        let mut taken = Taken::new();
        let stems = ["a", "a", "A", "a-2", "a-5", "A", "a", "a-2-2", "a-2"];
        let names = stems.map(|stem| unused(stem, &mut taken));
        assert_eq!(names, ["a", "a-2", "A-3", "a-2-2", "a-5", "A-4", "a-6", "a-2-2-2", "a-2-3"]);
        for name in ["a", "a-2", "a-3"] {
            assert!(is_numbered(name, "a"), "{name}");
        }
        for name in ["a-b", "b", "a2", "a-", "a-2-3", ""] {
            assert!(!is_numbered(name, "a"), "{name}");
        }
    }
}
