//! Where records go: standard output, one file, or a file for each session.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use vac_value::Encoding;

use super::containment::Finished;
use super::existing_records::ExistingRecords;
use super::lock::FolderLock;
use crate::atomic_file::{AtomicFile, is_taken, make_folder};
use crate::input_guard::InputGuard;
use crate::printer::{Printer, Records};
use crate::readers::Readers;

/// How many earlier records of one session are compared with a new one. Reading all of them
/// for every log that claims the session would take quadratic time.
const MAX_COMPARED: usize = 16;

/// Where records go.
pub enum Destination {
    /// One after the other on standard output.
    Stdout(BufWriter<Records>),
    /// One after the other in a file, which gets its name at the end.
    File(OneFile),
    /// One file each in this folder.
    Folder { folder: PathBuf, existing: Box<Existing>, taken: Taken, _lock: FolderLock },
    /// Nowhere any more: the reader has gone, or there is no room.
    Over,
}

/// A file for all records.
pub struct OneFile {
    out: BufWriter<AtomicFile>,
    /// Whether it may take the place of another.
    force: bool,
    /// Whether there is anything in it: nothing is no reason to replace something.
    is_empty: bool,
}

/// Names that are given already, and how often; `A` and `a` are one file on some disks.
pub type Taken = HashMap<String, usize>;

/// The records that are in a folder already. Those of the same session are replaced, by force or
/// if the new ones contain them; every other file stays.
pub struct Existing {
    /// The records.
    pub earlier: ExistingRecords,
    /// Whether a record is replaced by one that does not contain it.
    pub force: bool,
}

/// Why an earlier file keeps the name that a new record was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptBecause {
    /// It is not a record of the session, or cannot be read.
    OtherFile,
    /// It is a record of the session that the new one does not contain.
    NotContained,
}

/// Where a record went.
#[derive(Debug, PartialEq, Eq)]
pub enum Placed {
    /// Behind the others.
    Behind,
    /// Into a file of its own.
    New(PathBuf),
    /// Into a file of its own, next to an earlier one that is kept.
    NextTo { path: PathBuf, kept: PathBuf, why: KeptBecause },
    /// Into the place of an earlier one.
    Changed(PathBuf),
}

impl Destination {
    /// Standard output, or one file for these readers. A name that is neither given nor `-`
    /// is that of a file.
    pub fn of(
        output: Option<&Path>,
        force: bool,
        readers: Readers,
        inputs: &InputGuard,
        printer: &Printer,
    ) -> Result<Self> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self::Stdout(BufWriter::new(printer.records())));
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
        Ok(Self::File(OneFile { out: BufWriter::new(file), force, is_empty: true }))
    }

    /// A folder that exists and is locked.
    pub fn folder(path: &Path, existing: Existing, lock: FolderLock) -> Self {
        let existing = Box::new(existing);
        Self::Folder { folder: path.to_owned(), existing, taken: Taken::new(), _lock: lock }
    }

    /// Whether a file is one that records go to.
    pub fn holds(&self, path: &Path) -> bool {
        match self {
            Self::Stdout(_) | Self::Over => false,
            Self::File(file) => real_place(file.out.get_ref().place()) == real_place(path),
            Self::Folder { folder, taken, .. } => {
                let (around, name) = real_place(path);
                let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
                around == folder.canonicalize().ok()
                    && taken.contains_key(&stem.to_ascii_lowercase())
            }
        }
    }

    /// Whether nothing more can be taken.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }

    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(_))
    }

    /// Takes a finished record from where it was kept until now. A reader that has gone
    /// is no error.
    pub fn take(&mut self, mut finished: Finished<'_, impl Read + Seek>) -> Result<Placed> {
        let encoding = finished.encoding;
        finished.record.seek(SeekFrom::Start(0))?;
        let copied = match self {
            Self::Over => return Ok(Placed::Behind),
            Self::Stdout(out) => copy(finished.record, encoding, out),
            Self::File(file) => {
                file.is_empty = false;
                copy(finished.record, encoding, &mut file.out)
            }
            Self::Folder { folder, existing, taken, .. } => {
                return file(folder, existing, taken, &mut finished);
            }
        };
        match copied {
            Ok(()) => Ok(Placed::Behind),
            Err(error) => self.give_up(error).map(|()| Placed::Behind),
        }
    }

    /// Writes what is still to be written and gives a file its name.
    pub fn finish(mut self) -> Result<()> {
        let flushed = match &mut self {
            Self::Stdout(out) => out.flush(),
            Self::File(file) => file.out.flush(),
            Self::Folder { .. } | Self::Over => Ok(()),
        };
        if let Err(error) = flushed {
            return self.give_up(error);
        }
        match self {
            Self::File(OneFile { out, force, is_empty: false }) => {
                settle(out.into_inner().map_err(io::IntoInnerError::into_error)?, force)
            }
            _ => Ok(()),
        }
    }

    /// Takes nothing more. What is still in a buffer has no reader, or no room either.
    fn give_up(&mut self, error: io::Error) -> Result<()> {
        let name = match std::mem::replace(self, Self::Over) {
            Self::Stdout(out) => {
                drop(out.into_parts());
                "to standard output".to_owned()
            }
            Self::File(file) => file.out.into_parts().0.place().display().to_string(),
            Self::Folder { .. } | Self::Over => String::new(),
        };
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error).with_context(|| format!("cannot write {name}")),
        }
    }
}

