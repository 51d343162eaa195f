//! Computes session ids for logs that state none, from the name of the file or from its bytes, so
//! that the same log always has the same id.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::adapter::Error;
use crate::input::Input;

/// Returns the name of a file without its last extension. `None` if nothing is left.
///
/// ```
/// assert_eq!(vac_adapter::ids::stem("session-1.jsonl"), Some("session-1"));
/// assert_eq!(vac_adapter::ids::stem("-"), None, "that is standard input");
/// ```
pub fn stem(name: &str) -> Option<&str> {
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    (!stem.is_empty() && stem != "-").then_some(stem)
}

/// Returns an id for an input: its name without the extension, or else one computed from its bytes.
pub fn from_input(input: &dyn Input) -> Result<String, Error> {
    match stem(input.name()) {
        Some(stem) => Ok(stem.to_owned()),
        None => from_content(input),
    }
}

/// Returns an id computed from the bytes of an input, the same as [`from_bytes`] returns.
pub fn from_content(input: &dyn Input) -> Result<String, Error> {
    match input.sha_256() {
        Some(hash) => Ok(from_sha_256(&hash)),
        None => from_bytes(input.open()?),
    }
}

/// Returns a UUID (version 8) computed from the first 16 bytes of the SHA-256 of these bytes.
///
/// ```
/// use vac_adapter::ids::from_bytes;
///
/// let id = from_bytes(&b"abc"[..])?;
/// assert_eq!(id, "ba7816bf-8f01-8fea-8141-40de5dae2223");
/// # Ok::<(), vac_adapter::Error>(())
/// ```
pub fn from_bytes(mut input: impl Read) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => hash.update(&chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(from_sha_256(&hash.finalize().into()))
}

fn from_sha_256(hash: &[u8; 32]) -> String {
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&hash[..16]);
    uuid[6] = uuid[6] & 0x0f | 0x80;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    let hex = data_encoding::HEXLOWER.encode(&uuid);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
