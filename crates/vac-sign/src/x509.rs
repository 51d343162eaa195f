//! Reads the extensions of a certificate that crate `webpki` ignores: key usage in any certificate,
//! and all constraints except names in a trust anchor.

use std::collections::BTreeSet;

use ed25519_dalek::pkcs8::spki::der::{
    self, AnyRef, Decode as _, ErrorKind, Reader as _, SliceReader, Tag, TagNumber, Tagged as _,
    asn1::{BitStringRef, ObjectIdentifier, OctetStringRef},
};

const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");

/// The use of a certificate's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Signing records.
    Signing,
    /// Signing time stamps (RFC 3161).
    TimeStamping,
}

impl Purpose {
    /// Returns the extended key usages that allow the purpose. Those for signing records are code,
    /// mail, documents, or any.
    pub fn allowed(self) -> &'static [ObjectIdentifier] {
        const SIGNING: [ObjectIdentifier; 4] = [
            ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3"),
            ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4"),
            ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.36"),
            ObjectIdentifier::new_unwrap("2.5.29.37.0"),
        ];
        const TIME_STAMPING: [ObjectIdentifier; 2] = [
            ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8"),
            ObjectIdentifier::new_unwrap("2.5.29.37.0"),
        ];
        match self {
            Self::Signing => &SIGNING,
            Self::TimeStamping => &TIME_STAMPING,
        }
    }

    /// Returns the reason why a certificate without such a usage is refused.
    pub fn refusal(self) -> &'static str {
        match self {
            Self::Signing => "its extended key usage is not one for signing",
            Self::TimeStamping => "its extended key usage is not one for time stamps",
        }
    }
}

/// digitalSignature and contentCommitment, the first two bits of a key usage.
const SIGNING: u8 = 0b1100_0000;
/// keyCertSign, the sixth bit.
const CERTIFICATE_SIGNING: u8 = 0b0000_0100;

/// Constraints that a certificate states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constraints {
    /// `cA` of the basic constraints.
    is_authority: bool,
    /// `pathLenConstraint` of the basic constraints.
    path_length: Option<u64>,
    /// The first eight bits of the key usage.
    key_usage: Option<u8>,
    /// The extended key usage, and whether it is critical.
    extended_key_usage: Option<(Vec<ObjectIdentifier>, bool)>,
}

impl Constraints {
    /// Reads the constraints of a certificate in DER. It is an error if an extension occurs
    /// twice.
    pub fn parse(certificate: &[u8]) -> der::Result<Self> {
        let mut constraints = Self::default();
        let mut certificate = sequence(AnyRef::from_der(certificate)?)?;
        let mut fields = sequence(certificate.decode()?)?;
        while !fields.is_finished() {
            let field = fields.decode::<AnyRef<'_>>()?;
            if field.tag() == (Tag::ContextSpecific { constructed: true, number: TagNumber(3) }) {
                constraints.read_extensions(sequence(AnyRef::from_der(field.value())?)?)?;
            }
        }
        Ok(constraints)
    }

