//! The document of `vac keygen`.

use serde::Serialize;

/// The result of `vac keygen`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct KeygenOutput {
    /// The file of the private key.
    pub private_key: String,
    /// The file of the public key.
    pub public_key: String,
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key, as a URI.
    pub key: String,
    /// Whether the private key is encrypted with a password.
    pub encrypted: bool,
}
