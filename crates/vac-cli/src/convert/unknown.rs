//! Explains what a file that is not a log is, by its first bytes.

use std::io::Read as _;

use vac::adapter::Input as _;
use vac::output::existing_record::cbor_id;
use vac::record_documents::encoding_of_record;
use vac::store::StoredLog;
use vac::value::Encoding;

use crate::sessions::SIGNED_RECORD;

/// The first bytes of a signed record: the tag of `COSE_Sign1` on an array of four.
const ENVELOPE: &[u8] = b"\xd2\x84";

/// The first bytes of files that are taken for logs by mistake, and their formats.
const BEGINNINGS: [(&[u8], &str); 5] = [
    (b"\xff\xfe", "it is UTF-16 or UTF-32, and logs are UTF-8"),
    (b"\xfe\xff", "it is UTF-16, and logs are UTF-8"),
    (b"\x1f\x8b", "it is compressed with gzip"),
    (b"PK\x03\x04", "it is a ZIP archive"),
    (b"SQLite format 3\0", "it is a database without any sessions"),
];

/// Maximum number of bytes that are read.
const MAX_BYTES: u64 = 1 << 16;

/// Returns the reason why a log that the user named cannot be converted.
pub fn reason(log: &StoredLog) -> String {
    const UNRECOGNISED: &str = "unrecognised log format";
    let mut bytes = Vec::new();
    let read = log.unread().open().and_then(|input| input.take(MAX_BYTES).read_to_end(&mut bytes));
    let found = |(beginning, what): &(&[u8], _)| bytes.starts_with(beginning).then_some(*what);
    match BEGINNINGS.iter().find_map(found) {
        _ if read.is_ok() && bytes.is_empty() => format!("{UNRECOGNISED}: it is empty"),
        Some(what) => format!("{UNRECOGNISED}: {what}"),
        None if bytes.starts_with(ENVELOPE) => SIGNED_RECORD.to_owned(),
        None if is_record(log, &bytes) => {
            "this is a record, not a session log (see `vac inspect` and `vac validate`)".to_owned()
        }
        None => format!("{UNRECOGNISED} (supported: {})", vac::agent_names()),
    }
}

/// Returns whether a file that begins with these bytes is a record.
fn is_record(log: &StoredLog, bytes: &[u8]) -> bool {
    match encoding_of_record(log, false) {
        Ok(Some(Encoding::Json)) => true,
        Ok(Some(Encoding::Cbor)) => cbor_id(bytes).is_some(),
        Ok(None) | Err(_) => false,
    }
}
