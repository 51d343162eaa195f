//! What every adapter shares.
//!
//! An adapter knows one agent's logs. It [detects](Adapter::detect) them by
//! content, [surveys](Adapter::survey) an input once for what is true of its
//! sessions as a whole, and then gives the entries of a [`Session`] one by one.
//! [`session::write`] makes the record of that: JSON or CBOR, in the memory of the
//! largest entry.
//!
//! ```
//! use vac_adapter::members::{Members};
//! use vac_adapter::frame::{Content, Frames};
//! use vac_record::{Encode, Entry, MessageEntry, MessageEntryType};
//!
//! let log = br#"{"who": "user", "said": "Hello", "at": "2026-01-01T00:00:00Z", "mood": "good"}"#;
//! let entry = Frames::new(&log[..]).next(|frame| {
//!     let Content::Document(document) = &frame.content else { return None };
//!     let mut line = Members::new(document.root())?;
//!     line.said("who", "user");
//!     Entry::Message(MessageEntry {
//!         kind: MessageEntryType::User,
//!         content: line.any("said"),
//!         timestamp: line.timestamp("at"),
//!         id: Some(frame.place.id().into()),
//!         model_id: None,
//!         parent_id: None,
//!         token_usage: None,
//!         children: None,
//!         extensions: line.rest(&MessageEntry::KEYS),
//!     })
//!     .to_json()
//!     .ok()
//! })?;
//! assert_eq!(
//!     entry.flatten().as_deref(),
//!     Some(concat!(
//!         r#"{"type":"user","content":"Hello","timestamp":"2026-01-01T00:00:00Z","id":"L1","#,
//!         r#""mood":"good"}"#,
//!     )),
//! );
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Decisions
//!
//! * [`frame`] reads every container of JSON documents the same way; what is no
//!   document is a frame too. Adapters see documents, never bytes.
//! * [`members`] is the no-drop mechanism. Nothing else in an adapter has to care.
//! * [`broken`] takes apart what was one document and is damaged or cut short.
//! * [`attachment`] carries whole files that belong to a session.
//! * [`raw`] is the one place that carries what no value can carry, and [`redact`] the one
//!   that decides whether its bytes may be kept.
//! * Adapters are pure: an [`Input`] is opened by whoever owns the files.
//! * [`session`] validates every entry as it was written. Adapters make typed entries,
//!   so a violation is a defect of ours and stops the record.
//! * Ids that the source lacks are made of its place or its bytes ([`ids`]);
//!   timestamps that it lacks are not made at all.

pub mod adapter;
pub mod annotation;
pub mod attachment;
mod begun;
pub mod blocks;
pub mod broken;
pub mod canonical;
pub mod companions;
pub mod container;
pub mod detect;
pub mod foreign;
pub mod frame;
pub mod ids;
pub mod input;
pub mod members;
pub mod message_text;
pub mod models;
pub mod places;
pub mod prompt;
pub mod provider;
pub mod raw;
pub mod redact;
pub mod report;
pub mod session;
pub mod time;
pub mod tools;
pub mod verdict;

pub use adapter::{Adapter, Error, Glimpse, Origin, Parent, Profile, Session, Share, Sink};
pub use detect::{Beginning, Confidence, Detection, Sample, detect};
pub use input::{Bundle, Input, Log, Memory};
pub use members::Members;
pub use report::{Report, Source};
pub use verdict::{Fit, Verdict};
