//! JSON for columns: text that every parser reads.

use vac_adapter::message_text::replace_lone_surrogates;
use vac_value::{Encode, Encoder, Layout};

/// Longer values are left out. A column of one batch holds less than 2 GiB.
pub(crate) const MAX_VALUE: usize = 1 << 30;

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
    /// Whether it is not exactly the value.
    pub is_lossy: bool,
}

impl<'w> ColumnJson<'w> {
    /// A value that does not exist.
    pub const ABSENT: ColumnJson<'w> = ColumnJson { text: None, is_lossy: false };
}

impl JsonWriter {
    pub fn new() -> Self {
        Self { encoder: Encoder::json(Layout::Compact), changed: String::new() }
    }

    /// Writes a value. Lone surrogates, which JSON can express and most parsers refuse, become
    /// U+FFFD.
    pub fn write(&mut self, value: &dyn Encode) -> ColumnJson<'_> {
        self.encoder.clear();
        let is_written = value.encode(&mut self.encoder).is_ok();
        let written = std::str::from_utf8(self.encoder.written()).ok();
        let Some(text) = written.filter(|text| is_written && text.len() <= MAX_VALUE) else {
            return ColumnJson { text: None, is_lossy: true };
        };
        if !may_have_surrogates(text) {
            return ColumnJson { text: Some(text), is_lossy: false };
        }
        let (changed, count) = replace_lone_surrogates(text);
        self.changed = changed;
        ColumnJson { text: Some(&self.changed), is_lossy: count > 0 }
    }
}

/// Whether a text contains the beginning of an escaped surrogate: `\ud` or `\uD`.
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
        assert_eq!(written("[1.0, 1e400]"), (text("[1.0,1e400]"), false));
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
