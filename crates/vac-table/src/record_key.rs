//! Computes the key that joins the tables.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use vac_adapter::SourceFile;

/// The number of bytes of the hash that are used as the key.
const LENGTH: usize = 16;

/// Returns the key of a session: the first 16 bytes of a SHA-256, in hexadecimal.
///
/// The hash covers the session's id and the SHA-256 of each source, in order and in hexadecimal. A
/// record that does not state its sources is its own source. Each of these texts is preceded by its
/// length in bytes, as eight bytes with the most significant first.
///
/// A log and its record have the same key. A session that has grown has another key.
///
/// ```
/// use vac_adapter::SourceFile;
/// use vac_table::record_key;
///
/// let source = |sha_256: &str| SourceFile { name: "a".into(), size: 1, sha_256: sha_256.into() };
/// let key = record_key("s1", &[source("r1")], None);
/// assert_eq!(key, "c138c87e23f7cb32d535427542c81f30");
/// assert_eq!(key, record_key("s1", &[], Some("r1")));
/// ```
pub fn record_key(session_id: &str, sources: &[SourceFile], record_sha256: Option<&str>) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    };
    add(session_id);
    for source in sources {
        add(&source.sha_256);
    }
    if let Some(record) = record_sha256.filter(|_| sources.is_empty()) {
        add(record);
    }
    HEXLOWER.encode(&hash.finalize()[..LENGTH])
}
