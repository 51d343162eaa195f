//! Who signed.

use vac_value::{Document, printable};

use super::Verification;
use crate::answers::Answer;
use crate::certificate::{CertificateError, Chain};
use crate::envelope::Envelope;
use crate::header::{chain, labelled};
use crate::key::PublicKey;
use crate::label::X5CHAIN;
use crate::record::Examined;

/// How far a certificate vouches for a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vouched {
    /// It leads to a trusted root.
    Trusted,
    /// It is for this key, but nobody said whom to trust.
    Unknown,
}

/// The key to check a signature with, and what vouches for it.
pub(super) struct Identity {
    pub key: Option<PublicKey>,
    /// What came of looking at the certificate; nothing if there is none and nobody asked.
    certificate: Option<Result<Vouched, CertificateError>>,
}

impl Identity {
    /// The key that was given. Without one it is that of a certificate, if that leads to a
    /// trusted root. A certificate that is protected has to be the key's in any case.
    pub fn of(
        envelope: &Envelope<'_>,
        unprotected: &Document<'_>,
        with: &Verification<'_>,
    ) -> Self {
        if with.trust.is_none() && envelope.header.chain.is_none() {
            return Self { key: with.key.cloned(), certificate: None };
        }
        let certified = certificates(envelope, unprotected).and_then(|chain| {
            let vouched = match with.trust {
                Some(trust) => chain.check(trust).map(|()| Vouched::Trusted)?,
                None => Vouched::Unknown,
            };
            Ok((chain.public_key()?, vouched))
        });
        let (key, certificate) = match (with.key, certified) {
            (Some(key), Ok((certified, _))) if *key != certified => {
                (Some(key.clone()), Err(CertificateError::OtherKey))
            }
            (_, Ok((certified, Vouched::Trusted))) => (Some(certified), Ok(Vouched::Trusted)),
            (key, Ok((_, Vouched::Unknown))) => (key.cloned(), Ok(Vouched::Unknown)),
            (key, Err(error)) => (key.cloned(), Err(error)),
        };
        Self { key, certificate: Some(certificate) }
    }

    /// Whether the signer is who the envelope says.
    pub fn answer(
        &self,
        envelope: &Envelope<'_>,
        signature: &Answer,
        examined: Option<&Examined>,
        with: &Verification<'_>,
    ) -> Answer {
        if let Some(Err(error)) = &self.certificate {
            return Answer::Failed(error.to_string());
        }
        let (Some(key), true) = (&self.key, signature.is_ok()) else {
            let why = if signature.is_failed() {
                "the signature does not hold"
            } else {
                "the signature was not checked"
            };
            return Answer::NotChecked(why.to_owned());
        };
        let claims = &envelope.header.claims;
        let issuer = claims.issuer.as_deref().unwrap_or_default();
        let subject = claims.subject.as_deref().unwrap_or_default();
        if let Err(mismatch) = envelope.header.check_key(key) {
            return Answer::Failed(mismatch.to_string());
        }
        for (what, is, should) in
            [("issuer", issuer, with.issuer), ("subject", subject, with.subject)]
        {
            if let Some(should) = should.filter(|should| *should != is) {
                let (is, should) = (quoted(is), quoted(should));
                return Answer::Failed(format!("the {what} is {is}, not {should}"));
            }
        }
        if let Some(why) = claims.untimely(with.time) {
            return Answer::Failed(why.to_owned());
        }
        let mut detail = format!("issuer {}, subject {}", quoted(issuer), quoted(subject));
        match self.certificate {
            Some(Ok(Vouched::Trusted)) => detail += ", certificate trusted",
            Some(Ok(Vouched::Unknown)) => detail += ", certificate not checked: no trust root",
            _ => {}
        }
        let provider = examined.and_then(|examined| examined.facts.model_provider.as_deref());
        if provider == Some(issuer) {
            detail += " (the issuer named is the model's provider)";
        }
        Answer::Ok(detail)
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
        None => match (labelled(unprotected.root(), X5CHAIN), &header.certificate_hash) {
            (Some(node), Some(_)) => {
                let expected = "expected one certificate, or 2 to 8";
                let chain = chain(node);
                let chain = chain.ok_or(CertificateError::Unreadable(expected.to_owned()))?;
                Chain::from_der(chain)
            }
            (Some(_), None) => return Err(CertificateError::Unprotected),
            (None, _) => return Err(CertificateError::Missing),
        },
    };
    match &header.certificate_hash {
        Some(hash) if !found.has_hash(hash) => Err(CertificateError::Hash),
        _ => Ok(found),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text, 200))
}
