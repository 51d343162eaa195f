//! Exact numbers.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use num_bigint::{BigInt, BigUint, Sign};

use crate::document::Document;
use crate::{IntoOwned, Value};

/// The maximum number of digits of a number that is converted between the encodings. Longer ones
/// are kept as text, because the conversion takes quadratic time.
const MAX_DIGITS: usize = 4096;

/// An exact number: an integer, a double, or a decimal that no double equals.
///
/// Numbers are equal if they have the same value and are both integers or both floats: `1` and
/// `1.0` differ, as they do in CBOR. Floats are compared bit for bit, so that `0.0` and `-0.0`
/// differ and a NaN equals a NaN with the same payload.
///
/// ```
/// use vac_value::{Encode, Number};
///
/// let price: Number = "0.1234567890123456789012345678".parse()?;
/// assert!(matches!(price, Number::Decimal(_)));
/// assert_eq!(price.to_json()?, "0.1234567890123456789012345678");
/// assert_eq!("1e2".parse::<Number>()?, Number::Float(100.0));
/// assert!("}oops{".parse::<Number>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Number<'a> {
    /// An integer. Parsed numbers are integers from -2^64 to 2^64 - 1. An integer outside of that
    /// range is written to CBOR as a bignum.
    Integer(i128),
    /// A double.
    Float(f64),
    /// A JSON number that no double equals, such as `1e400` or a fraction of 28 digits.
    Decimal(Decimal<'a>),
}

/// The text of a JSON number with a fraction or an exponent that no double equals.
///
/// It is created by parsing a [`Number`]. Two decimals are equal if they have the same value:
/// `1e400` equals `10e399`.
#[derive(Clone, Debug)]
pub struct Decimal<'a>(Cow<'a, str>);

impl Decimal<'_> {
    /// Returns the token, as in the source.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || match (DecimalParts::parse(&self.0), DecimalParts::parse(&other.0)) {
                (Some(one), Some(other)) => one == other,
                _ => false,
            }
    }
}

impl Eq for Decimal<'_> {}

impl Hash for Decimal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match DecimalParts::parse(&self.0) {
            Some(parts) => parts.hash(state),
            None => self.0.hash(state),
        }
    }
}

/// The reason why a text cannot be parsed as a [`Number`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The text is not a JSON number.
    Syntax,
    /// The text is an integer outside of -2^64 to 2^64 - 1. [`crate::Any`] can hold it.
    OutOfRange,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "not a JSON number",
            Self::OutOfRange => "an integer outside of -2^64 to 2^64 - 1",
        })
    }
}

impl std::error::Error for NumberError {}

impl<'a> Number<'a> {
    /// Parses a JSON number. The text must not contain anything else, not even white space.
    pub fn parse(text: &'a str) -> Result<Self, NumberError> {
        let document = Document::json(text.as_bytes()).map_err(|_| NumberError::Syntax)?;
        let node = document.root();
        match node.value() {
            _ if node.raw().len() != text.len() => Err(NumberError::Syntax),
            Value::Integer(integer) => Ok(Self::Integer(integer)),
            Value::Float(_) => Ok(Self::from_token(text)),
            Value::BigInteger(_) => Err(NumberError::OutOfRange),
            _ => Err(NumberError::Syntax),
        }
    }

    /// Parses a JSON token of the kind `Float`.
    pub(crate) fn from_token(token: &'a str) -> Self {
        match token.parse::<f64>() {
            Ok(float) if float.is_finite() && is_same_decimal(token, float) => Self::Float(float),
            _ => Self::Decimal(Decimal(Cow::Borrowed(token))),
        }
    }

    /// Returns the integer, if this is one.
    pub fn integer(&self) -> Option<i128> {
        match self {
            Self::Integer(integer) => Some(*integer),
            Self::Float(_) | Self::Decimal(_) => None,
        }
    }

