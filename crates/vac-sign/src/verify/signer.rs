//! Who signed.

use vac_value::{Document, printable};

use super::Verification;
use crate::certificate::{CertificateError, Chain};
use crate::envelope::Envelope;
use crate::header::{chain, labelled};
use crate::key::{PublicKey, THUMBPRINT_URI};
use crate::label::X5CHAIN;
use crate::record::Examined;
use crate::verdict::Verdict;

/// The key to check a signature with, and what vouches for it.
pub(super) struct Identity {
    pub key: Option<PublicKey>,
    /// What came of looking at the certificate; nothing if nobody asked.
    certificate: Option<Result<(), CertificateError>>,
}

impl Identity {
    /// The key that was given. Without one it is that of a certificate, if that leads to a
    /// trusted root.
    pub fn of(
        envelope: &Envelope<'_>,
        unprotected: &Document<'_>,
        with: &Verification<'_>,
    ) -> Self {
        let Some(trust) = with.trust else {
            return Self { key: with.key.cloned(), certificate: None };
        };
        let certified = certificates(envelope, unprotected).and_then(|chain| {
            chain.check(trust)?;
            chain.public_key()
        });
        let (key, certificate) = match (with.key, certified) {
            (Some(key), Ok(certified)) if *key != certified => {
                (Some(key.clone()), Err(CertificateError::OtherKey))
            }
            (_, Ok(certified)) => (Some(certified), Ok(())),
            (key, Err(error)) => (key.cloned(), Err(error)),
        };
        Self { key, certificate: Some(certificate) }
    }

    /// Whether the signer is who the envelope says.
    pub fn verdict(
        &self,
        envelope: &Envelope<'_>,
        signature_holds: bool,
        examined: Option<&Examined>,
        with: &Verification<'_>,
    ) -> Verdict {
        if let Some(Err(error)) = &self.certificate {
            return Verdict::Failed(error.to_string());
        }
        let (Some(key), true) = (&self.key, signature_holds) else {
            return Verdict::NotChecked("the signature does not hold".to_owned());
        };
        let claims = &envelope.header.claims;
        let issuer = claims.issuer.as_deref().unwrap_or_default();
        let subject = claims.subject.as_deref().unwrap_or_default();
        if issuer.starts_with(THUMBPRINT_URI) && issuer != key.thumbprint_uri() {
            return Verdict::Failed("the issuer is the thumbprint of another key".to_owned());
        }
        for (what, is, should) in
            [("issuer", issuer, with.issuer), ("subject", subject, with.subject)]
        {
            if let Some(should) = should.filter(|should| *should != is) {
                let (is, should) = (quoted(is), quoted(should));
                return Verdict::Failed(format!("the {what} is {is}, not {should}"));
            }
        }
        if let Some(time) = with.time {
            #[allow(clippy::cast_precision_loss)] // seconds are far below 2^53
            let time = time as f64;
            if claims.expires.is_some_and(|expires| time >= expires) {
                return Verdict::Failed("the claims have expired".to_owned());
            }
            if claims.not_before.is_some_and(|from| time < from) {
                return Verdict::Failed("the claims are not valid yet".to_owned());
            }
        }
        let mut detail = format!("issuer {}, subject {}", quoted(issuer), quoted(subject));
        if self.certificate.is_some() {
            detail += ", certificate trusted";
        }
        let provider = examined.and_then(|examined| examined.facts.model_provider.as_deref());
        if provider == Some(issuer) {
            detail += " (the issuer named is the model's provider)";
        }
        Verdict::Ok(detail)
    }
}

/// The certificates of an envelope. Those in the unprotected header count only if the
/// protected one has the hash of the first.
fn certificates(
    envelope: &Envelope<'_>,
    unprotected: &Document<'_>,
) -> Result<Chain, CertificateError> {
    let header = &envelope.header;
    let found = match &header.chain {
        Some(chain) => Chain::from_der(chain.clone()),
        None => {
            let beside = labelled(unprotected.root(), X5CHAIN).and_then(chain);
            let beside = beside.filter(|_| header.certificate_hash.is_some());
            Chain::from_der(beside.ok_or(CertificateError::Missing)?)
        }
    };
    match &header.certificate_hash {
        Some(hash) if !found.has_hash(hash) => Err(CertificateError::Hash),
        _ => Ok(found),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text, 200))
}
