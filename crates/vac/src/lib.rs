//! Converts session logs of AI agents to verifiable agent records, and reads, validates, signs and
//! verifies records. These functions do what the command `vac` does, and print nothing.
//!
//! A [`Search`] finds the sessions that agents keep, in folders, files and databases, and returns a
//! [`Plan`]. Each of its [`Task`]s is one session log. [`convert()`] writes its record;
//! [`inspect`], [`events`] and [`search_texts`] read it; [`validate`], [`sign()`] and [`verify`]
//! work on records; and [`verify_log`] answers whether a record was made from a log.
//! [`update_folder`] keeps a folder with the records of all tasks: it converts new and changed logs,
//! and returns the result of each session ([`output`]).
//!
//! ```
//! use vac::{ConvertOptions, EventKind, EventOptions, Search, SecretKey, SignOptions, Signer};
//! use vac::Verification;
//!
//! // A folder with logs. `Search { discover: true, .. }` searches where agents keep theirs.
//! let folder = tempfile::tempdir()?;
//! std::fs::write(
//!     folder.path().join("session.jsonl"),
//!     concat!(
//!         r#"{"role":"user","message":{"content":[{"type":"text","text":"Tidy up"}]}}"#,
//!         "\n",
//!         r#"{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
//!         "\n",
//!     ),
//! )?;
//! std::fs::write(folder.path().join("notes.txt"), "Not a log.")?;
//!
//! // The plan contains each session once, even if several files contain it.
//! let plan = Search { paths: vec![folder.path().into()], ..Search::default() }.plan()?;
//! assert_eq!((plan.tasks.len(), plan.skipped.len(), plan.troubles.len()), (1, 1, 0));
//! let task = &plan.tasks[0];
//! assert_eq!((&*task.agent, &*task.variant), ("cursor", "transcript"));
//!
//! // A task can be sent to another process. It gives the same record there.
//! let sent: vac::Task = serde_json::from_str(&serde_json::to_string(task)?)?;
//! let mut record = Vec::new();
//! let converted = vac::convert(&sent, &ConvertOptions::default(), &mut record)?;
//! assert_eq!(converted.sessions[0].entries["user"], 1);
//!
//! // Validate the record, and read the session. Logs and records give the same facts.
//! assert!(vac::validate(&record)?.is_valid());
//! let facts = vac::inspect(&record)?;
//! assert_eq!(facts[0].first_prompt.as_deref(), Some("Tidy up"));
//! let mut prompts = Vec::new();
//! vac::events(task, EventOptions::default(), |event| {
//!     if let EventKind::UserPrompt { text, .. } = &event.kind {
//!         prompts.push(text.text.clone());
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(prompts, ["Tidy up"]);
//!
//! // Sign it, and verify it.
//! let key = SecretKey::ed25519(&[7; 32]); // use 32 random bytes
//! let signed = vac::sign(&record, &SignOptions::default(), &key)?;
//! let with = Verification { key: Some(key.public_key()), ..Verification::default() };
//! let verified = vac::verify(&signed.envelope, &with)?;
//! assert!(verified.verified);
//! assert_eq!(verified.payload.as_ref(), Some(&record));
//!
//! // Was it made from this log? The log is converted again and compared.
//! assert!(vac::verify_log(&record, &plan.tasks, &ConvertOptions::default())?.made_from_log);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` of this crate contains programs for the most common tasks:
//! `convert_folder` (convert, validate and sign a folder), `update_folder` (convert new and changed
//! sessions), `list_sessions`, `print_prompts`, `sign_and_verify`, `validate_record`, `verify_log`
//! and `write_page`. `cargo doc -p vac --open` opens this page.
//!
//! # Parts
//!
//! The other crates of the workspace are modules of this one, so that a program needs to depend on
//! no other crate.
//!
//! | module | what it is |
//! |---|---|
//! | [`value`] | The data model and its two encodings, JSON and CBOR. |
//! | [`schema`] | Schema tables, and the matcher that checks documents against them. |
//! | [`record`] | The types of records and of annotations, generated from the specification. |
//! | [`validation`] | Validation of records: lints, signed envelopes, streaming. |
//! | [`signature`] | COSE signatures, canonical JSON, statements, receipts and time stamps. |
//! | [`adapter`] | What all readers of logs share: traits, reports, annotations, detection. |
//! | [`store`] | Logs where agents keep them: files, folders, databases and other sources. |
//! | [`view`] | Facts and events of sessions, usage, prices, diffs and searched texts. |
//! | `tables` | Arrow tables of sessions (feature `tables`), in files (`table-files`, `parquet`). |
//! | `interchange` | Sessions as trajectories and as spans (feature `interchange`). |
//! | `cddl` | Specifications in CDDL, as tables to validate with (feature `cddl`). |
//! | `schema_export` | Specifications as JSON Schema and as TypeScript (feature `cddl`). |
//!
//! # Decisions
//!
//! * [`AGENTS`] is the one list of supported agents. A new agent is its own crate and one line
//!   there.
//! * Nothing is printed, and all results can be serialized. Every error is an [`Error`].
//! * Documents nest up to 256 levels, and reading them recurses. Functions that read do so on a
//!   thread with a large enough stack, so the caller's stack may be small ([`parallel`]).
//! * A task of a plan keeps its log: small files that were read for detection are not read again,
//!   and a database is opened once for all its sessions. A task that comes from JSON opens the
//!   files again, with the same rules for links and special files ([`Task::open_stores`] opens a
//!   database once for several tasks).
//! * Files need not be on disk: [`Search::plan_in`] searches a [`Source`], such as files in
//!   [`MemorySource`] or in an object store, with the same code. A database there is copied to a private
//!   temporary file. [`Task::from_bytes`] is for a log that is one file.
//! * Only the modules [`files`] and [`output`] write files. A file gets its name when it is complete,
//!   and only users who can read its sources can read it. No module reads the clock.
//! * Several sinks read a session in one pass ([`read::read_entries`]).
//! * [`convert::convert_each`], [`convert::read_log`] and [`Search::find`] are the parts that the
//!   other functions are made of. They are for programs that need the logs in their order, or write
//!   records elsewhere.

