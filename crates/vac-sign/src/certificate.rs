//! Certificates: whose key it is.

use std::fmt;
use std::time::Duration;

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm, TrustAnchor, UnixTime};
use webpki::{
    EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeId, KeyPurposeIdIter,
    RequiredEkuNotFoundContext, anchor_from_trusted_cert,
};

use crate::header::{CertificateHash, HashAlgorithm};
use crate::key::{KeyError, PublicKey};
use crate::key_usage::may_sign;

/// What certificates may be signed with.
const ALGORITHMS: &[&dyn SignatureVerificationAlgorithm] = &[
    webpki::ring::ED25519,
    webpki::ring::ECDSA_P256_SHA256,
    webpki::ring::ECDSA_P256_SHA384,
    webpki::ring::ECDSA_P384_SHA256,
    webpki::ring::ECDSA_P384_SHA384,
    webpki::ring::RSA_PKCS1_2048_8192_SHA256,
    webpki::ring::RSA_PKCS1_2048_8192_SHA384,
    webpki::ring::RSA_PKCS1_2048_8192_SHA512,
    webpki::ring::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
    webpki::ring::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
    webpki::ring::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
];

/// A certificate, and those between it and a root, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain(Vec<CertificateDer<'static>>);

/// Whom to trust, and when.
#[derive(Clone, Debug)]
pub struct Trust {
    /// Roots, or signers' certificates themselves.
    pub roots: Chain,
    /// The time of verification, in seconds since 1970.
    pub time: u64,
}

/// Why a certificate does not vouch for a signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// There is none.
    Missing,
    /// The only one is in the unprotected header, and nothing protected names it.
    Unprotected,
    /// It cannot be read.
    Unreadable(String),
    /// Its key cannot be used.
    Key(KeyError),
    /// Its key is not the signer's.
    OtherKey,
    /// It does not lead to a root that is trusted.
    Chain(String),
    /// It is not the one whose hash is in the protected header.
    Hash,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no certificate"),
            Self::Unprotected => f.write_str(
                "the only certificate is in the unprotected header, and no protected hash (x5t) \
                 names it",
            ),
            Self::Unreadable(why) => write!(f, "the certificate cannot be read: {why}"),
            Self::Key(error) => write!(f, "the certificate's key: {error}"),
            Self::OtherKey => f.write_str("the certificate is for another key"),
            Self::Chain(why) => write!(f, "the certificate is not trusted: {why}"),
            Self::Hash => {
                f.write_str("the certificate is not the one that the protected header names (x5t)")
            }
        }
    }
}

impl std::error::Error for CertificateError {}

