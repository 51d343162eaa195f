//! Signers, and private keys in memory.

use std::fmt;

use ed25519_dalek::pkcs8::{
    self, EncodePrivateKey as _, KeypairBytes, PrivateKeyInfoRef,
    spki::{
        self,
        der::{SecretDocument, pem::LineEnding},
    },
};
use p256::ecdsa::signature::MultipartSigner as _;
use zeroize::Zeroizing;

use crate::encrypted_key;
use crate::key::{KeyError, PublicKey};
use crate::message::Message;
use crate::openssh;
use crate::pem::block;

/// Something that signs: a key in memory ([`SecretKey`]), or one that never leaves a
/// hardware module.
///
/// ```
/// use vac_sign::{Message, PublicKey, Signer, SignerError};
///
/// struct Module {
///     public: PublicKey,
/// }
///
/// impl Signer for Module {
///     fn public_key(&self) -> &PublicKey {
///         &self.public
///     }
///
///     fn sign(&self, message: &Message<'_>) -> Result<[u8; 64], SignerError> {
///         let _digest = message.sha256();
///         Err(SignerError("the module is not connected".to_owned()))
///     }
/// }
/// ```
pub trait Signer {
    /// Returns the key that verifies the signatures. It determines the algorithm.
    fn public_key(&self) -> &PublicKey;

    /// Signs a message. Ed25519 signs the message itself (RFC 8032, not prehashed), P-256 its
    /// SHA-256; the signature is `R` and `s`, or `r` and `s`, 32 bytes each.
    fn sign(&self, message: &Message<'_>) -> Result<[u8; 64], SignerError>;
}

/// The reason why a signer failed, as text for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerError(pub String);

impl fmt::Display for SignerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signing failed: {}", self.0)
    }
}

impl std::error::Error for SignerError {}

/// A private key in memory. Dropping it overwrites the memory.
pub struct SecretKey {
    secret: Secret,
    public: PublicKey,
}

enum Secret {
    Ed25519(ed25519_dalek::SigningKey),
    P256(p256::ecdsa::SigningKey),
}

impl SecretKey {
    /// Creates an Ed25519 key from 32 random bytes.
    pub fn ed25519(seed: &[u8; 32]) -> Self {
        let secret = ed25519_dalek::SigningKey::from_bytes(seed);
        let public = PublicKey::Ed25519(secret.verifying_key());
        Self { secret: Secret::Ed25519(secret), public }
    }

    /// Creates a P-256 key from 32 random bytes. Fails if they are zero or not below the group's
    /// order, which happens for one in 2^32 seeds: try other bytes.
    pub fn p256(seed: &[u8; 32]) -> Result<Self, KeyError> {
        let secret = p256::ecdsa::SigningKey::from_slice(seed)
            .map_err(|error| KeyError::Der(error.to_string()))?;
        let public = PublicKey::P256(*secret.verifying_key());
        Ok(Self { secret: Secret::P256(secret), public })
    }

    /// Reads a private key in PEM that is not encrypted: PKCS #8, or the format of OpenSSH.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::parse(text, None)
    }

    /// Reads a private key in PEM, encrypted or not: PKCS #8, or the format of OpenSSH. Fails with
    /// [`KeyError::PasswordRequired`] if it is encrypted and no password is given.
    ///
    /// An encrypted file states the cost of deriving its key. Files that would take more than some
    /// seconds with PBKDF2, scrypt or bcrypt, or more than 256 MiB of memory with scrypt, are
    /// refused.
    pub fn parse(text: &str, password: Option<&[u8]>) -> Result<Self, KeyError> {
        let labels = ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"];
        let (label, content) = block(text, &labels)?;
        match label {
            "PRIVATE KEY" => Self::from_pkcs8(&content),
            "ENCRYPTED PRIVATE KEY" => encrypted_key::decrypt(&content, password),
            _ => openssh::private_key(&content, password),
        }
    }

    /// Reads a `PrivateKeyInfo` (PKCS #8) in DER.
    pub(crate) fn from_pkcs8(content: &[u8]) -> Result<Self, KeyError> {
        let der = |error: pkcs8::Error| match error {
            pkcs8::Error::PublicKey(spki::Error::OidUnknown { oid }) => {
                KeyError::Kind(oid.to_string())
            }
            error => KeyError::Der(error.to_string()),
        };
        let info = PrivateKeyInfoRef::try_from(content)
            .map_err(|error| KeyError::Der(error.to_string()))?;
        match info.algorithm.oid {
            oid if oid == ed25519_dalek::pkcs8::ALGORITHM_OID => {
                let secret = ed25519_dalek::SigningKey::try_from(info).map_err(der)?;
                let public = PublicKey::ed25519(secret.verifying_key())?;
                Ok(Self { secret: Secret::Ed25519(secret), public })
            }
            oid if oid == p256::elliptic_curve::ALGORITHM_OID => {
                let secret = p256::ecdsa::SigningKey::try_from(info).map_err(der)?;
                let public = PublicKey::P256(*secret.verifying_key());
                Ok(Self { secret: Secret::P256(secret), public })
            }
            other => Err(KeyError::Kind(other.to_string())),
        }
    }

    /// Returns the key as a `PRIVATE KEY` (PKCS #8, version 1) in PEM.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        self.to_pkcs8()?
            .to_pem("PRIVATE KEY", LineEnding::LF)
            .map_err(|error| KeyError::Der(error.to_string()))
    }

    /// Returns the key as an `ENCRYPTED PRIVATE KEY` (PKCS #8 with scrypt and AES-256-CBC) in PEM.
    /// `salt` and `iv` are random bytes.
    pub fn to_encrypted_pem(
        &self,
        password: &[u8],
        salt: [u8; 16],
        iv: [u8; 16],
    ) -> Result<Zeroizing<String>, KeyError> {
        encrypted_key::encrypt(self.to_pkcs8()?.as_bytes(), password, salt, iv)
    }

    fn to_pkcs8(&self) -> Result<SecretDocument, KeyError> {
        let document = match &self.secret {
            // Old tools cannot read keys that include the public key.
            Secret::Ed25519(key) => {
                KeypairBytes { secret_key: key.to_bytes(), public_key: None }.to_pkcs8_der()
            }
            Secret::P256(key) => key.to_pkcs8_der(),
        };
        document.map_err(|error| KeyError::Der(error.to_string()))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {}", self.public.thumbprint_uri())
    }
}

impl Signer for SecretKey {
    fn public_key(&self) -> &PublicKey {
        &self.public
    }

    fn sign(&self, message: &Message<'_>) -> Result<[u8; 64], SignerError> {
        let failed = |error: ed25519_dalek::SignatureError| SignerError(error.to_string());
        match &self.secret {
            Secret::Ed25519(key) => {
                let signature: ed25519_dalek::Signature =
                    key.try_multipart_sign(&message.parts()).map_err(failed)?;
                Ok(signature.to_bytes())
            }
            Secret::P256(key) => {
                let signature: p256::ecdsa::Signature =
                    key.try_multipart_sign(&message.parts()).map_err(failed)?;
                Ok(signature.to_bytes().into())
            }
        }
    }
}
