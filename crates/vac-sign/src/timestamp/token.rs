//! A time-stamp token in DER: CMS (RFC 5652) around a `TSTInfo` (RFC 3161).

use std::time::Duration;

use ed25519_dalek::pkcs8::spki::der::{
    self, AnyRef, DateTime, Decode as _, ErrorKind, Reader as _, SliceReader, Tag, TagNumber,
    Tagged as _,
    asn1::{ContextSpecific, ObjectIdentifier, OctetStringRef},
};

use super::TimeStampError;
use crate::header::HashAlgorithm;
use crate::x509::{Extension, sequence};

const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
const SIGNING_CERTIFICATE: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.12");
const SIGNING_CERTIFICATE_V2: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");

/// Maximum size of a token in bytes.
pub(super) const MAX_SIZE: usize = 1 << 18;
/// The tag of a set, which replaces the tag of the signed attributes for verification (RFC 5652
/// section 5.4).
const SET: u8 = 0x31;

/// The parts of a token. Nothing has been checked.
pub(super) struct Token<'t> {
    /// The encoded `TSTInfo`.
    pub content: &'t [u8],
    /// The certificates, in DER.
    pub certificates: Vec<Vec<u8>>,
    /// The issuer and the serial number of the signer's certificate, or its key identifier.
    pub signer: SignerName<'t>,
    /// The algorithm of the digest over the content.
    pub digest_algorithm: HashAlgorithm,
    /// The attributes that the signature covers, encoded as a set.
    pub signed_attributes: Vec<u8>,
    /// The digest of the content, as the attributes state it.
    pub message_digest: &'t [u8],
    /// The hash of the signer's certificate, as the attributes state it; `None` is SHA-1.
    pub certificate_hash: (Option<HashAlgorithm>, &'t [u8]),
    /// The algorithm of the signature.
    pub signature_algorithm: ObjectIdentifier,
    /// The signature.
    pub signature: &'t [u8],
}

/// The name of a signer's certificate.
pub(super) enum SignerName<'t> {
    /// Its issuer and its serial number, as they are encoded.
    Issuer(&'t [u8], &'t [u8]),
    /// The key identifier. It is not compared, because the hash of the certificate is.
    KeyId,
}

/// The statement of a time-stamping authority (`TSTInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement<'t> {
    pub policy: ObjectIdentifier,
    pub imprint_algorithm: HashAlgorithm,
    pub imprint: &'t [u8],
    /// Seconds since 1970, without a fraction.
    pub seconds: u64,
    /// The maximum deviation of the time, if the authority states one.
    pub accuracy: Option<Duration>,
}

/// Returns the token in a response of a time-stamping authority, or the bytes themselves if they
/// are not a response.
pub(super) fn in_response(bytes: &[u8]) -> Result<&[u8], TimeStampError> {
    let mut elements = sequence(AnyRef::from_der(bytes)?)?;
    if Tag::peek(&elements)? != Tag::Sequence {
        return Ok(bytes);
    }
    let status = sequence(elements.decode()?)?.decode::<u8>()?;
    // granted, or granted with modifications
    if status > 1 {
        return Err(TimeStampError::Rejected(status));
    }
    Ok(elements.tlv_bytes()?)
}

