//! JSON text and its escapes.

/// Decodes the escapes of a scanned token without its quotes. The result is UTF-8, except that a
/// lone surrogate becomes three bytes of the same pattern, so that different texts stay
/// different.
pub(crate) fn unescape(inner: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(inner.len());
    let bytes = inner.as_bytes();
    let mut plain = 0;
    while let Some(at) = copy_to_backslash(bytes, plain, &mut text) {
        plain = at + 2;
        match bytes.get(at + 1) {
            Some(b'n') => text.push(b'\n'),
            Some(b't') => text.push(b'\t'),
            Some(b'r') => text.push(b'\r'),
            Some(b'b') => text.push(0x08),
            Some(b'f') => text.push(0x0c),
            Some(b'u') => {
                let (code, length) = unicode_escape(&inner[at..]);
                push_code(code, &mut text);
                plain = (at + length).min(bytes.len());
            }
            // A quote, a backslash or a slash is escaped as itself.
            Some(other) => text.push(*other),
            None => unreachable!("the scanner has checked the escape"),
        }
    }
    text
}

/// Copies bytes from an offset to the next backslash, and returns the offset of the backslash;
/// `None` if no backslash follows and all bytes have been copied. Whole blocks are copied, because escapes
/// are close to each other in logs: this is faster than copying only the bytes before the
/// backslash.
#[inline]
fn copy_to_backslash(bytes: &[u8], mut at: usize, text: &mut Vec<u8>) -> Option<usize> {
    while let Some(block) = bytes.get(at..)?.first_chunk() {
        text.extend_from_slice(block);
        let plain = super::first_backslash(*block);
        if plain < block.len() {
            text.truncate(text.len() - (block.len() - plain));
            return Some(at + plain);
        }
        at += block.len();
    }
    let rest = &bytes[at..];
    let plain = rest.iter().position(|byte| *byte == b'\\');
    text.extend_from_slice(&rest[..plain.unwrap_or(rest.len())]);
    plain.map(|plain| at + plain)
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
        (code, _) => (code.expect("the scanner has checked the digits"), 6),
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

/// Writes text in quotes. Escapes what JSON requires and nothing else, and returns whether there
/// was anything to escape.
pub(crate) fn push_text(text: &str, out: &mut Vec<u8>) -> bool {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut plain = 0;
    let mut escaped = false;
    loop {
        let at = super::end_of_plain(bytes, plain);
        out.extend_from_slice(&bytes[plain..at]);
        let Some(&byte) = bytes.get(at) else { break };
        plain = at + 1;
        escaped = true;
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
    escaped
}

/// Writes an integer in decimal digits.
#[allow(clippy::cast_possible_truncation)] // one digit
pub(crate) fn push_integer(value: i128, out: &mut Vec<u8>) {
    let Ok(mut rest) = u64::try_from(value) else {
        out.extend_from_slice(value.to_string().as_bytes());
        return;
    };
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_at_every_offset() {
        for before in 0..40 {
            for after in 0..40 {
                let (before, after) = ("a".repeat(before), "ö".repeat(after));
                let inner = format!("{before}\\n\\u00e9\\\\{after}\\ud83d\\ude00\\/{before}");
                let expected = format!("{before}\né\\{after}\u{1f600}/{before}");
                assert_eq!(String::from_utf8(unescape(&inner)).unwrap(), expected);
            }
        }
    }

    #[test]
    fn integers_are_written_in_decimal() {
        let values = [0, 1, 9, 10, 99, 12_345, i128::from(u64::MAX), 1 << 64, -1, -(1 << 70)];
        for value in values {
            let mut out = Vec::new();
            push_integer(value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }
}
