//! Reads and writes files of keys and certificates.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use vac::files::Readers;
use vac::signature::{Chain, KeyError, PublicKey, SecretKey, Signer as _};
use zeroize::Zeroizing;

use crate::key_password;
use crate::output_file::{Existing, read_file, write_file};

/// Maximum size of a key file in bytes.
const MAX_SIZE: usize = 1 << 16;

/// The name of the file of a new private key.
const PRIVATE_KEY: &str = "signing-key.pem";
const PUBLIC_KEY: &str = "signing-key.pub.pem";

/// The files of a new key.
pub struct KeyFiles {
    /// The private key.
    pub private: PathBuf,
    /// The public key.
    pub public: PathBuf,
}

/// The algorithm of a new key.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum KeyAlgorithm {
    /// Ed25519
    #[default]
    Ed25519,
    /// ECDSA with P-256 and SHA-256
    Es256,
}

/// Generates a key and writes its files to a folder, the private key encrypted if there is a
/// password. Existing files are never replaced.
pub fn generate(
    folder: &Path,
    algorithm: KeyAlgorithm,
    password: Option<&str>,
) -> Result<(PublicKey, KeyFiles)> {
    let files = KeyFiles { private: folder.join(PRIVATE_KEY), public: folder.join(PUBLIC_KEY) };
    for path in [&files.private, &files.public] {
        if path.symlink_metadata().is_ok() {
            bail!("{} already exists: a key is never replaced", path.display());
        }
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let key = match algorithm {
        KeyAlgorithm::Ed25519 => SecretKey::ed25519(&*random()?),
        KeyAlgorithm::Es256 => loop {
            if let Ok(key) = SecretKey::p256(&*random()?) {
                break key;
            }
        },
    };
    let public = key.public_key().clone();
    let private = match password {
        Some(password) => key.to_encrypted_pem(password.as_bytes(), *random()?, *random()?)?,
        None => key.to_pem()?,
    };
    write_file(&files.private, &[private.as_bytes()], Readers::Owner, Existing::Kept)?;
    let written = write_file(
        &files.public,
        &[public.to_pem()?.as_bytes()],
        Readers::Everyone,
        Existing::Kept,
    );
    if let Err(error) = written {
        // A private key without its public key is useless.
        std::fs::remove_file(&files.private).unwrap_or_default();
        return Err(error);
    }
    Ok((public, files))
}

/// Writes the public key next to a private key, if an interrupted run has not.
pub fn write_missing_public(private: &Path, key: &PublicKey) -> Result<()> {
    let path = private.with_file_name(PUBLIC_KEY);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    write_file(&path, &[key.to_pem()?.as_bytes()], Readers::Everyone, Existing::Kept)
}

/// Returns random bytes.
fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes)
        .map_err(|error| anyhow!("the system has no random numbers: {error}"))?;
    Ok(bytes)
}

/// The variable that names the file of the private key.
pub const VAC_KEY: &str = "VAC_KEY";

/// Returns the file of the private key that the variable names.
pub fn from_variable() -> Option<PathBuf> {
    std::env::var_os(VAC_KEY).filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// Returns the file of the private key: that of an option, or of the variable.
pub fn named(option: Option<&PathBuf>) -> Result<PathBuf> {
    match option.cloned().or_else(from_variable) {
        Some(path) => Ok(path),
        None => bail!("no key to sign with (use --key, or the variable {VAC_KEY})"),
    }
}

/// Returns the file of the private key of an archive, if no other is named.
pub fn archive_key(archive: &Path) -> PathBuf {
    archive_key_folder(archive).join(PRIVATE_KEY)
}

/// Returns the folder that `--keygen` writes the key of an archive to: next to it, never in it.
pub fn archive_key_folder(archive: &Path) -> PathBuf {
    // `.` and `..` have no name: a folder called `.-key` would be in the archive.
    let resolved = archive.file_name().is_none().then(|| archive.canonicalize().ok()).flatten();
    let archive = resolved.as_deref().unwrap_or(archive);
    let mut name = archive.components().as_path().as_os_str().to_owned();
    name.push("-key");
    PathBuf::from(name)
}

/// The options of commands that read a private key.
#[derive(Args)]
pub struct PrivateKeyOptions {
    /// File whose first line is the password of the key [default: the variable
    /// `VAC_KEY_PASSWORD`, else it is asked for on the terminal]
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Use a key or password file that others can access
    #[arg(long)]
    insecure_key_permissions: bool,
}

impl PrivateKeyOptions {
    /// Reads a private key, with its password if it is encrypted. It is an error if users other than
    /// its owner can access one of the files, unless the option allows it.
    pub fn read(&self, path: &Path) -> Result<SecretKey> {
        let shown = path.display();
        let file = PrivateFile::read(path).map_err(|error| {
            let is_missing = error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
            if is_missing {
                anyhow!("{error:#} (make a key with `vac keygen -o keys/`)")
            } else {
                error
            }
        })?;
        // The content is checked first, because permissions matter only for private keys.
        let key = match SecretKey::from_pem(&file.text) {
            Err(KeyError::PasswordRequired) => None,
            key => Some(key.map_err(|error| not_a_private_key(path, &error))?),
        };
        self.check_mode(&file)?;
        if let Some(key) = key {
            return Ok(key);
        }
        let password = match &self.password_file {
            Some(path) => {
                let file = PrivateFile::read(path)?;
                self.check_mode(&file)?;
                key_password::first_line(&file.text)
            }
            None => key_password::of_key(path)?,
        };
        SecretKey::parse(&file.text, Some(password.as_bytes())).map_err(|error| match error {
            KeyError::WrongPassword => anyhow!("cannot decrypt {shown}: {error}"),
            error => not_a_private_key(path, &error),
        })
    }

    fn check_mode(&self, file: &PrivateFile<'_>) -> Result<()> {
        if self.insecure_key_permissions {
            return Ok(());
        }
        file.check_mode(", or pass --insecure-key-permissions")
    }
}

/// Checks that a program in the background can sign with a private key: it asks for no password, and
/// has no options that allow more.
pub fn check_unattended(path: &Path, public: &PublicKey) -> Result<()> {
    let file = PrivateFile::read(path)?;
    let key = SecretKey::from_pem(&file.text).map_err(|error| match error {
        KeyError::PasswordRequired => anyhow!(
            "{} is encrypted, and its password cannot be asked for in the background (use a key \
             without a password)",
            path.display()
        ),
        error => not_a_private_key(path, &error),
    })?;
    file.check_mode("")?;
    if key.public_key() != public {
        bail!("{} is not the key of the archive, {}", path.display(), public.thumbprint_uri());
    }
    Ok(())
}

/// Returns the password for a new key: the first line of a file, or else that of the variable or of
/// the terminal.
pub fn new_password(file: Option<&Path>) -> Result<Zeroizing<String>> {
    let password = match file {
        Some(path) => {
            let file = PrivateFile::read(path)?;
            file.check_mode("")?;
            key_password::first_line(&file.text)
        }
        None => key_password::of_new_key()?,
    };
    if password.is_empty() {
        bail!("the password is empty");
    }
    Ok(password)
}

/// A file that only its owner should be able to access.
struct PrivateFile<'p> {
    path: &'p Path,
    text: Zeroizing<String>,
    /// The permissions, if others can access it.
    shared_mode: Option<u32>,
}

