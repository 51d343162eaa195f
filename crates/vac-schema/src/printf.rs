//! Reads and matches format strings of C's `printf` (RFC 9741 section 2.3).
//!
//! RFC 9741 takes the format strings of C (C17 section 7.21.6.1) without length modifiers and
//! without `%p` and `%n`. `%s` is a text, `%c` the number of a Unicode character. Formats whose
//! result C does not define (`%a`, flags without a meaning) are errors.

use crate::tables::TableText;

/// The maximum width or precision.
const MAX_WIDTH: usize = 1_000;

/// A format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    source: TableText,
}

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Conversion(Conversion),
}

/// The conversion of a data item to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Conversion {
    /// `d`, `i`, `o`, `u`, `x`, `X`, `e`, `E`, `f`, `F`, `g`, `G`, `c` or `s`.
    specifier: u8,
    flags: Flags,
    width: usize,
    precision: Option<usize>,
}

/// A set of the flags `-`, `+`, space, `#` and `0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Flags(u8);

impl Flags {
    const ALL: &[u8; 5] = b"-+ #0";

    /// Returns the bit of a flag; zero if it is not a flag.
    fn bit(flag: u8) -> u8 {
        Self::ALL.iter().position(|it| *it == flag).map_or(0, |at| 1 << at)
    }

    fn has(self, flag: u8) -> bool {
        self.0 & Self::bit(flag) != 0
    }
}

/// The kind of data item that a conversion takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatItem {
    /// An integer.
    Integer,
    /// An integer that is not negative.
    Unsigned,
    /// A float.
    Float,
    /// The number of a Unicode character.
    Character,
    /// A text.
    Text,
}

/// A data item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Item<'a> {
    Integer(i128),
    Float(f64),
    Text(&'a str),
}

impl Format {
    /// Parses a format string. The error is the reason why the text is not one.
    pub fn parse(source: TableText) -> Result<Self, String> {
        parse(&source)?;
        Ok(Self { source })
    }

    /// Creates a format string that was read before, for constants: the code generator prints only
    /// those that [`Format::parse`] has accepted.
    pub const fn constant(source: TableText) -> Self {
        Self { source }
    }

    /// Returns the format string.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the kinds of data items that it takes.
    pub fn items(&self) -> Vec<FormatItem> {
        let pieces = self.pieces().into_iter();
        let items = pieces.filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Conversion(conversion) => Some(conversion.item()),
        });
        items.collect()
    }

    pub(crate) fn pieces(&self) -> Vec<Piece> {
        parse(&self.source).expect("a format in a constant was read before")
    }
}

