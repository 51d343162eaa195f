//! Defines the functions `sign` and `verify`, and the classes of keys and results.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use vac::signature::{Chain, KeyError, Trust};
use vac::{
    Carriage, PublicKey, SecretKey, SignOptions, SignedRecord, Signer as _, Verification, Verified,
};

use crate::python_error::{refused, to_exception, to_python};
use crate::session_input::SessionInput;

/// A secret key: Ed25519 or P-256. It cannot be pickled or printed.
#[pyclass(name = "SecretKey", module = "vac", frozen)]
pub struct PySecretKey(SecretKey);

#[pymethods]
impl PySecretKey {
    /// Reads a private key in PEM: PKCS #8, or the format of OpenSSH. An encrypted key needs its
    /// `password`.
    #[staticmethod]
    #[pyo3(signature = (text, password = None))]
    fn from_pem(py: Python<'_>, text: &str, password: Option<&[u8]>) -> PyResult<Self> {
        // Deriving a key from a password can take seconds.
        let key = py.detach(|| SecretKey::parse(text, password));
        key.map(Self).map_err(|error| bad_key(&error))
    }

    /// Creates an Ed25519 key from 32 random bytes, such as `secrets.token_bytes(32)`.
    #[staticmethod]
    fn ed25519(seed: [u8; 32]) -> Self {
        Self(SecretKey::ed25519(&seed))
    }

    /// Returns the key as a `PRIVATE KEY` (PKCS #8) in PEM, not encrypted.
    fn to_pem(&self) -> PyResult<String> {
        self.0.to_pem().map(|pem| pem.to_string()).map_err(|error| bad_key(&error))
    }

    /// The public key.
    #[getter]
    fn public_key(&self) -> PyPublicKey {
        PyPublicKey(self.0.public_key().clone())
    }

    fn __repr__(&self) -> String {
        format!("<vac.SecretKey of {}>", self.0.public_key().thumbprint_uri())
    }
}

/// A public key: Ed25519 or P-256.
#[pyclass(name = "PublicKey", module = "vac", frozen)]
pub struct PyPublicKey(PublicKey);

#[pymethods]
impl PyPublicKey {
    /// Reads a `PUBLIC KEY` in PEM.
    #[staticmethod]
    fn from_pem(text: &str) -> PyResult<Self> {
        PublicKey::from_pem(text).map(Self).map_err(|error| bad_key(&error))
    }

    /// Returns the key as a `PUBLIC KEY` in PEM.
    fn to_pem(&self) -> PyResult<String> {
        self.0.to_pem().map_err(|error| bad_key(&error))
    }

    /// The thumbprint of the key, as a URI.
    #[getter]
    fn thumbprint(&self) -> String {
        self.0.thumbprint_uri()
    }

    fn __repr__(&self) -> String {
        format!("<vac.PublicKey {}>", self.0.thumbprint_uri())
    }
}

/// A signed record.
#[pyclass(name = "SignedRecord", module = "vac", frozen)]
pub struct PySignedRecord(SignedRecord);

#[pymethods]
impl PySignedRecord {
    /// The envelope: a `COSE_Sign1` in CBOR.
    #[getter]
    fn envelope<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.envelope)
    }

    /// The facts about the signature: algorithm, key, issuer, subject and the SHA-256 of the
    /// record.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.envelope(py)
    }
}

/// Signs one valid record: a `Record`, its bytes, or the path of its file.
///
/// `carriage` is `"attached"`, `"detached"` or `"digest"` (an envelope with the SHA-256 of the
/// record). `certificates` is a chain in PEM, with the certificate of the signer first. `time` is
/// the time of signing in seconds since 1970, as a claim; without it, no time is stated.
///
/// Records contain everything that logs contain, including secrets. Unlike the command line, this
/// function does not search for them.
#[pyfunction]
#[pyo3(signature = (
    record, key, *, issuer = None, subject = None, key_id = None, content_type = None,
    certificates = None, carriage = "attached", time = None
))]
// These are the keyword arguments of the Python function.
#[allow(clippy::too_many_arguments)]
pub fn sign(
    py: Python<'_>,
    record: SessionInput<'_>,
    key: &PySecretKey,
    issuer: Option<&str>,
    subject: Option<&str>,
    key_id: Option<&[u8]>,
    content_type: Option<&str>,
    certificates: Option<&str>,
    carriage: &str,
    time: Option<u64>,
) -> PyResult<PySignedRecord> {
    let chain = certificates.map(read_certificates).transpose()?;
    let options = SignOptions {
        issuer,
        subject,
        key_id,
        content_type,
        certificates: chain.as_ref(),
        carriage: match carriage {
            "attached" => Carriage::Attached,
            "detached" => Carriage::Detached,
            "digest" => Carriage::Digest,
            other => {
                let reason = format!("unknown carriage `{other}` (attached, detached, digest)");
                return Err(refused(reason));
            }
        },
        time,
        time_stamp: None,
    };
    let record = record.resolve_records(py).map_err(to_exception)?;
    let signed = py.detach(|| vac::sign(record.as_ref(), &options, &key.0));
    signed.map(PySignedRecord).map_err(to_exception)
}

