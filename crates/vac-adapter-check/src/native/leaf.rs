//! Compares scalars by value.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// A scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leaf<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number in the form of [`normalize_number`], which keeps the exact value.
    Number(Cow<'a, str>),
    /// A text in UTF-8, with lone surrogates encoded as if they were characters.
    Text(Cow<'a, [u8]>),
    /// Bytes that are not a scalar.
    Garbage(&'a [u8]),
}

impl Leaf<'_> {
    /// Returns a hash of the value, to count it in a multiset.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns a count as a scalar.
    pub fn count(count: usize) -> Leaf<'static> {
        Leaf::Number(normalize_number(&count.to_string()).into_owned().into())
    }

    /// Returns the beginning of the value, for messages.
    pub fn excerpt(&self) -> String {
        let (bytes, quote) = match self {
            Leaf::Null => (&b"null"[..], ""),
            Leaf::Bool(value) => (if *value { &b"true"[..] } else { b"false" }, ""),
            Leaf::Number(value) => (value.as_bytes(), ""),
            Leaf::Text(text) => (&**text, "\""),
            Leaf::Garbage(bytes) => (*bytes, ""),
        };
        let text: String = String::from_utf8_lossy(bytes).chars().take(80).collect();
        format!("{quote}{text}{quote}")
    }
}

/// Returns the token of a number in a normal form, which is the same for equal numbers: the digits
/// without leading and trailing zeros, and the power of ten. An integer without trailing zeros is
/// not changed.
pub fn normalize_number(token: &str) -> Cow<'_, str> {
    let is_plain = token.bytes().all(|byte| byte.is_ascii_digit()) && !token.ends_with('0');
    if is_plain {
        return Cow::Borrowed(token);
    }
    let (number, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let Ok(exponent) = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i64>() else {
        return Cow::Borrowed(token);
    };
    let (sign, number) = match number.strip_prefix('-') {
        Some(number) => ("-", number),
        None => ("", number),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).unwrap_or_default();
    let places = i64::try_from(fraction.len()).unwrap_or_default();
    let power = exponent.saturating_sub(places).saturating_add(zeros);
    Cow::Owned(match significant.trim_start_matches('0') {
        "" => format!("{sign}0"),
        digits if power == 0 => format!("{sign}{digits}"),
        digits => format!("{sign}{digits}e{power}"),
    })
}

#[cfg(test)]
mod tests {
    use super::normalize_number;

    #[test]
    fn numbers_are_equal_by_value() {
        for (one, other) in [
            ("1", "1.0"),
            ("150", "1.5e2"),
            ("150", "15E+1"),
            ("0.001", "1e-3"),
            ("18446744073709551617", "18446744073709551617.0"),
            ("-0.0", "-0"),
            ("0", "0e9"),
        ] {
            assert_eq!(normalize_number(one), normalize_number(other));
        }
        for (one, other) in [("1", "10"), ("1e400", "1e401"), ("0", "-0"), ("0.1", "0.01")] {
            assert_ne!(normalize_number(one), normalize_number(other));
        }
    }
}
