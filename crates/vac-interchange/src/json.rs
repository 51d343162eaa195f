//! Writes JSON that every parser reads.

use vac_adapter::message_text::replace_lone_surrogates;
use vac_value::{Encode, Encoder, Layout};

/// A JSON object that is being written, member by member.
pub(crate) struct JsonObject {
    text: String,
}

impl JsonObject {
    pub fn new() -> Self {
        Self { text: "{".to_owned() }
    }

    fn key(&mut self, key: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        self.text.push_str(&text(key));
        self.text.push(':');
    }

    /// Adds a member whose value is JSON.
    pub fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.text.push_str(json);
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.text.push_str(&text(value));
    }

    /// Adds a text, if there is one.
    pub fn optional(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    pub fn integer(&mut self, key: &str, value: impl Into<i128>) {
        self.raw(key, &value.into().to_string());
    }

    /// Adds a number, if JSON can express it.
    pub fn float(&mut self, key: &str, value: f64) {
        if let Some(json) = float(value) {
            self.raw(key, &json);
        }
    }

    pub fn boolean(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    /// Adds an array of values that are JSON, unless it is empty.
    pub fn array(&mut self, key: &str, elements: &[String]) {
        if !elements.is_empty() {
            self.raw(key, &array(elements));
        }
    }

    /// Adds an object, unless it is empty.
    pub fn object(&mut self, key: &str, object: Self) {
        if !object.is_empty() {
            self.raw(key, &object.finish());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.text.len() == 1
    }

    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

/// Returns an array of values that are JSON.
pub(crate) fn array(elements: &[String]) -> String {
    format!("[{}]", elements.join(","))
}

/// Returns a text as JSON.
pub(crate) fn text(value: &str) -> String {
    serde_json::to_string(value).expect("a text can be written as JSON")
}

/// Returns a number as JSON; `None` if JSON does not have it.
pub(crate) fn float(value: f64) -> Option<String> {
    value.is_finite().then(|| serde_json::to_string(&value).ok()).flatten()
}

/// JSON of a value of a record.
pub(crate) struct ValueJson {
    pub text: String,
    /// Whether lone surrogates, which most parsers refuse, were replaced by U+FFFD.
    pub is_changed: bool,
}

/// Returns a value of a record as JSON; `None` if JSON cannot express it.
pub(crate) fn value(value: &dyn Encode) -> Option<ValueJson> {
    let mut encoder = Encoder::json(Layout::Compact);
    value.encode(&mut encoder).ok()?;
    let written = String::from_utf8(encoder.finish()).ok()?;
    let (text, count) = replace_lone_surrogates(&written);
    Some(ValueJson { text, is_changed: count > 0 })
}
