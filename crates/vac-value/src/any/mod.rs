//! Carries values as the bytes of their source (`any` in CDDL).

mod build;
mod compare;
mod read;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use crate::document::{Document, Encoding};
use crate::encode::{Encode, EncodeError, Encoded};
use crate::encoder::Encoder;
use crate::map_encoder::{Key, MapEncoder};
use crate::node::Node;
use crate::transcode::transcode_node;
use crate::{IntoOwned, Limits, SyntaxError, cbor};

/// One well-formed value of any type.
///
/// A value from a document is carried as the bytes of its source and is not decoded until
/// [`Any::document`] is called. Written in its own encoding, it keeps every token, such as `1.0`,
/// `1e400` or a lone surrogate, and the order of keys. White space between tokens is dropped, and
/// CBOR is made deterministic. A value can also be built from parts.
///
/// ```
/// use vac_value::{Any, Encode};
///
/// let any = Any::from_json(r#"{"n": 1.0, "s": "\ud800"}"#)?;
/// assert_eq!(any.get("n").and_then(|n| n.float()), Some(1.0));
/// assert_eq!(any.to_json()?, r#"{"n":1.0,"s":"\ud800"}"#);
/// assert!(any.to_cbor().is_err(), "CBOR text is Unicode");
///
/// let built = Any::members([
///     ("list", Any::array([Any::from(1), Any::from("two"), Any::null()])),
///     ("ok", true.into()),
/// ]);
/// assert_eq!(built.to_json()?, r#"{"list":[1,"two",null],"ok":true}"#);
/// assert_eq!(built.to_string().parse::<Any>()?, built);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reading
///
/// [`get`](Any::get), [`elements`](Any::elements), [`text`](Any::text) and similar methods read a
/// value; each call scans it. To read much of a value, scan it once ([`Any::document`]), convert it
/// into a `serde_json::Value` or a `ciborium::Value` (`TryFrom`), or deserialize it:
///
/// ```
/// use serde::Deserialize;
/// use vac_value::Any;
///
/// let any: Any = r#"{"command": "ls", "timeout": 10}"#.parse()?;
/// let value: serde_json::Value = any.clone().try_into()?;
/// assert_eq!(value["command"], "ls");
///
/// #[derive(serde::Deserialize)]
/// struct Input {
///     timeout: u64,
/// }
/// assert_eq!(Input::deserialize(any.document()?.root())?.timeout, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Equality
///
/// Values are equal if they are the same value in CBOR's data model, regardless of encoding,
/// spelling and order of keys:
///
/// * Integers and floats differ: `1` is not `1.0`. Spellings of one number are equal: `1e2`
///   and `100.0`, or a JSON integer and a bignum. Floats are compared bit for bit: `0.0` is not
///   `-0.0`, and a NaN equals a NaN with the same payload.
/// * A decimal number of JSON that no double equals is equal to the decimal fraction (tag 4)
///   that it becomes in CBOR.
/// * Text and byte strings differ, and so do `null` and `undefined`.
/// * Maps are equal if they have the same members in any order. Duplicate keys have to have
///   the same values in the same order.
/// * A number of more than 4096 digits equals only numbers in the same encoding.
///
/// ```
/// # use vac_value::Any;
/// let json = Any::from_json(br#"{"b": 1e0, "a": "\u0041"}"#)?;
/// let cbor = Any::from_cbor(b"\xa2\x61a\x61A\x61b\xfb\x3f\xf0\0\0\0\0\0\0")?;
/// assert_eq!(json, cbor);
/// assert_ne!(Any::from(1), Any::from(1.0));
/// # Ok::<(), vac_value::SyntaxError>(())
/// ```
///
/// # Limits
///
/// A value that is built with more than 256 levels of containers, the maximum depth of a document,
/// can be neither written nor read: every attempt is an error.
#[derive(Clone)]
pub struct Any<'a>(Carried<'a>);

#[derive(Clone)]
enum Carried<'a> {
    /// The bytes of a value.
    Bytes {
        raw: Cow<'a, [u8]>,
        encoding: Encoding,
        /// Whether the bytes can be copied to a writer.
        tidy: bool,
    },
    /// The bytes of a value, independent of the source and cheap to clone.
    Shared { raw: Arc<[u8]>, encoding: Encoding, tidy: bool },
    /// A node of a document that still exists, so that it does not have to be scanned again.
    Node(Node<'a, 'a>),
    /// A container that was built of parts.
    Built(Box<Built<'a>>),
}

#[derive(Clone)]
struct Built<'a> {
    parts: Parts<'a>,
    /// The number of levels of built containers.
    depth: usize,
    /// The bytes of the value, after they were needed for the first time.
    written: OnceLock<Result<(Vec<u8>, Encoding), EncodeError>>,
}

