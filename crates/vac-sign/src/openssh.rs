//! Keys in the formats of OpenSSH: `openssh-key-v1` (its file PROTOCOL.key) and lines of public
//! keys (RFC 4253 section 6.6, RFC 8709, RFC 5656).

use aes::Aes256;
use aes::cipher::{BlockModeDecrypt as _, KeyIvInit as _, StreamCipher as _, array::Array};
use data_encoding::BASE64;
use vac_value::printable;
use zeroize::Zeroizing;

use crate::key::{KeyError, PublicKey};
use crate::signer::{SecretKey, Signer as _};

/// The beginning of a private key.
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// Maximum number of rounds of bcrypt, which take about twenty seconds on a slow machine.
/// `ssh-keygen` uses 16 or 24 by default.
const MAX_ROUNDS: u32 = 2000;

const ED25519: &[u8] = b"ssh-ed25519";
const P256: &[u8] = b"ecdsa-sha2-nistp256";
const P256_CURVE: &[u8] = b"nistp256";

/// Returns whether text begins like a public key of OpenSSH.
pub(crate) fn is_public_key(text: &str) -> bool {
    ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].iter().any(|start| text.starts_with(start))
}

/// Reads a public key: one line of type, base64 and comment. Empty lines around it are ignored.
pub(crate) fn public_key(text: &str) -> Result<PublicKey, KeyError> {
    let text = text.trim();
    if text.lines().nth(1).is_some() {
        return Err(malformed("it has more than one line"));
    }
    let mut words = text.split_ascii_whitespace();
    let (Some(kind), Some(content)) = (words.next(), words.next()) else {
        return Err(malformed("it has no base64 after the type"));
    };
    let content = BASE64
        .decode(content.as_bytes())
        .map_err(|error| malformed(&format!("not base64: {error}")))?;
    let mut fields = Fields(&content);
    if fields.string()? != kind.as_bytes() {
        return Err(malformed("the type before the base64 is not the one inside"));
    }
    let key = public_fields(kind.as_bytes(), &mut fields)?;
    fields.end()?;
    Ok(key)
}

fn public_fields(kind: &[u8], fields: &mut Fields<'_>) -> Result<PublicKey, KeyError> {
    match kind {
        ED25519 => {
            let point = fields.string()?.try_into().map_err(|_| malformed("not 32 bytes"))?;
            let key = ed25519_dalek::VerifyingKey::from_bytes(point)
                .map_err(|error| malformed(&error.to_string()))?;
            PublicKey::ed25519(key)
        }
        P256 => {
            if fields.string()? != P256_CURVE {
                return Err(malformed("the curve is not that of the type"));
            }
            let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(fields.string()?)
                .map_err(|error| malformed(&error.to_string()))?;
            Ok(PublicKey::P256(key))
        }
        other => Err(KeyError::Kind(name(other))),
    }
}

/// Reads a private key from the content of its PEM block.
pub(crate) fn private_key(content: &[u8], password: Option<&[u8]>) -> Result<SecretKey, KeyError> {
    let fields = content.strip_prefix(MAGIC).ok_or_else(|| malformed("another format"))?;
    let mut fields = Fields(fields);
    let (cipher, derivation, options) = (fields.string()?, fields.string()?, fields.string()?);
    if fields.number()? != 1 {
        return Err(malformed("it contains more than one key"));
    }
    let public = fields.string()?;
    let mut secret = Zeroizing::new(fields.string()?.to_vec());
    // The kind of key is not encrypted, so an unsupported kind is reported without the password.
    let mut public_parts = Fields(public);
    let kind = public_parts.string()?;
    let public = public_fields(kind, &mut public_parts)?;
    public_parts.end()?;
    let is_encrypted = decrypt(cipher, derivation, options, password, &mut secret)?;
    // The end of the file. Only ciphers that are not supported have an authentication tag here.
    fields.end()?;
    let key = secret_fields(kind, &mut Fields(&secret), is_encrypted)?;
    if *key.public_key() == public {
        Ok(key)
    } else {
        Err(malformed("its public key is the one of another key"))
    }
}

