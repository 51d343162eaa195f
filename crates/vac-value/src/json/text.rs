//! JSON text and its escapes.

/// The characters behind the escapes of a token's inside, which has been
/// scanned. UTF-8, but for lone surrogates, which come out as three bytes of the
/// same pattern so that different texts stay different.
pub(crate) fn unescape(inner: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at..];
        let (code, length) = match escape.as_bytes().get(1) {
            Some(b'u') => unicode_escape(escape),
            Some(b'b') => (0x08, 2),
            Some(b'f') => (0x0c, 2),
            Some(b'n') => (0x0a, 2),
            Some(b'r') => (0x0d, 2),
            Some(b't') => (0x09, 2),
            Some(other) => (u32::from(*other), 2),
            None => return text,
        };
        push_code(code, &mut text);
        rest = escape.get(length..).unwrap_or_default();
    }
    text.extend_from_slice(rest.as_bytes());
    text
}

fn unicode_escape(escape: &str) -> (u32, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
            (0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12)
        }
        (code, _) => (code.unwrap_or(0xfffd), 6),
    }
}

#[allow(clippy::cast_possible_truncation)] // masked to a byte
fn push_code(code: u32, text: &mut Vec<u8>) {
    if let Some(character) = char::from_u32(code) {
        let mut buffer = [0; 4];
        text.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
    } else {
        let byte = |shift: u32, mask: u32| (code >> shift & mask) as u8;
        text.extend_from_slice(&[0xe0 | byte(12, 15), 0x80 | byte(6, 63), 0x80 | byte(0, 63)]);
    }
}

/// Writes text in quotes, escaping what JSON wants escaped and nothing else.
pub(crate) fn push_text(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.push(b'"');
    let mut plain = 0;
    loop {
        let at = super::end_of_plain(bytes, plain);
        out.extend_from_slice(&bytes[plain..at]);
        let Some(&byte) = bytes.get(at) else { break };
        plain = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
        }
    }
    out.push(b'"');
}
