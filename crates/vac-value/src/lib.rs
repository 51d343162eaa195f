//! The data model of agent records and its two encodings, JSON and CBOR.
//!
//! There is one data model (that of RFC 8949, which includes that of JSON), one index over the
//! source and one encoder. [`Document`] scans JSON text or CBOR bytes once, strictly, and indexes
//! every value; [`Node`] is a position in it; [`Any`] *carries* a value: it keeps the value's bytes
//! without decoding them; [`Encoder`] writes either encoding; [`Encode`] is the trait of values
//! that can be written (crate `vac-schema` has its counterpart `Decode`). [`serde`] describes
//! serde's traits.
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
//! | skip over values, keep nothing (the minimum of a pull parser, without finding duplicate keys) | 0.15 to 0.45 | look ahead twice: `children` before `type` at every level makes it quadratic in depth |
//! | index of 16 bytes a node (this) | 0.24 to 0.58 | |
//! | `serde::de::IgnoredAny` | 0.18 to 0.38 | keep offsets |
//! | `serde_json::Value` | 1 | keep numbers, duplicate keys, key order |
//!
//! That was measured with blocks of eight bytes of text. With sixteen (crate `wide`: portable
//! vectors, without `unsafe` here) the index takes 0.24 to 0.39.
//!
//! For 0.01 to 0.17 of the baseline more than skipping, the index makes every later step a
//! lookup: a choice reads the member that decides it at any position, an `any` of megabytes is
//! skipped at once, alternatives can be tried again, and syntax errors, duplicate keys and
//! limits are handled in one place.
//!
//! **Numbers.** An integer token is an integer; `1.0`, `1e3` and `-0` are floats. An
//! integer outside of -2^64 to 2^64 - 1 is a bignum in CBOR (tags 2, 3); a decimal that no
//! double equals is a decimal fraction (tag 4). Both are converted back to the same number. A
//! *typed* number ([`Number`]) is an integer or a double in CBOR, where such a decimal is
//! [`EncodeError::NotRepresentable`].
//!
//! **JSON from CBOR.** Byte strings become base64url text; `undefined`, other tags,
//! simple values, non-finite floats and keys that are not text are errors. Text with a lone
//! surrogate escape is kept in JSON and cannot be converted to CBOR.
//!
//! **Strictness.** A document has to be well-formed and in UTF-8, with no bytes after it, at most
//! 256 levels deep and at most 4 GiB long; lengths are checked before memory is reserved. Duplicate
//! keys are found at every depth, by value: validators report each of them
//! ([`Violation::duplicate_keys`]), decoders and [`transcode`] refuse them. The scanners do not
//! recurse.
//!
//! **CBOR is written deterministically** (RFC 8949 section 4.2.1): shortest heads and
//! floats, definite lengths, keys in bytewise order. NaN keeps its payload.

mod any;
mod cbor;
pub mod check;
mod convert;
mod document;
mod duplicates;
mod encode;
mod encoder;
mod error;
mod json;
mod map;
mod map_encoder;
mod node;
mod number;
mod packed;
pub mod path;
mod printable;
mod scalars;
mod scan;
pub mod secrets;
pub mod serde;
mod transcode;
mod values;
mod violation;
mod write_index;

pub use any::{Any, AnyError};
pub use document::{Document, Encoding, Kind};
pub use encode::{Encode, EncodeError, Encoded, Layout};
pub use encoder::Encoder;
pub use error::{Problem, SyntaxError};
pub use map::{Iter, IterMut, Map, MapEntry};
pub use map_encoder::{Key, MapEncoder};
pub use node::{Elements, Members, Node, Value};
pub use number::{Decimal, Number, NumberError};
pub use packed::PackedDocuments;
pub use printable::{harmless, harmless_json, is_harmless, printable};
pub use scan::{Limits, Scanner, known_text};
pub use transcode::transcode;
pub use values::{Bytes, Embedded, IntoOwned, Null, Tagged, Text, Undefined, into_owned};
pub use violation::{Violation, ViolationKind, found, found_key, found_text};
