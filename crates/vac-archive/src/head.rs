//! Signs heads and statements.

use vac_sign::Signer;
use vac_sign::merkle::Hash;
use vac_sign::statement::{Purpose, sign};
use vac_value::Encoding;

use crate::claims::{HEAD, HeadClaim, STATEMENT, StatementClaim, encode};
use crate::error::{ArchiveErrorKind, Error, Result};

fn encoded(claim: &dyn vac_value::Encode) -> Result<Vec<u8>> {
    encode(claim).map_err(|error| Error::new(ArchiveErrorKind::Internal, error.to_string()))
}

/// Signs the head of a tree with this root.
pub(crate) fn sign_head(
    archive: &str,
    claim: &HeadClaim,
    root: &Hash,
    time: Option<u64>,
    signer: &dyn Signer,
) -> Result<Vec<u8>> {
    let bytes = encoded(claim)?;
    Ok(sign(Purpose::TreeHead, archive, time, (HEAD, &bytes), root, signer)?)
}

/// Signs a statement about the record with this hash.
pub(crate) fn sign_statement(
    session_id: &str,
    claim: &StatementClaim,
    record: &Hash,
    encoding: Encoding,
    time: Option<u64>,
    signer: &dyn Signer,
) -> Result<Vec<u8>> {
    let content_type = match encoding {
        Encoding::Json => "application/json",
        Encoding::Cbor => "application/cbor",
    };
    let bytes = encoded(claim)?;
    let purpose = Purpose::Record { content_type };
    Ok(sign(purpose, session_id, time, (STATEMENT, &bytes), record, signer)?)
}
