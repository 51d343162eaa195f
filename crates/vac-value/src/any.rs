//! The carried `any`: a value as its source wrote it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::document::{Document, Encoding, Node};
use crate::encode::{Encode, EncodeError, Encoder};
use crate::map_encoder::{Key, MapEncoder};
use crate::{IntoOwned, SyntaxError};

/// One well-formed value in the bytes of its source, unread until somebody
/// looks inside. Written in its own encoding it keeps every token: `1.0`,
/// `1e400`, a lone surrogate and the order of keys come out as they went in
/// (space between tokens does not, and CBOR is made deterministic).
///
/// ```
/// use vac_value::{Any, Encode};
///
/// let any = Any::from_json(br#"{"n": 1.0, "s": "\ud800"}"#)?;
/// assert_eq!(any.to_json()?, r#"{"n":1.0,"s":"\ud800"}"#);
/// assert!(any.to_cbor().is_err(), "CBOR text is Unicode");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Any<'a>(Carried<'a>);

#[derive(Clone, Debug)]
enum Carried<'a> {
    /// The bytes of a value.
    Bytes {
        raw: Cow<'a, [u8]>,
        encoding: Encoding,
        /// Whether they may be copied as they are.
        tidy: bool,
    },
    /// The same, kept beyond their source. Megabytes are not copied again for another one
    /// who wants to keep them.
    Kept { raw: Arc<[u8]>, encoding: Encoding, tidy: bool },
    /// A place in a document that is still there: nothing has to be scanned again.
    Node(Node<'a, 'a>),
    /// Members of a map, each of them carried.
    Members(Box<Members<'a>>),
}

#[derive(Clone, Debug)]
struct Members<'a> {
    members: Vec<(Cow<'a, str>, Any<'a>)>,
    /// What they look like as JSON, once somebody has asked.
    json: OnceLock<Vec<u8>>,
}

impl<'a> Any<'a> {
    pub(crate) fn carried(node: Node<'a, 'a>) -> Self {
        Self(Carried::Node(node))
    }

    /// Carries JSON text, after looking whether it is any.
    pub fn from_json(text: &'a [u8]) -> Result<Self, SyntaxError> {
        Ok(Document::json(text)?.root().lift())
    }

    /// Carries a CBOR item, after looking whether it is one.
    pub fn from_cbor(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        Ok(Document::cbor(bytes)?.root().lift())
    }

    /// Carries what a value is written as.
    pub fn of<T: Encode + ?Sized>(
        value: &T,
        encoding: Encoding,
    ) -> Result<Any<'static>, EncodeError> {
        let mut encoder = Encoder::new(encoding);
        value.encode(&mut encoder)?;
        Ok(Any::tidy(Cow::Owned(encoder.finish()), encoding))
    }

    /// Carries a map of carried values. Its keys must differ.
    pub fn members(members: Vec<(Cow<'a, str>, Any<'a>)>) -> Self {
        Self(Carried::Members(Box::new(Members { members, json: OnceLock::new() })))
    }

    pub(crate) fn bytes(raw: &'a [u8], encoding: Encoding, tidy: bool) -> Self {
        Self(Carried::Bytes { raw: Cow::Borrowed(raw), encoding, tidy })
    }

    fn tidy(raw: Cow<'a, [u8]>, encoding: Encoding) -> Self {
        Self(Carried::Bytes { raw, encoding, tidy: true })
    }

    /// The bytes of the source, or what stands for them.
    pub fn raw(&self) -> &[u8] {
        match &self.0 {
            Carried::Bytes { raw, .. } => raw,
            Carried::Kept { raw, .. } => raw,
            Carried::Node(node) => node.raw(),
            Carried::Members(members) => {
                members.json.get_or_init(|| self.to_json().unwrap_or_default().into_bytes())
            }
        }
    }

    /// What the bytes are.
    pub fn encoding(&self) -> Encoding {
        match &self.0 {
            Carried::Bytes { encoding, .. } | Carried::Kept { encoding, .. } => *encoding,
            Carried::Node(node) => node.encoding(),
            Carried::Members(_) => Encoding::Json,
        }
    }

    /// The value, indexed, to look inside.
    pub fn document(&self) -> Result<Document<'_>, SyntaxError> {
        Document::scan(self.raw(), self.encoding())
    }
}

impl Encode for Any<'_> {
    #[inline]
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        match self.as_it_stands() {
            Some((raw, encoding)) if to.takes_raw(encoding) => {
                to.carried_raw(raw);
                Ok(())
            }
            _ => to.carried(|to| self.write(to)),
        }
    }
}

impl Any<'_> {
    /// The bytes, if they may be copied as they are.
    #[inline]
    fn as_it_stands(&self) -> Option<(&[u8], Encoding)> {
        match &self.0 {
            Carried::Node(node) if node.is_tidy() => Some((node.raw(), node.encoding())),
            Carried::Bytes { raw, encoding, tidy: true } => Some((raw, *encoding)),
            Carried::Kept { raw, encoding, tidy: true } => Some((raw, *encoding)),
            _ => None,
        }
    }

    fn write(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        match &self.0 {
            Carried::Node(node) => crate::transcode::transcode_node(*node, to),
            Carried::Members(members) => {
                let mut map = MapEncoder::new(to);
                for (key, value) in &members.members {
                    map.extension(Key::Text(key), value)?;
                }
                map.end()
            }
            Carried::Bytes { .. } | Carried::Kept { .. } => match self.document() {
                Ok(document) => crate::transcode::transcode_node(document.root(), to),
                // Nested where it came from, but too deep to be read alone: impossible.
                Err(_) => {
                    let encoding = to.encoding();
                    Err(EncodeError::NotRepresentable { encoding, what: "this value" })
                }
            },
        }
    }
}

impl IntoOwned for Any<'_> {
    type Owned = Any<'static>;

    fn into_owned(self) -> Self::Owned {
        Any(match self.0 {
            Carried::Bytes { raw, encoding, tidy } => {
                Carried::Kept { raw: raw.into(), encoding, tidy }
            }
            Carried::Kept { raw, encoding, tidy } => Carried::Kept { raw, encoding, tidy },
            Carried::Node(node) => return node.lift().into_owned(),
            Carried::Members(members) => {
                let owned = |(key, value): (Cow<'_, str>, Any<'_>)| {
                    (Cow::Owned(key.into_owned()), value.into_owned())
                };
                let json = members.json;
                let members = members.members.into_iter().map(owned).collect();
                Carried::Members(Box::new(Members { members, json }))
            }
        })
    }
}

impl PartialEq for Any<'_> {
    /// By value: across encodings, whatever the order of keys. What has no
    /// CBOR form is compared by its bytes.
    fn eq(&self, other: &Self) -> bool {
        if self.encoding() == other.encoding() && self.raw() == other.raw() {
            return true;
        }
        match (self.to_cbor(), other.to_cbor()) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
    }
}

impl From<&str> for Any<'_> {
    fn from(text: &str) -> Self {
        let mut encoder = Encoder::new(Encoding::Json);
        encoder.text(text);
        Any::tidy(Cow::Owned(encoder.finish()), Encoding::Json)
    }
}
