//! Writes attributes of spans in the JSON of OTLP.

use crate::json::{self, JsonObject};

/// A list of attributes.
#[derive(Default)]
pub(crate) struct Attributes {
    list: Vec<String>,
}

impl Attributes {
    fn push(&mut self, key: &str, kind: &str, json: &str) {
        let mut value = JsonObject::new();
        value.raw(kind, json);
        let mut attribute = JsonObject::new();
        attribute.text("key", key);
        attribute.raw("value", &value.finish());
        self.list.push(attribute.finish());
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.push(key, "stringValue", &json::text(value));
    }

    /// Adds a text, if there is one.
    pub fn optional(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// Adds a number, which OTLP limits to 63 bits and writes as text in JSON.
    pub fn integer(&mut self, key: &str, value: u64) {
        self.signed(key, i64::try_from(value).unwrap_or(i64::MAX));
    }

    pub fn signed(&mut self, key: &str, value: i64) {
        self.push(key, "intValue", &json::text(&value.to_string()));
    }

    /// Adds a number, if JSON can express it.
    pub fn float(&mut self, key: &str, value: f64) {
        if let Some(json) = json::float(value) {
            self.push(key, "doubleValue", &json);
        }
    }

    pub fn boolean(&mut self, key: &str, value: bool) {
        self.push(key, "boolValue", if value { "true" } else { "false" });
    }

    pub fn finish(self) -> String {
        json::array(&self.list)
    }
}
