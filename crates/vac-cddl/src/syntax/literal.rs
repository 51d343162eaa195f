//! Parses literals.

use data_encoding::{BASE64_NOPAD, HEXLOWER_PERMISSIVE};

use crate::ir::LiteralValue;

/// Returns the length of the string at the start of the text, with both quotes.
pub(super) fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the text between the quotes of a text or byte string.
pub(super) fn text(written: &str) -> Result<String, String> {
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (c, length) = escape(&rest[at..])?;
        text.push(c);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Ok(text)
}

/// Returns the character that an escape means, and the length of the escape.
fn escape(written: &str) -> Result<(char, usize), String> {
    let unknown = || {
        let shown: String = written.chars().take(2).collect();
        format!("`{shown}` is not an escape of CDDL")
    };
    let c = match written.chars().nth(1).ok_or_else(unknown)? {
        c @ ('"' | '\'' | '\\' | '/') => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return code_point(written).ok_or_else(|| "this `\\u` is not a character".into()),
        _ => return Err(unknown()),
    };
    Ok((c, 2))
}

/// Parses `\u00e4`, `\ud83d\ude00` or `\u{1f600}`.
fn code_point(written: &str) -> Option<(char, usize)> {
    if let Some(braced) = written.strip_prefix("\\u{") {
        let end = braced.find('}')?;
        let code = hexadecimal(&braced[..end])?;
        return Some((char::from_u32(code)?, 3 + end + 1));
    }
    let unit = |at: usize| hexadecimal(written.get(at..at + 4)?);
    let first = unit(2)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first)?, 6));
    }
    let second = (written.get(6..8)? == "\\u").then(|| unit(8))??;
    let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    let code = 0x10000 + ((first - 0xD800) << 10) + low;
    Some((char::from_u32(code)?, 12))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let all_digits = digits.chars().all(|c| c.is_ascii_hexdigit());
    all_digits.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Returns the bytes between the quotes of a byte string with this prefix.
pub(super) fn bytes(prefix: &str, written: &str) -> Result<Vec<u8>, String> {
    // Spaces and comments do not count (RFC 8610 section 3.1).
    let dense = || -> String {
        let lines = written.split('\n').map(|line| line.split(';').next().unwrap_or(line));
        lines.flat_map(str::chars).filter(|c| !c.is_ascii_whitespace()).collect()
    };
    match prefix.to_ascii_lowercase().as_str() {
        "" => Ok(text(&written.replace("\r\n", "\n"))?.into_bytes()),
        "h" => HEXLOWER_PERMISSIVE
            .decode(dense().as_bytes())
            .map_err(|_| "this byte string is not hexadecimal".into()),
        "b64" => {
            let classic = dense().replace('-', "+").replace('_', "/");
            BASE64_NOPAD
                .decode(classic.trim_end_matches('=').as_bytes())
                .map_err(|_| "this byte string is not base64".into())
        }
        _ => Err(format!("there are no byte strings of the form {prefix}'...'")),
    }
}

/// Returns the number at the start of the text, and its length.
pub(super) fn number(text: &str) -> Result<(LiteralValue, usize), String> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let (radix, prefix) = radix(unsigned);
    let digits = digits_at(unsigned, prefix, radix);
    let end = prefix + digits.len();
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
        return Err("a number cannot start with 0".into());
    }

    let (value, length) = match radix {
        10 => decimal_float(unsigned, end)?,
        16 => hexadecimal_float(unsigned, digits, end)?,
        _ => None,
    }
    .map_or_else(|| Ok((integer(digits, radix, sign > 0)?, end)), Ok::<_, String>)?;
    let value = match value {
        LiteralValue::Float(float) if sign > 0 => LiteralValue::Float(-float),
        other => other,
    };
    Ok((value, sign + length))
}

/// Returns the unsigned integer at the start of the text, and its length.
pub(super) fn unsigned(text: &str) -> Result<(u64, usize), String> {
    let (radix, prefix) = radix(text);
    let digits = digits_at(text, prefix, radix);
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
        return Err("a number cannot start with 0".into());
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) => Ok((value, prefix + digits.len())),
        Err(_) => Err("this number is larger than 2^64 - 1".into()),
    }
}

/// Returns the radix of the digits, and the length of the prefix that states it.
fn radix(unsigned: &str) -> (u32, usize) {
    match unsigned.as_bytes() {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, 2),
        [b'0', b'b' | b'B', b'0' | b'1', ..] => (2, 2),
        _ => (10, 0),
    }
}

fn integer(digits: &str, radix: u32, negative: bool) -> Result<LiteralValue, String> {
    let magnitude = i128::from_str_radix(digits, radix).ok();
    let value = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
    value
        .filter(|value| (-(1 << 64)..1 << 64).contains(value))
        .map(LiteralValue::Integer)
        .ok_or_else(|| "this integer is outside of -2^64 to 2^64 - 1".into())
}

/// Parses `1.5`, `1e3` or `1.5e-3`; `end` is where its integer part ends.
fn decimal_float(text: &str, end: usize) -> Result<Option<(LiteralValue, usize)>, String> {
    let mut length = end;
    if text[length..].starts_with('.') {
        let fraction = digits_at(text, length + 1, 10).len();
        length += if fraction > 0 { 1 + fraction } else { 0 };
    }
    let mantissa = &text[..length];
    length += exponent_length(&text[length..], 'e');
    if length == end {
        return Ok(None);
    }
    let value: f64 = text[..length].parse().map_err(|_| "this is not a float")?;
    let is_zero = !mantissa.contains(|c: char| matches!(c, '1'..='9'));
    if value.is_infinite() {
        return Err("this float is too large: no 64 bits hold it".into());
    }
    if value == 0.0 && !is_zero {
        return Err("this float is too small: in 64 bits it would be 0".into());
    }
    Ok(Some((LiteralValue::Float(value), length)))
}

/// Parses `0x1.8p3`; `end` is where its integer part ends.
fn hexadecimal_float(
    text: &str,
    whole: &str,
    end: usize,
) -> Result<Option<(LiteralValue, usize)>, String> {
    let dot = usize::from(text[end..].starts_with('.'));
    let fraction = if dot == 1 { digits_at(text, end + 1, 16) } else { "" };
    let mantissa_end = end + dot + fraction.len();
    let exponent = exponent_length(&text[mantissa_end..], 'p');
    if exponent == 0 || (dot == 1 && fraction.is_empty()) {
        return Ok(None);
    }
    let length = mantissa_end + exponent;
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok();
    let power = text[mantissa_end + 1..length].parse::<i32>().ok();
    // 53 bits and small exponents are exact. Schemas do not use more.
    let exact = mantissa.filter(|m| *m < 1 << 53).zip(power.filter(|p| p.abs() < 1000));
    let (mantissa, power) = exact.ok_or("this hexadecimal float is too long")?;
    let shift =
        i32::try_from(4 * fraction.len()).map_err(|_| "this hexadecimal float is too long")?;
    #[expect(clippy::cast_precision_loss, reason = "it has no more than 53 bits")]
    let value = mantissa as f64 * 2f64.powi(power - shift);
    Ok(Some((LiteralValue::Float(value), length)))
}

/// Returns the length of an exponent at the start of the text.
fn exponent_length(text: &str, letter: char) -> usize {
    if !text.starts_with([letter, letter.to_ascii_uppercase()]) {
        return 0;
    }
    let sign = usize::from(text[1..].starts_with(['+', '-']));
    match digits_at(text, 1 + sign, 10).len() {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

fn digits_at(text: &str, start: usize, radix: u32) -> &str {
    let rest = &text[start..];
    &rest[..rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len())]
}