#[derive(Clone)]
enum Parts<'a> {
    Array(Vec<Any<'a>>),
    /// A map whose keys are text.
    Members(Vec<(Cow<'a, str>, Any<'a>)>),
    Map(Vec<(Any<'a>, Any<'a>)>),
    Tag(u64, Any<'a>),
    /// A value that exceeded the limit of depth and was dropped. The pointer identifies it.
    TooDeep(Arc<()>),
}

/// The reason why a carried value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyError {
    /// The bytes are well-formed, but exceed a limit of documents.
    Syntax(SyntaxError),
    /// The value was built from parts that no single encoding can represent.
    Encode(EncodeError),
}

impl fmt::Display for AnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AnyError {}

impl From<SyntaxError> for AnyError {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

impl From<EncodeError> for AnyError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

/// The initial capacity in bytes, which is enough for most values that are encoded on their own.
const ROOM: usize = 96;

impl<'a> Any<'a> {
    pub(crate) fn from_node(node: Node<'a, 'a>) -> Self {
        Self(Carried::Node(node))
    }

    /// Creates a value that carries JSON text. Fails if the text is not well-formed.
    pub fn from_json<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, SyntaxError> {
        Ok(Document::json(text.as_ref())?.root().lift())
    }

    /// Creates a value that carries a CBOR item. Fails if the item is not well-formed.
    pub fn from_cbor<T: AsRef<[u8]> + ?Sized>(bytes: &'a T) -> Result<Self, SyntaxError> {
        Ok(Document::cbor(bytes.as_ref())?.root().lift())
    }

    /// Creates a value that carries the encoded form of another value.
    pub fn from_value<T: Encode + ?Sized>(
        value: &T,
        encoding: Encoding,
    ) -> Result<Any<'static>, EncodeError> {
        let mut encoder = Encoder::new(encoding).with_capacity(ROOM);
        value.encode(&mut encoder)?;
        Ok(Any::from_written(encoder))
    }

    /// Creates a value that carries well-formed bytes.
    pub(crate) fn from_raw(raw: impl Into<Cow<'a, [u8]>>, encoding: Encoding, tidy: bool) -> Self {
        Self(Carried::Bytes { raw: raw.into(), encoding, tidy })
    }

    fn from_written(encoder: Encoder<'_>) -> Self {
        let encoding = encoder.encoding();
        Self::from_raw(encoder.finish(), encoding, true)
    }

    /// Returns the bytes of the value, and their encoding. `None` for a container that was built
    /// from parts.
    pub fn source(&self) -> Option<(&[u8], Encoding)> {
        match &self.0 {
            Carried::Bytes { raw, encoding, .. } => Some((raw, *encoding)),
            Carried::Shared { raw, encoding, .. } => Some((raw, *encoding)),
            Carried::Node(node) => Some((node.raw(), node.encoding())),
            Carried::Built(_) => None,
        }
    }

    /// Scans the value. A value that was built from parts is written first: as JSON if JSON can
    /// represent it exactly, otherwise as CBOR.
    pub fn document(&self) -> Result<Document<'_>, AnyError> {
        let (raw, encoding) = match &self.0 {
            Carried::Bytes { raw, encoding, .. } => (&**raw, *encoding),
            Carried::Shared { raw, encoding, .. } => (&**raw, *encoding),
            Carried::Node(node) => (node.raw(), node.encoding()),
            Carried::Built(built) => match built.written.get_or_init(|| self.to_bytes()) {
                Ok((raw, encoding)) => (&**raw, *encoding),
                Err(error) => return Err(error.clone().into()),
            },
        };
        Ok(Document::scan(raw, encoding)?)
    }

    /// Writes a built value in an encoding that represents it exactly.
    fn to_bytes(&self) -> Result<(Vec<u8>, Encoding), EncodeError> {
        let (json, cbor) = (self.to_json(), self.to_cbor());
        // JSON would represent byte strings as text.
        let has_bytes = |cbor: &[u8]| {
            let document = Document::cbor(cbor);
            let mut to_json = Encoder::new(Encoding::Json);
            document.is_ok_and(|document| crate::transcode(&document, &mut to_json).is_err())
        };
        match (json, cbor) {
            (Ok(json), Ok(cbor)) if !has_bytes(&cbor) => Ok((json.into_bytes(), Encoding::Json)),
            (_, Ok(cbor)) => Ok((cbor, Encoding::Cbor)),
            (Ok(json), Err(_)) => Ok((json.into_bytes(), Encoding::Json)),
            (Err(_), Err(error)) => Err(error),
        }
    }
}

