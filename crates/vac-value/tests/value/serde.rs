//! serde's traits.

use std::collections::BTreeMap;

use ::serde::de::DeserializeOwned;
use ::serde::{Deserialize, Serialize};
use vac_value::{Bytes, Embedded, Map, Null, Number, Tagged, Text, Undefined};

use super::*;

fn through_json<T: Serialize + DeserializeOwned>(value: &T) -> Result<(String, T), String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    let back = serde_json::from_str(&text).map_err(|error| format!("{text}: {error}"))?;
    let tree = serde_json::to_value(value).map_err(|error| error.to_string())?;
    assert_eq!(
        tree.to_string(),
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON").to_string()
    );
    serde_json::from_value::<T>(tree).map_err(|error| error.to_string())?;
    Ok((text, back))
}

fn through_ciborium<T: Serialize + DeserializeOwned>(value: &T) -> Result<(Vec<u8>, T), String> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|error| error.to_string())?;
    let back = ciborium::from_reader(&bytes[..]).map_err(|error| error.to_string())?;
    let tree = ciborium::Value::serialized(value).map_err(|error| error.to_string())?;
    tree.deserialized::<T>().map_err(|error| error.to_string())?;
    Ok((bytes, back))
}

#[track_caller]
fn keeps<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, json: &str) {
    let (text, back) = through_json(value).expect("JSON");
    assert_eq!((text.as_str(), &back), (json, value));
    let (_, back) = through_ciborium(value).expect("CBOR");
    assert_eq!(&back, value);
}

#[test]
fn carried_values_pass_through_serde() {
    let texts = [
        "null",
        "[true,false]",
        r#"{"b":[1,-2,2.5,1e+300],"a":{"c":"é\n","":{}}}"#,
        "18446744073709551615",
        "-9223372036854775808",
        "-0.0",
        "[[[[[]]]]]",
    ];
    for text in texts {
        let any = Any::from_json(text.as_bytes()).expect("JSON");
        let owned: Any<'static> = vac_value::into_owned(any);
        let (json, back) = through_json(&owned).expect("JSON");
        assert_eq!((json.replace("e300", "e+300"), &back), (text.to_owned(), &owned));
        assert_eq!(back.to_json().as_deref(), Ok(text));
        assert_eq!(through_ciborium(&owned).map(|(_, back)| back).as_ref(), Ok(&owned));
    }
}

