//! Verifying signed records.

mod payload;
mod signer;

use data_encoding::HEXLOWER;
use vac_value::{Document, Encoding, printable};

use crate::certificate::Trust;
use crate::envelope::{Envelope, EnvelopeError};
use crate::header::label_text;
use crate::key::PublicKey;
use crate::label::{RECEIPTS, TRACE_METADATA, X5CHAIN};
use crate::metadata::{self, Stated};
use crate::parallel::both;
use crate::receipt::{self, Receipt};
use crate::record::{Examined, sha256};
use crate::verdict::{SignedFacts, Verdict, Verdicts};
use payload::{Content, Found, RecordForm};
use signer::Identity;

/// What to verify with. Nothing is trusted that is not here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verification<'v> {
    /// The signer's key. Without it a certificate has to lead to a trusted root.
    pub key: Option<&'v PublicKey>,
    /// Whom to trust.
    pub trust: Option<&'v Trust>,
    /// The keys of the logs whose receipts to check.
    pub receipt_keys: &'v [PublicKey],
    /// The record, as it is kept.
    pub record: Option<&'v [u8]>,
    /// Who has to be the issuer.
    pub issuer: Option<&'v str>,
    /// What has to be the subject.
    pub subject: Option<&'v str>,
    /// The time, in seconds since 1970.
    pub time: Option<u64>,
}

/// Verifies a signed record.
pub fn verify(bytes: &[u8], with: &Verification<'_>) -> Verdicts {
    let envelope = match Envelope::read(bytes) {
        Ok(envelope) => envelope,
        Err(error) => {
            let is_signed = !matches!(error, EnvelopeError::NotSigned(_));
            return Verdicts::without_envelope(is_signed, error.to_string());
        }
    };
    let unprotected = match Document::cbor(envelope.unprotected) {
        Ok(unprotected) => unprotected,
        Err(error) => return Verdicts::without_envelope(true, error.to_string()),
    };
    let identity = Identity::of(&envelope, &unprotected, with);
    let content = Content::of(&envelope, with.record);
    let encoding = encoding(&envelope, content.record());
    let size = content.record().map_or(0, <[u8]>::len);
    let (found, (raw_hash, examined)) = both(
        size,
        || content.find(&envelope, identity.key.as_ref(), encoding),
        || {
            both(
                size,
                || content.record().filter(|_| !content.is_sha256()).map(sha256),
                || content.record().map(|record| Examined::of(record, encoding)),
            )
        },
    );
    let raw_hash = raw_hash.or(found.sha256);
    let stated = metadata::stated(&unprotected);
    let canonical_hash = found.canonical.as_deref().map(sha256);
    let content_hash = match found.form {
        Some(RecordForm::AsItIs) => raw_hash,
        Some(RecordForm::Canonical) => canonical_hash,
        // Nobody knows what was signed. If one of them was meant, so be it.
        None => canonical_hash.filter(|hash| stated.has_hash(hash)).or(raw_hash),
    };
    Verdicts {
        is_signed: true,
        envelope: form(&envelope, &unprotected, with),
        payload_hash: payload_hash(&found, &stated, content_hash.as_ref()),
        record: record(examined.as_ref(), &envelope, encoding),
        trace_metadata: trace_metadata(&stated, examined.as_ref(), content_hash.as_ref()),
        signer: identity.verdict(&envelope, &found.signature, examined.as_ref(), with),
        receipts: receipts(&envelope, &unprotected, with),
        facts: identity.key.filter(|_| found.signature.is_ok()).map(|key| SignedFacts {
            algorithm: envelope.header.algorithm.id(),
            key: key.thumbprint_uri(),
            issuer: envelope.header.claims.issuer.clone(),
            subject: envelope.header.claims.subject.clone(),
            content_type: envelope.header.content_type.as_ref().map(|one| one.name.clone()),
            signed: found.signed,
        }),
        signature: found.signature,
        examined,
    }
}

/// How the record is written: as the header says, or else by the look of it.
fn encoding(envelope: &Envelope<'_>, record: Option<&[u8]>) -> Encoding {
    let stated = envelope.header.content_type.as_ref().and_then(|one| one.encoding);
    stated.unwrap_or_else(|| record.map_or(Encoding::Json, vac_validate::sniff))
}

fn form(envelope: &Envelope<'_>, unprotected: &Document<'_>, with: &Verification<'_>) -> Verdict {
    if envelope.header.certificate_is_critical && with.trust.is_none() {
        let why = "crit lists the certificate, which is looked at with a trust root only";
        return Verdict::Failed(why.to_owned());
    }
    let payload = match (envelope.payload, envelope.header.payload_hash) {
        (Some(_), Some(_)) => "with the record's digest",
        (None, Some(_)) => "with the record's digest detached",
        (Some(_), None) => "with the record attached",
        (None, None) => "with the record detached",
    };
    let known = [TRACE_METADATA, RECEIPTS, X5CHAIN];
    let ignored: Vec<_> = unprotected
        .root()
        .members()
        .filter(|(label, _)| !label.integer().is_some_and(|number| known.contains(&number)))
        .map(|(label, _)| label_text(label))
        .take(8)
        .collect();
    let mut detail = format!("{}, {payload}", envelope.header.algorithm);
    if !ignored.is_empty() {
        detail += "; unprotected and ignored: ";
        detail += &ignored.join(", ");
    }
    Verdict::Ok(detail)
}

