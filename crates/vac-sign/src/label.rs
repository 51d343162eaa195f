//! Labels of header parameters and claims.

use vac_record::keys::{cwt_claims, protected_header, unprotected_header};

/// Header parameter: the algorithm of the signature.
pub const ALG: i128 = protected_header::ALG;
/// Header parameter: the labels of critical parameters.
pub const CRIT: i128 = 2;
/// Header parameter: the content type of the payload.
pub const CONTENT_TYPE: i128 = protected_header::CONTENT_TYPE;
/// Header parameter: the key identifier.
pub const KID: i128 = protected_header::KID;
/// Header parameter: CWT claims (RFC 9597).
pub const CWT_CLAIMS: i128 = protected_header::CWT_CLAIMS;
/// Header parameter: the type of the envelope (RFC 9596).
pub const TYP: i128 = 16;
/// Header parameter: the certificates of the signer and of its issuers (RFC 9360).
pub const X5CHAIN: i128 = protected_header::X5CHAIN;
/// Header parameter: the hash of the signer's certificate.
pub const X5T: i128 = protected_header::X5T;
/// Header parameter: trace metadata; the number is the draft's placeholder.
pub const TRACE_METADATA: i128 = unprotected_header::TRACE_METADATA_KEY;
/// Header parameter of a hash envelope (RFC 9995): the hash algorithm.
pub const PAYLOAD_HASH_ALG: i128 = 258;
/// Header parameter of a hash envelope: the content type of the hashed bytes.
pub const PREIMAGE_CONTENT_TYPE: i128 = 259;
/// Header parameter of a hash envelope: the location of the hashed bytes.
pub const PAYLOAD_LOCATION: i128 = 260;
/// Header parameter: a time stamp of the payload, which is signed with it (RFC 9921).
pub const TIME_STAMP_THEN_COSE: i128 = 269;
/// Header parameter: a time stamp of the signature (RFC 9921).
pub const COSE_THEN_TIME_STAMP: i128 = 270;
/// Header parameter: receipts of transparency services (RFC 9942).
pub const RECEIPTS: i128 = unprotected_header::RECEIPTS;
/// Header parameter of a receipt: the verifiable data structure.
pub const VERIFIABLE_DATA_STRUCTURE: i128 = 395;
/// Header parameter of a receipt: the proofs.
pub const VERIFIABLE_DATA_PROOFS: i128 = 396;

/// Claim: the issuer.
pub const ISS: i128 = cwt_claims::ISS;
/// Claim: the subject.
pub const SUB: i128 = cwt_claims::SUB;
/// Claim: the time of expiration.
pub const EXP: i128 = 4;
/// Claim: the time before which the token is not valid.
pub const NBF: i128 = 5;
/// Claim: the time of issuance.
pub const IAT: i128 = 6;
/// Claim: the id of the token.
pub const CTI: i128 = 7;

/// Formats a label with its name, if it has one: `258 (payload-hash-alg)`.
pub fn format_label(label: i128) -> String {
    match name(label) {
        Some(name) => format!("{label} ({name})"),
        None => label.to_string(),
    }
}

fn name(label: i128) -> Option<&'static str> {
    Some(match label {
        ALG => "alg",
        CRIT => "crit",
        CONTENT_TYPE => "content type",
        KID => "kid",
        CWT_CLAIMS => "CWT claims",
        TYP => "typ",
        X5CHAIN => "x5chain",
        X5T => "x5t",
        TRACE_METADATA => "trace-metadata",
        PAYLOAD_HASH_ALG => "payload-hash-alg",
        PREIMAGE_CONTENT_TYPE => "preimage-content-type",
        PAYLOAD_LOCATION => "payload-location",
        TIME_STAMP_THEN_COSE => "3161-ttc",
        COSE_THEN_TIME_STAMP => "3161-ctt",
        RECEIPTS => "receipts",
        VERIFIABLE_DATA_STRUCTURE => "vds",
        VERIFIABLE_DATA_PROOFS => "vdp",
        _ => return None,
    })
}