impl Chain {
    /// Reads every certificate in a PEM file.
    pub fn from_pem(text: &[u8]) -> Result<Self, CertificateError> {
        let certificates = CertificateDer::pem_slice_iter(text)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| CertificateError::Unreadable(error.to_string()))?;
        if certificates.is_empty() {
            return Err(CertificateError::Missing);
        }
        Ok(Self(certificates))
    }

    /// Of certificates in DER.
    pub fn from_der(certificates: Vec<Vec<u8>>) -> Self {
        Self(certificates.into_iter().map(CertificateDer::from).collect())
    }

    /// The certificates in DER.
    pub fn certificates(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The key of the first certificate.
    pub fn public_key(&self) -> Result<PublicKey, CertificateError> {
        let certificate = self.first()?;
        let parsed = EndEntityCert::try_from(certificate).map_err(|error| unreadable(&error))?;
        PublicKey::from_spki(&parsed.subject_public_key_info()).map_err(CertificateError::Key)
    }

    /// The SHA-256 of the first certificate, for `x5t`.
    pub fn hash(&self) -> Result<CertificateHash, CertificateError> {
        let algorithm = HashAlgorithm::Sha256;
        Ok(CertificateHash { algorithm, value: algorithm.digest(self.first()?) })
    }

    /// Whether the first certificate is the one with this hash.
    pub(crate) fn has_hash(&self, hash: &CertificateHash) -> bool {
        self.first().is_ok_and(|certificate| hash.algorithm.digest(certificate) == hash.value)
    }

    /// Whether the first certificate leads to a trusted root, or is trusted itself.
    pub fn check(&self, trust: &Trust) -> Result<(), CertificateError> {
        let first = self.first()?;
        let certificate = EndEntityCert::try_from(first).map_err(|error| unreadable(&error))?;
        let anchors = trust
            .roots
            .0
            .iter()
            .map(anchor_from_trusted_cert)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| CertificateError::Chain(format!("trust root: {error}")))?;
        let time = UnixTime::since_unix_epoch(Duration::from_secs(trust.time));
        let between = self.0.get(1..).unwrap_or_default();
        let verify = |anchors: &[TrustAnchor<'_>], between: &[CertificateDer<'_>]| {
            certificate
                .verify_for_usage(ALGORITHMS, anchors, between, time, ForSigning, None, None)
                .map(drop)
        };
        let verdict = if trust.roots.0.contains(first) {
            // What is trusted itself needs no issuer, and may be one. Its dates are
            // looked at before either.
            match verify(&[], &[]) {
                Err(webpki::Error::UnknownIssuer | webpki::Error::CaUsedAsEndEntity) => Ok(()),
                other => other,
            }
        } else {
            verify(&anchors, between)
        };
        verdict.map_err(|error| CertificateError::Chain(reason(&error)))?;
        // What is trusted itself is trusted for this.
        if trust.roots.0.contains(first) || may_sign(first).unwrap_or(false) {
            Ok(())
        } else {
            let why = "its key usage is not one for signing";
            Err(CertificateError::Chain(why.to_owned()))
        }
    }

    fn first(&self) -> Result<&CertificateDer<'static>, CertificateError> {
        self.0.first().ok_or(CertificateError::Missing)
    }
}

fn unreadable(error: &webpki::Error) -> CertificateError {
    CertificateError::Unreadable(error.to_string())
}

fn reason(error: &webpki::Error) -> String {
    use webpki::Error;
    match error {
        Error::UnknownIssuer => "it does not lead to a trust root".to_owned(),
        Error::CertExpired { .. } => "it has expired".to_owned(),
        Error::CertNotValidYet { .. } => "it is not valid yet".to_owned(),
        Error::CaUsedAsEndEntity => "it is one of an authority, not of a signer".to_owned(),
        Error::EndEntityUsedAsCa => "a certificate in the chain may not issue others".to_owned(),
        Error::RequiredEkuNotFoundContext(_) => {
            "its extended key usage is not one for signing".to_owned()
        }
        Error::UnsupportedSignatureAlgorithmContext(_)
        | Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
            "it is signed with an algorithm that is not supported".to_owned()
        }
        other => other.to_string(),
    }
}

/// Certificates without an extended key usage, or with one for code, documents or mail.
struct ForSigning;

impl ExtendedKeyUsageValidator for ForSigning {
    fn validate(&self, usages: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        /// id-kp-codeSigning, 1.3.6.1.5.5.7.3.3.
        const CODE: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 3];
        const MAIL: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 4];
        const DOCUMENTS: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 36];
        /// anyExtendedKeyUsage, 2.5.29.37.0.
        const ANY: &[u8] = &[85, 29, 37, 0];
        let mut present = Vec::new();
        for usage in usages {
            let usage = usage?;
            if [CODE, MAIL, DOCUMENTS, ANY].into_iter().any(|oid| usage == KeyPurposeId::new(oid)) {
                return Ok(());
            }
            present.push(usage.to_decoded_oid());
        }
        if present.is_empty() {
            return Ok(());
        }
        let required = webpki::KeyUsage::required(CODE);
        Err(webpki::Error::RequiredEkuNotFoundContext(RequiredEkuNotFoundContext {
            required,
            present,
        }))
    }
}
