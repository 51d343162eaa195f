//! The carried `any`: a value as its source wrote it.

use std::borrow::Cow;

use crate::decode::{Decode, DecodeError};
use crate::document::{Document, Encoding, LOOSE, Node};
use crate::encode::{Encode, EncodeError, Encoder};
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
pub struct Any<'a> {
    raw: Cow<'a, [u8]>,
    encoding: Encoding,
    /// Whether the bytes may be copied as they are.
    tidy: bool,
}

impl<'a> Any<'a> {
    pub(crate) fn carried(node: Node<'_, 'a>) -> Self {
        Self { raw: Cow::Borrowed(node.raw()), encoding: node.encoding(), tidy: !node.flag(LOOSE) }
    }

    /// Carries JSON text, after looking whether it is any.
    pub fn from_json(text: &'a [u8]) -> Result<Self, SyntaxError> {
        Ok(Document::json(text)?.root().carry())
    }

    /// Carries a CBOR item, after looking whether it is one.
    pub fn from_cbor(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        Ok(Document::cbor(bytes)?.root().carry())
    }

    /// Carries what a value is written as.
    pub fn of<T: Encode + ?Sized>(
        value: &T,
        encoding: Encoding,
    ) -> Result<Any<'static>, EncodeError> {
        let mut encoder = Encoder::new(encoding);
        value.encode(&mut encoder)?;
        Ok(Any { raw: Cow::Owned(encoder.finish()), encoding, tidy: true })
    }

    /// The bytes of the source.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// What the bytes are.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The value, indexed, to look inside.
    pub fn document(&self) -> Result<Document<'_>, SyntaxError> {
        Document::scan(&self.raw, self.encoding)
    }
}

impl Encode for Any<'_> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        if to.is_hollow() {
            to.null();
            return Ok(());
        }
        if self.tidy && to.takes_raw(self.encoding) {
            to.raw(&self.raw);
            return Ok(());
        }
        match self.document() {
            Ok(document) => crate::transcode(&document, to),
            // Nested where it came from, but too deep to be read alone: impossible.
            Err(_) => {
                Err(EncodeError::NotRepresentable { encoding: to.encoding(), what: "this value" })
            }
        }
    }
}

impl<'a> Decode<'a> for Any<'a> {
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        Ok(node.carry())
    }

    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        Ok(node.carry().into_owned())
    }
}

impl IntoOwned for Any<'_> {
    type Owned = Any<'static>;

    fn into_owned(self) -> Self::Owned {
        Any { raw: Cow::Owned(self.raw.into_owned()), encoding: self.encoding, tidy: self.tidy }
    }
}

impl PartialEq for Any<'_> {
    /// By value: across encodings, whatever the order of keys. What has no
    /// CBOR form is compared by its bytes.
    fn eq(&self, other: &Self) -> bool {
        if self.encoding == other.encoding && self.raw == other.raw {
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
        Any { raw: Cow::Owned(encoder.finish()), encoding: Encoding::Json, tidy: true }
    }
}
