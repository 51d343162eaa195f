//! Signed agent records: `COSE_Sign1` envelopes, trace metadata, certificates, time stamps, and
//! receipts of transparency services.
//!
//! ```
//! use vac_sign::sign::{Carriage, Checked, Invalid, SignOptions, sign};
//! use vac_sign::{SecretKey, Signer, SignatureVerdict, Verification, verify};
//! use vac_value::Encoding;
//!
//! let record = br#"{"version": "3.0.0-draft", "id": "r", "session": {
//!     "session-id": "s", "agent-meta": {"model-id": "m", "model-provider": "p"},
//!     "entries": [{"type": "user", "content": "hi", "timestamp": 1772352000000}]}}"#;
//! let key = SecretKey::ed25519(&[7; 32]); // use 32 random bytes
//! let checked = Checked::new(record, Encoding::Json).map_err(Invalid::into_violations)?;
//! let options = SignOptions { carriage: Carriage::Detached, ..SignOptions::default() };
//! let envelope = sign(&checked, &options, &key)?.to_vec();
//!
//! let with = Verification {
//!     key: Some(key.public_key()),
//!     record: Some(record),
//!     ..Verification::default()
//! };
//! let answers = verify(&envelope, &with);
//! assert_eq!(answers.verdict(), SignatureVerdict::Verified, "{answers:#?}");
//! assert_eq!(answers.trace_metadata.detail(), "matches the record");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * **No files, no clock, no random numbers.** The caller provides them. A key that is not in
//!   memory implements [`Signer`].
//! * **The record's bytes are signed**, not a canonical form. [`verify`] tries the bytes first,
//!   then the canonical JSON of the record, which the tool of the draft's authors signs. The
//!   answer states which of the two was signed. Canonical JSON never changes a value silently
//!   ([`canonical`]).
//! * **One answer per check** ([`Answers`]): the signature, the record's validity, the metadata and
//!   the receipts are checked and reported independently. The [`SignatureVerdict`] also states
//!   whether a record was examined at all.
//! * **Envelopes are read strictly**, with `vac_value`'s scanner. Duplicate labels
//!   and strings in the envelope whose heads are not the shortest are refused: two readers
//!   could read different things, or a log could have another hash on record. A protected
//!   header may be in any order and encoding (RFC 9052 does not require a deterministic one),
//!   is verified as the bytes that were received, and is reported as not deterministic.
//!   Crate `coset` only builds headers and the `Sig_structure`; it never parses input.
//! * **The key determines the algorithm.** The protected header has to name the same one. The
//!   unprotected header never decides a check; what it states about the record is compared with
//!   the record.
//! * **A certificate in the protected header must be for the key**, also without trust roots.
//!   With trust roots it has to lead to one of them, be valid and allow signing ([`Trust`]); a
//!   certificate in the unprotected header is used only if a protected hash names it.
//! * **Key identifiers are hints** (RFC 9052 section 3.1): the caller chooses the key.
//!   A critical key identifier, and an issuer that is a thumbprint, have to match the key
//!   ([`Header::check_key`]). For ECDSA, a signature with `s` and one with `-s` are both valid,
//!   as in the standard; a receipt, which refers to an envelope by its bytes, refers to one of
//!   the two.
//! * **Bounded work.** An envelope has at most 64 receipts with at most 16 proofs each and 1 MiB in
//!   total, and at most 8 certificates.
//! * **A time stamp is the statement of its authority** ([`timestamp`]). Its imprint and its
//!   signature are always checked, and its certificates only against roots that the caller trusts: the
//!   authority's certificate has to be for time stamps only, and valid at the time that the token
//!   states. Critical extensions are refused.
//! * **A trusted time stamp of the signature outlives certificates.** The signature existed at that
//!   time, so the certificates of the signer and of the authority, up to their roots, have to be valid
//!   then, and may have expired since. Revocation is not checked, neither then nor now: an authority
//!   whose key has leaked can state any time, so the caller has to remove its root. A time stamp of
//!   the payload, which precedes the signature, does not count, and claims are checked at the time of
//!   verification.
//! * **The cost of decrypting a key file is bounded.** PBKDF2, scrypt and bcrypt are refused above
//!   a cost of some seconds or 256 MiB ([`SecretKey::parse`]).
//! * **Secrets in a record are signed with it.** A record keeps what its log contains.
//!   [`sign::Checked::secrets`] returns the kinds and places of likely secrets; the caller decides
//!   whether to sign.
//! * **Receipts** are for the envelope with an empty unprotected header
//!   ([`Envelope::log_entry`]), so that attaching receipts does not invalidate them.
//! * **Large records are not copied.** A message is signed and verified in two parts
//!   ([`Message`]) and an envelope is written in three; hashing, validating and
//!   verifying run on three threads. Memory holds the record and its index, 16 bytes per
//!   value: a third of the record's size for most sessions.
//! * **Hashing dominates the time.** ES256 computes SHA-256 twice, for the trace metadata and
//!   for the signature; hash envelopes compute it once. Ed25519 computes SHA-512 over the whole
//!   message, once to verify and twice to sign; on processors with instructions for SHA-256 only,
//!   each pass takes two to three times as long. Use [`sign::Carriage::Digest`] for large records.

mod answers;
pub mod canonical;
mod certificate;
mod encrypted_key;
mod envelope;
mod header;
mod key;
mod label;
pub mod merkle;
mod message;
mod metadata;
mod openssh;
mod parallel;
mod pem;
pub mod receipt;
mod record;
pub mod sign;
mod signer;
pub mod statement;
mod thumbprint;
pub mod timestamp;
mod verify;
mod x509;

pub use answers::{Answer, Answers, Hashes, SignatureVerdict, SignedContent, SignedFacts};
pub use certificate::{CertificateError, Chain, Trust};
pub use envelope::{Envelope, EnvelopeError};
pub use header::{CertificateHash, Claims, ContentType, HashAlgorithm, Header};
pub use key::{Algorithm, KeyError, PublicKey, SignatureError};
pub use message::Message;
pub use record::{Examined, RecordFacts};
pub use signer::{SecretKey, Signer, SignerError};
pub use thumbprint::KeyMismatch;
pub use verify::{Verification, verify};