fn parse(source: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = source;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        let (conversion, after) = conversion(rest)?;
        pieces.push(Piece::Conversion(conversion));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// Returns a conversion after its `%`, and what follows it.
fn conversion(source: &str) -> Result<(Conversion, &str), String> {
    let mut conversion = Conversion::default();
    let mut rest = source;
    while let Some(flag) = rest.bytes().next().filter(|byte| Flags::ALL.contains(byte)) {
        conversion.flags.0 |= Flags::bit(flag);
        rest = &rest[1..];
    }
    (conversion.width, rest) = number(rest)?;
    if let Some(after) = rest.strip_prefix('.') {
        let (precision, after) = number(after)?;
        (conversion.precision, rest) = (Some(precision), after);
    }
    let shown = |rest: &str| {
        let end = rest.chars().next().map_or(0, char::len_utf8);
        format!("`%{}{}`", &source[..source.len() - rest.len()], &rest[..end])
    };
    let flags = match rest.bytes().next() {
        Some(b'd' | b'i') => b"-+ 0.".as_slice(),
        Some(b'u') => b"-0.",
        Some(b'o' | b'x' | b'X') => b"-#0.",
        Some(b'e' | b'E' | b'f' | b'F' | b'g' | b'G') => b"-+ #0.",
        Some(b'c') => b"-",
        Some(b's') => b"-.",
        Some(b'a' | b'A') => {
            return Err(format!("{} is not supported: C does not define its digits", shown(rest)));
        }
        Some(b'p' | b'n') => {
            return Err(format!("{} is not allowed (RFC 9741 section 2.3)", shown(rest)));
        }
        Some(b'h' | b'l' | b'j' | b'z' | b't' | b'L') => {
            let why = "length modifiers are not allowed (RFC 9741 section 2.3)";
            return Err(format!("{}: {why}", shown(rest)));
        }
        Some(b'*') => {
            return Err(format!("{}: a width or precision has to be a number", shown(rest)));
        }
        _ => return Err(format!("{} is not a conversion of printf", shown(rest))),
    };
    if Flags::ALL.iter().any(|flag| conversion.flags.has(*flag) && !flags.contains(flag)) {
        return Err(format!("{}: this flag has no meaning here", shown(rest)));
    }
    if conversion.precision.is_some() && !flags.contains(&b'.') {
        return Err(format!("{}: a precision has no meaning here", shown(rest)));
    }
    conversion.specifier = rest.as_bytes()[0];
    Ok((conversion, &rest[1..]))
}

/// Parses a number, 0 if it is missing. Returns it and the rest.
fn number(source: &str) -> Result<(usize, &str), String> {
    let end = source.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = source.split_at(end);
    if digits.is_empty() {
        return Ok((0, rest));
    }
    match digits.parse() {
        Ok(number) if number <= MAX_WIDTH => Ok((number, rest)),
        _ => Err(format!("a width or precision of {digits} is too large (limit {MAX_WIDTH})")),
    }
}

impl Conversion {
    pub(crate) fn item(self) -> FormatItem {
        match self.specifier {
            b'd' | b'i' => FormatItem::Integer,
            b'o' | b'u' | b'x' | b'X' => FormatItem::Unsigned,
            b'c' => FormatItem::Character,
            b's' => FormatItem::Text,
            _ => FormatItem::Float,
        }
    }

    /// Returns the length of the longest text that the conversion can produce; `None` without a
    /// limit.
    pub(crate) fn max_bytes(self) -> Option<usize> {
        /// The digits of the largest float, and a sign.
        const DIGITS: usize = 312;
        let precision = self.precision.unwrap_or(6);
        match (self.item(), self.precision) {
            (FormatItem::Text, None) => None,
            _ => Some(self.width.max(precision + DIGITS)),
        }
    }

    /// Returns the items of a kind without a limit on precision that a text may have been produced
    /// of. Each has to be written again to know.
    pub(crate) fn candidates(self, text: &str) -> Vec<Item<'_>> {
        let is_left = self.flags.has(b'-');
        let trimmed =
            if is_left { text.trim_end_matches(' ') } else { text.trim_start_matches(' ') };
        match self.item() {
            FormatItem::Integer | FormatItem::Unsigned => {
                self.integer(trimmed).into_iter().map(Item::Integer).collect()
            }
            FormatItem::Float => trimmed.trim().parse().into_iter().map(Item::Float).collect(),
            FormatItem::Character => {
                let character =
                    if is_left { text.chars().next() } else { text.chars().next_back() };
                character.map(|it| Item::Integer(i128::from(u32::from(it)))).into_iter().collect()
            }
            FormatItem::Text => {
                let padding = text.len() - trimmed.len();
                let most = if text.len() > self.width { 0 } else { padding };
                let unpadded = |count: usize| {
                    if is_left { &text[..text.len() - count] } else { &text[count..] }
                };
                (0..=most).map(|count| Item::Text(unpadded(count))).collect()
            }
        }
    }

    fn integer(self, text: &str) -> Option<i128> {
        let text = text.trim_start_matches(' ');
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (radix, digits) = match self.specifier {
            b'o' => (8, digits),
            b'x' => (16, digits.strip_prefix("0x").unwrap_or(digits)),
            b'X' => (16, digits.strip_prefix("0X").unwrap_or(digits)),
            _ => (10, digits),
        };
        // Zero with a precision of zero has no digits.
        let value = if digits.is_empty() { 0 } else { i128::from_str_radix(digits, radix).ok()? };
        Some(if is_negative { -value } else { value })
    }

    /// Writes an item. `None` if it is of the wrong kind.
    pub(crate) fn write(self, item: Item<'_>) -> Option<Vec<u8>> {
        match (self.item(), item) {
            (FormatItem::Integer, Item::Integer(value)) => Some(self.write_integer(value)),
            (FormatItem::Unsigned, Item::Integer(value)) if value >= 0 => {
                Some(self.write_integer(value))
            }
            (FormatItem::Float, Item::Float(value)) => Some(self.write_float(value)),
            (FormatItem::Character, Item::Integer(value)) => {
                let character = char::from_u32(u32::try_from(value).ok()?)?;
                Some(self.pad(character.to_string().into_bytes()))
            }
            (FormatItem::Text, Item::Text(text)) => {
                let shown = self.precision.map_or(text.len(), |most| text.len().min(most));
                Some(self.pad(text.as_bytes()[..shown].to_vec()))
            }
            _ => None,
        }
    }

    fn write_integer(self, value: i128) -> Vec<u8> {
        let magnitude = value.unsigned_abs();
        let mut digits = match self.specifier {
            b'o' => format!("{magnitude:o}"),
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            _ => magnitude.to_string(),
        };
        if self.precision == Some(0) && magnitude == 0 {
            digits.clear();
        }
        let least = self.precision.unwrap_or(0);
        let mut zeros = least.saturating_sub(digits.len());
        let mut prefix = self.sign(value < 0).to_owned();
        match self.specifier {
            b'o' if self.flags.has(b'#') && zeros == 0 && !digits.starts_with('0') => zeros = 1,
            b'x' if self.flags.has(b'#') && magnitude != 0 => prefix.push_str("0x"),
            b'X' if self.flags.has(b'#') && magnitude != 0 => prefix.push_str("0X"),
            _ => {}
        }
        let digits = "0".repeat(zeros) + &digits;
        self.pad_number(&prefix, &digits, self.flags.has(b'0') && self.precision.is_none())
    }

    fn sign(self, is_negative: bool) -> &'static str {
        match (is_negative, self.flags.has(b'+'), self.flags.has(b' ')) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }

    fn write_float(self, value: f64) -> Vec<u8> {
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let is_upper = self.specifier.is_ascii_uppercase();
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            let name = if is_upper { name.to_ascii_uppercase() } else { name.to_owned() };
            return self.pad_number(sign, &name, false);
        }
        let precision = self.precision.unwrap_or(6);
        let mut digits = match self.specifier.to_ascii_lowercase() {
            b'f' => fixed(magnitude, precision, self.flags.has(b'#')),
            b'e' => exponential(magnitude, precision, self.flags.has(b'#')),
            _ => shorter(magnitude, precision.max(1), self.flags.has(b'#')),
        };
        if is_upper {
            digits.make_ascii_uppercase();
        }
        self.pad_number(sign, &digits, self.flags.has(b'0'))
    }

    fn pad_number(self, prefix: &str, digits: &str, has_zeros: bool) -> Vec<u8> {
        let mut zeros = 0;
        if has_zeros && !self.flags.has(b'-') {
            zeros = self.width.saturating_sub(prefix.len() + digits.len());
        }
        self.pad([prefix.as_bytes(), "0".repeat(zeros).as_bytes(), digits.as_bytes()].concat())
    }

    fn pad(self, mut text: Vec<u8>) -> Vec<u8> {
        let spaces = vec![b' '; self.width.saturating_sub(text.len())];
        if self.flags.has(b'-') {
            text.extend(spaces);
        } else {
            text.splice(0..0, spaces);
        }
        text
    }
}

