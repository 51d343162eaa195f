//! Certificate chains and trust roots.

use std::fmt;
use std::time::Duration;

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm, TrustAnchor, UnixTime};
use webpki::{
    EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeId, KeyPurposeIdIter,
    RequiredEkuNotFoundContext, VerifiedPath, anchor_from_trusted_cert,
};

use crate::header::{CertificateHash, HashAlgorithm};
use crate::key::{KeyError, PublicKey};
use crate::x509::{Constraints, Purpose};

/// The maximum number of certificates in an envelope: a signer's, a root's, and as many
/// between them as `webpki` accepts. The limit is low because the number of paths through them is
/// exponential.
pub(crate) const MAX_CHAIN: usize = 8;

/// The algorithms that certificates may be signed with.
pub(crate) const ALGORITHMS: &[&dyn SignatureVerificationAlgorithm] = &[
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

/// A certificate chain: a signer's certificate, then those of its issuers, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain(Vec<CertificateDer<'static>>);

/// The trusted certificates, and the time of verification.
///
/// A certificate with CA:TRUE and the key usage keyCertSign is an authority: it may issue
/// others, within its own validity period, path length, name constraints and extended key
/// usage. Every root, whether it is an authority or not, is also trusted as a signer's certificate,
/// as long as it is valid. Nothing is fetched: a certificate that was revoked is trusted until it
/// expires.
#[derive(Clone, Debug)]
pub struct Trust {
    /// Authorities, or signers' certificates themselves.
    pub roots: Chain,
    /// The time of verification, in seconds since 1970.
    pub time: u64,
}

/// The reason why a certificate does not identify a signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// There is no certificate.
    Missing,
    /// The only one is in the unprotected header, and nothing protected names it.
    Unprotected,
    /// The certificate could not be parsed.
    Unreadable(String),
    /// The key of the certificate cannot be used.
    Key(KeyError),
    /// The key of the certificate is not the signer's.
    OtherKey,
    /// The certificate does not lead to a trusted root.
    Chain(String),
    /// The certificate is not the one whose hash is in the protected header.
    Hash,
    /// There are too many.
    TooMany(usize),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no certificate"),
            Self::Unprotected => f.write_str(
                "the only certificate is in the unprotected header, and no protected hash (x5t) \
                 names it",
            ),
            Self::Unreadable(why) => write!(f, "the certificate could not be parsed: {why}"),
            Self::Key(error) => write!(f, "the certificate's key: {error}"),
            Self::OtherKey => f.write_str("the certificate is for another key"),
            Self::Chain(why) => write!(f, "the certificate is not trusted: {why}"),
            Self::TooMany(count) => {
                write!(f, "{count} certificates, where at most {MAX_CHAIN} are allowed")
            }
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

    /// Creates a chain of certificates in DER.
    pub fn from_der(certificates: Vec<Vec<u8>>) -> Self {
        Self(certificates.into_iter().map(CertificateDer::from).collect())
    }

    /// Returns the certificates in DER.
    pub fn certificates(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Returns the key of the first certificate.
    pub fn public_key(&self) -> Result<PublicKey, CertificateError> {
        let certificate = self.first()?;
        let parsed = EndEntityCert::try_from(certificate).map_err(|error| unreadable(&error))?;
        PublicKey::from_spki(&parsed.subject_public_key_info()).map_err(CertificateError::Key)
    }

    /// Returns the SHA-256 of the first certificate, for `x5t`.
    pub fn hash(&self) -> Result<CertificateHash, CertificateError> {
        let algorithm = HashAlgorithm::Sha256;
        Ok(CertificateHash { algorithm, value: algorithm.digest(self.first()?) })
    }

    /// Returns whether the first certificate has this hash.
    pub(crate) fn has_hash(&self, hash: &CertificateHash) -> bool {
        self.first().is_ok_and(|certificate| hash.algorithm.digest(certificate) == hash.value)
    }

    /// Checks that there are not more certificates than an envelope may have.
    pub(crate) fn check_length(&self) -> Result<(), CertificateError> {
        match self.0.len() {
            0..=MAX_CHAIN => Ok(()),
            count => Err(CertificateError::TooMany(count)),
        }
    }

    /// Checks that the first certificate leads to a trusted authority, or is itself trusted, at the
    /// time of `trust`.
    pub fn check(&self, trust: &Trust) -> Result<(), CertificateError> {
        self.check_for(Purpose::Signing, &trust.roots, trust.time)
    }

    /// Checks that the first certificate leads to a trusted authority, or is trusted itself, for a
    /// purpose and at a time in seconds since 1970.
    pub(crate) fn check_for(
        &self,
        purpose: Purpose,
        roots: &Self,
        time: u64,
    ) -> Result<(), CertificateError> {
        self.check_length()?;
        let first = self.first()?;
        let time = UnixTime::since_unix_epoch(Duration::from_secs(time));
        if roots.0.contains(first) {
            return check_validity(first, purpose, time)
                .map_err(|error| not_trusted(&reason(&error, purpose)));
        }
        let authorities = Authorities::new(roots, purpose, time);
        let certificate = EndEntityCert::try_from(first).map_err(|error| unreadable(&error))?;
        let between = &self.0[1..];
        let check_path = |path: &VerifiedPath<'_>| authorities.check_path(path);
        certificate
            .verify_for_usage(
                ALGORITHMS,
                &authorities.anchors,
                between,
                time,
                ForPurpose(purpose),
                None,
                Some(&check_path),
            )
            .map_err(|error| {
                not_trusted(&(reason(&error, purpose) + &authorities.refusal(&error)))
            })?;
        match Constraints::parse(first) {
            Ok(constraints) if constraints.may_sign() => Ok(()),
            Ok(_) => Err(not_trusted("its key usage is not one for signing")),
            Err(error) => Err(CertificateError::Unreadable(error.to_string())),
        }
    }

    fn first(&self) -> Result<&CertificateDer<'static>, CertificateError> {
        self.0.first().ok_or(CertificateError::Missing)
    }
}

