//! Public keys, and verifying signatures with them.

#[cfg(test)]
mod tests;

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use ed25519_dalek::pkcs8::spki::{self, SubjectPublicKeyInfoRef, der::pem::LineEnding};
use p256::ecdsa::signature::MultipartVerifier as _;
use sha2::{Digest as _, Sha256};

use crate::message::Message;
use crate::openssh;
use crate::pem::block;
use crate::thumbprint::{COSE_KEY, SHA_256};

/// A signature algorithm of COSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// `EdDSA`, whose curve the key decides (-8).
    EdDsa,
    /// `EdDSA` with Ed25519 (-19, RFC 9864).
    Ed25519,
    /// ECDSA with P-256 and SHA-256 (-7).
    Es256,
}

impl Algorithm {
    /// Returns the algorithm with this COSE identifier.
    pub fn from_id(id: i128) -> Option<Self> {
        match id {
            -8 => Some(Self::EdDsa),
            -19 => Some(Self::Ed25519),
            -7 => Some(Self::Es256),
            _ => None,
        }
    }

    /// Returns the COSE identifier.
    pub fn id(self) -> i64 {
        match self {
            Self::EdDsa => -8,
            Self::Ed25519 => -19,
            Self::Es256 => -7,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EdDsa => "EdDSA",
            Self::Ed25519 => "Ed25519",
            Self::Es256 => "ES256",
        })
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// An Ed25519 key.
    Ed25519(ed25519_dalek::VerifyingKey),
    /// A P-256 key.
    P256(p256::ecdsa::VerifyingKey),
}

/// The reason why bytes are not a key that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// The text is not PEM.
    Pem(String),
    /// The PEM block has another label.
    Label {
        /// The label that was expected.
        expected: &'static str,
        /// The label that was found.
        found: String,
    },
    /// The content of the PEM block is not a key in DER.
    Der(String),
    /// The kind of key is not supported.
    Kind(String),
    /// The key is a point of small order, with which signatures over any message can be valid.
    Weak,
    /// The key is a point that is not in canonical form (RFC 8032).
    NotCanonical,
    /// The bytes are not a key in a format of OpenSSH.
    OpenSsh(String),
    /// The key is encrypted, and no password was given.
    PasswordRequired,
    /// The password does not decrypt the key.
    WrongPassword,
    /// The key is encrypted in a way that is not supported.
    Encryption(String),
    /// Deriving the key from the password would take more time or memory than is allowed.
    Cost {
        /// The cost that the file states.
        stated: String,
        /// The maximum cost.
        max: String,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pem(why) => write!(f, "not PEM: {why}"),
            Self::Label { expected, found } => {
                let found = vac_value::printable(found, 40);
                write!(f, "expected PEM with the label {expected}, found {found}")?;
                f.write_str(match found.as_str() {
                    "EC PRIVATE KEY" | "EC PARAMETERS" => {
                        ": convert it first (openssl pkcs8 -topk8 -nocrypt)"
                    }
                    "PRIVATE KEY" | "ENCRYPTED PRIVATE KEY" => {
                        ": use the public key (openssl pkey -pubout)"
                    }
                    "OPENSSH PRIVATE KEY" => ": use the public key (ssh-keygen -y)",
                    "CERTIFICATE" => ": extract its key (openssl x509 -pubkey -noout)",
                    _ => "",
                })
            }
            Self::Der(why) => write!(f, "not a key: {why}"),
            Self::Kind(kind) => {
                let name = kind_name(kind).unwrap_or("unknown");
                write!(f, "unsupported key type {name} ({kind}); supported: Ed25519, P-256")
            }
            Self::Weak => f.write_str("a key of small order, under which anything would verify"),
            Self::NotCanonical => f.write_str("a key whose point is not in canonical form"),
            Self::OpenSsh(why) => write!(f, "not a key of OpenSSH: {why}"),
            Self::PasswordRequired => f.write_str("it is encrypted, and no password was given"),
            Self::WrongPassword => f.write_str("the password is wrong, or the file is damaged"),
            Self::Encryption(how) => write!(f, "its encryption is not supported: {how}"),
            Self::Cost { stated, max } => {
                write!(f, "decrypting it takes too much: {stated}, where at most {max} are allowed")
            }
        }
    }
}

