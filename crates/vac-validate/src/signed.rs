//! Reads the payload of a signed record.
//!
//! The schema describes the envelope, where the payload is a byte string. [`payload`] reads it:
//! an attached record is validated as well. Signatures are checked by crate `vac-sign`.

use std::borrow::Cow;

use vac_value::{Document, Encoding, Kind, Node, SyntaxError, Violation, ViolationKind};

use vac_record::keys::protected_header::CONTENT_TYPE;

use crate::{SCHEMA, Violations, detect_encoding, rules, validate_document};

/// The tag of a signature by one signer.
const COSE_SIGN1: u64 = 18;
/// Header parameter of a hash envelope: the hash algorithm of the payload.
const PAYLOAD_HASH_ALG: i128 = 258;

/// The JSON pointer of the payload in an envelope.
pub const PAYLOAD_PATH: &str = "/2(payload)";

/// The payload of a signed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// Null: the record is not part of the envelope.
    Detached,
    /// A digest of the record (a COSE hash envelope).
    Digest,
    /// The record is the payload.
    Attached {
        /// The bytes of the record.
        bytes: Cow<'a, [u8]>,
        /// The encoding of the record: that of the content type, or else guessed from the bytes.
        encoding: Encoding,
    },
}

impl Payload<'_> {
    /// Validates an attached record. Paths begin at the envelope. Returns `Ok` for a payload that
    /// is not attached.
    ///
    /// ```
    /// use vac_validate::{Document, signed};
    ///
    /// // 18([h'a0', {}, '{"id": 1}', h'']): the header is empty.
    /// let bytes = b"\xd2\x84\x41\xa0\xa0\x49{\"id\": 1}\x40";
    /// let document = Document::cbor(bytes)?;
    /// let payload = signed::payload(&document).expect("a signed record");
    /// let violations = payload.validate(20).unwrap_err();
    /// assert_eq!(violations.as_slice()[0].path, "/2(payload)/id");
    /// # Ok::<(), vac_validate::SyntaxError>(())
    /// ```
    pub fn validate(&self, max_violations: usize) -> Result<(), Violations> {
        let Self::Attached { bytes, encoding } = self else { return Ok(()) };
        let verdict = match Document::scan(bytes, *encoding) {
            Ok(document) => {
                validate_document(&document, rules::VERIFIABLE_AGENT_RECORD, max_violations)
            }
            Err(error) => Err(unreadable(*encoding, &error)),
        };
        verdict.map_err(|violations| violations.inside(PAYLOAD_PATH))
    }
}

/// Returns the violation of a payload that is not a document.
pub fn unreadable(encoding: Encoding, error: &SyntaxError) -> Violations {
    Violations::from(Violation {
        kind: ViolationKind::Embedded,
        path: String::new(),
        expected: format!("a record in {encoding}"),
        found: format!("bytes that are not {encoding} ({error})"),
        rule: SCHEMA.name(rules::VERIFIABLE_AGENT_RECORD).to_owned(),
        others: Vec::new(),
    })
}

/// Returns the payload of a signed record. `None` if the document is not a signed record, or
/// if the schema does not allow its payload.
pub fn payload<'a>(document: &Document<'a>) -> Option<Payload<'a>> {
    let envelope = envelope(document)?;
    let header = envelope.protected.bytes();
    let header = header.as_deref().and_then(|bytes| Document::cbor(bytes).ok());
    let parameter = |label| header.as_ref().and_then(|header| labelled(header.root(), label));
    match envelope.payload.kind() {
        Kind::Null => Some(Payload::Detached),
        Kind::Bytes if parameter(PAYLOAD_HASH_ALG).is_some() => Some(Payload::Digest),
        Kind::Bytes => {
            let bytes = envelope.payload.bytes()?;
            let stated = parameter(CONTENT_TYPE).and_then(content_type);
            let encoding = stated.unwrap_or_else(|| detect_encoding(&bytes));
            Some(Payload::Attached { bytes, encoding })
        }
        _ => None,
    }
}

/// The parts of a `COSE_Sign1` that validation reads.
pub(crate) struct Envelope<'d, 'a> {
    pub protected: Node<'d, 'a>,
    pub unprotected: Node<'d, 'a>,
    pub payload: Node<'d, 'a>,
}

/// Returns the envelope, if the document has its tag and four elements.
pub(crate) fn envelope<'d, 'a>(document: &'d Document<'a>) -> Option<Envelope<'d, 'a>> {
    let (COSE_SIGN1, content) = document.root().tag()? else { return None };
    let mut elements = content.elements();
    let (protected, unprotected) = (elements.next()?, elements.next()?);
    let (payload, _signature) = (elements.next()?, elements.next()?);
    elements.next().is_none().then_some(Envelope { protected, unprotected, payload })
}

/// Returns the value of the first member with this integer label.
pub(crate) fn labelled<'d, 'a>(map: Node<'d, 'a>, label: i128) -> Option<Node<'d, 'a>> {
    map.members().find(|(key, _)| key.integer() == Some(label)).map(|(_, value)| value)
}

