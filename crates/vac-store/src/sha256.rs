//! Computes the SHA-256 of logs.
//!
//! Every byte of a log is hashed. On processors without instructions for SHA-256, crate `ring` uses
//! vector instructions, and crate `sha2` takes 1.6 times as long.

use std::fmt;

use ring::digest::{Context, SHA256};

/// A SHA-256 of bytes that arrive piece by piece.
#[derive(Clone)]
pub struct Sha256(Context);

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sha256").finish_non_exhaustive()
    }
}

impl Default for Sha256 {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl Sha256 {
    /// Returns the SHA-256 of these bytes.
    pub fn digest(bytes: &[u8]) -> [u8; 32] {
        let mut hash = Self::default();
        hash.update(bytes);
        hash.finish()
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the SHA-256 of all bytes that were added.
    pub fn finish(self) -> [u8; 32] {
        let mut digest = [0; 32];
        digest.copy_from_slice(self.0.finish().as_ref());
        digest
    }

    /// Returns the SHA-256 in hexadecimal digits.
    pub fn finish_hex(self) -> String {
        data_encoding::HEXLOWER.encode(&self.finish())
    }
}