    /// Returns the nearest double.
    #[allow(clippy::cast_precision_loss)] // the nearest double is wanted
    #[allow(clippy::missing_panics_doc)] // every JSON number can be parsed
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Integer(integer) => *integer as f64,
            Self::Float(float) => *float,
            Self::Decimal(decimal) => {
                decimal.0.parse().expect("every JSON number can be parsed as a double")
            }
        }
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one.to_bits() == other.to_bits(),
            (Self::Decimal(one), Self::Decimal(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Number<'_> {}

impl Hash for Number<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Integer(integer) => integer.hash(state),
            Self::Float(float) => float.to_bits().hash(state),
            Self::Decimal(decimal) => decimal.hash(state),
        }
    }
}

impl<'a> TryFrom<&'a str> for Number<'a> {
    type Error = NumberError;

    fn try_from(text: &'a str) -> Result<Self, NumberError> {
        Self::parse(text)
    }
}

impl FromStr for Number<'_> {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        Number::parse(text).map(IntoOwned::into_owned)
    }
}

/// Implements `From` for integers that a [`Number`] can hold.
macro_rules! from_integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Number<'_> {
            fn from(value: $type) -> Self {
                Self::Integer(i128::from(value))
            }
        }
    )*};
}

from_integers!(u8, u16, u32, u64, i8, i16, i32, i64);

impl From<f32> for Number<'_> {
    fn from(value: f32) -> Self {
        Self::Float(value.into())
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
            Self::Decimal(decimal) => f.write_str(&decimal.0),
        }
    }
}

impl IntoOwned for Number<'_> {
    type Owned = Number<'static>;

    fn into_owned(self) -> Self::Owned {
        match self {
            Self::Integer(integer) => Number::Integer(integer),
            Self::Float(float) => Number::Float(float),
            Self::Decimal(decimal) => Number::Decimal(Decimal(Cow::Owned(decimal.0.into_owned()))),
        }
    }
}

/// Writes the fewest digits that identify a finite double. Of two candidates that are equally
/// short and equally near, the one with an even last digit is chosen, as in JavaScript and
/// Python, in which most agents are written. (The standard library chooses the greater one.) The
/// result has a point or an exponent, so that it is parsed as a float.
pub(crate) fn shortest(float: f64) -> String {
    let mut buffer = ryu_js::Buffer::new();
    let digits = buffer.format_finite(float.abs());
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let fraction = if digits.contains(['.', 'e']) { "" } else { ".0" };
    format!("{sign}{digits}{fraction}")
}

/// Returns whether the shortest decimal that identifies the double has the token's value.
fn is_same_decimal(token: &str, float: f64) -> bool {
    match (DecimalParts::parse(token), DecimalParts::parse(&shortest(float))) {
        (Some(written), Some(nearest)) => written == nearest,
        _ => false,
    }
}

/// A decimal number: `digits` times ten to the power of `exponent`. The digits neither begin
/// nor end with a zero; the number zero has no digits.
#[derive(Debug, PartialEq, Hash)]
pub(crate) struct DecimalParts {
    pub negative: bool,
    pub digits: Vec<u8>,
    pub exponent: i64,
}

impl DecimalParts {
    /// Splits a JSON number; `None` if its exponent does not fit.
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

    /// Returns the digits with their sign as an integer; `None` if there are too many.
    pub fn mantissa(&self) -> Option<BigInt> {
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        big_uint(&self.digits).map(|magnitude| BigInt::from_biguint(sign, magnitude))
    }
}

/// Parses an integer token; `None` if it has too many digits.
pub(crate) fn big_integer(token: &str) -> Option<BigInt> {
    let digits = token.trim_start_matches('-');
    let sign = if digits.len() < token.len() { Sign::Minus } else { Sign::Plus };
    big_uint(digits.as_bytes()).map(|magnitude| BigInt::from_biguint(sign, magnitude))
}

fn big_uint(digits: &[u8]) -> Option<BigUint> {
    if digits.len() > MAX_DIGITS {
        return None;
    }
    BigUint::parse_bytes(digits, 10)
}

/// Returns the decimal digits of a CBOR bignum; `None` if it has too many bytes.
pub(crate) fn bignum_digits(negative: bool, magnitude: &[u8]) -> Option<String> {
    if magnitude.len() > MAX_DIGITS / 2 {
        return None;
    }
    let value = BigUint::from_bytes_be(magnitude);
    Some(if negative { format!("-{}", value + 1u8) } else { value.to_string() })
}
