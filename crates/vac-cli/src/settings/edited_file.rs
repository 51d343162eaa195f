//! Reads and edits a settings file of another program. If an edit is not safe, the file is not
//! changed.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use vac::files::{AtomicFile, Readers};

/// Maximum size of a settings file in bytes. Larger files are refused.
const MAX_SIZE: u64 = 4 << 20;
/// The extension of the copy that is made of a file before its first change.
const BACKUP: &str = ".vac-backup";

/// A settings file as it was read.
pub struct EditedFile {
    path: PathBuf,
    /// The text; `None` if the file does not exist.
    text: Option<String>,
    readers: Readers,
}

impl EditedFile {
    /// Reads a file, which need not exist.
    ///
    /// # Errors
    /// If it is a link, not a regular file, too large, not text, or cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let metadata = match path.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), text: None, readers: Readers::Owner });
            }
            Err(error) => return Err(error).with_context(|| cannot("read", path)),
        };
        if metadata.is_symlink() {
            bail!("{} is a symbolic link, which is not followed; {BY_HAND}", path.display());
        }
        match read_text(path) {
            Ok(text) => Ok(Self { path: path.to_owned(), text, readers: readers(&metadata) }),
            Err(error) if error.is::<io::Error>() => Err(error),
            Err(error) => Err(anyhow::anyhow!("{error}; {BY_HAND}")),
        }
    }

    /// Returns the text; empty if the file does not exist.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    /// Returns whether the file exists.
    pub fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// Returns the path of the copy that [`write`](Self::write) keeps.
    pub fn backup(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(BACKUP);
        PathBuf::from(name)
    }

    /// Returns what the copy contains, if there is one.
    pub fn backup_text(&self) -> Option<String> {
        Self::read(&self.backup()).ok()?.text
    }

    /// Keeps a copy of the file as it was read.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_backup(&self) -> Result<()> {
        let Some(text) = &self.text else { return Ok(()) };
        let backup = self.backup();
        if backup.symlink_metadata().is_ok_and(|it| !it.is_file()) {
            bail!("{} is not a file; remove it first", backup.display());
        }
        replace(&backup, text, self.readers)
    }

    /// Replaces the text, in one step.
    ///
    /// # Errors
    /// If the file is read-only, was changed since it was read, or cannot be written.
    pub fn write(&self, text: &str) -> Result<()> {
        self.check_unchanged()?;
        if let Some(folder) = self.path.parent().filter(|_| !self.exists()) {
            fs::create_dir_all(folder).with_context(|| cannot("create", folder))?;
        }
        replace(&self.path, text, self.readers)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// As of [`write`](Self::write).
    pub fn delete(&self) -> Result<()> {
        self.check_unchanged()?;
        fs::remove_file(&self.path).with_context(|| cannot("remove", &self.path))
    }

    /// Removes the copy.
    ///
    /// # Errors
    /// If it exists and cannot be removed.
    pub fn delete_backup(&self) -> Result<()> {
        match fs::remove_file(self.backup()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| cannot("remove", &self.backup()))
            }
            _ => Ok(()),
        }
    }

    fn check_unchanged(&self) -> Result<()> {
        let now = Self::read(&self.path)?;
        if now.text != self.text {
            bail!("{} was changed meanwhile; run the command again", self.path.display());
        }
        if self.exists() && self.path.metadata().is_ok_and(|it| it.permissions().readonly()) {
            bail!("{} is read-only; {BY_HAND}", self.path.display());
        }
        Ok(())
    }
}

/// Reads a settings file as its program does: links are followed. Returns `None` if it does not exist.
///
/// # Errors
/// If it is not a regular file, too large, not text, or cannot be read.
pub fn read_text(path: &Path) -> Result<Option<String>> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| cannot("read", path)),
    };
    // A pipe would wait for its writer.
    if !metadata.is_file() {
        bail!("{} is not a file", path.display());
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).with_context(|| cannot("read", path))?;
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes).with_context(|| cannot("read", path))?;
    if bytes.len() as u64 > MAX_SIZE {
        bail!("{} is larger than 4 MiB", path.display());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => bail!("{} is not UTF-8", path.display()),
    }
}

/// The advice for users if a file is not edited.
pub const BY_HAND: &str = "edit it by hand, as `vac hook` without --write prints it";

fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", path.display())
}

fn replace(path: &Path, text: &str, readers: Readers) -> Result<()> {
    let write = || {
        let mut file = AtomicFile::new(path, readers)?;
        file.write_all(text.as_bytes())?;
        file.sync()?;
        file.persist(true)
    };
    write().with_context(|| cannot("write", path))
}

#[cfg(unix)]
fn readers(metadata: &Metadata) -> Readers {
    use std::os::unix::fs::PermissionsExt as _;
    Readers::Mode(metadata.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn readers(_: &Metadata) -> Readers {
    Readers::Owner
}
