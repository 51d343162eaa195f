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

/// The path of the payload.
pub const PAYLOAD_PATH: &str = "/2(payload)";

/// The payload of a signed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// Null: the record is not part of the envelope.
    Detached,
    /// A digest of the record (a COSE hash envelope).
    Digest,
    /// The record itself.
    Attached {
        /// Its bytes.
        bytes: Cow<'a, [u8]>,
        /// Their encoding: by the content type, or else guessed from the bytes.
        encoding: Encoding,
    },
}

impl Payload<'_> {
    /// Validates an attached record. Paths lead through the envelope. A payload that is not
    /// attached is not validated.
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