impl<'t> Token<'t> {
    /// Reads a token.
    pub fn read(bytes: &'t [u8]) -> Result<Self, TimeStampError> {
        if bytes.len() > MAX_SIZE {
            return Err(TimeStampError::TooLarge(bytes.len()));
        }
        let mut content_info = sequence(AnyRef::from_der(bytes)?)?;
        if content_info.decode::<ObjectIdentifier>()? != SIGNED_DATA {
            return Err(TimeStampError::NotAToken("it is not signed data"));
        }
        let mut data = sequence(explicit(&mut content_info, 0)?)?;
        content_info.finish()?;
        if data.decode::<u8>()? != 3 {
            return Err(TimeStampError::NotAToken("its version is not 3"));
        }
        let mut algorithms = set(data.decode()?)?;
        let mut has_digest = Vec::new();
        while !algorithms.is_finished() {
            has_digest.push(algorithm(algorithms.decode()?)?);
        }
        let mut content = sequence(data.decode()?)?;
        if content.decode::<ObjectIdentifier>()? != TST_INFO {
            return Err(TimeStampError::NotAToken("its content is not a time stamp"));
        }
        let statement: &OctetStringRef = explicit(&mut content, 0)?.decode_as()?;
        content.finish()?;
        let mut certificates = Vec::new();
        if Tag::peek(&data)? == context(0) {
            let mut all = SliceReader::new(data.decode::<AnyRef<'_>>()?.value())?;
            while !all.is_finished() {
                certificates.push(all.tlv_bytes()?.to_vec());
            }
        }
        if Tag::peek(&data)? == context(1) {
            // Skip revocation lists.
            data.tlv_bytes()?;
        }
        let mut signers = set(data.decode()?)?;
        data.finish()?;
        let mut signer = sequence(signers.decode()?)?;
        if !signers.is_finished() {
            return Err(TimeStampError::NotAToken("it has more than one signer"));
        }
        let version = signer.decode::<u8>()?;
        let name = match (version, Tag::peek(&signer)?) {
            (1, Tag::Sequence) => {
                let mut name = sequence(signer.decode()?)?;
                let names = SignerName::Issuer(name.tlv_bytes()?, name.tlv_bytes()?);
                name.finish()?;
                names
            }
            (3, Tag::ContextSpecific { constructed: false, number: TagNumber(0) }) => {
                signer.tlv_bytes()?;
                SignerName::KeyId
            }
            _ => return Err(TimeStampError::NotAToken("its signer has another version")),
        };
        let digest = algorithm(signer.decode()?)?;
        if !has_digest.contains(&digest) {
            return Err(TimeStampError::NotAToken(
                "it does not list the signer's digest algorithm",
            ));
        }
        let digest_algorithm =
            HashAlgorithm::from_oid(digest).ok_or(TimeStampError::Algorithm(digest))?;
        if Tag::peek(&signer)? != context(0) {
            return Err(TimeStampError::NotAToken("it has no signed attributes"));
        }
        let attributes = signer.tlv_bytes()?;
        let signature_algorithm = algorithm(signer.decode()?)?;
        let signature = signer.decode::<&OctetStringRef>()?.as_bytes();
        let mut signed_attributes = attributes.to_vec();
        signed_attributes[0] = SET;
        let attributes = Attributes::read(AnyRef::from_der(attributes)?.value())?;
        Ok(Self {
            content: statement.as_bytes(),
            certificates,
            signer: name,
            digest_algorithm,
            signed_attributes,
            message_digest: attributes.message_digest,
            certificate_hash: attributes.certificate_hash,
            signature_algorithm,
            signature,
        })
    }
}

/// The signed attributes that are used.
struct Attributes<'t> {
    message_digest: &'t [u8],
    certificate_hash: (Option<HashAlgorithm>, &'t [u8]),
}

impl<'t> Attributes<'t> {
    fn read(bytes: &'t [u8]) -> Result<Self, TimeStampError> {
        let mut reader = SliceReader::new(bytes)?;
        let (mut has_type, mut message_digest) = (false, None);
        let (mut first, mut second) = (None, None);
        while !reader.is_finished() {
            let mut attribute = sequence(reader.decode()?)?;
            let id = attribute.decode::<ObjectIdentifier>()?;
            let mut values = set(attribute.decode()?)?;
            match id {
                CONTENT_TYPE => has_type = values.decode::<ObjectIdentifier>()? == TST_INFO,
                MESSAGE_DIGEST => {
                    message_digest = Some(values.decode::<&OctetStringRef>()?.as_bytes());
                }
                SIGNING_CERTIFICATE => first = Some(certificate_hash(values.decode()?, None)?),
                SIGNING_CERTIFICATE_V2 => {
                    let default = Some(HashAlgorithm::Sha256);
                    second = Some(certificate_hash(values.decode()?, default)?);
                }
                _ => {}
            }
        }
        let missing = |what| TimeStampError::NotAToken(what);
        if !has_type {
            return Err(missing("its attributes do not state its content type"));
        }
        Ok(Self {
            message_digest: message_digest
                .ok_or_else(|| missing("its attributes do not state a digest"))?,
            certificate_hash: second
                .or(first)
                .ok_or_else(|| missing("its attributes do not name the signer's certificate"))?,
        })
    }
}

/// Reads the hash of the first certificate, which is the signer's, of a `SigningCertificate`, or of
/// a `SigningCertificateV2`, in which the algorithm can be stated.
fn certificate_hash(
    value: AnyRef<'_>,
    default: Option<HashAlgorithm>,
) -> Result<(Option<HashAlgorithm>, &[u8]), TimeStampError> {
    let mut ids = sequence(sequence(value)?.decode()?)?;
    let mut id = sequence(ids.decode()?)?;
    let mut hash = default;
    if default.is_some() && Tag::peek(&id)? == Tag::Sequence {
        let stated = algorithm(id.decode()?)?;
        hash = Some(HashAlgorithm::from_oid(stated).ok_or(TimeStampError::Algorithm(stated))?);
    }
    Ok((hash, id.decode::<&OctetStringRef>()?.as_bytes()))
}

impl<'t> Statement<'t> {
    /// Reads a `TSTInfo`. Critical extensions are refused, because none is supported.
    pub fn read(bytes: &'t [u8]) -> Result<Self, TimeStampError> {
        let mut info = sequence(AnyRef::from_der(bytes)?)?;
        if info.decode::<u8>()? != 1 {
            return Err(TimeStampError::NotAToken("the version of its content is not 1"));
        }
        let policy = info.decode()?;
        let mut imprint = sequence(info.decode()?)?;
        let stated = algorithm(imprint.decode()?)?;
        let imprint_algorithm =
            HashAlgorithm::from_oid(stated).ok_or(TimeStampError::Algorithm(stated))?;
        let digest = imprint.decode::<&OctetStringRef>()?.as_bytes();
        imprint.finish()?;
        let serial = info.decode::<AnyRef<'_>>()?;
        serial.tag().assert_eq(Tag::Integer)?;
        let time = info.decode::<AnyRef<'_>>()?;
        time.tag().assert_eq(Tag::GeneralizedTime)?;
        let seconds =
            seconds(time.value()).ok_or(TimeStampError::NotAToken("its time is not one in UTC"))?;
        let accuracy = optional(&mut info, Tag::Sequence)?.map(accuracy).transpose()?;
        let _ordering = info.decode::<Option<bool>>()?;
        let _nonce = optional(&mut info, Tag::Integer)?;
        // The certificate of the authority is identified by its hash.
        let _name = optional(&mut info, context(0))?;
        if let Some(extensions) = optional(&mut info, context(1))? {
            let mut extensions = SliceReader::new(extensions.value())?;
            while !extensions.is_finished() {
                let extension = Extension::read(extensions.decode()?)?;
                if extension.is_critical {
                    return Err(TimeStampError::CriticalExtension(extension.id));
                }
            }
        }
        info.finish()?;
        Ok(Self { policy, imprint_algorithm, imprint: digest, seconds, accuracy })
    }
}

/// Reads an `Accuracy`. An absent part is zero.
fn accuracy(value: AnyRef<'_>) -> Result<Duration, TimeStampError> {
    let mut parts = sequence(value)?;
    let seconds = parts.decode::<Option<u32>>()?.unwrap_or(0);
    let mut thousandths = |number| {
        let part = ContextSpecific::<u16>::decode_implicit(&mut parts, TagNumber(number))?;
        match part.map_or(0, |part| part.value) {
            part @ 0..1000 => Ok(u64::from(part)),
            _ => Err(TimeStampError::NotAToken("a part of its accuracy is not below 1000")),
        }
    };
    let (millis, micros) = (thousandths(0)?, thousandths(1)?);
    parts.finish()?;
    Ok(Duration::from_secs(seconds.into()) + Duration::from_micros(millis * 1000 + micros))
}

/// Parses a time such as `20261118170000.25Z`. Crate `der` does not read fractions.
fn seconds(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if whole.len() != 14 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let two = |at: usize| whole[at..at + 2].parse().ok();
    let year = whole[..4].parse().ok()?;
    let time = DateTime::new(year, two(4)?, two(6)?, two(8)?, two(10)?, two(12)?).ok()?;
    Some(time.unix_duration().as_secs())
}

/// Returns the identifier of an algorithm. Its parameters have to be absent or null.
fn algorithm(value: AnyRef<'_>) -> Result<ObjectIdentifier, TimeStampError> {
    let mut parts = sequence(value)?;
    let id = parts.decode()?;
    if !parts.is_finished() {
        parts.decode::<der::asn1::Null>()?;
    }
    parts.finish()?;
    Ok(id)
}

/// Reads the next element if it has this tag.
fn optional<'t>(reader: &mut SliceReader<'t>, tag: Tag) -> der::Result<Option<AnyRef<'t>>> {
    if reader.is_finished() || Tag::peek(reader)? != tag {
        return Ok(None);
    }
    reader.decode().map(Some)
}

