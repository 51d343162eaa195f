//! The types of the agent record schema, generated from its CDDL.
//!
//! ```
//! use vac_record::{Decode, Encode, Entry, VerifiableAgentRecord};
//!
//! let json = br#"{
//!     "version": "3.0.0-draft", "id": "r1",
//!     "session": {
//!         "session-id": "s1",
//!         "agent-meta": {"model-id": "m", "model-provider": "p"},
//!         "entries": [{"type": "user", "content": 1.0, "mood": "curious"}]
//!     }
//! }"#;
//! let record = VerifiableAgentRecord::from_json(json)?;
//! let Entry::Message(message) = &record.session.entries[0] else { panic!("a message") };
//! assert_eq!(message.extensions.get("mood").map(|mood| mood.raw()), Some(&br#""curious""#[..]));
//!
//! let cbor = record.to_cbor()?;
//! assert_eq!(VerifiableAgentRecord::from_cbor(&cbor)?, record);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * `cargo xtask codegen` writes `src/generated`; this file is all that is written by
//!   hand.
//! * Values borrow from the bytes they were read from ([`Text`] is a `Cow`); what the
//!   schema calls `any` is carried unread as [`Any`]. [`IntoOwned`] lets go of the source.
//! * Open maps keep what the schema does not name in `extensions`, in the order of the
//!   source. Closed maps refuse it.
//! * Decoding accepts what the rule accepts, the patterns and ranges included.
//! * serde's traits are there for convenience; see [`vac_value::bridge`] for what serde
//!   cannot say. [`Decode`] and [`Encode`] are exact.

// Generated code repeats itself rather than being clever.
#[allow(clippy::pedantic, clippy::redundant_closure)]
mod generated {
    #[rustfmt::skip]
    mod decode;
    #[rustfmt::skip]
    mod encode;
    #[rustfmt::skip]
    mod owned; /// The schema as constants: its tables, and its rules.
    #[rustfmt::skip]
    pub mod schema;
    #[rustfmt::skip]
    pub mod types;
}

pub use generated::schema;
pub use generated::types::*;
pub use vac_schema::{Decode, DecodeError};
pub use vac_value::{
    Any, Bytes, Embedded, Encode, Extensions, IntoOwned, Null, Number, Tagged, Text,
};
