//! Verifies signed records.

mod payload;
mod signer;
mod time_stamp;

use data_encoding::HEXLOWER;
use vac_value::{Document, Encoding, printable};

use crate::answers::{Answer, Answers, Hashes, SignedFacts};
use crate::certificate::Trust;
use crate::envelope::{Envelope, EnvelopeError};
use crate::header::label_text;
use crate::key::PublicKey;
use crate::label::{COSE_THEN_TIME_STAMP, RECEIPTS, TRACE_METADATA, X5CHAIN};
use crate::metadata::{self, Stated};
use crate::parallel::run_both;
use crate::receipt::{self, ParsedReceipt};
use crate::record::{Examined, sha256};
use payload::{CheckedPayload, Content, RecordForm};
use signer::Identity;
use time_stamp::TimeStamps;

/// The keys, trust roots and expectations of a verification. Nothing else is trusted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verification<'v> {
    /// The signer's key. Without it a certificate has to lead to a trusted root.
    pub key: Option<&'v PublicKey>,
    /// The trusted certificates.
    pub trust: Option<&'v Trust>,
    /// The keys of the logs whose receipts to check.
    pub receipt_keys: &'v [PublicKey],
    /// The bytes of the record.
    pub record: Option<&'v [u8]>,
    /// The expected issuer.
    pub issuer: Option<&'v str>,
    /// The expected subject.
    pub subject: Option<&'v str>,
    /// The time of verification, in seconds since 1970.
    pub time: Option<u64>,
    /// A time stamp of the signature that is kept apart: a token, or the response of an authority.
    pub time_stamp: Option<&'v [u8]>,
    /// The roots of time-stamping authorities. Without them, time stamps are not trusted.
    pub authorities: Option<&'v Trust>,
    /// Whether to refuse a protected header that is not encoded deterministically.
    pub strict: bool,
}

/// Verifies a signed record.
///
/// Certificates have to be valid at [`Trust::time`]. If an authority of
/// [`Verification::authorities`] states when the signature existed, they have to be valid at that
/// time instead: certificates that expired later do not invalidate the signature. Revocation is not
/// checked.
pub fn verify<'e>(bytes: &'e [u8], with: &Verification<'_>) -> Answers<'e> {
    let envelope = match Envelope::read(bytes) {
        Ok(envelope) => envelope,
        Err(error) => {
            let is_signed = !matches!(error, EnvelopeError::NotSigned(_));
            return Answers::without_envelope(is_signed, error.to_string());
        }
    };
    let unprotected = match Document::cbor(envelope.unprotected) {
        Ok(unprotected) => unprotected,
        Err(error) => return Answers::without_envelope(true, error.to_string()),
    };
    let stamps = TimeStamps::new(&envelope, &unprotected, with);
    let identity = Identity::new(&envelope, &unprotected, stamps.stamped_at(), with);
    let content = Content::new(&envelope, with.record);
    let encoding = encoding(&envelope, content.record());
    let size = content.record().map_or(0, <[u8]>::len);
    let (found, (raw_hash, examined)) = run_both(
        size,
        || content.check(&envelope, identity.key.as_ref(), encoding),
        || {
            run_both(
                size,
                || content.record().filter(|_| !content.is_sha256()).map(sha256),
                || content.record().map(|record| Examined::new(record, encoding)),
            )
        },
    );
    let raw_hash = raw_hash.or(found.sha256);
    let stated = metadata::read_metadata(&unprotected);
    let canonical_hash = found.canonical.as_deref().map(sha256);
    let content_hash = match found.form {
        Some(RecordForm::Unchanged) => raw_hash,
        Some(RecordForm::Canonical) => canonical_hash,
        // The signed form is unknown without a valid signature. Use the canonical hash if the
        // metadata states it.
        None => canonical_hash.filter(|hash| stated.has_hash(hash)).or(raw_hash),
    };
    let hashes = Hashes {
        payload: match content {
            Content::Attached { .. } => raw_hash,
            Content::Detached { .. } => content_hash.filter(|_| found.signature.is_ok()),
            Content::Digest { .. } => None,
        },
        record: content.other_record().map(sha256).or(raw_hash),
        stated_digest: envelope.header.payload_hash.zip(found.digest.clone()),
    };
    let payload = envelope.payload.or(match found.form {
        _ if envelope.header.payload_hash.is_some() => found.digest.as_deref(),
        Some(RecordForm::Canonical) => found.canonical.as_deref(),
        _ => content.record(),
    });
    let stamps = stamps.answer(payload, with);
    Answers {
        time_stamp: stamps.answer,
        stamped_at: stamps.stamped_at,
        payload_stamped_at: stamps.payload_stamped_at,
        is_signed: true,
        is_deterministic: Some(envelope.is_deterministic),
        envelope: envelope_answer(&envelope, &unprotected, with),
        payload_hash: payload_hash(&found, &stated, content_hash.as_ref(), &hashes),
        record: record(examined.as_ref(), &envelope, encoding),
        trace_metadata: trace_metadata(&stated, examined.as_ref(), content_hash.as_ref()),
        signer: identity.answer(&envelope, &found.signature, examined.as_ref(), with),
        receipts: receipts(&envelope, &unprotected, with),
        hashes,
        facts: identity.key.filter(|_| found.signature.is_ok()).map(|key| SignedFacts {
            algorithm: envelope.header.algorithm.id(),
            key: key.thumbprint_uri(),
            issuer: envelope.header.claims.issuer.clone(),
            subject: envelope.header.claims.subject.clone(),
            #[allow(clippy::cast_possible_truncation)] // saturates
            issued_at: envelope.header.claims.issued_at.map(|time| time as i64),
            content_type: envelope.header.content_type.as_ref().map(|one| one.name.clone()),
            signed: found.signed,
        }),
        signature: found.signature,
        examined,
        is_detached: envelope.payload.is_none(),
        attached: envelope.payload.filter(|_| envelope.header.payload_hash.is_none()),
    }
}