/// Returns the encoding of a content type, which is a media type or a number of the `CoAP`
/// registry.
pub fn content_type(node: Node<'_, '_>) -> Option<Encoding> {
    if let Some(number) = node.uint() {
        return match number {
            50 => Some(Encoding::Json),
            60 => Some(Encoding::Cbor),
            _ => None,
        };
    }
    media_type(&node.text()?)
}

/// Returns the encoding of a media type, if it is known.
pub fn media_type(text: &str) -> Option<Encoding> {
    let text = text.to_ascii_lowercase();
    let media_type = text.split_once(';').map_or(&*text, |(media_type, _)| media_type).trim();
    if media_type == "application/json" || media_type.ends_with("+json") {
        Some(Encoding::Json)
    } else if media_type == "application/cbor" || media_type.ends_with("+cbor") {
        Some(Encoding::Cbor)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a tagged array of a protected header in a byte string and other elements, all in
    /// CBOR.
    fn envelope_bytes(header: &[u8], rest: &[&[u8]]) -> Vec<u8> {
        let count = u8::try_from(rest.len() + 1).expect("few elements");
        let length = u8::try_from(header.len()).expect("a short header");
        [&[0xd2, 0x80 | count, 0x58, length], header, &rest.concat()].concat()
    }

    fn read(header: &[u8], payload: &[u8]) -> Option<Payload<'static>> {
        let bytes = envelope_bytes(header, &[b"\xa0", payload, b"\x40"]);
        let document = Document::cbor(&bytes).expect("CBOR");
        Some(match super::payload(&document)? {
            Payload::Attached { bytes, encoding } => {
                Payload::Attached { bytes: Cow::Owned(bytes.into_owned()), encoding }
            }
            Payload::Detached => Payload::Detached,
            Payload::Digest => Payload::Digest,
        })
    }

    fn attached(bytes: &[u8], encoding: Encoding) -> Payload<'static> {
        Payload::Attached { bytes: Cow::Owned(bytes.to_vec()), encoding }
    }

    #[test]
    fn payloads_are_attached_detached_or_digests() {
        assert_eq!(read(b"\xa0", b"\xf6"), Some(Payload::Detached));
        // {258: -16}
        assert_eq!(read(b"\xa1\x19\x01\x02\x2f", b"\x42ab"), Some(Payload::Digest));
        assert_eq!(read(b"\xa0", b"\x42{}"), Some(attached(b"{}", Encoding::Json)));
        assert_eq!(read(b"\xa0", b"\x41\xa0"), Some(attached(b"\xa0", Encoding::Cbor)));
        // {3: 60} and {3: 50} take precedence over the encoding guessed from the bytes.
        assert_eq!(read(b"\xa1\x03\x18\x3c", b"\x42{}"), Some(attached(b"{}", Encoding::Cbor)));
        assert_eq!(read(b"\xa1\x03\x18\x32", b"\x41\xa0"), Some(attached(b"\xa0", Encoding::Json)));
        assert_eq!(read(b"\xa0", b"\xf7"), None);
        assert_eq!(read(b"\xa0", b"\x60"), None);
    }

    #[test]
    fn envelopes_are_tagged_arrays_of_four() {
        let is_envelope = |bytes: &[u8]| payload(&Document::cbor(bytes).expect("CBOR")).is_some();
        let whole = envelope_bytes(b"\xa0", &[b"\xa0", b"\xf6", b"\x40"]);
        assert!(is_envelope(&whole));
        assert!(!is_envelope(&whole[1..]), "no tag");
        assert!(!is_envelope(&[&[0xd1], &whole[1..]].concat()), "another tag");
        assert!(!is_envelope(&envelope_bytes(b"\xa0", &[b"\xa0", b"\xf6"])), "three elements");
        let five = envelope_bytes(b"\xa0", &[b"\xa0", b"\xf6", b"\x40", b"\x40"]);
        assert!(!is_envelope(&five), "five elements");
    }

    #[test]
    fn violations_in_payloads_have_paths_through_the_envelope() {
        let path = |payload: &[u8], encoding| {
            let payload = Payload::Attached { bytes: payload.into(), encoding };
            payload.validate(1).unwrap_err().as_slice()[0].path.clone()
        };
        assert_eq!(path(br#"{"id": 1}"#, Encoding::Json), "/2(payload)/id");
        assert_eq!(path(b"not JSON", Encoding::Json), "/2(payload)");
        assert_eq!(path(b"\xff", Encoding::Cbor), "/2(payload)");
        assert_eq!(Payload::Detached.validate(1), Ok(()));
    }

    #[test]
    fn media_types_name_encodings() {
        for (text, expected) in [
            ("application/json", Some(Encoding::Json)),
            ("Application/JSON; charset=utf-8", Some(Encoding::Json)),
            ("application/vac+json", Some(Encoding::Json)),
            ("application/cbor", Some(Encoding::Cbor)),
            (" application/vac+cbor ;x=y", Some(Encoding::Cbor)),
            ("application/xcbor", None),
            ("application/xjson", None),
            ("application/json-seq", None),
            ("text/plain; application/json", None),
            ("", None),
        ] {
            assert_eq!(media_type(text), expected, "{text}");
        }
    }
}
