//! The types of the agent record schema, generated from its CDDL.
//!
//! ```
//! use serde_json::json;
//! use vac_record::{
//!     AgentMeta, Decode, Encode, Entry, MessageEntry, MessageEntryType, SCHEMA_VERSION,
//!     SessionTrace, ToolCallEntry, VerifiableAgentRecord,
//! };
//!
//! // Build a record: `new` takes the required members, all others are fields.
//! let mut prompt = MessageEntry::new(MessageEntryType::User);
//! prompt.content = Some("List the files.".into());
//! prompt.timestamp = Some("2026-01-05T09:30:00Z".parse()?);
//! prompt.extensions.insert("mood".into(), "curious".into());
//! let mut call = ToolCallEntry::new("bash", json!({"command": "ls", "timeout": 10}));
//! call.call_id = Some("c1".into());
//! let session = SessionTrace::new(
//!     "session-1",
//!     AgentMeta::new("model-1", "provider-1"),
//!     [Entry::from(prompt), call.into()],
//! );
//! let mut record = VerifiableAgentRecord::new(SCHEMA_VERSION, "record-1", session);
//! record.validate()?;
//!
//! // Write it and read it back. Decoding validates.
//! let (json, cbor) = (record.to_json_pretty()?, record.to_cbor()?);
//! assert_eq!(VerifiableAgentRecord::from_json(&json)?, record);
//! assert_eq!(VerifiableAgentRecord::from_cbor(&cbor)?, record);
//!
//! // Change a field.
//! record.session.session_id = "session-2".into();
//! let kinds: Vec<_> = record.session.entries.iter().map(Entry::kind).collect();
//! assert_eq!(kinds, ["user", "tool-call"]);
//!
//! // An error lists every violation.
//! let error = r#"{"version": 3, "id": 1}"#.parse::<VerifiableAgentRecord>().unwrap_err();
//! assert_eq!(error.violations().len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Other crates
//!
//! All types implement serde's traits, so that `serde_json`, `ciborium` and their `Value` types
//! read and write records. Values of type `any` convert from and into either `Value`.
//!
//! ```
//! use serde_json::json;
//! use vac_record::{Any, Encode, Entry, MessageEntry, MessageEntryType};
//!
//! let mut message = MessageEntry::new(MessageEntryType::Assistant);
//! message.content = Some(json!([{"type": "text", "text": "Done."}]).into());
//! let value = serde_json::to_value(&message)?;
//! assert_eq!(value["content"][0]["text"], "Done.");
//! let entry: Entry = serde_json::from_value(value)?;
//! assert_eq!(entry, Entry::Message(message));
//! let content: ciborium::Value = Any::from("text").try_into()?;
//! assert_eq!(content, ciborium::Value::from("text"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * `cargo xtask codegen` writes `src/generated`. Only this file and [`time`] are written by hand.
//! * Values borrow from the bytes they were read from ([`Text`] is a `Cow`); a value of type `any`
//!   is kept undecoded as [`Any`]. [`IntoOwned`] copies borrowed bytes; `parse` and serde return
//!   values that borrow nothing.
//! * Open maps keep members that the schema does not name in `extensions`, in the order of the
//!   source. Closed maps do not accept them.
//! * Decoding accepts exactly what the rule accepts: the matcher of `vac-schema` decides, then
//!   generated code builds the value. A rule that is only another name for a type (`pub type`)
//!   is decoded by [`schema::SCHEMA`]`.decode(rule, node)`.
//! * Texts with a regular expression have types of their own ([`DateTimeText`], [`UriText`])
//!   that can only be created from a text that matches.
//! * [`Decode`] and [`Encode`] are exact. See [`vac_value::serde`] for the values that serde
//!   cannot represent.

// Generated code is repetitive on purpose.
#[allow(clippy::pedantic, clippy::redundant_closure)]
mod generated {
    #[rustfmt::skip]
    mod accessors;
    #[rustfmt::skip]
    mod constructors;
    #[rustfmt::skip]
    mod conversions;
    #[rustfmt::skip]
    mod decode;
    #[rustfmt::skip]
    mod encode;
    #[rustfmt::skip]
    mod key_lists;
    #[rustfmt::skip]
    mod owned;
    #[rustfmt::skip]
    pub mod types;
    #[rustfmt::skip]
    #[doc = "The annotations that vac adds to records and entries, in the extension `vac`."]
    pub mod annotations;
    #[rustfmt::skip]
    #[doc = "The keys of maps, by the type of the map."]
    pub mod keys;
    #[rustfmt::skip]
    #[doc = "The schema as constants: its tables, and its rules."]
    pub mod schema;
}

