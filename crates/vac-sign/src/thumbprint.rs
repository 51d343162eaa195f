//! Compares issuers that are thumbprints of keys with a key.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use vac_value::printable;

use crate::key::PublicKey;

/// The prefix of URIs of COSE Key thumbprints (RFC 9679).
pub(crate) const COSE_KEY: &str = "urn:ietf:params:oauth:ckt:";
/// The prefix of URIs of JWK thumbprints (RFC 9278).
const JWK: &str = "urn:ietf:params:oauth:jwk-thumbprint:";
/// The only supported hash.
pub(crate) const SHA_256: &str = "sha-256";

/// A mismatch between the key that a protected header names and the one that verified the
/// signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMismatch {
    /// The key identifier is critical and is not the key's thumbprint.
    KeyId,
    /// The issuer is the thumbprint of another key.
    Issuer,
    /// The issuer is a thumbprint made with a hash that is not supported.
    Hash(String),
    /// The issuer begins like a thumbprint URI, but does not contain a SHA-256 in base64url.
    Malformed,
}

impl fmt::Display for KeyMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyId => {
                f.write_str("crit lists 4 (kid), which is not the SHA-256 thumbprint of this key")
            }
            Self::Issuer => f.write_str("the issuer is the thumbprint of another key"),
            Self::Hash(hash) => {
                let hash = printable(hash, 24);
                write!(f, "the issuer is a thumbprint with the unsupported hash \"{hash}\"")
            }
            Self::Malformed => f.write_str(
                "the issuer is a thumbprint URI without a SHA-256 in base64url (43 characters)",
            ),
        }
    }
}

impl std::error::Error for KeyMismatch {}

/// Compares an issuer with a key, if the issuer is a thumbprint URI.
///
/// The case of the prefix does not matter: RFC 8141 ignores it in the scheme and the namespace,
/// and readers would take an issuer with another case in the rest for a thumbprint, too.
pub(crate) fn check_issuer(issuer: &str, key: &PublicKey) -> Result<(), KeyMismatch> {
    let (rest, thumbprint) = if let Some(rest) = strip_prefix_ignoring_case(issuer, COSE_KEY) {
        (rest, key.thumbprint())
    } else if let Some(rest) = strip_prefix_ignoring_case(issuer, JWK) {
        (rest, key.jwk_thumbprint())
    } else {
        return Ok(());
    };
    let (hash, value) = rest.split_once(':').ok_or(KeyMismatch::Malformed)?;
    if !hash.eq_ignore_ascii_case(SHA_256) {
        return Err(KeyMismatch::Hash(hash.to_owned()));
    }
    // Refuses padding and bits after the last byte, so that there is one spelling.
    match BASE64URL_NOPAD.decode(value.as_bytes()) {
        Ok(value) if value == thumbprint => Ok(()),
        Ok(value) if value.len() == thumbprint.len() => Err(KeyMismatch::Issuer),
        _ => Err(KeyMismatch::Malformed),
    }
}

/// Returns the text after a prefix, ignoring the case of the prefix.
fn strip_prefix_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signer::{SecretKey, Signer as _};

    #[test]
    fn thumbprint_issuers_are_compared_in_any_case() {
        let key = SecretKey::ed25519(&[7; 32]);
        let (key, other) = (key.public_key(), SecretKey::ed25519(&[9; 32]));
        let check = |issuer: &str| check_issuer(issuer, key);
        let own = key.thumbprint_uri();
        let wrong = other.public_key().thumbprint_uri();
        assert_eq!(check(&own), Ok(()));
        assert_eq!(check(&own.replace("urn:ietf", "URN:IETF")), Ok(()));
        for prefix in ["urn:ietf", "URN:ietf", "urn:IETF", "Urn:Ietf"] {
            assert_eq!(check(&wrong.replace("urn:ietf", prefix)), Err(KeyMismatch::Issuer));
        }
        assert_eq!(check(&wrong.replace("oauth:ckt", "OAuth:CKT")), Err(KeyMismatch::Issuer));
        let sha_512 = own.replace("sha-256", "sha-512");
        assert_eq!(check(&sha_512), Err(KeyMismatch::Hash("sha-512".to_owned())));
        for issuer in ["https://example.com", "", "urn:ietf:params:oauth", "urn:ietf:rfc:9679"] {
            assert_eq!(check(issuer), Ok(()), "{issuer} is not a thumbprint");
        }
    }

    #[test]
    fn thumbprints_have_one_spelling() {
        let key = SecretKey::ed25519(&[7; 32]);
        let own = key.public_key().thumbprint_uri();
        // The last character has two bits that nothing uses.
        let (start, last) = own.split_at(own.len() - 1);
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let at = alphabet.find(last).expect("base64url");
        let loose = format!("{start}{}", &alphabet[at + 1..at + 2]);
        for issuer in [
            loose,
            format!("{own}="),
            format!("{own} "),
            format!("{own}#fragment"),
            start.to_owned(),
            own.to_ascii_uppercase() + "A",
            "urn:ietf:params:oauth:ckt:".to_owned(),
            "urn:ietf:params:oauth:ckt:sha-256".to_owned(),
            "urn:ietf:params:oauth:ckt:sha-256:".to_owned(),
        ] {
            let checked = check_issuer(&issuer, key.public_key());
            assert_eq!(checked, Err(KeyMismatch::Malformed), "{issuer}");
        }
    }

    #[test]
    fn jwk_thumbprints_are_compared() {
        // RFC 8037 appendix A.3.
        let x = BASE64URL_NOPAD.decode(b"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let point = x.expect("base64url").try_into().expect("32 bytes");
        let key = ed25519_dalek::VerifyingKey::from_bytes(&point).expect("a point");
        let key = PublicKey::ed25519(key).expect("a key");
        let uri = format!("{JWK}sha-256:kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(check_issuer(&uri, &key), Ok(()));
        let other = SecretKey::ed25519(&[9; 32]);
        assert_eq!(check_issuer(&uri, other.public_key()), Err(KeyMismatch::Issuer));
    }
}
