//! What a file that is not a log probably is, by its first bytes.

use std::io::Read as _;

use vac_adapter::Input as _;
use vac_store::Log;
use vac_value::Encoding;

use crate::sessions::{SIGNED_RECORD, encoding_of_record};

/// How a signed record begins: the tag of `COSE_Sign1` on an array of four.
const ENVELOPE: &[u8] = b"\xd2\x84";

/// How things begin that are taken for logs by mistake, and what they are.
const BEGINNINGS: [(&[u8], &str); 5] = [
    (b"\xff\xfe", "it is UTF-16 or UTF-32, and logs are UTF-8"),
    (b"\xfe\xff", "it is UTF-16, and logs are UTF-8"),
    (b"\x1f\x8b", "it is compressed with gzip"),
    (b"PK\x03\x04", "it is a ZIP archive"),
    (b"SQLite format 3\0", "it is a database without any sessions"),
];

/// Why a log that somebody named is refused.
pub fn reason(log: &Log) -> String {
    let reason = "not a session log of an agent known here";
    match looks_like(log) {
        Some(what) => format!("{reason}: {what}"),
        None => reason.to_owned(),
    }
}

fn looks_like(log: &Log) -> Option<&'static str> {
    let mut bytes = Vec::new();
    log.unread().open().ok()?.take(16).read_to_end(&mut bytes).ok()?;
    if bytes.is_empty() {
        return Some("it is empty");
    }
    // In CBOR, a first byte is not enough to say so.
    if let Ok(Some(Encoding::Json)) = encoding_of_record(log, false) {
        return Some("it is a record already");
    }
    if bytes.starts_with(ENVELOPE) {
        return Some(SIGNED_RECORD);
    }
    BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning)).map(|(_, what)| *what)
}
