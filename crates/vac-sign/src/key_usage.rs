//! What a certificate's key is for, which crate `webpki` does not look at.

use ed25519_dalek::pkcs8::spki::der::{
    self, AnyRef, Decode as _, Reader as _, SliceReader, Tag, TagNumber, Tagged as _,
    asn1::{BitStringRef, ObjectIdentifier, OctetStringRef},
};

/// id-ce-keyUsage.
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
/// digitalSignature and contentCommitment, the first two bits.
const SIGNING: u8 = 0b1100_0000;

/// Whether the key of a certificate in DER may sign (RFC 5280 section 4.2.1.3): one that
/// says nothing of its usage may.
pub(crate) fn may_sign(certificate: &[u8]) -> der::Result<bool> {
    let mut parts = inside(AnyRef::from_der(certificate)?)?;
    let mut fields = inside(parts.decode::<AnyRef<'_>>()?)?;
    while !fields.is_finished() {
        let field = fields.decode::<AnyRef<'_>>()?;
        let extensions = Tag::ContextSpecific { constructed: true, number: TagNumber(3) };
        if field.tag() == extensions {
            return extensions_allow(AnyRef::from_der(field.value())?);
        }
    }
    Ok(true)
}

fn extensions_allow(extensions: AnyRef<'_>) -> der::Result<bool> {
    let mut extensions = inside(extensions)?;
    while !extensions.is_finished() {
        let mut extension = inside(extensions.decode::<AnyRef<'_>>()?)?;
        let id = extension.decode::<ObjectIdentifier>()?;
        let _critical = extension.decode::<Option<bool>>()?;
        let content = extension.decode::<&OctetStringRef>()?;
        if id == KEY_USAGE {
            let usage = BitStringRef::from_der(content.as_bytes())?;
            return Ok(usage.raw_bytes().first().is_some_and(|first| first & SIGNING != 0));
        }
    }
    Ok(true)
}

/// What a value is made of.
fn inside(value: AnyRef<'_>) -> der::Result<SliceReader<'_>> {
    SliceReader::new(value.value())
}