/// Returns the encoding of the record that the header states, or else the one guessed from the
/// bytes.
fn encoding(envelope: &Envelope<'_>, record: Option<&[u8]>) -> Encoding {
    let stated = envelope.header.content_type.as_ref().and_then(|one| one.encoding);
    stated.unwrap_or_else(|| record.map_or(Encoding::Json, vac_validate::detect_encoding))
}

fn envelope_answer(
    envelope: &Envelope<'_>,
    unprotected: &Document<'_>,
    with: &Verification<'_>,
) -> Answer {
    if envelope.header.certificate_is_critical && with.trust.is_none() {
        let why = "crit lists the certificate, which is only checked if a trust root is given";
        return Answer::Failed(why.to_owned());
    }
    if with.strict && !envelope.is_deterministic {
        return Answer::Failed("the protected header is not encoded deterministically".to_owned());
    }
    let payload = match (envelope.payload, envelope.header.payload_hash) {
        (Some(_), Some(_)) => "with the record's digest",
        (None, Some(_)) => "with the record's digest detached",
        (Some(_), None) => "with the record attached",
        (None, None) => "with the record detached",
    };
    let known = [TRACE_METADATA, RECEIPTS, X5CHAIN, COSE_THEN_TIME_STAMP];
    let ignored: Vec<_> = unprotected
        .root()
        .members()
        .filter(|(label, _)| !label.integer().is_some_and(|number| known.contains(&number)))
        .map(|(label, _)| label_text(label))
        .take(8)
        .collect();
    let mut detail = format!("{}, {payload}", envelope.header.algorithm);
    if !envelope.is_deterministic {
        detail += "; deterministic: no";
    }
    if !ignored.is_empty() {
        detail += "; unprotected and ignored: ";
        detail += &ignored.join(", ");
    }
    Answer::Ok(detail)
}

fn payload_hash(
    found: &CheckedPayload,
    stated: &Stated,
    content_hash: Option<&[u8; 32]>,
    hashes: &Hashes,
) -> Answer {
    let shown = format_hashes(hashes);
    let content_hash = match (&found.is_record, content_hash) {
        (Ok(()), Some(hash)) => hash,
        (Err(why), _) if shown.is_empty() => return Answer::Failed(why.clone()),
        (Err(why), _) => return Answer::Failed(format!("{why}: {shown}")),
        (Ok(()), None) => return without_record(stated, hashes),
    };
    match stated.check_hash(content_hash) {
        Some(Err(why)) => Answer::Failed(format!("{why}, but found {shown}")),
        Some(Ok(())) => Answer::Ok(format!("{shown}, as the trace metadata says")),
        None if found.digest.is_some() => {
            Answer::Ok(format!("the payload is the digest of the record: {shown}"))
        }
        None if found.is_given => Answer::Ok(format!("the payload is the given record: {shown}")),
        None => Answer::Absent(format!("the envelope states no hash: {shown}")),
    }
}