fn context(number: u32) -> Tag {
    Tag::ContextSpecific { constructed: true, number: TagNumber(number) }
}

/// Reads the content of an element with an explicit tag.
fn explicit<'t>(reader: &mut SliceReader<'t>, number: u32) -> der::Result<AnyRef<'t>> {
    let element = reader.decode::<AnyRef<'t>>()?;
    if element.tag() != context(number) {
        return Err(ErrorKind::TagUnexpected {
            expected: Some(context(number)),
            actual: element.tag(),
        }
        .into());
    }
    AnyRef::from_der(element.value())
}

/// Returns a reader of the elements of a set.
fn set(value: AnyRef<'_>) -> der::Result<SliceReader<'_>> {
    value.tag().assert_eq(Tag::Set)?;
    SliceReader::new(value.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("short content");
        let head = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
        [&head, content].concat()
    }

    /// Returns a `TSTInfo` with these fields after its time.
    fn statement(fields: &[Vec<u8>]) -> Vec<u8> {
        let sha_256 = tlv(0x30, &tlv(6, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]));
        let imprint = tlv(0x30, &[sha_256, tlv(4, &[0; 32])].concat());
        let time = tlv(0x18, b"20261118174423Z");
        let head = [tlv(2, &[1]), tlv(6, &[0x2a, 3]), imprint, tlv(2, &[7]), time];
        tlv(0x30, &[head.concat(), fields.concat()].concat())
    }

    /// Returns an accuracy of 1 second and these thousandths.
    fn accuracy(millis: &[u8], micros: &[u8]) -> Vec<u8> {
        tlv(0x30, &[tlv(2, &[1]), tlv(0x80, millis), tlv(0x81, micros)].concat())
    }

    /// Returns the extension `1.2.3`.
    fn extensions(is_critical: bool) -> Vec<u8> {
        let critical = if is_critical { tlv(1, &[0xff]) } else { Vec::new() };
        tlv(0xa1, &tlv(0x30, &[tlv(6, &[0x2a, 3]), critical, tlv(4, &[])].concat()))
    }

    fn read(fields: &[Vec<u8>]) -> Result<Option<Duration>, TimeStampError> {
        Statement::read(&statement(fields)).map(|read| read.accuracy)
    }

    #[test]
    fn fields_after_the_time_are_optional() {
        let ordering = tlv(1, &[0xff]);
        let nonce = tlv(2, &[1; 20]);
        let name = tlv(0xa0, &tlv(0x82, b"tsa.example"));
        let second = tlv(0x30, &tlv(2, &[1]));
        let all = [accuracy(&[2, 0], &[3]), ordering, nonce.clone(), name, extensions(false)];
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&[nonce]), Ok(None));
        assert_eq!(read(&[second]), Ok(Some(Duration::from_secs(1))));
        assert_eq!(read(&all), Ok(Some(Duration::from_micros(1_512_003))));
        assert_eq!(read(&[tlv(0x30, &[])]), Ok(Some(Duration::ZERO)));
    }

    #[test]
    fn critical_extensions_are_refused() {
        let oid = ObjectIdentifier::new_unwrap("1.2.3");
        assert_eq!(read(&[extensions(true)]), Err(TimeStampError::CriticalExtension(oid)));
        let both = [extensions(false), extensions(true)].map(|one| one[2..].to_vec()).concat();
        assert!(matches!(read(&[tlv(0xa1, &both)]), Err(TimeStampError::CriticalExtension(_))));
    }

    #[test]
    fn malformed_fields_are_refused() {
        for fields in [
            // 1000 milliseconds, an unknown field, fields in another order, and twice.
            [accuracy(&[3, 0xe8], &[1]), Vec::new()],
            [tlv(0xa2, &[]), Vec::new()],
            [tlv(2, &[1]), tlv(1, &[0xff])],
            [extensions(false), extensions(false)],
        ] {
            let error = read(&fields).expect_err("a malformed field");
            assert!(!matches!(error, TimeStampError::CriticalExtension(_)), "{error}");
        }
    }
}