/// The trust roots that may issue certificates, and the reasons why the others may not.
struct Authorities<'r> {
    purpose: Purpose,
    anchors: Vec<TrustAnchor<'r>>,
    /// The constraints of each anchor.
    constraints: Vec<Constraints>,
    refused: Vec<String>,
}

impl<'r> Authorities<'r> {
    fn new(roots: &'r Chain, purpose: Purpose, time: UnixTime) -> Self {
        let (anchors, constraints, refused) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { purpose, anchors, constraints, refused };
        for root in &roots.0 {
            match authority(root, purpose, time) {
                Ok((anchor, constraints)) => {
                    found.anchors.push(anchor);
                    found.constraints.push(constraints);
                }
                Err(why) => found.refused.push(why),
            }
        }
        found
    }

    /// Makes the checks that `webpki` omits: every certificate of a path that issues another one
    /// has to be allowed to, and the path may not be longer than the anchor allows.
    fn check_path(&self, path: &VerifiedPath<'_>) -> Result<(), webpki::Error> {
        let mut length = 0;
        for between in path.intermediate_certificates() {
            length += 1;
            Constraints::parse(&between.der())
                .ok()
                .filter(|constraints| constraints.check_issuer(self.purpose).is_ok())
                .ok_or(webpki::Error::EndEntityUsedAsCa)?;
        }
        let at = self.anchors.iter().position(|anchor| std::ptr::eq(anchor, path.anchor()));
        match at.and_then(|at| self.constraints.get(at)) {
            Some(constraints) if constraints.allows_path(length) => Ok(()),
            _ => Err(webpki::Error::PathLenConstraintViolated),
        }
    }

