//! Parses one JSON value strictly, as events. The parser does not recurse, because a log may nest
//! to any depth.

use std::borrow::Cow;

use super::leaf::{Leaf, normalize_number};
use super::path::PathStep;

/// A part of a value.
#[derive(Debug)]
pub enum ValuePart<'v, 'a> {
    /// A scalar.
    Leaf(Leaf<'a>),
    /// The beginning of an object or array.
    Begin {
        /// Whether it is an object.
        is_object: bool,
    },
    /// The end of an object or array.
    End {
        /// The digests of the keys of an object, in order.
        keys: &'v [u64],
    },
}

/// An object or array that is being read.
struct Open {
    is_object: bool,
    keys: Vec<u64>,
    count: usize,
}

/// Parses the value at the beginning of the bytes, and passes its parts to `show`. Returns the
/// position of its end, or `None` if it is not JSON, in which case the parts are meaningless.
pub fn read<'a>(
    bytes: &'a [u8],
    show: &mut dyn FnMut(&[PathStep<'a>], ValuePart<'_, 'a>),
) -> Option<usize> {
    let mut at = 0;
    let mut path: Vec<PathStep<'a>> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    loop {
        // A value is expected here.
        at = skip_space(bytes, at);
        let is_object = bytes.get(at) == Some(&b'{');
        if is_object || bytes.get(at) == Some(&b'[') {
            show(&path, ValuePart::Begin { is_object });
            open.push(Open { is_object, keys: Vec::new(), count: 0 });
            at += 1;
        } else {
            let (leaf, end) = scalar(bytes, at)?;
            show(&path, ValuePart::Leaf(leaf));
            at = end;
            if open.is_empty() {
                return Some(at);
            }
            path.pop();
        }
        // After an opening bracket or a value: go to the next value.
        loop {
            let inside = open.last_mut()?;
            at = skip_space(bytes, at);
            let closing = if inside.is_object { b'}' } else { b']' };
            if bytes.get(at) == Some(&closing) {
                at += 1;
                show(&path, ValuePart::End { keys: &inside.keys });
                open.pop();
                if open.is_empty() {
                    return Some(at);
                }
                path.pop();
                continue;
            }
            if inside.count > 0 {
                if bytes.get(at) != Some(&b',') {
                    return None;
                }
                at = skip_space(bytes, at + 1);
            }
            if inside.is_object {
                let (key, end) = text(bytes, at)?;
                at = skip_space(bytes, end);
                if bytes.get(at) != Some(&b':') {
                    return None;
                }
                at += 1;
                inside.keys.push(Leaf::Text(Cow::Borrowed(&key)).digest());
                path.push(PathStep::Key(key));
            } else {
                path.push(PathStep::Element(inside.count));
            }
            inside.count += 1;
            break;
        }
    }
}

/// Returns the position after white space.
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    at + rest.iter().take_while(|byte| is_space(byte)).count()
}

fn scalar(bytes: &[u8], at: usize) -> Option<(Leaf<'_>, usize)> {
    if bytes.get(at) == Some(&b'"') {
        let (text, end) = text(bytes, at)?;
        return Some((Leaf::Text(text), end));
    }
    let rest = bytes.get(at..)?;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let length = rest.iter().take_while(|byte| is_word(byte)).count();
    Some((word(&rest[..length])?, at + length))
}

/// Parses a scalar that is not text.
pub(super) fn word(word: &[u8]) -> Option<Leaf<'_>> {
    match word {
        b"null" => Some(Leaf::Null),
        b"true" => Some(Leaf::Bool(true)),
        b"false" => Some(Leaf::Bool(false)),
        number if is_number(number) => {
            Some(Leaf::Number(normalize_number(std::str::from_utf8(number).ok()?)))
        }
        _ => None,
    }
}

fn is_number(token: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = token.strip_prefix(b"-").unwrap_or(token);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', rest @ ..] => rest,
            _ => exponent,
        };
        let length = digits(exponent);
        return length > 0 && length == exponent.len();
    }
    rest.is_empty()
}

