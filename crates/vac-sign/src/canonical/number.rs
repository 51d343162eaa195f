//! Formats numbers as JavaScript and Python do.

use std::fmt::Write as _;

use vac_value::{Kind, Node, Number};

use super::Form;

/// The number of significant digits that are enough for every double.
const MAX_DIGITS: usize = 17;

/// Returns the canonical form of a number. The error states why it has none.
pub(super) fn canonical(node: Node<'_, '_>, form: Form) -> Result<String, &'static str> {
    let token = std::str::from_utf8(node.raw()).expect("JSON is UTF-8");
    match (form, node.kind()) {
        (Form::Rfc8785, Kind::Float) => fraction(node, token),
        (Form::Rfc8785, _) => integer(token),
        // Python keeps integers of any size.
        (Form::Sorted, Kind::Float) => format_as_python(token),
        (Form::Sorted, _) => Ok(token.to_owned()),
    }
}

/// Formats an integer as a double. Fails if that would change the number.
fn integer(token: &str) -> Result<String, &'static str> {
    let shortest = Shortest::new(double(token)?);
    let digits = token.trim_start_matches('-');
    let same = digits == "0"
        || digits.trim_end_matches('0') == shortest.digits
            && i32::try_from(digits.len()) == Ok(shortest.point);
    if same { Ok(shortest.javascript()) } else { Err("a double would change this integer") }
}

/// Formats a number with a fraction or an exponent. RFC 8785 rounds to the nearest double,
/// which does not change a number that has no more digits than doubles have.
fn fraction(node: Node<'_, '_>, token: &str) -> Result<String, &'static str> {
    let double = double(token)?;
    let exact = matches!(node.number(), Some(Number::Float(_)));
    let is_rounded = double.is_normal() && significant_digits(token) <= MAX_DIGITS;
    if exact || is_rounded {
        Ok(Shortest::new(double).javascript())
    } else {
        Err("a double would change this number")
    }
}

/// Formats a number with a fraction or an exponent as Python does. The token has to be the
/// shortest one for its double, in a notation that common encoders use: otherwise the signed
/// text would differ from the text of the record.
fn format_as_python(token: &str) -> Result<String, &'static str> {
    let shortest = Shortest::new(double(token)?);
    let is_usual = token == shortest.python() || shortest.is_usual(token);
    if is_usual { Ok(shortest.python()) } else { Err("this number is not in its shortest form") }
}

fn double(token: &str) -> Result<f64, &'static str> {
    match token.parse::<f64>() {
        Ok(double) if double.is_finite() => Ok(double),
        _ => Err("this number is beyond the range of a double"),
    }
}

fn significant_digits(token: &str) -> usize {
    let mantissa = token.split_once(['e', 'E']).map_or(token, |(mantissa, _)| mantissa);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// The fewest digits that identify a double: `0.digits` times ten to the power of `point`.
/// Zero has no digits.
struct Shortest {
    negative: bool,
    digits: String,
    point: i32,
}

impl Shortest {
    fn new(double: f64) -> Self {
        // Of two candidates that are equally short and equally near, this chooses the even one;
        // the standard library chooses the other.
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format_finite(double.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let zeros = all.len() - digits.len();
        let count = |length: usize| i32::try_from(length).expect("a double has few digits");
        let exponent: i32 = exponent.parse().expect("an exponent is an integer");
        Self {
            negative: double.is_sign_negative(),
            digits: digits.trim_end_matches('0').to_owned(),
            point: exponent + count(whole.len()) - count(zeros),
        }
    }

    /// Formats like ECMAScript's `Number::toString`, which has no negative zero.
    fn javascript(&self) -> String {
        match self.point {
            _ if self.digits.is_empty() => "0".to_owned(),
            -5..=21 => self.fixed(),
            _ => self.scientific(1),
        }
    }

    /// Formats like Python's `float.__repr__`.
    fn python(&self) -> String {
        match self.point {
            _ if self.digits.is_empty() => format!("{}0.0", self.sign()),
            -3..=16 => self.fixed_with_fraction(),
            _ => self.scientific(2),
        }
    }

    /// Returns whether a token is this number as common encoders write it: in plain digits, or
    /// with an exponent if Python would write one.
    fn is_usual(&self, token: &str) -> bool {
        let lower = token.to_ascii_lowercase();
        let Some((mantissa, exponent)) = lower.split_once('e') else {
            return token == self.fixed_with_fraction();
        };
        let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
        let leading_zeros = exponent.trim_start_matches('-').starts_with("00");
        !matches!(self.point, -3..=16)
            && !leading_zeros
            && exponent.parse() == Ok(self.point - 1)
            && (mantissa == self.mantissa() || mantissa == format!("{}.0", self.mantissa()))
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// Formats digits and, if there is a fraction, a point.
    fn fixed(&self) -> String {
        let (sign, digits) = (self.sign(), &self.digits);
        let Ok(point) = usize::try_from(self.point) else {
            let zeros = "0".repeat(self.point.unsigned_abs() as usize);
            return format!("{sign}0.{zeros}{digits}");
        };
        match digits.split_at_checked(point) {
            Some(("", fraction)) => format!("{sign}0.{fraction}"),
            Some((whole, fraction)) if !fraction.is_empty() => format!("{sign}{whole}.{fraction}"),
            _ => format!("{sign}{digits:0<point$}"),
        }
    }

    fn fixed_with_fraction(&self) -> String {
        let mut text = self.fixed();
        if !text.contains('.') {
            text.push_str(".0");
        }
        text
    }

    fn mantissa(&self) -> String {
        let (first, rest) = self.digits.split_at(self.digits.len().min(1));
        let point = if rest.is_empty() { "" } else { "." };
        format!("{}{first}{point}{rest}", self.sign())
    }

    /// Formats one digit before the point, and at least `width` digits in the exponent.
    fn scientific(&self, width: usize) -> String {
        let exponent = self.point - 1;
        let mut text = self.mantissa();
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(text, "e{sign}{:0width$}", exponent.abs()).expect("writing to a string cannot fail");
        text
    }
}

/// Formats a double as in RFC 8785.
///
/// ```
/// use vac_sign::canonical::double_as_text;
///
/// assert_eq!(double_as_text(1e21), "1e+21");
/// assert_eq!(double_as_text(-0.0), "0");
/// ```
pub fn double_as_text(double: f64) -> String {
    Shortest::new(double).javascript()
}