/// Puts a record into a file of its own.
fn file(
    folder: &Path,
    existing: &mut Existing,
    taken: &mut Taken,
    finished: &mut Finished<'_, impl Read + Seek>,
) -> Result<Placed> {
    let placed = place(folder, existing, taken, finished)?;
    let (Placed::New(path) | Placed::NextTo { path, .. } | Placed::Changed(path)) = &placed else {
        return Ok(placed);
    };
    let mut file = AtomicFile::new(path, finished.readers)
        .with_context(|| format!("cannot write in {}", folder.display()))?;
    finished.record.seek(SeekFrom::Start(0))?;
    copy(finished.record, finished.encoding, &mut file)
        .with_context(|| format!("cannot write {}", path.display()))?;
    settle(file, matches!(placed, Placed::Changed(_)))?;
    Ok(placed)
}

/// Which file a session's record is for.
fn place(
    folder: &Path,
    existing: &mut Existing,
    taken: &mut Taken,
    finished: &mut Finished<'_, impl Read + Seek>,
) -> Result<Placed> {
    let (encoding, report) = (finished.encoding, finished.report);
    let stem = &file_stem(&report.agent, &report.session_id);
    let path = |name: &str| folder.join(name).with_extension_of(encoding);
    let Existing { earlier, force } = existing;
    let is_name = |name: &str| is_numbered(name, stem);
    let candidates = earlier.of_session(&report.session_id, &report.sources, is_name);
    for number in candidates.iter().copied().take(MAX_COMPARED) {
        let record = earlier.record(number);
        if *force || finished.contains(&record.path, &record.label.sources)? {
            let path = record.path.clone();
            if let Some(stem) = path.file_stem() {
                taken.entry(stem.to_string_lossy().to_ascii_lowercase()).or_insert(1);
            }
            earlier.settle(number);
            return Ok(Placed::Changed(path));
        }
    }
    // The first of a session's names is the shortest.
    let kept = candidates.iter().map(|number| &earlier.record(*number).path);
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
        if !earlier.is_settled(&found) {
            in_the_way = in_the_way.or(Some((found, KeptBecause::OtherFile)));
        }
    }
}

/// JSON records end in a line end, CBOR items do not.
fn copy(record: &mut impl Read, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = record.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        out.write_all(&buffer[..count])?;
    }
    match encoding {
        Encoding::Json => out.write_all(b"\n"),
        Encoding::Cbor => Ok(()),
    }
}

fn settle(file: AtomicFile, replaces: bool) -> Result<()> {
    let path = file.place().to_owned();
    match file.settle(replaces) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("{} already exists (use --force to overwrite)", path.display())
        }
        settled => settled.with_context(|| format!("cannot write {}", path.display())),
    }
}

/// The folder of a file, without links, and its name there.
fn real_place(path: &Path) -> (Option<PathBuf>, OsString) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok();
    (folder, path.file_name().unwrap_or_default().to_owned())
}

trait WithExtensionOf {
    fn with_extension_of(self, encoding: Encoding) -> PathBuf;
}

impl WithExtensionOf for PathBuf {
    /// Adds the ending, whatever dots the name has.
    fn with_extension_of(self, encoding: Encoding) -> PathBuf {
        let mut name = self.into_os_string();
        name.push(match encoding {
            Encoding::Json => ".json",
            Encoding::Cbor => ".cbor",
        });
        name.into()
    }
}

/// `<agent>-<session id made safe>`. An id that had to be changed keeps apart
/// from others by a piece of its hash.
fn file_stem(agent: &str, session: &str) -> String {
    const MOST: usize = 100;
    let safe: String = session
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' })
        .take(MOST)
        .collect();
    if safe == session {
        return format!("{agent}-{safe}");
    }
    let hash = Sha256::digest(session.as_bytes());
    format!("{agent}-{safe}-{:02x}{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2], hash[3])
}

/// A name that is not taken: the first is the stem, the others have numbers.
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

/// Whether a name is one that [`unused`] can give.
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
