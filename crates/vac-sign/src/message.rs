//! The bytes that a signature covers.

use coset::{ProtectedHeader, SignatureContext, sig_structure_data};
use sha2::{Digest, Sha256};

/// The `Sig_structure` of a `COSE_Sign1` (RFC 9052 section 4.4), in two parts: the bytes
/// before the payload, and the payload, which is not copied.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    before: Vec<u8>,
    payload: &'a [u8],
}

impl<'a> Message<'a> {
    /// Creates the message for the bytes of a protected header and a payload.
    pub fn new(protected: &[u8], payload: &'a [u8]) -> Self {
        let header = ProtectedHeader { original_data: Some(protected.to_vec()), ..<_>::default() };
        let mut before = sig_structure_data(SignatureContext::CoseSign1, header, None, &[], &[]);
        // `before` ends with an empty payload. Its head of one byte is replaced.
        before.pop();
        push_bytes_head(payload.len(), &mut before);
        Self { before, payload }
    }

    /// Returns the bytes to sign, in order.
    pub fn parts(&self) -> [&[u8]; 2] {
        [&self.before, self.payload]
    }

    /// Returns the bytes to sign in one piece, for signers that need that.
    pub fn to_vec(&self) -> Vec<u8> {
        self.parts().concat()
    }

    /// Returns the SHA-256 of the message, which ES256 signs.
    pub fn sha256(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for part in self.parts() {
            hash.update(part);
        }
        hash.finalize().into()
    }
}

/// Writes the head of a CBOR byte string.
pub(crate) fn push_bytes_head(length: usize, out: &mut Vec<u8>) {
    match (u8::try_from(length), u16::try_from(length), u32::try_from(length)) {
        (Ok(length @ 0..24), ..) => out.push(0x40 | length),
        (Ok(length), ..) => out.extend([0x58, length]),
        (_, Ok(length), _) => {
            out.push(0x59);
            out.extend(length.to_be_bytes());
        }
        (_, _, Ok(length)) => {
            out.push(0x5a);
            out.extend(length.to_be_bytes());
        }
        _ => {
            out.push(0x5b);
            out.extend((length as u64).to_be_bytes());
        }
    }
}
