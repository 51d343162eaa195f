//! Reads sessions as Arrow tables. Requires the feature `tables`.

#[doc(no_inline)]
pub use arrow_array::RecordBatch;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use vac_adapter::Error as ReadError;
use vac_sign::Envelope;
use vac_store::Loaded;
pub use vac_table::*;
use vac_validate::signed::{self, Payload};
use vac_value::Document;
use vac_view::record;

use crate::AGENTS;
use crate::error::{Error, ErrorKind, Result};
use crate::parallel::with_stack;
use crate::read::{Readable, read};
use crate::record_documents::each_valid_document;

/// A group of logs is complete when it has at least this many bytes, or [`GROUP_LOGS`] logs.
const GROUP_BYTES: u64 = 16 << 20;
const GROUP_LOGS: usize = 128;
/// The number of bytes that is assumed for a log of unknown size.
const UNKNOWN_SIZE: u64 = 1 << 20;

/// Reads the tables of every session of a log or of records, in one pass each. Returns the
/// [keys](vac_table::record_key) of the sessions.
///
/// ```
/// use vac::tables::{SessionTable, TableSet};
///
/// let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
/// let task = vac::Task::from_bytes("session.jsonl", log.to_vec())?;
/// let mut rows = 0;
/// vac::read_tables(&task, TableSet::NONE.with(SessionTable::Entries), |_, batch| {
///     rows += batch.num_rows();
///     Ok(())
/// })?;
/// assert_eq!(rows, 1);
/// # Ok::<(), vac::Error>(())
/// ```
///
/// # Errors
/// If something cannot be read or is refused, a log was changed meanwhile, or `receive` fails.
/// Rows that were received until then are not complete.
pub fn read_tables<'r>(
    from: impl Into<Readable<'r>>,
    selected: TableSet,
    mut receive: impl FnMut(SessionTable, RecordBatch) -> Result<(), ReadError> + Send,
) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    match from.into() {
        Readable::Log(task) => read(task, &mut |session, log| {
            let Some(log) = log else { return Ok(()) };
            let mut tables = Tables::new(selected, &mut receive);
            keys.push(tables.read_session(session, &log_origin(log)?)?);
            tables.flush()?;
            // Fails if the log was changed since its first pass.
            log.check_unchanged()
        })?,
        Readable::Records(bytes) => with_stack(|| {
            let syntax = each_valid_document(bytes, &mut |document| {
                if !record::is_record(document) {
                    return Err(Error::new(ErrorKind::Unrecognised, "not a record"));
                }
                let origin = record_origin(document);
                let mut tables = Tables::new(selected, &mut receive);
                keys.push(record::read(document, AGENTS, &mut |session| {
                    tables.read_session(session, &origin)
                })?);
                Ok(tables.flush()?)
            })?;
            match syntax {
                None => Ok(()),
                Some(reason) => {
                    Err(Error::new(ErrorKind::Unrecognised, format!("not a record: {reason}")))
                }
            }
        })??,
    }
    Ok(keys)
}

/// Divides logs into groups whose tables are read by one thread each. Groups depend on the order of
/// the logs and their sizes alone, so that the same logs give the same files with any number of jobs.
pub fn divide<T>(logs: Vec<T>, size: impl Fn(&T) -> Option<u64>) -> Vec<Vec<T>> {
    let mut groups = Vec::new();
    let (mut group, mut bytes) = (Vec::new(), 0_u64);
    for log in logs {
        bytes = bytes.saturating_add(size(&log).unwrap_or(UNKNOWN_SIZE));
        group.push(log);
        if bytes >= GROUP_BYTES || group.len() >= GROUP_LOGS {
            groups.push(std::mem::take(&mut group));
            bytes = 0;
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

/// Returns the facts about the source of a session of a log. The log was read
/// once, so that its SHA-256 is known.
///
/// # Errors
/// If the log cannot be read, or was changed meanwhile.
pub fn log_origin(log: &Loaded<'_>) -> Result<SessionOrigin, ReadError> {
    Ok(SessionOrigin {
        sources: log.sources()?,
        vac_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        ..SessionOrigin::default()
    })
}

/// Returns the facts about the source of a session of a record. Signatures are
/// not verified.
pub fn record_origin(document: &Document<'_>) -> SessionOrigin {
    let sha_256 = |bytes: &[u8]| Some(HEXLOWER.encode(&Sha256::digest(bytes)));
    let raw = document.root().raw();
    match signed::payload(document) {
        None => SessionOrigin { record_sha256: sha_256(raw), ..SessionOrigin::default() },
        Some(payload) => SessionOrigin {
            record_sha256: match &payload {
                Payload::Attached { bytes, .. } => sha_256(bytes),
                Payload::Detached | Payload::Digest => None,
            },
            signature: Some(signature(raw)),
            ..SessionOrigin::default()
        },
    }
}

/// Returns the facts that a signature states.
fn signature(envelope: &[u8]) -> SignatureFacts {
    let Ok(envelope) = Envelope::read(envelope) else { return SignatureFacts::default() };
    let header = envelope.header;
    let key =
        |id: Vec<u8>| String::from_utf8(id).unwrap_or_else(|id| HEXLOWER.encode(id.as_bytes()));
    SignatureFacts {
        algorithm: Some(header.algorithm.to_string()),
        issuer: header.claims.issuer,
        key: header.key_id.map(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_end_with_enough_bytes_or_logs() {
        let sizes = |sizes: Vec<Option<u64>>| -> Vec<usize> {
            divide(sizes, |size| *size).iter().map(Vec::len).collect()
        };
        assert_eq!(sizes(vec![]), [0; 0]);
        assert_eq!(sizes(vec![Some(GROUP_BYTES), Some(u64::MAX), Some(0)]), [1, 1, 1]);
        assert_eq!(sizes(vec![Some(0); GROUP_LOGS + 1]), [GROUP_LOGS, 1]);
        assert_eq!(sizes(vec![None; 17]), [16, 1]);
    }
}