mod agents;
pub mod containment;
pub mod convert;
mod error;
pub mod files;
pub mod output;
pub mod page;
pub mod parallel;
pub mod read;
pub mod record_documents;
pub mod search;
pub mod session_filter;
pub mod sign;
#[cfg(feature = "tables")]
pub mod tables;
mod task;
pub mod text_search;
mod validate;
mod verify_log;
mod version;
pub mod when;

pub use agents::{AGENTS, Agent, agent, agent_names, agents, place_variables};
pub use convert::{ConvertOptions, Converted, Record, convert, convert_to_records};
pub use error::{Error, ErrorKind, Result};
pub use output::{OutputOptions, OutputReport, update_folder};
pub use read::{Readable, events, inspect};
pub use search::{Plan, Search};
pub use session_filter::SessionFilter;
pub use sign::{SignedRecord, SignerClaims, Verified, sign, verify};
#[cfg(feature = "tables")]
pub use tables::read_tables;
pub use task::Task;
pub use text_search::search_texts;
pub use vac_adapter::report::Report;
pub use vac_adapter::session::RecordOptions;
pub use vac_sign::sign::{Carriage, SignOptions};
pub use vac_sign::{PublicKey, SecretKey, Signer, Verification};
pub use vac_store::recorded::{ComparedSource, SourceState};
pub use vac_store::{DiskSource, MemorySource, Source, SourceFiles};
pub use vac_value::{Encoding, Layout};
pub use vac_view::{Event, EventKind, EventOptions, Facts, SkippedEvents};
pub use validate::{RecordViolation, Validation, validate};
pub use verify_log::{LogVerdict, LogVerification, record_id, verify_log};
pub use version::is_newer as is_newer_version;

pub use vac_adapter as adapter;
#[cfg(feature = "cddl")]
pub use vac_cddl as cddl;
#[cfg(feature = "interchange")]
pub use vac_interchange as interchange;
pub use vac_record as record;
pub use vac_schema as schema;
#[cfg(feature = "cddl")]
pub use vac_schema_export as schema_export;
pub use vac_sign as signature;
pub use vac_store as store;
pub use vac_validate as validation;
pub use vac_value as value;
pub use vac_view as view;
