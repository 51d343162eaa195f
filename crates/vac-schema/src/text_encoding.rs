//! Decodes text that encodes bytes (RFC 9741 section 2.1).

use std::sync::LazyLock;

use data_encoding::{
    BASE32_NOPAD, BASE32HEX_NOPAD, BASE64, BASE64URL_NOPAD, Encoding, HEXLOWER,
    HEXLOWER_PERMISSIVE, HEXUPPER,
};

/// A way to write bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextEncoding {
    /// `.b64u`: base64url without padding.
    Base64Url,
    /// `.b64u-sloppy`: the same, and unused bits need not be zero.
    Base64UrlSloppy,
    /// `.b64c`: classic base64 with padding.
    Base64,
    /// `.b64c-sloppy`: the same, and unused bits need not be zero.
    Base64Sloppy,
    /// `.b32`: base32 without padding.
    Base32,
    /// `.h32`: base32 with the extended hex alphabet, without padding.
    Base32Hex,
    /// `.hex`: base16 in either case.
    Hex,
    /// `.hexlc`: base16 in lower case.
    HexLower,
    /// `.hexuc`: base16 in upper case.
    HexUpper,
    /// `.b45`: base45 (RFC 9285).
    Base45,
}

/// Returns an encoding that ignores unused bits of the last character.
fn lenient(strict: &Encoding) -> Encoding {
    let mut specification = strict.specification();
    specification.check_trailing_bits = false;
    specification.encoding().expect("only the check for trailing bits has changed")
}

static SLOPPY_BASE64: LazyLock<Encoding> = LazyLock::new(|| lenient(&BASE64));
static SLOPPY_BASE64URL: LazyLock<Encoding> = LazyLock::new(|| lenient(&BASE64URL_NOPAD));

impl TextEncoding {
    /// Returns the name of the encoding, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base64Url | Self::Base64UrlSloppy => "base64url",
            Self::Base64 | Self::Base64Sloppy => "base64",
            Self::Base32 => "base32",
            Self::Base32Hex => "base32hex",
            Self::Hex => "hex",
            Self::HexLower => "lower-case hex",
            Self::HexUpper => "upper-case hex",
            Self::Base45 => "base45",
        }
    }

    /// Decodes a text. `None` if the encoding does not produce it.
    pub(crate) fn decode(self, text: &str) -> Option<Vec<u8>> {
        let encoding: &Encoding = match self {
            Self::Base64Url => &BASE64URL_NOPAD,
            Self::Base64UrlSloppy => &SLOPPY_BASE64URL,
            Self::Base64 => &BASE64,
            Self::Base64Sloppy => &SLOPPY_BASE64,
            Self::Base32 => &BASE32_NOPAD,
            Self::Base32Hex => &BASE32HEX_NOPAD,
            Self::Hex => &HEXLOWER_PERMISSIVE,
            Self::HexLower => &HEXLOWER,
            Self::HexUpper => &HEXUPPER,
            Self::Base45 => return decode_base45(text.as_bytes()),
        };
        // Crate `data-encoding` also accepts several padded texts one after the other.
        if text.find('=').is_some_and(|padding| padding + 2 < text.len()) {
            return None;
        }
        encoding.decode(text.as_bytes()).ok()
    }
}

const BASE45: &[u8; 45] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

/// Decodes base45. Three characters are two bytes, and two characters at the end one byte; the
/// first character is the least significant (RFC 9285 section 4).
fn decode_base45(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |character: &u8| BASE45.iter().position(|it| it == character);
    let mut bytes = Vec::with_capacity(text.len() / 3 * 2 + 1);
    for chunk in text.chunks(3) {
        let mut value = 0;
        for character in chunk.iter().rev() {
            value = value * BASE45.len() + digit(character)?;
        }
        match chunk.len() {
            3 => bytes.extend(u16::try_from(value).ok()?.to_be_bytes()),
            2 => bytes.push(u8::try_from(value).ok()?),
            _ => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::TextEncoding::*;

    #[test]
    fn encodings_decode_what_they_produce_and_nothing_else() {
        for (encoding, text, bytes) in [
            (Base64Url, "", Some(&b""[..])),
            (Base64Url, "-_8", Some(b"\xfb\xff")),
            (Base64Url, "+/8", None),
            (Base64Url, "-_8=", None),
            (Base64Url, "-_9", None),
            (Base64Url, "-", None),
            (Base64Url, "-_ 8", None),
            (Base64UrlSloppy, "-_9", Some(b"\xfb\xff")),
            (Base64UrlSloppy, "-_9=", None),
            (Base64, "+/8=", Some(b"\xfb\xff")),
            (Base64, "+/8", None),
            (Base64, "+/9=", None),
            (Base64, "-_8=", None),
            (Base64, "+w==+w==", None),
            (Base64, "+/8==", None),
            (Base64, "====", None),
            (Base64Sloppy, "+/9=", Some(b"\xfb\xff")),
            (Base64Sloppy, "+/9", None),
            (Base64Sloppy, "+x==+x==", None),
            (Base32, "MZXW6", Some(b"foo")),
            (Base32, "mzxw6", None),
            (Base32, "MZXW6===", None),
            (Base32, "MZXW7", None),
            (Base32Hex, "CPNMU", Some(b"foo")),
            (Base32Hex, "CPNMZ", None),
            (Hex, "aBcD", Some(b"\xab\xcd")),
            (Hex, "abc", None),
            (HexLower, "abcd", Some(b"\xab\xcd")),
            (HexLower, "abCd", None),
            (HexUpper, "ABCD", Some(b"\xab\xcd")),
            (HexUpper, "abCD", None),
            (Base45, "", Some(b"")),
            (Base45, "BB8", Some(b"AB")),
            (Base45, "%69 VD92EX0", Some(b"Hello!!")),
            (Base45, "FGW", Some(b"\xff\xff")),
            (Base45, "GGW", None),
            (Base45, "U5", Some(b"\xff")),
            (Base45, "V5", None),
            (Base45, "B", None),
            (Base45, "bb8", None),
            (Base45, "BB8\u{e9}", None),
        ] {
            assert_eq!(encoding.decode(text).as_deref(), bytes, "{encoding:?} {text}");
        }
    }
}