impl std::error::Error for KeyError {}

/// Returns the name of an algorithm or a curve.
fn kind_name(oid: &str) -> Option<&'static str> {
    Some(match oid {
        "1.2.840.113549.1.1.1" | "ssh-rsa" => "RSA",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.113" => "Ed448",
        "1.3.132.0.10" => "secp256k1",
        "1.3.132.0.34" | "ecdsa-sha2-nistp384" => "P-384",
        "1.3.132.0.35" | "ecdsa-sha2-nistp521" => "P-521",
        "ssh-dss" => "DSA",
        "sk-ssh-ed25519@openssh.com" | "sk-ecdsa-sha2-nistp256@openssh.com" => "of a security key",
        _ => return None,
    })
}

/// The reason why a signature is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// The header names an algorithm that is not the key's.
    Algorithm {
        /// The algorithm that the header names.
        stated: Algorithm,
        /// The algorithm of the key.
        key: Algorithm,
    },
    /// The signature has the wrong length.
    Length(usize),
    /// The signature was not made with this key over these bytes.
    Mismatch,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Algorithm { stated, key } => {
                write!(f, "the header names {stated}, but the key is for {key}")
            }
            Self::Length(length) => write!(f, "a signature of {length} bytes instead of 64"),
            Self::Mismatch => f.write_str("not made with this key over these bytes"),
        }
    }
}

impl std::error::Error for SignatureError {}

