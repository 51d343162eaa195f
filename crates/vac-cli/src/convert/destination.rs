//! Where records go: standard output, one file, or a file for each session.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use vac_adapter::report::Report;
use vac_value::Encoding;

use super::earlier::Earlier;
use crate::data::Data;

/// Where records go.
pub enum Destination {
    /// One behind the other on standard output; from a broken pipe on, nowhere.
    Stdout(Option<BufWriter<Data>>),
    /// One behind the other in a file, which gets its name at the end.
    File(BufWriter<NamedTempFile>, PathBuf, bool),
    /// One file each in this folder.
    Folder { folder: PathBuf, existing: Existing, taken: HashSet<String> },
}

/// What becomes of files that are there already.
pub enum Existing {
    /// They stay, and that is an error.
    Kept,
    /// They are replaced.
    Replaced,
    /// Records of the same session are replaced, everything else stays.
    Updated(Box<Earlier>),
}

/// Where a record went.
#[derive(Debug, PartialEq, Eq)]
pub enum Placed {
    /// Behind the others.
    Behind,
    /// Into a file of its own.
    New(PathBuf),
    /// Into a file of its own, because what has the name for it is something else.
    Beside(PathBuf, PathBuf),
    /// Into the place of an earlier one.
    Changed(PathBuf),
}

impl Destination {
    /// As the command line says: nothing is standard output, a name that ends
    /// in a slash or is a directory is a folder, anything else a file.
    pub fn of(output: Option<&Path>, force: bool) -> Result<Self> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self::Stdout(Some(BufWriter::new(Data::new()))));
        };
        let is_folder =
            path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        if is_folder {
            make_folder(path)?;
            let existing = if force { Existing::Replaced } else { Existing::Kept };
            return Ok(Self::folder(path, existing));
        }
        if !force && path.exists() {
            bail!("{} is there already (--force replaces it)", path.display());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = unfinished(folder.unwrap_or(Path::new(".")))
            .with_context(|| format!("cannot write beside {}", path.display()))?;
        Ok(Self::File(BufWriter::new(file), path.to_owned(), force))
    }

    /// A folder that is there.
    pub fn folder(path: &Path, existing: Existing) -> Self {
        Self::Folder { folder: path.to_owned(), existing, taken: HashSet::new() }
    }

    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(_))
    }

    /// Takes a finished record from where it was kept until now.
    pub fn take(
        &mut self,
        record: &mut File,
        encoding: Encoding,
        report: &Report,
    ) -> Result<Placed> {
        record.seek(SeekFrom::Start(0))?;
        match self {
            Self::Stdout(out) => {
                let copied = out.as_mut().map(|out| copy(record, encoding, out));
                match copied {
                    Some(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                        if let Some(out) = out.take() {
                            drop(out.into_parts());
                        }
                        Ok(Placed::Behind)
                    }
                    Some(Err(error)) => Err(error).context("cannot write to standard output"),
                    _ => Ok(Placed::Behind),
                }
            }
            Self::File(out, path, _) => {
                copy(record, encoding, out)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                Ok(Placed::Behind)
            }
            Self::Folder { folder, existing, taken } => {
                let stem = file_stem(&report.agent, &report.session_id);
                let placed = place(folder, &stem, encoding, report, existing, taken);
                let (Placed::New(path) | Placed::Beside(path, _) | Placed::Changed(path)) = &placed
                else {
                    return Ok(placed);
                };
                let mut file = unfinished(folder)
                    .with_context(|| format!("cannot write in {}", folder.display()))?;
                copy(record, encoding, &mut file)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                let is_replaced = matches!(placed, Placed::Changed(_));
                settle(file, path, is_replaced || matches!(existing, Existing::Replaced))?;
                Ok(placed)
            }
        }
    }

    /// Writes what is still to be written and gives a file its name.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Stdout(Some(mut out)) => match out.flush() {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    Err(error).context("cannot write to standard output")
                }
                _ => Ok(()),
            },
            Self::Stdout(None) | Self::Folder { .. } => Ok(()),
            Self::File(out, path, force) => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                settle(file, &path, force)
            }
        }
    }
}

/// Makes a folder, and those around it.
pub fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))
}

/// Which file a session's record is for.
fn place(
    folder: &Path,
    stem: &str,
    encoding: Encoding,
    report: &Report,
    existing: &mut Existing,
    taken: &mut HashSet<String>,
) -> Placed {
    let path = |name: &str| folder.join(name).with_extension_of(encoding);
    let Existing::Updated(earlier) = existing else {
        return Placed::New(path(&unused(stem, taken)));
    };
    let is_name = |name: &str| is_numbered(name, stem);
    if let Some(path) = earlier.replaced(&report.session_id, &report.sources, is_name) {
        taken.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        return Placed::Changed(path);
    }
    let mut in_the_way = None;
    loop {
        let name = unused(stem, taken);
        let found = path(&name);
        if found.symlink_metadata().is_err() {
            return match in_the_way {
                Some(other) => Placed::Beside(found, other),
                None => Placed::New(found),
            };
        }
        if !earlier.is_settled(&found) {
            in_the_way = in_the_way.or(Some(found));
        }
    }
}

/// A file that gets its name when it is complete, and is gone if it never is.
fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vac-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the user's mask leaves of it, as for any other new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// JSON records end in a line end, CBOR items do not.
fn copy(record: &mut File, encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
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

fn settle(file: NamedTempFile, path: &Path, force: bool) -> Result<()> {
    let placed =
        if force { file.persist(path).map(drop) } else { file.persist_noclobber(path).map(drop) };
    match placed {
        Ok(()) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("{} is there already (--force replaces it)", path.display())
        }
        Err(error) => Err(error.error).with_context(|| format!("cannot write {}", path.display())),
    }
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

fn unused(stem: &str, taken: &mut HashSet<String>) -> String {
    let mut name = stem.to_owned();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{stem}-{number}");
        number += 1;
    }
    name
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
        let mut taken = HashSet::new();
        assert_eq!(unused("a", &mut taken), "a");
        assert_eq!(unused("a", &mut taken), "a-2");
        assert_eq!(unused("a", &mut taken), "a-3");
        for name in ["a", "a-2", "a-3"] {
            assert!(is_numbered(name, "a"), "{name}");
        }
        for name in ["a-b", "b", "a2", "a-", "a-2-3", ""] {
            assert!(!is_numbered(name, "a"), "{name}");
        }
    }
}
