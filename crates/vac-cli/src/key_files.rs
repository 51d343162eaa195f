//! Files of keys and certificates.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, bail};
use vac_sign::{Chain, KeyError, PublicKey, SecretKey, Signer as _};
use zeroize::Zeroizing;

use crate::output_file::{Existing, write_file};
use crate::readers::Readers;

/// Maximum size of a key file.
const MAX_SIZE: u64 = 1 << 16;

/// The files of a new key.
pub struct KeyFiles {
    /// The private key.
    pub private: PathBuf,
    /// The public key.
    pub public: PathBuf,
}

/// Generates an Ed25519 key and writes its files to a folder. Existing files are never replaced.
pub fn generate(folder: &Path) -> Result<(PublicKey, KeyFiles)> {
    let files = KeyFiles {
        private: folder.join("signing-key.pem"),
        public: folder.join("signing-key.pub.pem"),
    };
    for path in [&files.private, &files.public] {
        if path.symlink_metadata().is_ok() {
            bail!("{} already exists: a key is never replaced", path.display());
        }
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed)
        .map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
    let key = SecretKey::ed25519(&seed);
    let public = key.public_key().clone();
    write_file(&files.private, &[key.to_pem()?.as_bytes()], Readers::Owner, Existing::Kept)?;
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

/// Reads a private key. It is an error if users other than its owner can access the file,
/// unless `insecure` allows it.
pub fn read_secret(path: &Path, insecure: bool) -> Result<SecretKey> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let mode = mode_for_others(&file)?;
    let text = content(file).with_context(|| format!("cannot read {shown}"))?;
    // What the file is comes first: permissions matter for private keys alone.
    let key = SecretKey::from_pem(&text).map_err(|error| match &error {
        KeyError::Label { found, .. } if found == "PUBLIC KEY" => {
            anyhow!("{shown} is a public key; signing needs the private key")
        }
        KeyError::Label { found, .. } if found == "CERTIFICATE" => {
            anyhow!("{shown} is a certificate; signing needs the private key")
        }
        _ => anyhow!("{shown} is not a private key: {error}"),
    })?;
    match mode {
        Some(mode) if !insecure => bail!(
            "{shown} can be accessed by other users (mode {mode:04o}): run chmod 600 on it, or \
             pass --insecure-key-permissions"
        ),
        _ => Ok(key),
    }
}

/// Reads a public key.
pub fn read_public(path: &Path) -> Result<PublicKey> {
    let shown = path.display();
    let text = File::open(path)
        .map_err(anyhow::Error::from)
        .and_then(content)
        .with_context(|| format!("cannot read {shown}"))?;
    PublicKey::from_pem(&text).with_context(|| format!("{shown} is not a public key"))
}

/// The time at which signatures are verified, in seconds since 1970.
pub fn now() -> Result<u64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(now.context("the system's clock is before 1970")?.as_secs())
}

/// Reads certificates.
pub fn read_chain(path: &Path) -> Result<Chain> {
    let shown = path.display();
    let text = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    Chain::from_pem(&text).with_context(|| format!("{shown} has no certificates"))
}

/// Reads a file into one buffer, which is zeroed when it is dropped.
fn content(file: File) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(Vec::with_capacity(usize::try_from(MAX_SIZE)?));
    file.take(MAX_SIZE).read_to_end(&mut text)?;
    match std::str::from_utf8(&text) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => bail!("it is not text, so it is not PEM"),
    }
}

/// The permissions of an open file, if they let anybody but its owner in.
#[cfg(unix)]
fn mode_for_others(file: &File) -> Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata()?.permissions().mode() & 0o7777;
    Ok((mode & 0o077 != 0).then_some(mode))
}

#[cfg(not(unix))]
fn mode_for_others(_: &File) -> Result<Option<u32>> {
    Ok(None)
}
