//! Writes JSON for columns, as text that every parser reads.

use vac_adapter::message_text::replace_lone_surrogates;
use vac_value::{Encode, Encoder, Layout};

/// The maximum number of bytes of a value. Longer values are left out, because a column of one
/// batch contains less than 2 GiB.
pub(crate) const MAX_VALUE: usize = 1 << 30;
/// The maximum number of digits of an integer. Parsers that keep integers exactly, in 128 bits,
/// refuse longer ones.
const MAX_DIGITS: usize = 38;

/// Writes values as JSON.
pub(crate) struct JsonWriter {
    encoder: Encoder<'static>,
    /// The JSON of the last value, if it was changed.
    changed: String,
}

/// JSON of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnJson<'w> {
    /// The JSON; `None` if the value cannot be written.
    pub text: Option<&'w str>,
    /// Whether the JSON differs from the value.
    pub is_lossy: bool,
}

impl<'w> ColumnJson<'w> {
    /// The JSON of an absent value.
    pub const ABSENT: ColumnJson<'w> = ColumnJson { text: None, is_lossy: false };
}

impl JsonWriter {
    pub fn new() -> Self {
        Self { encoder: Encoder::json(Layout::Compact), changed: String::new() }
    }

    /// Writes a value. Values that some parsers refuse are changed: lone surrogates become U+FFFD,
    /// and numbers that fit neither a double nor 128 bits become text.
    pub fn write(&mut self, value: &dyn Encode) -> ColumnJson<'_> {
        self.encoder.clear();
        let is_written = value.encode(&mut self.encoder).is_ok();
        let written = std::str::from_utf8(self.encoder.written()).ok();
        let Some(text) = written.filter(|text| is_written && text.len() <= MAX_VALUE) else {
            return ColumnJson { text: None, is_lossy: true };
        };
        let has_numbers = may_have_large_numbers(text.as_bytes());
        if !has_numbers && !may_have_surrogates(text) {
            return ColumnJson { text: Some(text), is_lossy: false };
        }
        let (changed, count) = replace_lone_surrogates(text);
        self.changed = changed;
        let quoted = if has_numbers { quote_large_numbers(&self.changed) } else { None };
        let is_lossy = count > 0 || quoted.is_some();
        if let Some(quoted) = quoted {
            self.changed = quoted;
        }
        ColumnJson { text: Some(&self.changed), is_lossy }
    }
}

/// Returns whether JSON may contain numbers that are too large. A text in it can look like one.
fn may_have_large_numbers(json: &[u8]) -> bool {
    // Test single bytes at regular distances: a run of digits that is too long covers one of them.
    let is_run = |at: usize| {
        let digits = |byte: &&u8| byte.is_ascii_digit();
        let before = json[..at].iter().rev().take_while(digits).count();
        before + json[at..].iter().take_while(digits).count() > MAX_DIGITS
    };
    let mut places = (0..json.len()).step_by(MAX_DIGITS);
    let is_after_digit = |at: usize| json[..at].last().is_some_and(u8::is_ascii_digit);
    places.any(|at| json[at].is_ascii_digit() && is_run(at))
        || memchr::memchr2_iter(b'e', b'E', json)
            .any(|at| is_after_digit(at) && has_large_exponent(json, at))
}

/// Returns whether the `e` at a position belongs to a number that is too large. Ids contain an `e`
/// between digits as well, but they are in strings.
fn has_large_exponent(json: &[u8], at: usize) -> bool {
    let is_of_mantissa = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'-');
    let is_of_exponent = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-');
    let start = at - json[..at].iter().rev().take_while(is_of_mantissa).count();
    let is_value = start < at && (start == 0 || matches!(json[start - 1], b':' | b',' | b'['));
    let end = at + 1 + json[at + 1..].iter().take_while(is_of_exponent).count();
    is_value && std::str::from_utf8(&json[start..end]).is_ok_and(is_too_large)
}