    /// Describes the trust roots that may not issue certificates, if that can be the reason for an
    /// error.
    fn refusal(&self, error: &webpki::Error) -> String {
        match (error, &self.refused[..]) {
            (webpki::Error::UnknownIssuer, [why]) => {
                format!("; one of those given may not issue certificates: {why}")
            }
            (webpki::Error::UnknownIssuer, [why, ..]) => format!(
                "; {} of those given may not issue certificates, the first because: {why}",
                self.refused.len()
            ),
            _ => String::new(),
        }
    }
}

/// Returns a root as a trust anchor. The error states why it may not issue certificates at a time.
fn authority<'r>(
    root: &'r CertificateDer<'static>,
    purpose: Purpose,
    time: UnixTime,
) -> Result<(TrustAnchor<'r>, Constraints), String> {
    let constraints = Constraints::parse(root).map_err(|error| error.to_string())?;
    constraints.check_issuer(purpose)?;
    check_validity(root, purpose, time).map_err(|error| reason(&error, purpose))?;
    let anchor = anchor_from_trusted_cert(root).map_err(|error| error.to_string())?;
    Ok((anchor, constraints))
}

/// Checks the validity period of a certificate and, if it is not an authority, that its
/// extended key usage is one for the purpose; also that its critical extensions are known.
fn check_validity(
    certificate: &CertificateDer<'_>,
    purpose: Purpose,
    time: UnixTime,
) -> Result<(), webpki::Error> {
    let certificate = EndEntityCert::try_from(certificate)?;
    let usage = ForPurpose(purpose);
    let verified = certificate.verify_for_usage(ALGORITHMS, &[], &[], time, usage, None, None);
    match verified {
        // `webpki` reports both only after it has checked the validity period.
        Err(webpki::Error::UnknownIssuer | webpki::Error::CaUsedAsEndEntity) => Ok(()),
        other => other.map(drop),
    }
}

fn unreadable(error: &webpki::Error) -> CertificateError {
    CertificateError::Unreadable(error.to_string())
}

fn not_trusted(why: &str) -> CertificateError {
    CertificateError::Chain(why.to_owned())
}

fn reason(error: &webpki::Error, purpose: Purpose) -> String {
    use webpki::Error;
    match error {
        Error::UnknownIssuer => "it does not lead to a trust root".to_owned(),
        Error::CertExpired { .. } => "it has expired".to_owned(),
        Error::CertNotValidYet { .. } => "it is not valid yet".to_owned(),
        Error::CaUsedAsEndEntity => "it belongs to an authority, not to a signer".to_owned(),
        Error::EndEntityUsedAsCa => {
            "a certificate in the chain may not issue others (CA:TRUE and keyCertSign)".to_owned()
        }
        Error::PathLenConstraintViolated => {
            "the chain is longer than a certificate in it allows (path length)".to_owned()
        }
        Error::NameConstraintViolation => {
            "a name in the chain is not one that its issuer may name (name constraints)".to_owned()
        }
        Error::RequiredEkuNotFoundContext(_) => purpose.refusal().to_owned(),
        Error::UnsupportedSignatureAlgorithmContext(_)
        | Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
            "it is signed with an algorithm that is not supported".to_owned()
        }
        other => other.to_string(),
    }
}

/// Accepts certificates without an extended key usage, or with one for the purpose.
struct ForPurpose(Purpose);

impl ExtendedKeyUsageValidator for ForPurpose {
    fn validate(&self, usages: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        let mut present = Vec::new();
        for usage in usages {
            let usage = usage?;
            let allowed = self.0.allowed().iter();
            if allowed.into_iter().any(|oid| usage == KeyPurposeId::new(oid.as_bytes())) {
                return Ok(());
            }
            present.push(usage.to_decoded_oid());
        }
        if present.is_empty() {
            return Ok(());
        }
        // The content of the error is not used, only its kind.
        let required = webpki::KeyUsage::client_auth();
        let context = RequiredEkuNotFoundContext { required, present };
        Err(webpki::Error::RequiredEkuNotFoundContext(context))
    }
}
