//! Where records go: standard output, one file, or a file for each session.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use vac_value::Encoding;

/// Where records go.
pub enum Destination {
    /// One behind the other on standard output; from a broken pipe on, nowhere.
    Stdout(Option<BufWriter<io::StdoutLock<'static>>>),
    /// One behind the other in a file, which gets its name at the end.
    File(BufWriter<NamedTempFile>, PathBuf, bool),
    /// One file each in this folder.
    Folder { folder: PathBuf, force: bool, taken: HashSet<String> },
}

impl Destination {
    /// As the command line says: nothing is standard output, a name that ends
    /// in a slash or is a directory is a folder, anything else a file.
    pub fn of(output: Option<&Path>, force: bool) -> Result<Self> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self::Stdout(Some(BufWriter::new(io::stdout().lock()))));
        };
        let is_folder =
            path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        if is_folder {
            std::fs::create_dir_all(path)
                .with_context(|| format!("cannot make {}", path.display()))?;
            return Ok(Self::Folder { folder: path.to_owned(), force, taken: HashSet::new() });
        }
        if !force && path.exists() {
            bail!("{} is there already (--force replaces it)", path.display());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = unfinished(folder.unwrap_or(Path::new(".")))
            .with_context(|| format!("cannot write beside {}", path.display()))?;
        Ok(Self::File(BufWriter::new(file), path.to_owned(), force))
    }

    /// Takes a finished record from where it was kept until now. Gives the
    /// file's name if it got one of its own.
    pub fn take(
        &mut self,
        record: &mut File,
        encoding: Encoding,
        agent: &str,
        session: &str,
    ) -> Result<Option<PathBuf>> {
        record.seek(SeekFrom::Start(0))?;
        match self {
            Self::Stdout(out) => {
                let copied = out.as_mut().map(|out| copy(record, encoding, out));
                match copied {
                    Some(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                        if let Some(out) = out.take() {
                            drop(out.into_parts());
                        }
                        Ok(None)
                    }
                    Some(Err(error)) => Err(error).context("cannot write to standard output"),
                    _ => Ok(None),
                }
            }
            Self::File(out, path, _) => {
                copy(record, encoding, out)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                Ok(None)
            }
            Self::Folder { folder, force, taken } => {
                let name = unused(&file_stem(agent, session), taken);
                let path = folder.join(name).with_extension_of(encoding);
                let mut file = unfinished(folder)
                    .with_context(|| format!("cannot write in {}", folder.display()))?;
                copy(record, encoding, &mut file)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                settle(file, &path, *force)?;
                Ok(Some(path))
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
    }
}