#[test]
fn all_of_cbor_but_simple_values_passes_through_ciborium() {
    let items: &[&[u8]] = &[
        b"\x43\x01\x02\x03",
        b"\xc1\x1a\x51\x4b\x67\xb0",
        b"\xd8\x20\x61x",
        b"\xc1\xc2\x41\x05",
        b"\xc2\x49\x01\0\0\0\0\0\0\0\0",
        b"\xc3\x49\x01\0\0\0\0\0\0\0\0",
        b"\xc2\x50\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\xc2\x51\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\xc4\x82\x21\x19\x6a\xb3",
        b"\xf9\x7c\x00",
        b"\xf9\x7e\x00",
        b"\xa3\x01\x02\x41\x00\xf6\x80\x61a",
        b"\xa1\xa1\x01\x02\xc1\x80",
        b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    for item in items {
        let any = vac_value::into_owned(Any::from_cbor(item).expect("CBOR"));
        let (_, back) =
            through_ciborium(&any).unwrap_or_else(|error| panic!("{item:02x?}: {error}"));
        assert_eq!(back, any, "{item:02x?}");
    }
    // Numbers of JSON that CBOR has tags for.
    for text in
        ["1e400", "[123456789012345678901234567890123456789012345]", "0.1234567890123456789012"]
    {
        let any = vac_value::into_owned(Any::from_json(text.as_bytes()).expect("JSON"));
        assert_eq!(through_ciborium(&any).map(|(_, back)| back), Ok(any), "{text}");
    }
}

#[test]
fn values_that_serde_cannot_represent_are_refused() {
    let texts = [
        ("1e400", "serde cannot represent a decimal that no double equals"),
        (r#"["\ud800"]"#, "serde cannot represent text with a lone surrogate"),
        (
            "1000000000000000000000000000000000000000",
            "serde cannot represent an integer beyond 128 bits",
        ),
        (r#"[{"a":1,"a":2}]"#, "duplicate key a in a map"),
    ];
    for (text, message) in texts {
        let any = Any::from_json(text.as_bytes()).expect("JSON");
        assert_eq!(
            serde_json::to_string(&any).map_err(|error| error.to_string()),
            Err(message.to_owned())
        );
    }
    let items: &[(&[u8], &str)] = &[
        (b"\xf7", "serde cannot represent undefined"),
        (b"\x81\xf0", "serde cannot represent a simple value"),
        (b"\x81\xc1\x00", "serde cannot represent a tag"),
        (b"\xa1\x01\x02", "serde cannot represent a key that is not text"),
        (b"\x81\xf9\x7c\x00", "serde cannot represent a number that is not finite"),
    ];
    for (item, message) in items {
        let any = Any::from_cbor(item).expect("CBOR");
        assert_eq!(
            serde_json::to_string(&any).map_err(|error| error.to_string()),
            Err((*message).to_owned())
        );
    }
    for item in [&b"\xf7"[..], b"\x81\xf0"] {
        assert!(ciborium::into_writer(&Any::from_cbor(item).expect("CBOR"), Vec::new()).is_err());
    }
    // serde_json's tree has 64 bits.
    let any = Any::from_json(b"18446744073709551616").expect("JSON");
    assert_eq!(serde_json::to_string(&any).expect("JSON"), "18446744073709551616");
    assert!(serde_json::to_value(&any).is_err());
}

#[test]
fn built_values_are_serialized_directly() {
    let built = Any::members([("b", Any::array([1, 2])), ("a", Any::map([("c", 1.5)]))]);
    assert_eq!(serde_json::to_string(&built).expect("JSON"), r#"{"b":[1,2],"a":{"c":1.5}}"#);
    let twice = Any::members([("a", 1), ("b", 1), ("a", 2)]);
    assert_eq!(
        serde_json::to_string(&twice).map_err(|error| error.to_string()),
        Err("duplicate key a in a map".to_owned())
    );
    let tagged = Any::array([Any::tag(7, Any::map([(1, "one")]))]);
    let (bytes, back) = through_ciborium(&vac_value::into_owned(tagged.clone())).expect("CBOR");
    assert_eq!(Any::from_cbor(&bytes).as_ref(), Ok(&tagged));
    assert_eq!(back, tagged);
    assert!(serde_json::to_string(&tagged).is_err());
    let integer_keys = Any::map([(1, 2)]);
    assert!(serde_json::to_string(&integer_keys).is_err());
}

type Nested = Map<Text<'static>, Vec<Option<Bytes<'static>>>>;

#[test]
fn small_types_pass_through_serde() {
    keeps(&Null, "null");
    keeps(&Number::from(5_u64), "5");
    keeps(&Number::Integer(i128::from(i64::MIN)), "-9223372036854775808");
    keeps(&Number::Float(2.0), "2.0");
    keeps(&Bytes::from(vec![0xfb, 0xff]), r#""-_8""#);
    keeps(&Embedded::<Vec<u64>>::new(vec![1, 2]), r#""ggEC""#);
    keeps(&Map::from([("b".to_owned(), 1_u64), ("a".to_owned(), 2)]), r#"{"b":1,"a":2}"#);
    keeps(&Nested::from([("x".into(), vec![None, Some(vec![1].into())])]), r#"{"x":[null,"AQ"]}"#);
    let bytes = through_ciborium(&Bytes::from(vec![1, 2])).expect("CBOR").0;
    assert_eq!(bytes, b"\x42\x01\x02", "a byte string, not an array");
    let integer = Number::Integer(-(1 << 64));
    assert_eq!(through_ciborium(&integer).map(|(_, back)| back), Ok(integer));
    assert!(serde_json::from_str::<Number<'_>>("\"5\"").is_err());
    assert!(serde_json::from_str::<Bytes<'_>>("\"=\"").is_err());
    assert!(serde_json::from_str::<Null>("0").is_err());
    let wide: Result<Number<'_>, _> = ciborium::from_reader(&b"\xc2\x49\x01\0\0\0\0\0\0\0\0"[..]);
    assert!(wide.is_err(), "a `Number` is not a bignum");
}

#[test]
fn tags_pass_through_ciborium_only() {
    type Time = Tagged<1, u64>;
    let (bytes, back) = through_ciborium(&Tagged::<1, u64>(5)).expect("CBOR");
    assert_eq!((&bytes[..], back), (&b"\xc1\x05"[..], Tagged(5)));
    let wrong: Result<Time, _> = ciborium::from_reader(&b"\xc2\x05"[..]);
    assert!(wrong.is_err());
    let none: Result<Time, _> = ciborium::from_reader(&b"\x05"[..]);
    assert!(none.is_err());
    assert!(serde_json::to_string(&Tagged::<1, u64>(5)).is_err());
    let list = Tagged::<32, _>(Embedded::<Tagged<1, u64>>::new(Tagged(7)));
    let (bytes, back) = through_ciborium(&list).expect("CBOR");
    assert_eq!((&bytes[..], back), (&b"\xd8\x20\x42\xc1\x07"[..], list));
}

#[test]
fn undefined_is_refused_in_both_directions() {
    assert!(serde_json::to_string(&Undefined).is_err());
    assert!(ciborium::into_writer(&Undefined, Vec::new()).is_err());
    assert!(ciborium::from_reader::<Undefined, _>(&b"\xf7"[..]).is_err());
    assert!(serde_json::from_str::<Undefined>("null").is_err());
}

#[test]
fn maps_with_duplicate_keys_are_refused() {
    let text = r#"{"a":1,"b":2,"a":3}"#;
    let error = serde_json::from_str::<Map<String, u64>>(text).expect_err("twice");
    assert!(error.to_string().starts_with("duplicate key"), "{error}");
    let mut map = Map::from([("a", 1_u64), ("a", 2)]);
    assert!(serde_json::to_string(&map).is_err());
    assert!(ciborium::into_writer(&map, Vec::new()).is_err());
    map.retain(|_, value| *value == 1);
    assert_eq!(serde_json::to_string(&map).expect("JSON"), r#"{"a":1}"#);
}

#[test]
fn depth_is_limited_while_deserializing() {
    let nested = |levels: usize| [&b"\x81".repeat(levels)[..], b"\x00"].concat();
    let read = |levels| {
        ciborium::de::from_reader_with_recursion_limit::<Any<'static>, _>(&nested(levels)[..], 1000)
    };
    let any = read(LIMIT).expect("a document of this depth");
    assert!(any.document().is_ok());
    assert!(read(LIMIT + 1).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    x: i64,
    label: Option<String>,
    kind: Shape,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Dot,
    Circle { radius: f64 },
    Pair(u8, u8),
}

#[test]
fn types_with_serde_are_read_from_nodes() {
    let text = r#"[{"x":-1,"label":null,"kind":"Dot"},{"x":2,"label":"a\u0062","kind":{"Circle":{"radius":0.5}}},{"x":3,"label":"c","kind":{"Pair":[1,2]}}]"#;
    let expected = vec![
        Point { x: -1, label: None, kind: Shape::Dot },
        Point { x: 2, label: Some("ab".to_owned()), kind: Shape::Circle { radius: 0.5 } },
        Point { x: 3, label: Some("c".to_owned()), kind: Shape::Pair(1, 2) },
    ];
    let json = Document::json(text.as_bytes()).expect("JSON");
    assert_eq!(Vec::<Point>::deserialize(json.root()).as_ref(), Ok(&expected));
    let bytes = Any::from_json(text.as_bytes()).expect("JSON").to_cbor().expect("CBOR");
    let cbor = Document::cbor(&bytes).expect("CBOR");
    assert_eq!(Vec::<Point>::deserialize(cbor.root()), Ok(expected));
    let twice = Document::json(br#"{"a":1,"a":2}"#).expect("JSON");
    let error = BTreeMap::<String, u64>::deserialize(twice.root()).expect_err("twice");
    assert_eq!(error.to_string(), "duplicate key in a map");
    let decimal = Document::json(b"1e400").expect("JSON");
    assert!(f64::deserialize(decimal.root()).is_err(), "no double equals it");
    let borrowed = Document::json(br#""borrowed""#).expect("JSON");
    assert_eq!(<&str>::deserialize(borrowed.root()), Ok("borrowed"));
    // A node passes any value on, too.
    assert_eq!(Any::deserialize(cbor.root()).map(|any| any.to_cbor()), Ok(Ok(bytes.clone())));
}

/// Writes an array piece by piece, which a serializer cannot follow.
struct Pieces;

impl Encode for Pieces {
    fn encode(&self, to: &mut Encoder<'_>) -> Result<(), EncodeError> {
        to.begin_array(1);
        to.element();
        to.integer(1);
        to.end_array();
        Ok(())
    }
}

#[test]
fn values_that_are_written_in_pieces_are_refused() {
    assert_eq!(Pieces.to_json().as_deref(), Ok("[1]"));
    let result = vac_value::serde::serialize(&Pieces, serde_json::value::Serializer);
    let error = result.expect_err("in pieces").to_string();
    assert!(error.contains("writes a value in pieces"), "{error}");
}
