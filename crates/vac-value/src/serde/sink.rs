//! Serializes values with an encoder that passes them to a serializer.

use data_encoding::BASE64URL_NOPAD;
use serde::ser::SerializeTupleVariant;
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{TAG, TAGGED};
use crate::document::{Document, Encoding, Kind};
use crate::encode::{Encode, Encoded};
use crate::encoder::{Encoder, Sink};
use crate::json;
use crate::map_encoder::Key;
use crate::node::{Node, Value};
use crate::number::{Number, big_integer};

/// Serializes a value. See the [module](super) for its representation.
pub fn serialize<T: Encode + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let encoding = if serializer.is_human_readable() { Encoding::Json } else { Encoding::Cbor };
    let mut sink = SerializerSink { state: State::Ready(serializer), encoding };
    let encoded = value.encode(&mut Encoder::with_sink(encoding, &mut sink));
    match (sink.state, encoded) {
        (State::Done(Err(error)), _) => Err(error),
        (_, Err(error)) => Err(S::Error::custom(error)),
        (State::Done(result), Ok(())) => result,
        _ => Err(S::Error::custom("an `Encode` implementation did not write a whole value")),
    }
}

struct SerializerSink<S: Serializer> {
    state: State<S>,
    encoding: Encoding,
}

enum State<S: Serializer> {
    /// Nothing has been written.
    Ready(S),
    Map(S::SerializeMap),
    Done(Result<S::Ok, S::Error>),
    Taken,
}

impl<S: Serializer> SerializerSink<S> {
    /// Serializes a whole value.
    fn serialize(&mut self, serialize: impl FnOnce(S) -> Result<S::Ok, S::Error>) {
        match std::mem::replace(&mut self.state, State::Taken) {
            State::Ready(serializer) => self.state = State::Done(serialize(serializer)),
            failed @ State::Done(Err(_)) => self.state = failed,
            _ => self.unsupported(),
        }
    }
}

impl<S: Serializer> Sink for SerializerSink<S> {
    fn value(&mut self, value: Value<'_, '_>) {
        self.serialize(|serializer| serialize_value(value, serializer));
    }

    fn array(&mut self, length: usize, elements: &mut dyn Iterator<Item = &dyn Encode>) {
        self.serialize(|serializer| {
            let mut array = serializer.serialize_seq(Some(length))?;
            for element in elements {
                array.serialize_element(&AsSerialize(element))?;
            }
            array.end()
        });
    }

    fn tagged(&mut self, number: u64, content: &dyn Encode) {
        self.serialize(|serializer| serialize_tag(number, &AsSerialize(content), serializer));
    }

    fn begin_map(&mut self) {
        match std::mem::replace(&mut self.state, State::Taken) {
            State::Ready(serializer) => {
                self.state = match serializer.serialize_map(None) {
                    Ok(map) => State::Map(map),
                    Err(error) => State::Done(Err(error)),
                };
            }
            failed @ State::Done(Err(_)) => self.state = failed,
            _ => self.unsupported(),
        }
    }

    fn member(&mut self, key: &Key<'_>, value: &dyn Encode) {
        let State::Map(map) = &mut self.state else { return };
        let value = AsSerialize(value);
        let added = match (key, self.encoding) {
            (Key::Name(text) | Key::Text(text), _) => map.serialize_entry(text, &value),
            (_, Encoding::Json) => match text_of_key(key) {
                Some(text) => map.serialize_entry(&text, &value),
                None => Err(S::Error::custom("JSON cannot represent a key that is not text")),
            },
            (Key::Integer(label), Encoding::Cbor) => {
                map.serialize_entry(&AsSerialize(label), &value)
            }
            (Key::Other(key), Encoding::Cbor) => map.serialize_entry(&AsSerialize(*key), &value),
        };
        if let Err(error) = added {
            self.state = State::Done(Err(error));
        }
    }

    fn end_map(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Taken) {
            State::Map(map) => State::Done(map.end()),
            other => other,
        };
    }

    fn unsupported(&mut self) {
        let message = "an `Encode` implementation writes a value in pieces, which serde cannot";
        self.state = State::Done(Err(S::Error::custom(message)));
    }
}

/// Returns the text that a key is written as in JSON.
fn text_of_key(key: &Key<'_>) -> Option<String> {
    let Key::Other(key) = key else { return None };
    let token = key.to_json().ok()?;
    let content = token.strip_prefix('"')?.strip_suffix('"')?;
    String::from_utf8(json::unescape(content)).ok()
}

/// A value that is serialized as it is encoded.
struct AsSerialize<'v>(&'v dyn Encode);

impl Serialize for AsSerialize<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

/// A node that is serialized as its value.
struct NodeValue<'d, 'a>(Node<'d, 'a>);

