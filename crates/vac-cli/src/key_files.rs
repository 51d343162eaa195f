//! Files of keys and certificates.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use vac_sign::{Chain, KeyError, PublicKey, SecretKey, Signer as _};
use zeroize::Zeroizing;

use crate::key_password;
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

/// The options of commands that read a private key.
#[derive(Args)]
pub struct PrivateKeyOptions {
    /// File whose first line is the password of the key [default: the variable
    /// `VAC_KEY_PASSWORD`, else it is asked for on the terminal]
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Use a key file that others can read
    #[arg(long)]
    insecure_key_permissions: bool,
}

impl PrivateKeyOptions {
    /// Reads a private key, with its password if it is encrypted. It is an error if users other than
    /// its owner can access the file, unless the option allows it.
    pub fn read(&self, path: &Path) -> Result<SecretKey> {
        let shown = path.display();
        let (text, mode) = read_private(path)?;
        // What the file is comes first: permissions matter for private keys alone.
        let key = match SecretKey::from_pem(&text) {
            Err(KeyError::PasswordRequired) => None,
            key => Some(key.map_err(|error| not_a_private_key(path, &error))?),
        };
        self.check_mode(path, mode)?;
        if let Some(key) = key {
            return Ok(key);
        }
        let password = match &self.password_file {
            Some(file) => password_in(file)?,
            None => key_password::of_key(path)?,
        };
        SecretKey::parse(&text, Some(password.as_bytes())).map_err(|error| match error {
            KeyError::WrongPassword => anyhow!("cannot decrypt {shown}: {error}"),
            error => not_a_private_key(path, &error),
        })
    }

    fn check_mode(&self, path: &Path, mode: Option<u32>) -> Result<()> {
        match mode {
            Some(mode) if !self.insecure_key_permissions => bail!(
                "{} can be accessed by other users (mode {mode:04o}): run chmod 600 on it, or \
                 pass --insecure-key-permissions",
                path.display()
            ),
            _ => Ok(()),
        }
    }
}

/// Checks that a program in the background can read a private key, which asks for no password.
pub fn check_unattended(path: &Path) -> Result<()> {
    match SecretKey::from_pem(&read_private(path)?.0) {
        Ok(_) => Ok(()),
        Err(KeyError::PasswordRequired) if key_password::is_in_variable() => Ok(()),
        Err(KeyError::PasswordRequired) => bail!(
            "{} is encrypted, and its password cannot be asked for in the background (use a key \
             without a password)",
            path.display()
        ),
        Err(error) => Err(not_a_private_key(path, &error)),
    }
}

/// Returns the password for a new key: the first line of a file, or else that of the variable or of
/// the terminal.
pub fn new_password(file: Option<&Path>) -> Result<Zeroizing<String>> {
    let password = file.map_or_else(key_password::of_new_key, password_in)?;
    if password.is_empty() {
        bail!("the password is empty");
    }
    Ok(password)
}

fn password_in(file: &Path) -> Result<Zeroizing<String>> {
    Ok(key_password::first_line(&read_private(file)?.0))
}

/// Reads a file that only its owner should be able to read. Returns its mode if others can, too.
fn read_private(path: &Path) -> Result<(Zeroizing<String>, Option<u32>)> {
    let read = || {
        let file = File::open(path)?;
        let mode = mode_for_others(&file)?;
        Ok::<_, anyhow::Error>((content(file)?, mode))
    };
    read().with_context(|| format!("cannot read {}", path.display()))
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
    let text = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    Chain::from_pem(&text).with_context(|| format!("{shown} has no certificates"))
}

/// Reads a file into one buffer, which is zeroed when it is dropped.
fn content(file: File) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(Vec::with_capacity(usize::try_from(MAX_SIZE)?));
    file.take(MAX_SIZE).read_to_end(&mut text)?;
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