impl<'p> PrivateFile<'p> {
    fn read(path: &'p Path) -> Result<Self> {
        let read = || {
            let file = File::open(path)?;
            let shared_mode = mode_for_others(&file)?;
            Ok::<_, anyhow::Error>(Self { path, text: content(file)?, shared_mode })
        };
        read().with_context(|| format!("cannot read {}", path.display()))
    }

    /// Checks that other users cannot access the file. `way_out` is the advice for users who do not
    /// want to change the permissions.
    fn check_mode(&self, way_out: &str) -> Result<()> {
        match self.shared_mode {
            None => Ok(()),
            Some(mode) => bail!(
                "{} can be accessed by other users (mode {mode:04o}): run chmod 600 on it{way_out}",
                self.path.display()
            ),
        }
    }
}

fn not_a_private_key(path: &Path, error: &KeyError) -> anyhow::Error {
    let shown = path.display();
    match error {
        KeyError::Label { found, .. } if found == "PUBLIC KEY" => {
            anyhow!("{shown} is a public key; signing needs the private key")
        }
        KeyError::Label { found, .. } if found == "CERTIFICATE" => {
            anyhow!("{shown} is a certificate; signing needs the private key")
        }
        KeyError::Encryption(_) | KeyError::Cost { .. } => {
            anyhow!("cannot decrypt {shown}: {error}")
        }
        _ => anyhow!("{shown} is not a private key: {error}"),
    }
}

/// Reads a public key.
pub fn read_public(path: &Path) -> Result<PublicKey> {
    let shown = path.display();
    let text = File::open(path)
        .map_err(anyhow::Error::from)
        .and_then(content)
        .with_context(|| format!("cannot read {shown}"))?;
    PublicKey::parse(&text).with_context(|| format!("{shown} is not a public key"))
}

/// Returns the time at which signatures are verified, in seconds since 1970.
pub fn now() -> Result<u64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(now.context("the system's clock is before 1970")?.as_secs())
}

/// Reads certificates.
pub fn read_chain(path: &Path) -> Result<Chain> {
    let shown = path.display();
    let text = read_file(path).with_context(|| format!("cannot read {shown}"))?;
    Chain::from_pem(&text).with_context(|| format!("{shown} has no certificates"))
}

/// Reads a file into one buffer, which is zeroed when it is dropped.
fn content(file: impl Read) -> Result<Zeroizing<String>> {
    // One byte more shows that the file is larger.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_SIZE + 1));
    file.take(MAX_SIZE as u64 + 1).read_to_end(&mut text)?;
    if text.len() > MAX_SIZE {
        bail!("it is larger than {} KiB", MAX_SIZE >> 10);
    }
    match std::str::from_utf8(&text) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => bail!("it is not text"),
    }
}

/// Returns the permissions of an open file, if users other than its owner can access it.
#[cfg(unix)]
fn mode_for_others(file: &File) -> Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = file.metadata()?;
    let mode = metadata.permissions().mode() & 0o7777;
    // Reading a pipe takes the bytes away from others.
    Ok((mode & 0o077 != 0 && metadata.is_file()).then_some(mode))
}

#[cfg(not(unix))]
fn mode_for_others(_: &File) -> Result<Option<u32>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_key_file_is_refused_and_not_cut() {
        let text = "x".repeat(MAX_SIZE);
        assert_eq!(*content(text.as_bytes()).unwrap(), text);
        let error = content(format!("{text}x").as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 64 KiB");
    }
}
