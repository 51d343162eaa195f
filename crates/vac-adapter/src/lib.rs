//! The parts that all adapters share.
//!
//! An adapter reads the logs of one agent. It [detects](Adapter::detect) logs by their content,
//! [surveys](Adapter::survey) an input once for the facts about its sessions, and then passes the
//! entries of each [`Session`] one by one to a [`Sink`]. [`session::write`] writes the record, as
//! JSON or CBOR, with one entry in memory at a time.
//!
//! ```
//! use vac_adapter::frame::{Content, Frames};
//! use vac_adapter::{Report, mapping};
//! use vac_record::{AbstractTimestamp, Decode, Encode, Entry, MessageEntry, MessageEntryType};
//! use vac_value::Any;
//!
//! mapping! {
//!     /// A line of the log: a message of the user.
//!     struct Line<'a>("line"; key, value) {
//!         "who" => "the entry's type", stated = value.is_text("user");
//!         "said" => "`content`", take said: Any<'a> = Some(value.carry());
//!         "at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> =
//!             AbstractTimestamp::from_node(value).ok();
//!         "mood" => "", keep;
//!     }
//! }
//!
//! let log =
//!     br#"{"who": "user", "said": "Hello", "at": "2026-01-01T00:00:00Z", "mood": "good"}"#;
//! let entry = Frames::new(&log[..]).next(|frame| {
//!     let Content::Document(document) = &frame.content else { return None };
//!     let line = Line::read(document.root(), &MessageEntry::KEYS, &mut Report::default());
//!     Entry::Message(MessageEntry {
//!         kind: MessageEntryType::User,
//!         content: line.said,
//!         timestamp: line.timestamp,
//!         id: Some(frame.place.id().into()),
//!         model_id: None,
//!         parent_id: None,
//!         token_usage: None,
//!         children: None,
//!         extensions: line.rest,
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
//! * [`frame`] reads all sequences of JSON documents the same way; bytes that are not a
//!   document are frames, too. Adapters receive documents, never a byte stream.
//! * [`mod@mapping`] ensures that nothing is dropped: members that an adapter does not use are
//!   kept.
//! * [`annotation`] is the only way to state something about an entry that the log does not
//!   state. [`prompt`] and [`tools`] are tables that an agent's crate fills.
//! * [`places`], [`companions`] and [`container`] describe where an agent keeps its sessions, as
//!   data. Adapters do no IO: `vac-store` opens files and databases for them.
//! * [`line_log`] is a session of lines that are one entry each; [`blocks`] and [`parts`] are the
//!   contents of two APIs that several agents log.
//! * [`shared_log`] divides the frames of a file among the sessions that were concatenated in it.
//! * [`damaged`] reads documents that are damaged or truncated.
//! * [`attachment`] keeps whole files that belong to a session.
//! * [`raw`] keeps bytes that could not be parsed, and [`redact`] decides whether they may be
//!   kept.
//! * [`bare_record`] is the record around the entries, the same for all agents.
//! * [`session`] validates every entry as it was written. Adapters build typed entries, so a
//!   violation is a defect of this program and stops the record.
//! * Ids that a log does not state are made from the place of an entry or from the bytes of the
//!   log ([`ids`]); timestamps that it does not state stay absent.

pub mod adapter;
pub mod annotation;
pub mod attachment;
pub mod bare_record;
pub mod blocks;
pub mod canonical;
pub mod companions;
pub mod container;
pub mod damaged;
pub mod detect;
pub mod entry;
pub mod foreign;
pub mod frame;
pub mod ids;
pub mod input;
pub mod line_log;
pub mod mapping;
pub mod members;
pub mod message_text;
pub mod models;
pub mod parts;
pub mod places;
pub mod prompt;
pub mod provider;
pub mod raw;
pub mod redact;
pub mod report;
pub mod session;
pub mod session_marks;
pub mod shared_log;
pub mod time;
pub mod tools;
pub mod upkeep;
pub mod verdict;

pub use adapter::{Adapter, Error, Origin, Parent, Preview, Profile, Session, Share, Sink};
pub use detect::{Beginning, Confidence, Detection, Sample, detect};
pub use input::{Bundle, Input, Log, Memory};
pub use report::{Report, SourceFile};
pub use verdict::{Fit, Verdict};