    fn read_extensions(&mut self, mut extensions: SliceReader<'_>) -> der::Result<()> {
        let mut seen = BTreeSet::new();
        while !extensions.is_finished() {
            let Extension { id, is_critical, content } = Extension::read(extensions.decode()?)?;
            if !seen.insert(id) {
                return Err(ErrorKind::Value { tag: Tag::ObjectIdentifier }.into());
            }
            match id {
                KEY_USAGE => {
                    let usage = BitStringRef::from_der(content)?;
                    self.key_usage = Some(usage.raw_bytes().first().copied().unwrap_or(0));
                }
                BASIC_CONSTRAINTS => {
                    let mut basic = sequence(AnyRef::from_der(content)?)?;
                    self.is_authority = basic.decode::<Option<bool>>()?.unwrap_or(false);
                    self.path_length = basic.decode::<Option<u64>>()?;
                    basic.finish()?;
                }
                EXTENDED_KEY_USAGE => {
                    let mut purposes = sequence(AnyRef::from_der(content)?)?;
                    let mut found = Vec::new();
                    while !purposes.is_finished() {
                        found.push(purposes.decode()?);
                    }
                    self.extended_key_usage = Some((found, is_critical));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether the key may sign records (RFC 5280 section 4.2.1.3). A key whose certificate
    /// states no key usage may.
    pub fn may_sign(&self) -> bool {
        self.key_usage.is_none_or(|usage| usage & SIGNING != 0)
    }

    /// Returns whether the key may sign time stamps and nothing else (RFC 3161 section 2.3): it has
    /// one extended key usage, which is critical.
    pub fn is_for_time_stamps_only(&self) -> bool {
        matches!(&self.extended_key_usage, Some((purposes, true))
            if purposes[..] == Purpose::TimeStamping.allowed()[..1])
    }

    /// Returns whether an extended key usage is absent, or has this purpose.
    fn has_purpose(&self, purpose: Purpose) -> bool {
        self.extended_key_usage.as_ref().is_none_or(|(purposes, _)| {
            purposes.iter().any(|found| purpose.allowed().contains(found))
        })
    }

    /// Checks that the key may issue certificates for a purpose: CA:TRUE and keyCertSign, both
    /// stated.
    pub fn check_issuer(&self, purpose: Purpose) -> Result<(), &'static str> {
        if !self.is_authority {
            Err("it is not an authority (CA:TRUE)")
        } else if self.key_usage.is_none_or(|usage| usage & CERTIFICATE_SIGNING == 0) {
            Err("its key usage does not include keyCertSign")
        } else if !self.has_purpose(purpose) {
            Err(purpose.refusal())
        } else {
            Ok(())
        }
    }

    /// Returns whether `length` certificates may be between this one and a signer's.
    pub fn allows_path(&self, length: usize) -> bool {
        self.path_length.is_none_or(|max| length as u64 <= max)
    }
}

/// An extension of a certificate or of a time stamp.
pub(crate) struct Extension<'e> {
    pub id: ObjectIdentifier,
    pub is_critical: bool,
    pub content: &'e [u8],
}

impl<'e> Extension<'e> {
    pub fn read(value: AnyRef<'e>) -> der::Result<Self> {
        let mut fields = sequence(value)?;
        let id = fields.decode()?;
        let is_critical = fields.decode::<Option<bool>>()?.unwrap_or(false);
        let content = fields.decode::<&OctetStringRef>()?.as_bytes();
        fields.finish()?;
        Ok(Self { id, is_critical, content })
    }
}

/// The serial number of a certificate and its names, as they are encoded.
pub(crate) struct Names<'c> {
    pub serial: &'c [u8],
    pub issuer: &'c [u8],
    pub subject: &'c [u8],
}

impl<'c> Names<'c> {
    /// Reads the names of a certificate in DER.
    pub fn parse(certificate: &'c [u8]) -> der::Result<Self> {
        let mut certificate = sequence(AnyRef::from_der(certificate)?)?;
        let mut fields = sequence(certificate.decode()?)?;
        if Tag::peek(&fields)? != Tag::Integer {
            fields.tlv_bytes()?;
        }
        let serial = fields.tlv_bytes()?;
        let _algorithm = fields.tlv_bytes()?;
        let issuer = fields.tlv_bytes()?;
        let _validity = fields.tlv_bytes()?;
        Ok(Self { serial, issuer, subject: fields.tlv_bytes()? })
    }

