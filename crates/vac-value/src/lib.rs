//! The data model of agent records and its two encodings, JSON and CBOR.

mod any;
pub mod bridge;
mod cbor;
pub mod check;
mod decode;
mod document;
mod duplicates;
mod encode;
mod error;
mod json;
mod number;
pub mod path;
pub mod read;
mod scalars;
mod scan;
mod values;
mod violation;

pub use any::Any;
pub use decode::{Decode, DecodeError, ReadError};
pub use document::{Document, Elements, Encoding, Kind, Members, Node};
pub use encode::{Encode, EncodeError, Encoder, Key, Layout, MapEncoder, transcode};
pub use error::{Problem, SyntaxError};
pub use number::Number;
pub use scan::{Limits, Scanner};
pub use values::{Bytes, Embedded, Extensions, IntoOwned, Null, Tagged, Text, Undefined};
pub use violation::{Violation, found, printable};
