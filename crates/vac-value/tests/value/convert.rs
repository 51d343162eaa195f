//! Conversions from and to `serde_json::Value` and `ciborium::Value`.

use ciborium::Value as CborValue;
use serde_json::{Value as JsonValue, json};
use vac_value::AnyError;

use super::*;

#[test]
fn json_values_become_any_and_back() {
    let values = [
        json!(null),
        json!([true, false]),
        json!({"b": [1, -2, 2.5, 1e300, 1e-7], "a": {"c": "é\n\u{0}"}}),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(-0.0),
    ];
    for value in values {
        let any = Any::from(value.clone());
        assert_eq!(any.to_json(), Ok(value.to_string()));
        assert_eq!(any, Any::from_json(value.to_string().as_bytes()).expect("JSON"));
        assert_eq!(JsonValue::try_from(&any), Ok(value.clone()));
        let cbor = any.to_cbor().expect("CBOR");
        assert_eq!(JsonValue::try_from(Any::from_cbor(&cbor).expect("CBOR")), Ok(value));
    }
    let built = Any::members([("a", Any::array([1, 2]))]);
    assert_eq!(JsonValue::try_from(built), Ok(json!({"a": [1, 2]})));
}

#[test]
fn json_values_refuse_what_they_cannot_hold() {
    let texts = [
        "18446744073709551616",
        "-9223372036854775809",
        "1e400",
        "0.1234567890123456789012345678",
        r#""\ud800""#,
        r#"{"a":1,"a":2}"#,
    ];
    for text in texts {
        let any = Any::from_json(text.as_bytes()).expect("JSON");
        assert!(matches!(JsonValue::try_from(any), Err(AnyError::Encode(_))), "{text}");
    }
    let items: &[&[u8]] =
        &[b"\x41\x00", b"\xf7", b"\xf0", b"\xc1\x00", b"\xf9\x7e\x00", b"\xa1\x01\x02"];
    for item in items {
        for item in [item.to_vec(), [b"\x81", *item].concat()] {
            let any = Any::from_cbor(&item).expect("CBOR");
            assert!(JsonValue::try_from(any).is_err(), "{item:02x?}");
        }
    }
}

#[test]
fn cbor_values_become_any_and_back() {
    let nested = CborValue::Map(vec![
        (1.into(), CborValue::Array(vec![CborValue::Null, true.into(), (-5).into()])),
        (CborValue::Bytes(vec![1, 2]), CborValue::Tag(32, Box::new("x".into()))),
        ("é".into(), CborValue::Float(1.5)),
        ("big".into(), CborValue::Tag(2, Box::new(CborValue::Bytes(vec![1; 20])))),
        (CborValue::Array(vec![]), CborValue::Map(vec![])),
        (u64::MAX.into(), CborValue::Float(f64::INFINITY)),
    ]);
    let any = Any::from(nested.clone());
    let mut theirs = Vec::new();
    ciborium::into_writer(&nested, &mut theirs).expect("CBOR");
    assert_eq!(any, Any::from_cbor(&theirs).expect("CBOR"));
    let back = CborValue::try_from(&any).expect("a value");
    assert_eq!(Any::from(back.clone()), any);
    let CborValue::Map(members) = back else { panic!("not a map") };
    // The order is that of deterministic CBOR.
    assert_eq!(members[0].0, 1.into());
    assert_eq!(members.len(), 6);
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let any = Any::from(CborValue::Float(nan));
    assert_eq!(any.to_cbor().as_deref(), Ok(&b"\xfb\x7f\xf8\0\0\0\0\0\x01"[..]));
    let Ok(CborValue::Float(back)) = CborValue::try_from(any) else { panic!("not a float") };
    assert_eq!(back.to_bits(), nan.to_bits());
}

#[test]
fn cbor_values_refuse_what_they_cannot_hold() {
    for item in [&b"\xf7"[..], b"\xf0", b"\xf8\xff", b"\x81\xf7"] {
        let any = Any::from_cbor(item).expect("CBOR");
        assert!(matches!(CborValue::try_from(any), Err(AnyError::Encode(_))), "{item:02x?}");
    }
    for text in [r#""\ud800""#, r#"{"a":1,"a":2}"#, "1e99999999999999999999"] {
        let any = Any::from_json(text.as_bytes()).expect("JSON");
        assert!(CborValue::try_from(any).is_err(), "{text}");
    }
    let any = Any::from_json(b"[18446744073709551616,1e400]").expect("JSON");
    let bytes = CborValue::Bytes(b"\x01\0\0\0\0\0\0\0\0".to_vec());
    let expected = CborValue::Array(vec![
        CborValue::Tag(2, Box::new(bytes)),
        CborValue::Tag(4, Box::new(CborValue::Array(vec![400.into(), 1.into()]))),
    ]);
    assert_eq!(CborValue::try_from(any), Ok(expected));
}

#[test]
fn deep_cbor_values_are_converted_without_recursion() {
    let mut value = CborValue::Null;
    for _ in 0..2000 {
        value = CborValue::Array(vec![value]);
    }
    let any = Any::from(value);
    assert!(matches!(any.document(), Err(AnyError::Syntax(_))), "deeper than a document may be");
    assert_eq!(any, any.clone());
    assert!(any.to_json().is_err());
}
