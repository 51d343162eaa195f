//! Numbers as JavaScript and as Python write them.

use std::fmt::Write as _;

use vac_value::{Kind, Node, Number};

use super::Form;

/// Digits that name every double; a number of more says more than a double can.
const MOST_DIGITS: usize = 17;

/// A number as canonical JSON has it, or why it has none.
pub(super) fn canonical(node: Node<'_, '_>, form: Form) -> Result<String, &'static str> {
    let token = std::str::from_utf8(node.raw()).unwrap_or_default();
    match (form, node.kind()) {
        (Form::Rfc8785, Kind::Float) => fraction(node, token),
        (Form::Rfc8785, _) => integer(token),
        // Python keeps integers, whatever their size.
        (Form::Sorted, Kind::Float) => respelled(token),
        (Form::Sorted, _) => Ok(token.to_owned()),
    }
}

/// An integer that stays the same number when it is written as a double is.
fn integer(token: &str) -> Result<String, &'static str> {
    let shortest = Shortest::of(double(token)?);
    let digits = token.trim_start_matches('-');
    let same = digits == "0"
        || digits.trim_end_matches('0') == shortest.digits
            && i32::try_from(digits.len()) == Ok(shortest.point);
    if same { Ok(shortest.javascript()) } else { Err("a double would change this integer") }
}

/// A number with a fraction or an exponent. RFC 8785 rounds to the nearest double:
/// that is spelling as long as the number has no more digits than doubles have.
fn fraction(node: Node<'_, '_>, token: &str) -> Result<String, &'static str> {
    let double = double(token)?;
    let exact = matches!(node.number(), Some(Number::Float(_)));
    let is_spelling = double.is_normal() && significant_digits(token) <= MOST_DIGITS;
    if exact || is_spelling {
        Ok(Shortest::of(double).javascript())
    } else {
        Err("a double would change this number")
    }
}

/// A number with a fraction or an exponent, as Python writes it. It has to be the
/// shortest for its double, and in one of the notations that writers of shortest
/// decimals use: anything else would be signed as something it does not say.
fn respelled(token: &str) -> Result<String, &'static str> {
    let shortest = Shortest::of(double(token)?);
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
    let mantissa = token.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// The fewest digits that name a double: `0.digits` times ten to the `point`. Zero has
/// no digits.
struct Shortest {
    negative: bool,
    digits: String,
    point: i32,
}

impl Shortest {
    fn of(double: f64) -> Self {
        // Of two that are as short and as near, the even one: the standard library's
        // formatting takes the other.
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format_finite(double.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let zeros = all.len() - digits.len();
        let count = |length: usize| i32::try_from(length).unwrap_or_default();
        let exponent: i32 = exponent.parse().unwrap_or_default();
        Self {
            negative: double.is_sign_negative(),
            digits: digits.trim_end_matches('0').to_owned(),
            point: exponent + count(whole.len()) - count(zeros),
        }
    }

    /// ECMAScript's `Number::toString`, which has no negative zero.
    fn javascript(&self) -> String {
        match self.point {
            _ if self.digits.is_empty() => "0".to_owned(),
            -5..=21 => self.fixed(),
            _ => self.scientific(1),
        }
    }

    /// Python's `float.__repr__`.
    fn python(&self) -> String {
        match self.point {
            _ if self.digits.is_empty() => format!("{}0.0", self.sign()),
            -3..=16 => self.fixed_with_fraction(),
            _ => self.scientific(2),
        }
    }

    /// Whether a token is this number in plain digits, or with an exponent that is
    /// worth writing, as writers in other languages put it.
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

    /// Digits and, where there is a fraction, a point.
    fn fixed(&self) -> String {
        let count = i32::try_from(self.digits.len()).unwrap_or(i32::MAX);
        let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
        let sign = self.sign();
        if self.point <= 0 {
            format!("{sign}0.{}{}", zeros(-self.point), self.digits)
        } else if self.point >= count {
            format!("{sign}{}{}", self.digits, zeros(self.point - count))
        } else {
            let (whole, fraction) =
                self.digits.split_at(usize::try_from(self.point).unwrap_or_default());
            format!("{sign}{whole}.{fraction}")
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

    /// One digit before the point, and so many in the exponent at least.
    fn scientific(&self, width: usize) -> String {
        let exponent = self.point - 1;
        let mut text = self.mantissa();
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(text, "e{sign}{:0width$}", exponent.abs()).unwrap_or_default();
        text
    }
}

/// A double as RFC 8785 writes it, for numbers that never were text.
///
/// ```
/// use vac_sign::canonical::double_as_text;
///
/// assert_eq!(double_as_text(1e21), "1e+21");
/// assert_eq!(double_as_text(-0.0), "0");
/// ```
pub fn double_as_text(double: f64) -> String {
    Shortest::of(double).javascript()
}