/// Decodes the text that begins at a position, and returns it with the position of its end.
pub(super) fn text(bytes: &[u8], at: usize) -> Option<(Cow<'_, [u8]>, usize)> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let start = at + 1;
    let mut end = start;
    let mut is_plain = true;
    loop {
        let rest = &bytes[end..];
        end += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        match bytes[end] {
            b'"' => break,
            b'\\' => {
                is_plain = false;
                end += 2;
                if end > bytes.len() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let inside = &bytes[start..end];
    std::str::from_utf8(inside).ok()?;
    let text = if is_plain { Cow::Borrowed(inside) } else { Cow::Owned(unescaped(inside)?) };
    Some((text, end + 1))
}

fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        let escape = *rest.get(at + 1)?;
        rest = &rest[at + 2..];
        out.push(match escape {
            b'"' | b'\\' | b'/' => escape,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut code = hex(rest)?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&code)
                    && let Some(after) = rest.strip_prefix(b"\\u")
                    && let Some(low @ 0xdc00..0xe000) = hex(after)
                {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    rest = &after[4..];
                }
                push(&mut out, code);
                continue;
            }
            _ => return None,
        });
    }
    out.extend_from_slice(rest);
    Some(out)
}

fn hex(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Appends a code point in UTF-8. A lone surrogate is encoded as if it were a character.
fn push(out: &mut Vec<u8>, code: u32) {
    if let Some(character) = char::from_u32(code) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    let low_bits = |shift: u32| (code >> shift & 0x3f) as u8;
    out.extend_from_slice(&[0xe0 | low_bits(12), 0x80 | low_bits(6), 0x80 | low_bits(0)]);
}

#[cfg(test)]
mod tests {
    use super::{ValuePart, read};
    use crate::native::{Leaf, path_text};

    fn leaves(text: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let end = read(text.as_bytes(), &mut |path, event| {
            if let ValuePart::Leaf(leaf) = event {
                found.push(format!("{} {}", path_text(path), leaf.excerpt()));
            }
        })?;
        assert_eq!(end, text.len());
        Some(found)
    }

    #[test]
    fn scalars_have_their_paths() {
        let text = r#"{"a": [1, [], {"b": "x\ny"}, {}], "c": null, "a": [[true]], "d": -1.5E3}"#;
        let found = leaves(text).expect("JSON");
        let expected = ["a[0] 1", "a[2].b \"x\ny\"", "c null", "a[0][0] true", "d -15e2"];
        assert_eq!(found, expected);
    }

    #[test]
    fn invalid_json_is_rejected() {
        for text in [
            "",
            "{",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "01",
            "1.",
            "1e",
            "+1",
            "nul",
            "\"\\x\"",
            "\"\\u12\"",
            "\"a",
            "\"a\nb\"",
            "]",
            "{]",
            "[}",
            "\"\\",
        ] {
            assert_eq!(leaves(text), None, "{text}");
        }
    }

    #[test]
    fn lone_surrogates_differ_from_each_other() {
        let leaf = |text: &'static str| {
            let mut found = 0;
            read(text.as_bytes(), &mut |_, event| {
                if let ValuePart::Leaf(leaf) = event {
                    found = leaf.digest();
                }
            });
            found
        };
        assert_ne!(leaf(r#""\ud800""#), leaf(r#""\ud801""#));
        assert_ne!(leaf(r#""\ud800""#), leaf(r#""\ufffd""#));
        assert_eq!(leaf(r#""\uD83d\uDe00""#), leaf("\"😀\""));
        assert_eq!(leaf(r#""\ud800""#), leaf(r#""\uD800""#));
        assert_ne!(Leaf::Null.digest(), Leaf::Bool(false).digest());
    }

    #[test]
    fn deep_nesting_is_read() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(leaves(&deep), Some(Vec::new()));
    }
}