impl Encode for Any<'_> {
    #[inline]
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        match self.tidy_source() {
            Some((raw, encoding)) if to.takes_raw(encoding) => {
                to.carried_raw(raw);
                Ok(())
            }
            _ => to.carried(|to| self.write(to)),
        }
    }

    fn as_text(&self) -> Option<&str> {
        let text = match &self.0 {
            Carried::Node(node) => node.text_bytes()?,
            _ => match self.source()? {
                ([b'"', text @ .., b'"'], Encoding::Json) if !text.contains(&b'\\') => text,
                (raw @ [0x60..=0x7b, ..], Encoding::Cbor) => &raw[cbor::head_length(raw, 0)..],
                _ => return None,
            },
        };
        Some(std::str::from_utf8(text).expect("scanned text is UTF-8"))
    }
}

impl Any<'_> {
    /// Returns the bytes if they can be copied to a writer.
    #[inline]
    fn tidy_source(&self) -> Option<(&[u8], Encoding)> {
        match &self.0 {
            Carried::Node(node) if node.is_tidy() => Some((node.raw(), node.encoding())),
            Carried::Bytes { raw, encoding, tidy: true } => Some((raw, *encoding)),
            Carried::Shared { raw, encoding, tidy: true } => Some((raw, *encoding)),
            _ => None,
        }
    }

    fn write(&self, to: &mut Encoder<'_>) -> Encoded {
        match &self.0 {
            Carried::Node(node) => transcode_node(*node, to),
            Carried::Built(built) => built.parts.write(to),
            Carried::Bytes { .. } | Carried::Shared { .. } => match self.document() {
                Ok(document) => transcode_node(document.root(), to),
                Err(_) => to.fail("a value that exceeds the limits of documents"),
            },
        }
    }
}

impl Parts<'_> {
    fn write(&self, to: &mut Encoder<'_>) -> Encoded {
        match self {
            Self::Array(elements) => to.array(elements),
            Self::Members(members) => {
                let mut map = MapEncoder::new(to);
                for (key, value) in members {
                    map.extension(Key::Text(key), value)?;
                }
                map.end()
            }
            Self::Map(members) => {
                let mut map = MapEncoder::new(to);
                for (key, value) in members {
                    let key = key.as_text().map_or(Key::Other(key), Key::Text);
                    map.extension(key, value)?;
                }
                map.end()
            }
            // JSON has numbers for some tags. The code that rewrites CBOR decides this.
            Self::Tag(number, content) if to.encoding() == Encoding::Json => {
                let mut encoder = Encoder::cbor();
                encoder.tagged(*number, content)?;
                let bytes = encoder.finish();
                let document = Document::cbor(&bytes)
                    .or_else(|_| to.fail("a value that exceeds the limits of documents"))?;
                transcode_node(document.root(), to)
            }
            Self::Tag(number, content) => to.tagged(*number, content),
            Self::TooDeep(_) => to.fail("a value nested deeper than 256 levels"),
        }
    }
}

impl IntoOwned for Any<'_> {
    type Owned = Any<'static>;

    fn into_owned(self) -> Self::Owned {
        Any(match self.0 {
            Carried::Bytes { raw, encoding, tidy } => {
                Carried::Shared { raw: raw.into(), encoding, tidy }
            }
            Carried::Shared { raw, encoding, tidy } => Carried::Shared { raw, encoding, tidy },
            Carried::Node(node) => return node.lift().into_owned(),
            Carried::Built(built) => {
                let Built { parts, depth, written } = *built;
                Carried::Built(Box::new(Built { parts: parts.into_owned(), depth, written }))
            }
        })
    }
}

impl IntoOwned for Parts<'_> {
    type Owned = Parts<'static>;

    fn into_owned(self) -> Self::Owned {
        match self {
            Self::Array(elements) => Parts::Array(elements.into_owned()),
            Self::Members(members) => Parts::Members(
                members
                    .into_iter()
                    .map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned()))
                    .collect(),
            ),
            Self::Map(members) => Parts::Map(
                members
                    .into_iter()
                    .map(|(key, value)| (key.into_owned(), value.into_owned()))
                    .collect(),
            ),
            Self::Tag(number, content) => Parts::Tag(number, content.into_owned()),
            Self::TooDeep(identity) => Parts::TooDeep(identity),
        }
    }
}

/// Shows the value as JSON, or as hexadecimal CBOR if JSON cannot represent it.
impl fmt::Display for Any<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.to_json(), self.to_cbor()) {
            (Ok(json), _) => f.pad(&json),
            (_, Ok(cbor)) => f.pad(&format!("h'{}'", data_encoding::HEXLOWER.encode(&cbor))),
            (Err(error), _) => f.pad(&error.to_string()),
        }
    }
}

impl fmt::Debug for Any<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Any({self})")
    }
}

/// Parses JSON text.
impl FromStr for Any<'_> {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Ok(Any::from_json(text)?.into_owned())
    }
}

/// Returns the number of levels up to which containers can be built inside each other.
fn max_depth() -> usize {
    Limits::default().depth
}