    /// Returns the common name of the subject.
    pub fn common_name(&self) -> Option<String> {
        let mut name = sequence(AnyRef::from_der(self.subject).ok()?).ok()?;
        while !name.is_finished() {
            let set = name.decode::<AnyRef<'_>>().ok()?;
            let mut attribute = sequence(AnyRef::from_der(set.value()).ok()?).ok()?;
            if attribute.decode::<ObjectIdentifier>().ok()? == COMMON_NAME {
                let text = attribute.decode::<AnyRef<'_>>().ok()?;
                return Some(String::from_utf8_lossy(text.value()).into_owned());
            }
        }
        None
    }
}

/// Returns a reader of the elements of a sequence.
pub(crate) fn sequence(value: AnyRef<'_>) -> der::Result<SliceReader<'_>> {
    value.tag().assert_eq(Tag::Sequence)?;
    SliceReader::new(value.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("short content");
        assert!(length < 0x80);
        [&[tag, length], content].concat()
    }

    /// Returns an extension `2.5.29.LAST`.
    fn extension(last: u8, content: &[u8]) -> Vec<u8> {
        tlv(0x30, &[tlv(6, &[0x55, 0x1d, last]), tlv(4, content)].concat())
    }

    /// Parses the part of a certificate that is read: its extensions.
    fn parse(extensions: &[Vec<u8>]) -> der::Result<Constraints> {
        let extensions = tlv(0xa3, &tlv(0x30, &extensions.concat()));
        Constraints::parse(&tlv(0x30, &tlv(0x30, &extensions)))
    }

    fn key_usage(bits: u8) -> Vec<u8> {
        extension(15, &tlv(3, &[0, bits]))
    }

    fn authority(path_length: Option<u8>) -> Vec<u8> {
        let length = path_length.map_or(Vec::new(), |length| tlv(2, &[length]));
        extension(19, &tlv(0x30, &[tlv(1, &[0xff]), length].concat()))
    }

    /// Returns an extended key usage with `1.3.6.1.5.5.7.3.LAST`.
    fn purpose(last: u8) -> Vec<u8> {
        extension(37, &tlv(0x30, &tlv(6, &[0x2b, 6, 1, 5, 5, 7, 3, last])))
    }

    #[test]
    fn certificates_without_extensions_may_sign_but_not_issue() {
        let constraints = parse(&[]).expect("a certificate");
        assert!(constraints.may_sign() && constraints.allows_path(99));
        assert_eq!(
            constraints.check_issuer(Purpose::Signing),
            Err("it is not an authority (CA:TRUE)")
        );
    }

    #[test]
    fn key_usage_decides_what_a_key_may_do() {
        for (bits, may_sign, may_issue) in [
            (0b1000_0000, true, false),
            (0b0100_0000, true, false),
            (0b0000_0100, false, true),
            (0b0010_0000, false, false),
            (0, false, false),
        ] {
            let constraints = parse(&[key_usage(bits), authority(None)]).expect("a certificate");
            assert_eq!(constraints.may_sign(), may_sign, "{bits:08b}");
            assert_eq!(constraints.check_issuer(Purpose::Signing).is_ok(), may_issue, "{bits:08b}");
        }
        assert!(
            parse(&[authority(None)])
                .expect("a certificate")
                .check_issuer(Purpose::Signing)
                .is_err()
        );
        let not_one = extension(19, &tlv(0x30, &[]));
        let constraints = parse(&[key_usage(4), not_one]).expect("a certificate");
        assert!(constraints.check_issuer(Purpose::Signing).is_err());
    }

    #[test]
    fn purposes_and_path_lengths_limit_authorities() {
        let issuer = |extra: Vec<u8>| parse(&[key_usage(4), authority(Some(1)), extra]);
        assert_eq!(
            issuer(purpose(3)).expect("a certificate").check_issuer(Purpose::Signing),
            Ok(())
        );
        assert!(issuer(purpose(1)).expect("a certificate").check_issuer(Purpose::Signing).is_err());
        let constraints = parse(&[authority(Some(1))]).expect("a certificate");
        assert_eq!([0, 1, 2].map(|length| constraints.allows_path(length)), [true, true, false]);
    }

    #[test]
    fn repeated_extensions_are_errors() {
        assert!(parse(&[key_usage(4), key_usage(4)]).is_err());
        assert!(parse(&[authority(None), key_usage(4), authority(Some(0))]).is_err());
        assert!(parse(&[extension(99, &[]), extension(99, &[])]).is_err());
    }
}