/// Formats the hashes with their names. The hash of a record that is the payload itself is
/// not repeated.
fn format_hashes(hashes: &Hashes) -> String {
    let mut parts = Vec::new();
    if let Some(hash) = &hashes.payload {
        parts.push(format!("payload sha-256 {}", HEXLOWER.encode(hash)));
    }
    if let Some((algorithm, digest)) = &hashes.stated_digest {
        parts.push(format!("stated {algorithm} {}", HEXLOWER.encode(digest)));
    }
    if let Some(hash) = hashes.record.as_ref().filter(|_| hashes.record != hashes.payload) {
        parts.push(format!("record sha-256 {}", HEXLOWER.encode(hash)));
    }
    parts.join(", ")
}

/// Returns the answer about the hash of a record that was not given.
fn without_record(stated: &Stated, hashes: &Hashes) -> Answer {
    let shown = format_hashes(hashes);
    let Some((_, digest)) = &hashes.stated_digest else {
        return Answer::NotChecked("no record to compare with".to_owned());
    };
    let sha256 = <&[u8; 32]>::try_from(&digest[..]).ok();
    match sha256.and_then(|digest| stated.check_hash(digest)) {
        Some(Err(why)) => Answer::Failed(format!("{why}, but found {shown}")),
        _ => Answer::NotChecked(format!("no record to compare with: {shown}")),
    }
}

fn record(examined: Option<&Examined>, envelope: &Envelope<'_>, encoding: Encoding) -> Answer {
    let stated = envelope.header.content_type.as_ref();
    let guessed = match stated {
        Some(one) if one.encoding.is_some() => String::new(),
        Some(one) => {
            format!(
                " (guessed from the bytes; the content type is \"{}\")",
                printable(&one.name, 40)
            )
        }
        None => " (guessed from the bytes; no content type)".to_owned(),
    };
    match examined {
        None => Answer::NotChecked("no record given".to_owned()),
        Some(examined) => match &examined.verdict {
            Ok(()) => Answer::Ok(format!("valid, in {encoding}{guessed}")),
            Err(violations) => Answer::Failed(violations.summary()),
        },
    }
}

fn trace_metadata(stated: &Stated, examined: Option<&Examined>, hash: Option<&[u8; 32]>) -> Answer {
    let metadata = match stated {
        Stated::Nothing => return Answer::Absent("the unprotected header has none".to_owned()),
        Stated::Malformed(error) => return Answer::Failed(error.to_string()),
        Stated::Metadata(metadata) => metadata,
    };
    let (Some(examined), Some(hash)) = (examined, hash) else {
        return Answer::NotChecked("no record to compare with".to_owned());
    };
    let mut comparison = metadata::compare(metadata, &examined.facts);
    if let Some(Err(why)) = metadata::check_hash(metadata, hash) {
        comparison.differences.push(why);
    }
    match (&comparison.differences[..], &comparison.unknown[..]) {
        ([], []) => Answer::Ok("matches the record".to_owned()),
        ([], unknown) => {
            Answer::Ok(format!("matches the record, which has no {}", unknown.join(", ")))
        }
        (differences, _) => Answer::Failed(differences.join("; ")),
    }
}

fn receipts(
    envelope: &Envelope<'_>,
    unprotected: &Document<'_>,
    with: &Verification<'_>,
) -> Answer {
    let keys = with.receipt_keys;
    let receipts = match receipt::attached(unprotected) {
        Ok(receipts) => receipts,
        Err(error) => return Answer::Failed(error.to_string()),
    };
    match (receipts.len(), keys.is_empty()) {
        (0, true) => return Answer::Absent("the unprotected header has none".to_owned()),
        (0, false) => return Answer::Failed("no receipt".to_owned()),
        (1, true) => return Answer::NotChecked("1 receipt, but no log key was given".to_owned()),
        (some, true) => {
            return Answer::NotChecked(format!("{some} receipts, but no log key was given"));
        }
        _ => {}
    }
    let entry = envelope.log_entry();
    let mut logs = Vec::new();
    for (at, receipt) in receipts.iter().enumerate() {
        match ParsedReceipt::read(receipt)
            .and_then(|receipt| receipt.verify(&entry, keys, with.time))
        {
            Ok(inclusion) => logs.push(inclusion.to_string()),
            Err(error) => {
                let number = at + 1;
                return Answer::Failed(format!("receipt {number} of {}: {error}", receipts.len()));
            }
        }
    }
    Answer::Ok(logs.join("; "))
}