impl PublicKey {
    /// Reads a `PUBLIC KEY` in PEM.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::from_spki(&block(text, &["PUBLIC KEY"])?.1)
    }

    /// Reads a public key in PEM, or the line of one as OpenSSH writes it (`ssh-ed25519 AAAA...`).
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        if openssh::is_public_key(text.trim_start()) {
            openssh::public_key(text)
        } else {
            Self::from_pem(text)
        }
    }

    /// Reads a `SubjectPublicKeyInfo` in DER.
    pub fn from_spki(der: &[u8]) -> Result<Self, KeyError> {
        let info = SubjectPublicKeyInfoRef::try_from(der)
            .map_err(|error| KeyError::Der(error.to_string()))?;
        match info.algorithm.oid {
            oid if oid == ed25519_dalek::pkcs8::ALGORITHM_OID => {
                let key = ed25519_dalek::VerifyingKey::try_from(info)
                    .map_err(|error| KeyError::Der(error.to_string()))?;
                Self::ed25519(key)
            }
            oid if oid == p256::elliptic_curve::ALGORITHM_OID => {
                p256::ecdsa::VerifyingKey::try_from(info).map(Self::P256).map_err(|error| {
                    match error {
                        spki::Error::OidUnknown { oid } => KeyError::Kind(oid.to_string()),
                        error => KeyError::Der(error.to_string()),
                    }
                })
            }
            other => Err(KeyError::Kind(other.to_string())),
        }
    }

    /// Creates an Ed25519 key. Fails if its point has a small order or is not in canonical form.
    pub fn ed25519(key: ed25519_dalek::VerifyingKey) -> Result<Self, KeyError> {
        if key.is_weak() {
            Err(KeyError::Weak)
        } else if key.to_edwards().compress().as_bytes() != key.as_bytes() {
            Err(KeyError::NotCanonical)
        } else {
            Ok(Self::Ed25519(key))
        }
    }

    /// Returns the key as a `PUBLIC KEY` in PEM.
    pub fn to_pem(&self) -> Result<String, KeyError> {
        use p256::pkcs8::EncodePublicKey as _;
        let pem = match self {
            Self::Ed25519(key) => key.to_public_key_pem(LineEnding::LF),
            Self::P256(key) => key.to_public_key_pem(LineEnding::LF),
        };
        pem.map_err(|error| KeyError::Der(error.to_string()))
    }

    /// Returns the algorithm of the key. An Ed25519 key can also be used with
    /// [`Algorithm::Ed25519`].
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::Ed25519(_) => Algorithm::EdDsa,
            Self::P256(_) => Algorithm::Es256,
        }
    }

    /// Returns the SHA-256 thumbprint (RFC 9679): the hash of the required members of its
    /// `COSE_Key`.
    pub fn thumbprint(&self) -> [u8; 32] {
        // {1: kty, -1: crv, -2: x} and, for P-256, -3: y, with 32 bytes each
        let mut key;
        match self {
            Self::Ed25519(point) => {
                key = vec![0xa3, 0x01, 0x01, 0x20, 0x06, 0x21, 0x58, 32];
                key.extend_from_slice(point.as_bytes());
            }
            Self::P256(point) => {
                let point = point.to_sec1_point(false);
                let bytes = point.as_bytes();
                let (x, y) = bytes[1..].split_at(32);
                key = vec![0xa4, 0x01, 0x02, 0x20, 0x01, 0x21, 0x58, 32];
                key.extend_from_slice(x);
                key.extend_from_slice(&[0x22, 0x58, 32]);
                key.extend_from_slice(y);
            }
        }
        Sha256::digest(&key).into()
    }

    /// Returns the thumbprint as a URI.
    pub fn thumbprint_uri(&self) -> String {
        format!("{COSE_KEY}{SHA_256}:{}", BASE64URL_NOPAD.encode(&self.thumbprint()))
    }

    /// Returns the SHA-256 thumbprint of the key as a JWK (RFC 7638).
    pub fn jwk_thumbprint(&self) -> [u8; 32] {
        let encode = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
        let jwk = match self {
            Self::Ed25519(point) => {
                format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, encode(point.as_bytes()))
            }
            Self::P256(point) => {
                let point = point.to_sec1_point(false);
                let (x, y) = point.as_bytes()[1..].split_at(32);
                format!(r#"{{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}}"#, encode(x), encode(y))
            }
        };
        Sha256::digest(jwk).into()
    }

    /// Verifies a signature over a message. `stated` is the algorithm that the header names,
    /// which has to be one of the key.
    ///
    /// Ed25519 is as strict as `ed25519_dalek::VerifyingKey::verify_strict`, which
    /// only accepts messages in one piece: `s` has to be below the group's order, neither the
    /// key nor `R` may have a small order, and `R` is compared byte by byte.
    ///
    /// For P-256 both `s` and `-s` are accepted, as in FIPS 186-5 and RFC 9053: half of the
    /// signatures of other signers have the greater of the two. Anyone can therefore derive a
    /// second valid envelope with other bytes: code that refers to an envelope by its bytes has to
    /// consider this.
    pub fn verify(
        &self,
        stated: Algorithm,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), SignatureError> {
        let wrong = SignatureError::Algorithm { stated, key: self.algorithm() };
        let bytes: &[u8; 64] =
            signature.try_into().map_err(|_| SignatureError::Length(signature.len()))?;
        let verified = match (self, stated) {
            (Self::Ed25519(key), Algorithm::EdDsa | Algorithm::Ed25519) => {
                let signature = ed25519_dalek::Signature::from_bytes(bytes);
                let is_strict = !key.is_weak()
                    && ed25519_dalek::VerifyingKey::from_bytes(signature.r_bytes())
                        .is_ok_and(|point| !point.is_weak());
                is_strict && key.multipart_verify(&message.parts(), &signature).is_ok()
            }
            (Self::P256(key), Algorithm::Es256) => p256::ecdsa::Signature::from_slice(bytes)
                .is_ok_and(|signature| key.multipart_verify(&message.parts(), &signature).is_ok()),
            _ => return Err(wrong),
        };
        if verified { Ok(()) } else { Err(SignatureError::Mismatch) }
    }
}
