//! Guesses the encoding of bytes.

use vac_value::Encoding;

/// Returns the encoding guessed from the first non-whitespace byte: JSON if a JSON value or a
/// byte-order mark can begin with it, otherwise CBOR.
///
/// CBOR integers and strings share some first bytes with JSON. Records are maps and tags, which
/// share none.
///
/// ```
/// use vac_validate::{Encoding, detect_encoding};
///
/// assert_eq!(detect_encoding(b"  {\"id\": 1}"), Encoding::Json);
/// assert_eq!(detect_encoding(&[0xa1, 0x61, 0x61, 0x01]), Encoding::Cbor);
/// ```
pub fn detect_encoding(bytes: &[u8]) -> Encoding {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_guessed_from_the_first_byte() {
        for text in
            ["", " \r\n\t", "\u{feff}{}", " \u{feff}[]", "[", "\"", "-1", "0", "true", "nul"]
        {
            assert_eq!(detect_encoding(text.as_bytes()), Encoding::Json, "{text:?}");
        }
        for bytes in [&b"\xa0"[..], b"\xd2\x84", b"\xbf", b"\x80", b"\xf6", b"\xef\xbb", b"x"] {
            assert_eq!(detect_encoding(bytes), Encoding::Cbor, "{bytes:02x?}");
        }
    }
}