/// Decrypts the private part in place. Returns whether it was encrypted.
fn decrypt(
    cipher: &[u8],
    derivation: &[u8],
    options: &[u8],
    password: Option<&[u8]>,
    secret: &mut [u8],
) -> Result<bool, KeyError> {
    match (cipher, derivation) {
        (b"none", b"none") => return Ok(false),
        (b"aes256-ctr" | b"aes256-cbc", b"bcrypt") => {}
        (b"aes256-ctr" | b"aes256-cbc", other) => {
            let other = name(other);
            return Err(KeyError::Encryption(format!("key derivation {other}, expected bcrypt")));
        }
        (other, _) => {
            return Err(KeyError::Encryption(format!(
                "cipher {}, expected aes256-ctr or aes256-cbc (`ssh-keygen -p -Z aes256-ctr -f \
                 FILE` changes it)",
                name(other)
            )));
        }
    }
    let mut options = Fields(options);
    let (salt, rounds) = (options.string()?, options.number()?);
    options.end()?;
    if rounds > MAX_ROUNDS {
        let stated = format!("{rounds} rounds of bcrypt");
        return Err(KeyError::Cost { stated, max: format!("{MAX_ROUNDS} rounds") });
    }
    let password = password.ok_or(KeyError::PasswordRequired)?;
    if password.is_empty() {
        return Err(KeyError::WrongPassword);
    }
    let mut derived = Zeroizing::new([0; 48]);
    bcrypt_pbkdf::bcrypt_pbkdf(password, salt, rounds, &mut *derived)
        .map_err(|_| malformed("the options of bcrypt are not valid"))?;
    let (key, iv) = derived.split_at(32);
    if secret.is_empty() || !secret.len().is_multiple_of(16) {
        return Err(malformed("the encrypted part is not a number of blocks"));
    }
    let broken = |_| malformed("the key or the initial block has a wrong length");
    if cipher == b"aes256-ctr" {
        let mut cipher = ctr::Ctr128BE::<Aes256>::new_from_slices(key, iv).map_err(broken)?;
        cipher.apply_keystream(secret);
    } else {
        let mut cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, iv).map_err(broken)?;
        for block in Array::slice_as_chunks_mut(secret).0 {
            cipher.decrypt_block(block);
        }
    }
    Ok(true)
}

/// Reads the part of a private key that can be encrypted.
fn secret_fields(
    kind: &[u8],
    fields: &mut Fields<'_>,
    is_encrypted: bool,
) -> Result<SecretKey, KeyError> {
    // The two numbers are equal if the password is right.
    let (one, two) = (fields.number()?, fields.number()?);
    if one != two && is_encrypted {
        return Err(KeyError::WrongPassword);
    }
    if one != two || fields.string()? != kind {
        return Err(malformed("its parts contradict each other"));
    }
    let key = if kind == ED25519 {
        let _public = fields.string()?;
        let pair = fields.string()?.try_into().map_err(|_| malformed("not 64 bytes"))?;
        let secret = ed25519_dalek::SigningKey::from_keypair_bytes(pair)
            .map_err(|error| malformed(&error.to_string()))?;
        SecretKey::ed25519(secret.as_bytes())
    } else {
        let (_curve, _point, scalar) = (fields.string()?, fields.string()?, fields.string()?);
        // A number has no leading zeros, except one if its highest bit is set.
        let zeros = scalar.iter().take_while(|byte| **byte == 0).count();
        let digits = &scalar[zeros..];
        let mut seed = Zeroizing::new([0; 32]);
        let start =
            32_usize.checked_sub(digits.len()).ok_or_else(|| malformed("not a P-256 key"))?;
        seed[start..].copy_from_slice(digits);
        SecretKey::p256(&seed)?
    };
    let _comment = fields.string()?;
    let is_padding = |(at, byte): (usize, &u8)| at + 1 == usize::from(*byte);
    if fields.0.iter().enumerate().all(is_padding) {
        Ok(key)
    } else {
        Err(malformed("bytes after the key are not padding"))
    }
}

/// A reader of fields that are preceded by their length (RFC 4251 section 5).
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Result<u32, KeyError> {
        let (number, rest) = self.0.split_first_chunk().ok_or_else(|| malformed("it is cut"))?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*number))
    }

    fn string(&mut self) -> Result<&'a [u8], KeyError> {
        let length = self.number()?;
        let parts = usize::try_from(length).ok().and_then(|at| self.0.split_at_checked(at));
        let (string, rest) = parts.ok_or_else(|| malformed("it is cut"))?;
        self.0 = rest;
        Ok(string)
    }

    fn end(&self) -> Result<(), KeyError> {
        if self.0.is_empty() { Ok(()) } else { Err(malformed("bytes after its end")) }
    }
}

fn malformed(why: &str) -> KeyError {
    KeyError::OpenSsh(why.to_owned())
}

/// Returns a name from a key file, for messages.
fn name(bytes: &[u8]) -> String {
    printable(&String::from_utf8_lossy(bytes), 40)
}
