//! Conversions from and to `ciborium::Value`.

use ciborium::Value as CborValue;

use crate::document::{Document, Encoding};
use crate::encode::Encode;
use crate::node::{Node, Value};
use crate::{Any, AnyError, EncodeError, Number, cbor};

/// Converts every value exactly.
impl From<CborValue> for Any<'static> {
    fn from(value: CborValue) -> Self {
        let mut out = Vec::new();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            write(value, &mut out, &mut pending);
        }
        Self::from_raw(out, Encoding::Cbor, false)
    }
}

/// Writes a scalar, or the head of a container and schedules its content.
fn write(value: CborValue, out: &mut Vec<u8>, pending: &mut Vec<CborValue>) {
    match value {
        CborValue::Array(elements) => {
            cbor::push_head(4, elements.len() as u64, out);
            pending.extend(elements.into_iter().rev());
        }
        CborValue::Map(members) => {
            cbor::push_head(5, members.len() as u64, out);
            for (key, value) in members.into_iter().rev() {
                pending.extend([value, key]);
            }
        }
        CborValue::Tag(number, content) => {
            cbor::push_head(6, number, out);
            pending.push(*content);
        }
        // ciborium would change the payload of a NaN.
        CborValue::Float(value) => cbor::push_float(value, out),
        scalar => {
            ciborium::into_writer(&scalar, out).expect("writing to a vector cannot fail");
        }
    }
}

impl TryFrom<Any<'_>> for CborValue {
    type Error = AnyError;

    fn try_from(any: Any<'_>) -> Result<Self, AnyError> {
        Self::try_from(&any)
    }
}

/// The members of maps are in the order of deterministic CBOR. Fails if `ciborium::Value` cannot
/// hold the value: `undefined`, simple values, and what only JSON has.
impl TryFrom<&Any<'_>> for CborValue {
    type Error = AnyError;

    fn try_from(any: &Any<'_>) -> Result<Self, AnyError> {
        let bytes = any.to_cbor()?;
        Ok(convert(Document::cbor(&bytes)?.root())?)
    }
}

fn refuse<T>(what: &'static str) -> Result<T, EncodeError> {
    Err(EncodeError::NotRepresentable { encoding: Encoding::Cbor, what })
}

/// Converts a node. Recursion is bounded by the depth of a document.
fn convert(node: Node<'_, '_>) -> Result<CborValue, EncodeError> {
    Ok(match node.value() {
        Value::Null => CborValue::Null,
        Value::Bool(value) => CborValue::Bool(value),
        Value::Integer(value) => {
            let integer = value.try_into().expect("the range is that of a CBOR integer");
            CborValue::Integer(integer)
        }
        Value::Float(Number::Float(value)) => CborValue::Float(value),
        Value::Text(text) => CborValue::Text(text.into_owned()),
        Value::Bytes(bytes) => CborValue::Bytes(bytes.into_owned()),
        Value::Array(elements) => {
            CborValue::Array(elements.map(convert).collect::<Result<_, _>>()?)
        }
        Value::Map(members) => {
            let members = members.map(|(key, value)| Ok((convert(key)?, convert(value)?)));
            CborValue::Map(members.collect::<Result<_, EncodeError>>()?)
        }
        Value::Tag(number, content) => CborValue::Tag(number, Box::new(convert(content)?)),
        Value::Undefined => return refuse("undefined as a `Value`"),
        Value::Simple(_) => return refuse("a simple value as a `Value`"),
        Value::BigInteger(_) | Value::LoneSurrogate(_) | Value::Float(_) => {
            unreachable!("only JSON has such values")
        }
    })
}