impl Serialize for NodeValue<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_value(self.0.value(), serializer)
    }
}

fn serialize_value<S: Serializer>(value: Value<'_, '_>, serializer: S) -> Result<S::Ok, S::Error> {
    let readable = serializer.is_human_readable();
    match value {
        Value::Null => serializer.serialize_unit(),
        Value::Bool(value) => serializer.serialize_bool(value),
        Value::Integer(value) => serialize_integer(value, serializer),
        Value::BigInteger(token) => match (token.parse(), token.parse()) {
            (Ok(value), _) => serialize_integer(value, serializer),
            (_, Ok(value)) => serializer.serialize_u128(value),
            _ if readable => refuse("an integer beyond 128 bits"),
            _ => match big_integer(token) {
                Some(integer) => serialize_cbor(serializer, |encoder| {
                    encoder.bignum(&integer);
                    Ok(())
                }),
                None => refuse("an integer of more than 4096 digits"),
            },
        },
        Value::Float(Number::Float(value)) if readable && !value.is_finite() => {
            refuse("a number that is not finite")
        }
        Value::Float(Number::Float(value)) => serializer.serialize_f64(value),
        Value::Float(Number::Decimal(decimal)) if !readable => {
            serialize_cbor(serializer, |encoder| encoder.decimal_fraction(decimal.as_str()))
        }
        Value::Float(_) => refuse("a decimal that no double equals"),
        Value::Text(text) => serializer.serialize_str(&text),
        Value::LoneSurrogate(_) => refuse("text with a lone surrogate"),
        Value::Bytes(bytes) if readable => {
            serializer.serialize_str(&BASE64URL_NOPAD.encode(&bytes))
        }
        Value::Bytes(bytes) => serializer.serialize_bytes(&bytes),
        Value::Array(elements) => {
            let mut array = serializer.serialize_seq(Some(elements.clone().count()))?;
            for element in elements {
                array.serialize_element(&NodeValue(element))?;
            }
            array.end()
        }
        Value::Map(members) => {
            let mut map = serializer.serialize_map(Some(members.clone().count()))?;
            for (key, value) in members {
                if readable && key.kind() != Kind::Text {
                    return refuse("a key that is not text");
                }
                map.serialize_entry(&NodeValue(key), &NodeValue(value))?;
            }
            map.end()
        }
        Value::Tag(number @ (2 | 3), content) if is_short_bignum(content) => {
            let magnitude = content.bytes().expect("the kind is that of bytes");
            let magnitude = magnitude.iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte));
            match (number, i128::try_from(magnitude)) {
                (2, Ok(value)) => serialize_integer(value, serializer),
                (3, Ok(value)) => serialize_integer(-1 - value, serializer),
                (2, Err(_)) => serializer.serialize_u128(magnitude),
                _ if readable => refuse("an integer beyond 128 bits"),
                _ => serialize_tag(number, &NodeValue(content), serializer),
            }
        }
        Value::Tag(..) if readable => refuse("a tag"),
        Value::Tag(number, content) => serialize_tag(number, &NodeValue(content), serializer),
        Value::Undefined => refuse("undefined"),
        Value::Simple(_) => refuse("a simple value"),
    }
}

/// Serializes a number that CBOR has a tag for.
fn serialize_cbor<S: Serializer>(
    serializer: S,
    write: impl FnOnce(&mut Encoder<'_>) -> Encoded,
) -> Result<S::Ok, S::Error> {
    let mut encoder = Encoder::cbor();
    write(&mut encoder).map_err(S::Error::custom)?;
    let bytes = encoder.finish();
    let document = Document::cbor(&bytes).expect("an encoder writes well-formed CBOR");
    serialize_value(document.root().value(), serializer)
}

/// Returns whether the content of a bignum fits into 128 bits.
fn is_short_bignum(content: Node<'_, '_>) -> bool {
    content.bytes().is_some_and(|bytes| bytes.len() <= 16)
}

fn serialize_integer<S: Serializer>(value: i128, serializer: S) -> Result<S::Ok, S::Error> {
    match (u64::try_from(value), i64::try_from(value)) {
        (Ok(value), _) => serializer.serialize_u64(value),
        (_, Ok(value)) => serializer.serialize_i64(value),
        _ => serializer.serialize_i128(value),
    }
}

fn serialize_tag<T: Serialize, S: Serializer>(
    number: u64,
    content: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut tag = serializer.serialize_tuple_variant(TAG, 0, TAGGED, 2)?;
    tag.serialize_field(&number)?;
    tag.serialize_field(content)?;
    tag.end()
}

fn refuse<T, E: serde::ser::Error>(what: &str) -> Result<T, E> {
    Err(E::custom(format_args!("serde cannot represent {what}")))
}
