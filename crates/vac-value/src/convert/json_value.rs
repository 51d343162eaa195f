//! Conversions from and to `serde_json::Value`.

use serde_json::{Map, Number as JsonNumber, Value as JsonValue};

use crate::document::Encoding;
use crate::node::{Node, Value};
use crate::{Any, AnyError, EncodeError, Number};

/// Converts every value exactly, and numbers digit by digit.
impl From<JsonValue> for Any<'static> {
    fn from(value: JsonValue) -> Self {
        Self::from(&value)
    }
}

impl From<&JsonValue> for Any<'static> {
    fn from(value: &JsonValue) -> Self {
        Self::from_raw(value.to_string().into_bytes(), Encoding::Json, true)
    }
}

impl TryFrom<Any<'_>> for JsonValue {
    type Error = AnyError;

    fn try_from(any: Any<'_>) -> Result<Self, AnyError> {
        Self::try_from(&any)
    }
}

/// Fails if `serde_json::Value` cannot hold the value: integers beyond 64 bits, numbers that no
/// double equals, text with a lone surrogate, and what only CBOR has, byte strings included.
impl TryFrom<&Any<'_>> for JsonValue {
    type Error = AnyError;

    fn try_from(any: &Any<'_>) -> Result<Self, AnyError> {
        let document = any.document()?;
        Ok(convert(document.root())?)
    }
}

fn refuse<T>(what: &'static str) -> Result<T, EncodeError> {
    Err(EncodeError::NotRepresentable { encoding: Encoding::Json, what })
}

/// Converts a node. Recursion is bounded by the depth of a document.
fn convert(node: Node<'_, '_>) -> Result<JsonValue, EncodeError> {
    Ok(match node.value() {
        Value::Null => JsonValue::Null,
        Value::Bool(value) => value.into(),
        Value::Integer(value) => match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => value.into(),
            (_, Ok(value)) => value.into(),
            _ => return refuse("an integer beyond 64 bits as a `Value`"),
        },
        Value::BigInteger(_) => return refuse("an integer beyond 64 bits as a `Value`"),
        Value::Float(Number::Float(value)) => match JsonNumber::from_f64(value) {
            Some(number) => JsonValue::Number(number),
            None => return refuse("a number that is not finite"),
        },
        Value::Float(_) => return refuse("a decimal that no double equals as a `Value`"),
        Value::Text(text) => text.into(),
        Value::LoneSurrogate(_) => return refuse("text with a lone surrogate as a `Value`"),
        Value::Array(elements) => {
            JsonValue::Array(elements.map(convert).collect::<Result<_, _>>()?)
        }
        Value::Map(members) => {
            let mut map = Map::new();
            for (key, value) in members {
                let Some(name) = key.text() else { return refuse("a key that is not text") };
                if key.is_duplicate_key() {
                    return Err(EncodeError::DuplicateKey(name.into_owned()));
                }
                map.insert(name.into_owned(), convert(value)?);
            }
            JsonValue::Object(map)
        }
        Value::Bytes(_) => return refuse("a byte string"),
        Value::Tag(..) => return refuse("a tag"),
        Value::Undefined => return refuse("undefined"),
        Value::Simple(_) => return refuse("a simple value"),
    })
}
