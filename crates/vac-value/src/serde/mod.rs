//! Implements serde's traits for every type of this crate and for every type that implements
//! [`Encode`].
//!
//! Serializing passes values to the serializer directly. Human-readable formats receive the values
//! that [`Encode::to_json`] writes (byte strings as base64url text). Other formats receive those of
//! [`Encode::to_cbor`], with the members of maps in their order instead of sorted. Deserializing
//! writes CBOR while it reads, from which [`Any`] and generated types are decoded; the small types
//! are built directly. A [`Node`] is a deserializer, so that a `T: Deserialize` can be read from a
//! document.
//!
//! ```
//! use vac_value::Any;
//!
//! let any: Any = serde_json::from_str(r#"{"b": [1, 2.5, null], "a": "text"}"#)?;
//! assert_eq!(serde_json::to_string(&any)?, r#"{"b":[1,2.5,null],"a":"text"}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # What serde cannot carry
//!
//! serde's data model is smaller than that of this crate. A value that it cannot represent is an
//! error, and is never changed:
//!
//! * text with a lone surrogate, `undefined` and simple values;
//! * in readable formats: tags, integers beyond 128 bits (`serde_json::Value`: beyond 64 bits),
//!   decimal numbers that no double equals, floats that are not finite, and keys that are not
//!   text.
//!
//! Other formats receive the enum with which crate `ciborium` represents tags, so that `ciborium`
//! keeps tags, large integers and decimal fractions. (It cannot read integers below -2^127 that fit
//! into 16 bytes.)
//!
//! Some values are changed by the format's own reader before this crate sees them: `serde_json`
//! reads integers beyond 64 bits and long decimals as doubles, `ciborium` reads `undefined` as
//! null. Use [`Any::from_json`], [`Any::from_cbor`] and the `Decode` trait of `vac-schema` to
//! read exactly.

mod cbor_writer;
mod impls;
mod node;
mod sink;

#[cfg(doc)]
use crate::{Any, Encode, Node};

pub use cbor_writer::deserialize_to_cbor;
pub use node::Error;
pub use sink::serialize;

/// The name of the enum with which crate `ciborium` represents tags.
const TAG: &str = "@@TAG@@";
/// The variant of a value with a tag.
const TAGGED: &str = "@@TAGGED@@";
/// The variant of a value without a tag.
const UNTAGGED: &str = "@@UNTAGGED@@";
