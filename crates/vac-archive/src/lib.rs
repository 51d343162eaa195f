//! An append-only archive of agent records and of the logs that they were made from, signed as it
//! grows. `FORMAT.md` of this crate describes its files.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::time::SystemTime;
//! use vac::{Encoding, Search, SecretKey, Signer};
//! use vac_archive::{AddOptions, Archive, Disk, InitOptions, VerifyOptions};
//! use vac_archive::{add, verify_archive};
//!
//! // A log, and a folder for the archive.
//! let folder = tempfile::tempdir()?;
//! let log = folder.path().join("session.jsonl");
//! let line = r#"{"role":"user","message":{"content":[{"type":"text","text":"Tidy it"}]}}"#;
//! std::fs::write(&log, format!("{line}\n"))?;
//! let place = folder.path().join("archive");
//!
//! let key = SecretKey::ed25519(&[7; 32]); // use 32 random bytes
//! let labels = BTreeMap::from([("user".to_owned(), "ada".to_owned())]);
//! let options = InitOptions { id: [1; 16], labels, encoding: Encoding::Json, time: None };
//! let archive = Archive::init(&place, &options, &key, &Disk::default())?;
//!
//! let options = AddOptions {
//!     search: Search { paths: vec![log], ..Search::default() },
//!     ..AddOptions::new(SystemTime::now())
//! };
//! let added = add(&archive, &key, &options, &Disk::default(), &mut |_| {})?;
//! assert_eq!((added.added.len(), added.size), (1, 1));
//! let again = add(&archive, &key, &options, &Disk::default(), &mut |_| {})?;
//! assert_eq!((again.added.len(), again.unchanged), (0, 1));
//!
//! // An auditor has the key, and a head that was kept elsewhere.
//! let (_, head) = archive.newest_head()?;
//! let options = VerifyOptions {
//!     key: Some(key.public_key()),
//!     head: Some(&head),
//!     ..VerifyOptions::default()
//! };
//! let report = verify_archive(&place, &options, &mut |_| {})?;
//! assert!(report.valid, "{:?}", report.findings);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * **Statements are authoritative.** Everything else is found from them: a statement contains the
//!   hash of its record, and a record the hashes of its sources. The [index](Archive::catalog) is a
//!   signed cache.
//! * **A head is a receipt.** The payload of a head is the root, so that its signature is that of
//!   a receipt of RFC 9942, and [`Archive::prove`] needs no private key.
//! * **Statements are numbered**, so that a checker can report which of them were removed or moved.
//! * **No file is trusted because it is in the folder.** Objects are read through their hash; no
//!   link is followed; a writer without a valid index checks all statements before it writes.
//! * **No terminal, no environment, no clock.** The caller provides the time.

mod add;
mod archive;
mod catalog;
mod claims;
mod description;
mod disk;
mod error;
mod files;
mod findings;
mod head;
mod index;
mod journal;
mod kept_sources;
mod objects;
mod origin;
mod selection;
mod verify;
mod writer;

pub use add::{AddOptions, AddProgress, AddSummary, add};
pub use archive::{Archive, InitOptions, Prover};
pub use catalog::{ArchivedVersion, Catalog, RecordDetails, SourceLine};
pub use claims::{HeadClaim, StatementClaim};
pub use description::ArchiveDescription;
pub use disk::Disk;
pub use error::{ArchiveErrorKind, Error};
pub use findings::{ArchiveFinding, FindingKind};
pub use journal::{ArchiveHead, Statement};
pub use kept_sources::{ArchiveFolders, file_name};
pub use vac::files::{FolderLock, Wait};
pub use verify::{ArchiveReport, VerifyOptions, verify_archive};
