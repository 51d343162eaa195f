//! Signed agent records: `COSE_Sign1` envelopes, trace metadata, certificates, and receipts of
//! transparency services.
//!
//! ```
//! use vac_sign::sign::{Carriage, Checked, Options, sign};
//! use vac_sign::{SecretKey, Signer, Verdict, Verification, verify};
//! use vac_value::Encoding;
//!
//! let record = br#"{"version": "3.0.0-draft", "id": "r", "session": {
//!     "session-id": "s", "agent-meta": {"model-id": "m", "model-provider": "p"},
//!     "entries": [{"type": "user", "content": "hi", "timestamp": 1772352000000}]}}"#;
//! let key = SecretKey::ed25519(&[7; 32]); // of random bytes, really
//! let record_to_sign = Checked::new(record, Encoding::Json).expect("a valid record");
//! let options = Options { carriage: Carriage::Detached, ..Options::default() };
//! let envelope = sign(&record_to_sign, &options, &key)?.to_vec();
//!
//! let with = Verification {
//!     key: Some(key.public_key()),
//!     record: Some(record),
//!     ..Verification::default()
//! };
//! let answers = verify(&envelope, &with);
//! assert_eq!(answers.verdict(), Verdict::Verified, "{answers:#?}");
//! assert_eq!(answers.trace_metadata.detail(), "as the record says");
//! # Ok::<(), vac_sign::sign::SignError>(())
//! ```
//!
//! # Decisions
//!
//! * **No files, no clock, no random numbers.** Those are the caller's. A key that is not in
//!   memory is a [`Signer`].
//! * **What is signed are the record's bytes.** [`verify`] tries those first and, for what the
//!   tool of the draft's authors signed, the canonical JSON of the record then. Which of them
//!   it was is part of the verdict. Canonical JSON never changes a value silently
//!   ([`canonical`]).
//! * **One question, one answer** ([`Answers`]): the signature says nothing about the
//!   record's validity, the metadata or the receipts, and none of them about the others. The
//!   [`Verdict`] on the whole says whether a record was examined at all.
//! * **Strictness is ours.** Envelopes are read with `vac_value`'s scanner. Duplicate labels
//!   and strings in the envelope whose heads are not the shortest are refused: two readers
//!   could read different things, or a log could have another hash on record. A protected
//!   header may be in any order and encoding (RFC 9052 does not require a deterministic one),
//!   is verified as the bytes that were received, and is reported as not deterministic.
//!   Crate `coset` builds headers and the `Sig_structure`, and reads nothing.
//! * **The algorithm is the key's.** The protected header has to name the same. Nothing of
//!   the unprotected header decides anything; what it says of the record is compared with the
//!   record.
//! * **A certificate in the protected header must be for the key**, also without trust roots.
//!   With trust roots it has to lead to one of them, be valid and be one for signing
//!   ([`Trust`]); a certificate in the unprotected header counts only if a protected hash
//!   names it.
//! * **Key identifiers are hints** (RFC 9052 section 3.1): the key is the one that is given.
//!   A critical one and an issuer that is a thumbprint have to be the key's
//!   ([`Header::check_key`]). Of the two ECDSA signatures that differ in the sign of `s` both
//!   hold, as the standard has it: what refers to an envelope by its bytes, as receipts do,
//!   refers to one of them.
//! * **Bounded work.** An envelope has at most 64 receipts of 1 MiB together with at most 16
//!   proofs each, and at most 8 certificates.
//! * **Receipts** are for the envelope with an empty unprotected header
//!   ([`Envelope::log_entry`]), so that attaching them changes nothing they are about.
//! * **Big records are not copied.** A message is signed and verified in two parts
//!   ([`Message`]), an envelope is written in three; the record is hashed, checked and
//!   verified on as many threads. Memory is that of the record and of its index, 16 bytes a
//!   value: a third of the record's size for most sessions.
//! * **Speed is that of the hash.** ES256 takes SHA-256 twice, for the trace metadata and for
//!   the signature; hash envelopes take it once. Ed25519 takes SHA-512 over everything, once
//!   to verify and twice to sign, one after the other; with processors that have
//!   instructions for SHA-256 alone that is two to three times slower for each pass. Big records are for [`sign::Carriage::Digest`].

mod answers;
pub mod canonical;
mod certificate;
mod envelope;
mod header;
mod key;
mod label;
mod merkle;
mod message;
mod metadata;
mod parallel;
mod pem;
pub mod receipt;
mod record;
pub mod sign;
mod signer;
mod thumbprint;
mod verify;
mod x509;

pub use answers::{Answer, Answers, Hashes, SignedFacts, Verdict};
pub use certificate::{CertificateError, Chain, Trust};
pub use envelope::{Envelope, EnvelopeError};
pub use header::{CertificateHash, Claims, ContentType, HashAlgorithm, Header};
pub use key::{Algorithm, KeyError, PublicKey, SignatureError};
pub use message::Message;
pub use record::{Examined, Facts};
pub use signer::{SecretKey, Signer, SignerError};
pub use thumbprint::KeyMismatch;
pub use verify::{Verification, verify};