fn payload_hash(found: &Found, stated: &Stated, hash: Option<&[u8; 32]>) -> Verdict {
    let sha256 = |hash: &[u8; 32]| format!("sha-256 {}", HEXLOWER.encode(hash));
    let hash = match (&found.is_record, hash) {
        (Ok(()), Some(hash)) => hash,
        (Err(why), None) => return Verdict::Failed(why.clone()),
        (Err(why), Some(hash)) => {
            return Verdict::Failed(format!("{why}; the record has {}", sha256(hash)));
        }
        (Ok(()), None) => return without_record(found, stated),
    };
    let shown = sha256(hash);
    let by_metadata = stated.check_hash(hash);
    match by_metadata {
        Some(Err(why)) => Verdict::Failed(format!("{why}, but the payload has {shown}")),
        Some(Ok(())) => Verdict::Ok(format!("{shown}, as the trace metadata says")),
        None if found.digest.is_some() => {
            Verdict::Ok(format!("the payload is the digest of the record, which has {shown}"))
        }
        None if found.is_given => {
            Verdict::Ok(format!("the payload is the record given, which has {shown}"))
        }
        None => Verdict::Absent(format!("nothing states one; it is {shown}")),
    }
}

/// What can be said of the hash of a record that is elsewhere.
fn without_record(found: &Found, stated: &Stated) -> Verdict {
    let Some(digest) = &found.digest else {
        return Verdict::NotChecked("no record to compare with".to_owned());
    };
    let shown = HEXLOWER.encode(digest);
    let sha256 = <&[u8; 32]>::try_from(&digest[..]).ok();
    match sha256.and_then(|digest| stated.check_hash(digest)) {
        Some(Err(why)) => Verdict::Failed(format!("{why}, but the payload is {shown}")),
        _ => Verdict::NotChecked(format!("no record to compare with; its digest is {shown}")),
    }
}

fn record(examined: Option<&Examined>, envelope: &Envelope<'_>, encoding: Encoding) -> Verdict {
    let stated = envelope.header.content_type.as_ref();
    let look = match stated {
        Some(one) if one.encoding.is_some() => String::new(),
        Some(one) => {
            format!(" by the look of it; the content type is \"{}\"", printable(&one.name, 40))
        }
        None => " by the look of it; there is no content type".to_owned(),
    };
    match examined {
        None => Verdict::NotChecked("no record to look at".to_owned()),
        Some(examined) => match examined.objection() {
            None => Verdict::Ok(format!("valid, in {encoding}{look}")),
            Some(objection) => Verdict::Failed(objection),
        },
    }
}

fn trace_metadata(
    stated: &Stated,
    examined: Option<&Examined>,
    hash: Option<&[u8; 32]>,
) -> Verdict {
    let metadata = match stated {
        Stated::Nothing => return Verdict::Absent("the unprotected header has none".to_owned()),
        Stated::Malformed(violation) => return Verdict::Failed(violation.to_string()),
        Stated::Metadata(metadata) => metadata,
    };
    let (Some(examined), Some(hash)) = (examined, hash) else {
        return Verdict::NotChecked("no record to compare with".to_owned());
    };
    let mut comparison = metadata::compare(metadata, &examined.facts);
    if let Some(Err(why)) = metadata::check_hash(metadata, hash) {
        comparison.differences.push(why);
    }
    match (&comparison.differences[..], &comparison.unknown[..]) {
        ([], []) => Verdict::Ok("as the record says".to_owned()),
        ([], unknown) => {
            Verdict::Ok(format!("as the record says, which has no {}", unknown.join(", ")))
        }
        (differences, _) => Verdict::Failed(differences.join("; ")),
    }
}

fn receipts(
    envelope: &Envelope<'_>,
    unprotected: &Document<'_>,
    with: &Verification<'_>,
) -> Verdict {
    let keys = with.receipt_keys;
    let Some(receipts) = receipt::attached(unprotected) else {
        return Verdict::Failed("label 394 holds something else than receipts".to_owned());
    };
    match (receipts.len(), keys.is_empty()) {
        (0, true) => return Verdict::Absent("the unprotected header has none".to_owned()),
        (0, false) => return Verdict::Failed("there is none".to_owned()),
        (1, true) => return Verdict::NotChecked("1 receipt, but no key of a log".to_owned()),
        (some, true) => {
            return Verdict::NotChecked(format!("{some} receipts, but no key of a log"));
        }
        _ => {}
    }
    let entry = envelope.log_entry();
    let mut places = Vec::new();
    for (at, receipt) in receipts.iter().enumerate() {
        match Receipt::read(receipt).and_then(|receipt| receipt.verify(&entry, keys, with.time)) {
            Ok(included) => places.push(included.to_string()),
            Err(error) => {
                let number = at + 1;
                return Verdict::Failed(format!("receipt {number} of {}: {error}", receipts.len()));
            }
        }
    }
    Verdict::Ok(places.join("; "))
}
