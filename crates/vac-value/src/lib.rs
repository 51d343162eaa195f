//! The data model of agent records and its two encodings, JSON and CBOR.
//!
//! One data model (RFC 8949's, of which JSON's is a part), one index over the
//! source, one encoder. [`Document`] scans JSON text or CBOR bytes once, strictly, and
//! knows where everything is; [`Node`] is a place in it; [`Any`] carries a value away
//! unread; [`Encoder`] writes either encoding; [`Encode`] is what generated types implement
//! (crate `vac-schema` has the counterpart `Decode`).
//!
//! ```
//! use vac_value::{Document, Kind};
//!
//! let document = Document::json(br#"{"n": 1e400, "list": [1, 2]}"#)?;
//! let list = document.root().member("list").expect("a member");
//! assert_eq!(list.kind(), Kind::Array);
//! assert_eq!(list.elements().count(), 2);
//! assert_eq!(document.root().member("n").expect("a member").raw(), b"1e400");
//! # Ok::<(), vac_value::SyntaxError>(())
//! ```
//!
//! # Decisions
//!
//! **An index, not a tree and not a pull parser.** Three designs were measured on the
//! corpus of real sessions (13 files of 0.2 to 1.6 MB, one thread), as ratios to
//! `serde_json::from_slice::<Value>` of the same lines in the same run:
//!
//! | design | ratio | what it cannot do |
//! |---|---|---|
//! | skip over values, keep nothing (the floor of a pull parser, without looking for duplicate keys) | 0.15 to 0.45 | look ahead twice: `children` before `type` at every level makes it quadratic in depth |
//! | index of 16 bytes a node (this) | 0.24 to 0.58 | |
//! | `serde::de::IgnoredAny` | 0.18 to 0.38 | keep offsets |
//! | `serde_json::Value` | 1 | keep numbers, duplicate keys, key order |
//!
//! That was measured with eight bytes of a text looked at together. With sixteen (crate
//! `wide`: vectors that every processor of a kind has, without `unsafe` here) the index takes
//! 0.24 to 0.39.
//!
//! For 0.01 to 0.17 of the baseline more than skipping, the index makes every later step
//! a look-up: a choice looks at the member that decides it wherever that stands, an
//! `any` of megabytes is stepped over at once, alternatives can be tried again, and
//! syntax errors, duplicate keys and limits are dealt with in one place.
//!
//! **Numbers.** An integer token is an integer; `1.0`, `1e3` and `-0` are floats. An
//! integer beyond -2^64 to 2^64 - 1 is a bignum in CBOR (tags 2, 3); a decimal that no
//! double names exactly is a decimal fraction (tag 4). Both come back as the same
//! number. A *typed* number is an integer or a double in CBOR, so that there such a
//! decimal is [`EncodeError::NotRepresentable`].
//!
//! **JSON from CBOR.** Byte strings become base64url text; `undefined`, other tags,
//! simple values, non-finite floats and keys that are not text are errors. Text with a
//! lone surrogate escape stays what it is in JSON and has no CBOR form.
//!
//! **Strictness.** Well-formedness to the letter, UTF-8, nothing behind the document,
//! at most 256 levels and 4 GiB, and lengths checked before anything is reserved.
//! Duplicate keys are found at every depth, by value, and listed: validators report each
//! of them ([`Violation::duplicate_keys`]), decoders and [`transcode`] refuse them. The scanners use no recursion.
//!
//! **CBOR is written deterministically** (RFC 8949 section 4.2.1): shortest heads and
//! floats, definite lengths, keys in bytewise order. NaN keeps its payload.

mod any;
pub mod bridge;
mod cbor;
pub mod check;
mod document;
mod duplicates;
mod encode;
mod error;
mod json;
mod map_encoder;
mod number;
mod outline;
pub mod path;
mod printable;
mod scalars;
mod scan;
mod transcode;
mod values;
mod violation;

pub use any::Any;
pub use document::{Document, Elements, Encoding, Kind, Members, Node};
pub use encode::{Encode, EncodeError, Encoded, Encoder, Layout};
pub use error::{Problem, SyntaxError};
pub use map_encoder::{Key, MapEncoder};
pub use number::Number;
pub use printable::{harmless, harmless_json, is_harmless, printable};
pub use scan::{Limits, Scanner, known_text};
pub use transcode::transcode;
pub use values::{
    Bytes, Embedded, Extensions, IntoOwned, Null, Tagged, Text, Undefined, into_owned,
};
pub use violation::{Violation, ViolationKind, found};