/// Puts quotation marks around numbers that are too large. `None` if there are none.
fn quote_large_numbers(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut quoted, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_number =
                    |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end = at + bytes[at..].iter().take_while(is_number).count();
                let number = &json[at..end];
                if is_too_large(number) {
                    quoted.push_str(&json[copied..at]);
                    quoted.push('"');
                    quoted.push_str(number);
                    quoted.push('"');
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    quoted.push_str(&json[copied..]);
    (copied > 0).then_some(quoted)
}

/// Returns whether some parsers refuse a number because of its size.
fn is_too_large(number: &str) -> bool {
    if number.contains(['.', 'e', 'E']) {
        number.parse().is_ok_and(f64::is_infinite)
    } else {
        number.trim_start_matches('-').len() > MAX_DIGITS
    }
}

/// Returns whether a text contains the beginning of an escaped surrogate: `\ud` or `\uD`.
fn may_have_surrogates(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, b"\\u")
        .any(|at| matches!(bytes.get(at + 2), Some(b'd' | b'D')))
}

#[cfg(test)]
mod tests {
    use vac_value::Any;

    use super::*;

    fn written(json: &str) -> (Option<String>, bool) {
        let mut writer = JsonWriter::new();
        let any = Any::from_json(json).expect("JSON");
        let json = writer.write(&any);
        (json.text.map(str::to_owned), json.is_lossy)
    }

    #[test]
    fn lone_surrogates_are_replaced_and_nothing_else() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(written(r#"{"a": "\ud800"}"#), (text(r#"{"a":"\ufffd"}"#), true));
        assert_eq!(written(r#"["\ud83d\ude00"]"#), (text(r#"["\ud83d\ude00"]"#), false));
        assert_eq!(written(r#""\\ud800 \u0041""#), (text(r#""\\ud800 \u0041""#), false));
        assert_eq!(written("[1.0, 1e40]"), (text("[1.0,1e40]"), false));
    }

    #[test]
    fn numbers_that_parsers_refuse_are_text() {
        let digits = "9".repeat(39);
        for (json, expected) in [
            ("1e400".to_owned(), r#""1e400""#.to_owned()),
            ("-1.5E+309".to_owned(), r#""-1.5E+309""#.to_owned()),
            (
                format!(r#"{{"1e999":["\"1e999",{digits},-{digits},1e999],"b":2e308}}"#),
                format!(r#"{{"1e999":["\"1e999","{digits}","-{digits}","1e999"],"b":"2e308"}}"#),
            ),
            (format!("{digits}e300"), format!(r#""{digits}e300""#)),
            (r#"["\ud800",1e999]"#.to_owned(), r#"["\ufffd","1e999"]"#.to_owned()),
        ] {
            assert_eq!(written(&json), (Some(expected), true), "{json}");
        }
        for json in [
            r#"["1e400","\\",1e308,1e-400,0.0000000001e310,0e999]"#,
            &format!(r#"["{digits}",{},0.{digits},"a\"{digits}"]"#, "9".repeat(38)),
        ] {
            assert_eq!(written(json), (Some(json.to_owned()), false), "{json}");
        }
    }

    #[test]
    fn large_numbers_are_found_wherever_they_are() {
        for number in ["1e400".to_owned(), "9".repeat(39)] {
            for before in 0..600 {
                let json = format!(r#"["{}",{number}]"#, "x".repeat(before));
                assert!(may_have_large_numbers(json.as_bytes()), "{number} after {before}");
            }
        }
        assert!(!may_have_large_numbers(br#"["1e4","0123456789abcdef",12345678901234567890]"#));
    }

    #[test]
    fn value_without_json_is_absent() {
        let mut writer = JsonWriter::new();
        let undefined = Any::undefined();
        assert_eq!(writer.write(&undefined), ColumnJson { text: None, is_lossy: true });
        let one = Any::from(1);
        assert_eq!(writer.write(&one), ColumnJson { text: Some("1"), is_lossy: false });
    }
}
