//! Exact numbers.

use std::borrow::Cow;
use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};

use crate::IntoOwned;

/// Digits beyond which a number is carried as text but not converted between
/// the encodings, because that takes time quadratic in them.
const MOST_DIGITS: usize = 4096;

/// A number that keeps its value.
#[derive(Clone, Debug, PartialEq)]
pub enum Number<'a> {
    /// An integer of -2^64 to 2^64 - 1.
    Integer(i128),
    /// A double.
    Float(f64),
    /// The token of a JSON number whose value no double has, such as `1e400`
    /// or one of 28 digits.
    Decimal(Cow<'a, str>),
}

impl<'a> Number<'a> {
    /// The number that a JSON token with a fraction or exponent stands for (or
    /// `-0`).
    pub(crate) fn of_token(token: &'a str) -> Self {
        match token.parse::<f64>() {
            Ok(float) if float.is_finite() && is_same_decimal(token, float) => Self::Float(float),
            _ => Self::Decimal(Cow::Borrowed(token)),
        }
    }

    /// The nearest double.
    #[allow(clippy::cast_precision_loss)] // "nearest" says so
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Integer(integer) => *integer as f64,
            Self::Float(float) => *float,
            Self::Decimal(token) => token.parse().unwrap_or(f64::NAN),
        }
    }
}

impl From<u64> for Number<'_> {
    fn from(value: u64) -> Self {
        Self::Integer(i128::from(value))
    }
}

impl From<f64> for Number<'_> {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Float(float) => write!(f, "{float:?}"),
            Self::Decimal(token) => f.write_str(token),
        }
    }
}

impl IntoOwned for Number<'_> {
    type Owned = Number<'static>;

    fn into_owned(self) -> Self::Owned {
        match self {
            Self::Integer(integer) => Number::Integer(integer),
            Self::Float(float) => Number::Float(float),
            Self::Decimal(token) => Number::Decimal(Cow::Owned(token.into_owned())),
        }
    }
}

/// The fewest digits that name a double: of two that are as few and as near, those that end
/// in an even one, as in JavaScript and Python, which write logs. (The standard library
/// takes the greater.) It has a point or an exponent: the number is no integer.
pub(crate) fn shortest(float: f64) -> String {
    let mut buffer = ryu_js::Buffer::new();
    let digits = buffer.format_finite(float.abs());
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let fraction = if digits.contains(['.', 'e']) { "" } else { ".0" };
    format!("{sign}{digits}{fraction}")
}

/// Whether the shortest decimal that names the double has the token's value.
fn is_same_decimal(token: &str, float: f64) -> bool {
    match (Decimal::parse(token), Decimal::parse(&shortest(float))) {
        (Some(written), Some(nearest)) => written == nearest,
        _ => false,
    }
}

/// A decimal number: `digits` times ten to the `exponent`, without zeros at
/// either end of the digits; zero has none.
#[derive(Debug, PartialEq)]
pub(crate) struct Decimal {
    pub negative: bool,
    pub digits: Vec<u8>,
    pub exponent: i64,
}

impl Decimal {
    /// Reads a JSON number; `None` when its exponent does not fit.
    pub fn parse(token: &str) -> Option<Self> {
        let (mantissa, exponent) = match token.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (token, 0),
        };
        let negative = mantissa.starts_with('-');
        let mantissa = mantissa.trim_start_matches('-');
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let mut exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            exponent = 0;
        }
        Some(Self { negative, digits, exponent })
    }

    /// The digits with their sign as an integer; `None` if there are too many.
    pub fn mantissa(&self) -> Option<BigInt> {
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        big_uint(&self.digits).map(|magnitude| BigInt::from_biguint(sign, magnitude))
    }
}

/// The integer of an integer token; `None` if it has too many digits.
pub(crate) fn big_integer(token: &str) -> Option<BigInt> {
    let digits = token.trim_start_matches('-');
    let sign = if digits.len() < token.len() { Sign::Minus } else { Sign::Plus };
    big_uint(digits.as_bytes()).map(|magnitude| BigInt::from_biguint(sign, magnitude))
}

fn big_uint(digits: &[u8]) -> Option<BigUint> {
    if digits.len() > MOST_DIGITS {
        return None;
    }
    BigUint::parse_bytes(digits, 10)
}

/// The decimal digits of a CBOR bignum; `None` if it has too many bytes.
pub(crate) fn bignum_digits(negative: bool, magnitude: &[u8]) -> Option<String> {
    if magnitude.len() > MOST_DIGITS / 2 {
        return None;
    }
    let value = BigUint::from_bytes_be(magnitude);
    Some(if negative { format!("-{}", value + 1u8) } else { value.to_string() })
}
