//! Finds the signer's key, and checks the signer's identity.

use vac_value::{Document, printable};

use super::Verification;
use crate::answers::Answer;
use crate::certificate::{CertificateError, Chain};
use crate::envelope::Envelope;
use crate::header::{chain, labelled};
use crate::key::PublicKey;
use crate::label::X5CHAIN;
use crate::record::Examined;
use crate::timestamp::format_time;
use crate::x509::Purpose;

/// The status of a certificate for the signer's key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CertificateStatus {
    /// The certificate leads to a trust root.
    Trusted,
    /// The certificate is for this key, and no trust roots were given.
    NotChecked,
}

/// The key to check a signature with, and the status of its certificate.
pub(super) struct Identity {
    pub key: Option<PublicKey>,
    /// The result of checking the certificate; `None` if there is no certificate and no trust roots
    /// were given.
    certificate: Option<Result<CertificateStatus, CertificateError>>,
    /// The time at which a trusted authority states that the signature existed, and at which the
    /// certificate has to be valid.
    stamped_at: Option<u64>,
}

impl Identity {
    /// Chooses the given key, or else the key of a certificate that leads to a trust root. A
    /// certificate in the protected header has to be for the key in any case.
    pub fn new(
        envelope: &Envelope<'_>,
        unprotected: &Document<'_>,
        stamped_at: Option<u64>,
        with: &Verification<'_>,
    ) -> Self {
        if with.trust.is_none() && envelope.header.chain.is_none() {
            return Self { key: with.key.cloned(), certificate: None, stamped_at };
        }
        let certified = certificates(envelope, unprotected).and_then(|chain| {
            let status = match with.trust {
                Some(trust) => {
                    let time = stamped_at.unwrap_or(trust.time);
                    chain.check_for(Purpose::Signing, &trust.roots, time)?;
                    CertificateStatus::Trusted
                }
                None => CertificateStatus::NotChecked,
            };
            Ok((chain.public_key()?, status))
        });
        let (key, certificate) = match (with.key, certified) {
            (Some(key), Ok((certified, _))) if *key != certified => {
                (Some(key.clone()), Err(CertificateError::OtherKey))
            }
            (_, Ok((certified, CertificateStatus::Trusted))) => {
                (Some(certified), Ok(CertificateStatus::Trusted))
            }
            (key, Ok((_, CertificateStatus::NotChecked))) => {
                (key.cloned(), Ok(CertificateStatus::NotChecked))
            }
            (key, Err(error)) => (key.cloned(), Err(error)),
        };
        Self { key, certificate: Some(certificate), stamped_at }
    }

    /// Returns whether the signer is the one that the envelope names.
    pub fn answer(
        &self,
        envelope: &Envelope<'_>,
        signature: &Answer,
        examined: Option<&Examined>,
        with: &Verification<'_>,
    ) -> Answer {
        if let Some(Err(error)) = &self.certificate {
            return Answer::Failed(match (error, self.stamped_at) {
                (CertificateError::Chain(_), Some(time)) => {
                    format!("at the time of the time stamp, {}: {error}", format_time(time))
                }
                _ => error.to_string(),
            });
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
        let (issuer, subject) = (claims.issuer.as_deref(), claims.subject.as_deref());
        if let Err(mismatch) = envelope.header.check_key(key) {
            return Answer::Failed(mismatch.to_string());
        }
        for (what, stated, expected) in
            [("issuer", issuer, with.issuer), ("subject", subject, with.subject)]
        {
            let Some(expected) = expected.filter(|_| stated != expected) else { continue };
            let expected = quote(expected);
            return Answer::Failed(match stated {
                Some(stated) => format!("the {what} is {}, not {expected}", quote(stated)),
                None => format!("no {what}, expected {expected}"),
            });
        }
        if let Some(why) = claims.time_error(with.time) {
            return Answer::Failed(why.to_owned());
        }
        let shown = |text: Option<&str>| text.map_or_else(|| "none".to_owned(), quote);
        let mut detail = format!("issuer {}, subject {}", shown(issuer), shown(subject));
        if let Some(time) = claims.issued_at {
            #[allow(clippy::cast_possible_truncation)] // saturates
            let seconds = time as i64;
            detail = format!("{detail}, signed at {} by its own clock", format_time(seconds));
            if let Some(now) = with.time.filter(|now| i128::from(seconds) > i128::from(*now)) {
                let now = format_time(now);
                detail = format!("{detail} (after the time of verification, {now})");
            }
        }
        match self.certificate {
            Some(Ok(CertificateStatus::Trusted)) => {
                detail += ", certificate trusted";
                if let Some(time) = self.stamped_at {
                    let time = format_time(time);
                    detail = format!("{detail} at the time of the time stamp, {time}");
                }
            }
            Some(Ok(CertificateStatus::NotChecked)) => {
                detail += ", certificate not checked: no trust root";
            }
            _ => {}
        }
        let provider = examined.and_then(|examined| examined.facts.model_provider.as_deref());
        if provider.is_some() && provider == issuer {
            detail += " (the issuer is the model's provider)";
        }
        Answer::Ok(detail)
    }
}

/// Returns the certificates of an envelope. Those in the unprotected header are used only if
/// the protected header contains the hash of the first one.
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

fn quote(text: &str) -> String {
    format!("\"{}\"", printable(text, 200))
}