/// Formats a float as `%f` does.
fn fixed(value: f64, precision: usize, has_point: bool) -> String {
    let point = if has_point && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// Formats a float as `%e` does: at least two digits in the exponent, and always a sign.
fn exponential(value: f64, precision: usize, has_point: bool) -> String {
    let written = format!("{value:.precision$e}");
    let (digits, exponent) = written.split_once('e').expect("an exponent was asked for");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let point = if has_point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
}

/// Formats a float as `%g` does: fixed or exponential by the exponent, without zeros at the end.
fn shorter(value: f64, precision: usize, keeps_zeros: bool) -> String {
    let written = format!("{value:.*e}", precision - 1);
    let (_, exponent) = written.split_once('e').expect("an exponent was asked for");
    let exponent: isize = exponent.parse().expect("an exponent is a number");
    let most = isize::try_from(precision).expect("a precision is small");
    let without_zeros = |text: &str| {
        if keeps_zeros || !text.contains('.') {
            return text.to_owned();
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if (-4..most).contains(&exponent) {
        let decimals = usize::try_from(most - 1 - exponent).expect("the exponent is less");
        return without_zeros(&fixed(value, decimals, keeps_zeros));
    }
    let written = exponential(value, precision - 1, keeps_zeros);
    let (digits, exponent) = written.split_once('e').expect("an exponent was asked for");
    format!("{}e{exponent}", without_zeros(digits))
}

#[cfg(test)]
mod tests;
