//! A JSON value whose members keep their order.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

/// A JSON value whose members keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Returns a value as indented text that ends with a newline.
    pub fn to_pretty_text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("keys are texts, and a vector can be written to") + "\n"
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Integer(i128::from(number))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i128(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Array(elements) => elements.serialize(serializer),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