/// The result of verifying a signed record.
#[pyclass(name = "Verified", module = "vac", frozen)]
pub struct PyVerified(Verified);

#[pymethods]
impl PyVerified {
    /// Whether the verdict is `verified`.
    #[getter]
    fn verified(&self) -> bool {
        self.0.verified
    }

    /// `verified`, `statement-only` or `failed`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.0.verdict
    }

    /// An answer for each check, and the claims that the signature covers.
    #[getter]
    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    /// The record in the envelope, if it is attached and the verdict is `verified`.
    #[getter]
    fn record<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.payload.as_ref().map(|bytes| PyBytes::new(py, bytes))
    }

    fn __repr__(&self) -> String {
        format!("<vac.Verified {}>", self.0.verdict)
    }
}

/// Verifies a signed record. A signature that is not valid is a result, not an error.
///
/// `key` is the key of the signer. Without it, the certificate in the envelope has to lead to one
/// of the certificates in `trust` (PEM), which needs `time`. `record` is needed if the envelope
/// does not contain it. `issuer` and `subject` have to be those of the envelope. With `strict`, a
/// protected header that is not encoded deterministically fails.
///
/// `time` is the time of verification in seconds since 1970: certificates and claims have to be
/// valid then. Unlike on the command line, it is not the current time by default; without it, the
/// validity of claims is not checked.
///
/// Receipts are checked only with `receipt_keys`, the public keys of logs. Time stamps (RFC 3161) are
/// checked only with `authorities`, certificates of time-stamping authorities in PEM, which need
/// `time`; `time_stamp` is a token, or the response of an authority, that is not in the envelope.
#[pyfunction]
#[pyo3(signature = (
    envelope, key = None, *, record = None, issuer = None, subject = None, trust = None,
    time = None, strict = false, receipt_keys = Vec::new(), time_stamp = None, authorities = None
))]
// These are the keyword arguments of the Python function.
#[allow(clippy::too_many_arguments, clippy::needless_pass_by_value)]
pub fn verify(
    py: Python<'_>,
    envelope: SessionInput<'_>,
    key: Option<&PyPublicKey>,
    record: Option<SessionInput<'_>>,
    issuer: Option<&str>,
    subject: Option<&str>,
    trust: Option<&str>,
    time: Option<u64>,
    strict: bool,
    receipt_keys: Vec<PyRef<'_, PyPublicKey>>,
    time_stamp: Option<PyBackedBytes>,
    authorities: Option<&str>,
) -> PyResult<PyVerified> {
    let trust = read_trust("trust", trust, time)?;
    let authorities = read_trust("authorities", authorities, time)?;
    let receipt_keys: Vec<_> = receipt_keys.iter().map(|key| key.0.clone()).collect();
    let envelope = envelope.resolve_records(py).map_err(to_exception)?;
    let record = record.map(|record| record.resolve_records(py)).transpose();
    let record = record.map_err(to_exception)?;
    let with = Verification {
        key: key.map(|key| &key.0),
        trust: trust.as_ref(),
        record: record.as_ref().map(AsRef::as_ref),
        issuer,
        subject,
        time,
        strict,
        receipt_keys: &receipt_keys,
        time_stamp: time_stamp.as_deref(),
        authorities: authorities.as_ref(),
    };
    let verified = py.detach(|| vac::verify(envelope.as_ref(), &with));
    verified.map(PyVerified).map_err(to_exception)
}

/// Reads the certificates of an argument that are trusted at this time.
fn read_trust(argument: &str, roots: Option<&str>, time: Option<u64>) -> PyResult<Option<Trust>> {
    match (roots, time) {
        (None, _) => Ok(None),
        (Some(roots), Some(time)) => Ok(Some(Trust { roots: read_certificates(roots)?, time })),
        (Some(_), None) => Err(refused(format!("`{argument}` needs `time`"))),
    }
}

fn read_certificates(pem: &str) -> PyResult<Chain> {
    Chain::from_pem(pem.as_bytes()).map_err(|error| refused(error.to_string()))
}

fn bad_key(error: &KeyError) -> PyErr {
    refused(error.to_string())
}