pub mod time;

pub use generated::annotations;
pub use generated::types::*;
pub use generated::{keys, schema};
pub use vac_schema::{Decode, DecodeError, InvalidText, UnknownText, Violations};
pub use vac_value::{
    Any, Bytes, Embedded, Encode, EncodeError, IntoOwned, Map, Null, Number, Tagged, Text,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_checked_by_constructors() {
        let time = "2026-01-05T09:30:00.5+02:00";
        assert_eq!(
            AbstractTimestamp::try_from(time).map(|it| it.to_json()),
            Ok(Ok(format!("\"{time}\"")))
        );
        assert_eq!(AbstractTimestamp::from(7).to_json(), Ok("7".to_owned()));
        for wrong in ["not a date", "2026-13-05T09:30:00Z", "2026-01-05", "", "\u{1b}[31m"] {
            let error = wrong.parse::<AbstractTimestamp<'_>>().expect_err(wrong);
            assert_eq!(error.pattern, "date-time-regexp");
            assert!(!error.to_string().contains('\u{1b}'));
            assert!(DateTimeText::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scalars_and_entries_convert_into_their_enums() {
        assert_eq!(SessionId::from("s"), SessionId::Text("s".into()));
        assert_eq!(SessionId::from("s".to_owned()), SessionId::Text("s".into()));
        let json = r#"{"type": "system-event", "event-type": "e"}"#;
        let event = EventEntry::from_json(json).expect("an event");
        assert_eq!(Entry::from(event.clone()), Entry::Event(event));
    }

    #[test]
    fn an_extension_cannot_repeat_a_key_of_the_schema() {
        for key in MessageEntry::KEYS {
            let mut entry = MessageEntry::new(MessageEntryType::User);
            entry.content = Some("text".into());
            entry.timestamp = Some(1.into());
            entry.id = Some("i".into());
            entry.model_id = Some("m".into());
            entry.parent_id = Some("p".into());
            entry.token_usage = Some(TokenUsage::default());
            entry.children = Some(Vec::new());
            assert_eq!(entry.validate(), Ok(()));
            entry.extensions = [(key.into(), "other".into())].into_iter().collect();
            for encoded in [entry.to_json().map(String::into_bytes), entry.to_cbor()] {
                assert!(matches!(encoded, Err(EncodeError::DuplicateKey(_))), "{key}");
            }
            assert!(entry.validate().is_err(), "{key}");
        }
    }

    #[test]
    fn texts_of_the_schema_convert_both_ways() {
        for kind in MessageEntryType::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
            assert_eq!(format!("{kind:>10}").trim(), kind.as_str());
        }
        let error = "robot".parse::<MessageEntryType>().expect_err("not a type");
        assert_eq!(error.to_string(), r#"expected "user" or "assistant", found text "robot""#);
        assert_eq!(ToolCallEntry::TYPE, "tool-call");
        assert_eq!(keys::message_entry::TOKEN_USAGE, "token-usage");
        assert_eq!(keys::unprotected_header::RECEIPTS, 394);
    }

    #[test]
    fn members_that_all_entries_share_have_accessors() {
        let mut entry = Entry::from(ToolCallEntry::new("bash", "ls"));
        assert_eq!((entry.kind(), entry.id(), entry.children()), ("tool-call", None, None));
        *entry.id_mut() = Some("e1".into());
        *entry.children_mut() = Some(vec![EventEntry::new("end").into()]);
        assert_eq!(entry.id().map(|id| &**id), Some("e1"));
        let types: Vec<_> = entry.children().into_iter().flatten().map(Entry::kind).collect();
        assert_eq!(types, ["system-event"]);
        assert!(entry.timestamp().is_none() && entry.extensions().is_empty());
    }

    #[test]
    fn aliases_are_decoded_by_their_rule() {
        let document = vac_value::Document::json(br#""an id""#).expect("JSON");
        let id: Result<EntryId<'_>, _> =
            schema::SCHEMA.decode(schema::rules::ENTRY_ID, document.root());
        assert_eq!(id.as_deref(), Ok("an id"));
        let receipt: Result<Receipt<'_>, _> =
            schema::SCHEMA.decode(schema::rules::RECEIPT, document.root());
        assert!(matches!(receipt, Err(DecodeError::Invalid(_))));
    }
}
