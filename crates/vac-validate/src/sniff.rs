//! Which encoding bytes are written in.

use vac_value::Encoding;

/// What the first byte that is no space says: JSON if a JSON value, or a
/// byte-order mark before one, can begin so, and CBOR otherwise.
///
/// The integers and strings of CBOR share some first bytes with JSON. Records
/// are maps and tags, which share none.
///
/// ```
/// use vac_validate::{Encoding, sniff};
///
/// assert_eq!(sniff(b"  {\"id\": 1}"), Encoding::Json);
/// assert_eq!(sniff(&[0xa1, 0x61, 0x61, 0x01]), Encoding::Cbor);
/// ```
pub fn sniff(bytes: &[u8]) -> Encoding {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let start = bytes.iter().position(|byte| !is_space(byte)).unwrap_or(bytes.len());
    match bytes.get(start) {
        None | Some(b'{' | b'[' | b']' | b'}' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
            Encoding::Json
        }
        Some(_) if bytes[start..].starts_with(BYTE_ORDER_MARK) => Encoding::Json,
        Some(_) => Encoding::Cbor,
    }
}
