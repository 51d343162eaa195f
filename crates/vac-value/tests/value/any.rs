//! Tests carried values: equality, and building them from parts.

use std::collections::HashSet;

use vac_value::{AnyError, Bytes, IntoOwned, Kind, Map, Number};

use super::*;

fn json(text: &str) -> Any<'_> {
    Any::from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn cbor(bytes: &[u8]) -> Any<'_> {
    Any::from_cbor(bytes).unwrap_or_else(|error| panic!("{bytes:02x?}: {error}"))
}

/// Asserts that all pairs are equal and have equal hashes.
#[track_caller]
fn assert_all_equal(values: &[Any<'_>]) {
    for one in values {
        for other in values {
            assert_eq!(one, other);
            assert_eq!(HashSet::from([one, other]).len(), 1, "{one:?} and {other:?}");
        }
    }
}

/// Asserts that each value equals only itself.
#[track_caller]
fn assert_all_differ(values: &[Any<'_>]) {
    for (at, one) in values.iter().enumerate() {
        for (place, other) in values.iter().enumerate() {
            assert_eq!(one == other, at == place, "{one:?} and {other:?}");
        }
    }
}

#[test]
fn equal_values_are_equal_in_any_spelling() {
    assert_all_equal(&[
        json("1.0"),
        json("1e0"),
        json("10.0e-1"),
        cbor(b"\xf9\x3c\x00"),
        1.0.into(),
    ]);
    assert_all_equal(&[cbor(b"\xfb\x3f\xf0\0\0\0\0\0\0"), cbor(b"\xfa\x3f\x80\0\0"), json("1.0")]);
    assert_all_equal(&[
        json("7"),
        cbor(b"\x07"),
        cbor(b"\x18\x07"),
        cbor(b"\xc2\x41\x07"),
        7.into(),
    ]);
    assert_all_equal(&[
        json("18446744073709551616"),
        cbor(b"\xc2\x49\x01\0\0\0\0\0\0\0\0"),
        cbor(b"\xc2\x4a\0\x01\0\0\0\0\0\0\0\0"),
        Any::tag(2, Any::bytes(b"\x01\0\0\0\0\0\0\0\0")),
        (1_i128 << 64).into(),
    ]);
    assert_all_equal(&[
        json("1e400"),
        json("10E+399"),
        json("0.1e401"),
        cbor(b"\xc4\x82\x19\x01\x90\x01"),
        Any::tag(4, Any::array([400, 1])),
    ]);
    assert_all_equal(&[
        json(r#""A\n""#),
        json(r#""\u0041\u000a""#),
        cbor(b"\x62A\n"),
        cbor(b"\x7f\x61A\x61\n\xff"),
        "A\n".into(),
    ]);
    assert_all_equal(&[
        json(r#"{"a": [1, {"b": null}], "c": true}"#),
        json(r#"{"c":true,"\u0061":[1,{"b":null}]}"#),
        cbor(b"\xbf\x61c\xf5\x61a\x9f\x01\xa1\x61b\xf6\xff\xff"),
        Any::members([("c", true.into()), ("a", json(r#"[1,{"b":null}]"#))]),
        Any::map([
            ("a", Any::array([1.into(), Any::members([("b", Any::null())])])),
            ("c", true.into()),
        ]),
    ]);
    // Values that CBOR cannot represent can be compared, too.
    assert_all_equal(&[json(r#"["\ud800"]"#), json(r#"[ "\uD800" ]"#)]);
    assert_all_equal(&[json("1e99999999999999999999"), json("1e99999999999999999999")]);
    let digits = "7".repeat(5000);
    assert_all_equal(&[json(&digits), json(&format!(" {digits} "))]);
    assert_all_equal(&[json(&format!("0.{digits}")), json(&format!("0.{digits}0"))]);
    assert_all_equal(&[json(r#"{"a":1,"a":2}"#), json(r#"{ "a": 1, "\u0061": 2 }"#)]);
}

#[test]
fn different_values_differ_at_every_depth() {
    assert_all_differ(&[
        json("1"),
        json("1.0"),
        json("\"1\""),
        json("true"),
        json("null"),
        json("0.0"),
        json("-0.0"),
        json("0"),
        json("18446744073709551616"),
        json("-18446744073709551617"),
        json("1e400"),
        json("1e401"),
        json("-1e400"),
        json("1e99999999999999999999"),
        json("1e99999999999999999998"),
        cbor(b"\xf7"),
        cbor(b"\xf0"),
        cbor(b"\x41\x31"),
        cbor(b"\xf9\x7e\x00"),
        cbor(b"\xf9\x7e\x01"),
        cbor(b"\xc1\x01"),
        cbor(b"\xc2\x01"),
        json(r#""\ud800""#),
        json(r#""\ud801""#),
        json("[]"),
        json("{}"),
        json("[[]]"),
        json("[1,2]"),
        json("[2,1]"),
        json(r#"{"a":1}"#),
        json(r#"{"a":2}"#),
        json(r#"{"b":1}"#),
        json(r#"{"a":1,"b":1}"#),
        json(r#"{"a":{"b":[0,{"c":1}]}}"#),
        json(r#"{"a":{"b":[0,{"c":2}]}}"#),
        cbor(b"\xa1\x01\x01"),
        Any::members([("k", Any::tag(1, 1))]),
        Any::members([("other", Any::tag(2, 1))]),
        Any::members([("k", Any::tag(2, 1))]),
        Any::array([Any::tag(1, json(r#""\ud800""#))]),
        Any::array([Any::tag(1, json(r#""\ud801""#))]),
    ]);
}

#[test]
fn values_of_one_node_in_all_forms_are_equal() {
    let document = Document::json(br#"{"a": [1, {"b": "c"}]}"#).expect("JSON");
    let node = document.root().member("a").expect("a member");
    assert_all_equal(&[
        node.carry(),
        node.lift(),
        node.lift().into_owned(),
        node.into(),
        node.carry().into_owned().clone(),
        Any::array([Any::from(1), Any::members([("b", "c")])]).into_owned(),
    ]);
}

#[test]
fn large_values_are_compared_in_time() {
    let members = |order: &mut dyn Iterator<Item = u32>| {
        Any::members(order.map(|key| (format!("key {key}"), Any::from(key))).collect::<Vec<_>>())
    };
    let (up, down) = (members(&mut (0..100_000)), members(&mut (0..100_000).rev()));
    assert_eq!(up, down);
    let mut text = up.to_json().expect("JSON");
    assert_eq!(json(&text), down);
    text.replace_range(text.len() - 2..text.len() - 1, "8");
    assert_ne!(json(&text), down);
}

#[test]
fn values_that_are_built_too_deep_are_refused() {
    let nested = |levels: usize| {
        let mut any = Any::from(1);
        for level in 0..levels {
            any = match level % 3 {
                0 => Any::array([any]),
                1 => Any::members([("k", any)]),
                _ => Any::map([(Any::from("k"), any)]),
            };
        }
        any
    };
    let deepest = nested(LIMIT);
    assert!(deepest.to_json().is_ok() && deepest.document().is_ok());
    assert_eq!(deepest, nested(LIMIT));
    for levels in [LIMIT + 1, LIMIT + 2, 100_000] {
        let any = nested(levels);
        assert!(any.to_json().is_err() && any.to_cbor().is_err());
        assert!(matches!(any.document(), Err(AnyError::Encode(_))));
        assert_eq!(any, any.clone());
        assert_ne!(any, nested(levels));
        assert_eq!(any, any.clone().into_owned());
    }
}

#[test]
fn built_values_are_written_in_both_encodings() {
    let built = Any::map([
        (Any::from("text"), Any::from("é\n")),
        ("int".into(), (-5).into()),
        ("big".into(), u64::MAX.into()),
        ("float".into(), 1.5.into()),
        ("zero".into(), 0.0.into()),
        ("decimal".into(), Number::parse("1e400").expect("a number").into()),
        ("bool".into(), false.into()),
        ("null".into(), Any::null()),
        ("option".into(), None::<u64>.into()),
        ("list".into(), vec![1, 2].into()),
        ("map".into(), Map::from([("a", 1)]).into()),
    ]);
    let text = concat!(
        r#"{"text":"é\n","int":-5,"big":18446744073709551615,"float":1.5,"zero":0.0,"#,
        r#""decimal":1e400,"bool":false,"null":null,"option":null,"list":[1,2],"map":{"a":1}}"#
    );
    assert_eq!(built.to_json().as_deref(), Ok(text));
    assert_eq!(built.to_cbor(), json(text).to_cbor());
    assert_eq!(built, json(text));
    let document = built.document().expect("a document");
    assert_eq!((document.encoding(), document.root().members().count()), (Encoding::Json, 11));
}

#[test]
fn built_values_that_only_cbor_has_are_read_as_cbor() {
    let built = Any::array([
        Any::bytes([1, 2]),
        Bytes::from(vec![3]).into(),
        Any::undefined(),
        Any::tag(32, "x"),
        Any::map([(1, f64::NAN)]),
    ]);
    assert_eq!(
        built.to_cbor().as_deref(),
        Ok(&b"\x85\x42\x01\x02\x41\x03\xf7\xd8\x20\x61x\xa1\x01\xf9\x7e\x00"[..])
    );
    assert!(built.to_json().is_err());
    let document = built.document().expect("a document");
    assert_eq!(document.encoding(), Encoding::Cbor);
    assert_eq!(document.root().elements().count(), 5);
    // Base64url text would be another value.
    let bytes = Any::array([Any::bytes([0xff])]);
    assert_eq!(bytes.to_json().as_deref(), Ok(r#"["_w"]"#));
    assert_eq!(bytes.document().map(|document| document.encoding()), Ok(Encoding::Cbor));
    // Numbers that CBOR has tags for are numbers in JSON.
    assert_eq!(Any::tag(4, vec![-2, 5]).to_json().as_deref(), Ok("5e-2"));
    assert_eq!(Any::tag(3, Any::bytes([0, 9])).to_json().as_deref(), Ok("-10"));
    assert_eq!(Any::tag(3, Any::bytes([0, 9])).to_cbor().as_deref(), Ok(&[0x29][..]));
    // Nothing can represent a lone surrogate and a tag at once.
    let neither = Any::array([Any::tag(1, 1), json(r#""\ud800""#)]);
    assert!(matches!(neither.document(), Err(AnyError::Encode(_))));
}

#[test]
fn duplicate_keys_of_built_maps_are_refused() {
    let error = Err(EncodeError::DuplicateKey("a".to_owned()));
    let members = Any::members([("a", 1), ("b", 2), ("a", 3)]);
    assert_eq!(
        (members.to_json(), members.to_cbor().map(drop)),
        (error.clone(), Err(EncodeError::DuplicateKey("a".to_owned())))
    );
    let map = Any::map([(Any::from("a"), 1), (json(r#""\u0061""#), 2)]);
    assert_eq!(map.to_json(), error);
    let map = Any::map([(Any::from(1), 1), (cbor(b"\x18\x01"), 2)]);
    assert_eq!(map.to_cbor(), Err(EncodeError::DuplicateKey("1".to_owned())));
    // A value from a source is only checked when it is written.
    let carried = json(r#"{"a":1,"a":2}"#);
    assert_eq!(carried.to_json(), error);
    assert_eq!(carried.to_cbor(), Err(EncodeError::DuplicateKey("a".to_owned())));
    assert_eq!(carried.document().map(|document| document.duplicate_keys().len()), Ok(1));
}

#[test]
fn text_is_compared_with_str() {
    let document = Document::json(br#"["plain", "esc\u0061ped"]"#).expect("JSON");
    let texts: Vec<_> = document.root().elements().map(Node::carry).collect();
    assert_eq!(texts[0], "plain");
    assert_eq!(texts[1], "escaped");
    assert_ne!(texts[0], "escaped");
    assert_eq!(cbor(b"\x78\x01a"), "a");
    assert_eq!(cbor(b"\x7f\x61a\xff"), "a");
    assert_ne!(cbor(b"\x41a"), "a");
    assert_eq!(cbor(b"\x78\x01a").as_text(), Some("a"));
    assert_eq!(json(r#""\u0061""#).as_text(), None, "it has to be decoded");
}

#[test]
fn debug_output_shows_the_value() {
    assert_eq!(format!("{:?}", json(r#"{ "a": 1.0 }"#)), r#"Any({"a":1.0})"#);
    assert_eq!(format!("{:?}", cbor(b"\xf7")), "Any(h'f7')");
}

#[test]
fn values_of_the_standard_library_become_any() {
    use std::collections::{BTreeMap, HashMap};
    for (any, expected) in [
        (Any::from(()), "null"),
        (Any::default(), "null"),
        (Any::from(3_usize), "3"),
        (Any::from(-3_isize), "-3"),
        (Any::from(usize::MAX), &usize::MAX.to_string()),
        (Any::from(0.1_f32), "0.10000000149011612"),
        (Any::from('é'), r#""é""#),
        (Any::from(&"text".to_owned()), r#""text""#),
        (Any::from([1, 2]), "[1,2]"),
        (Any::from(&["a", "b"][..]), r#"["a","b"]"#),
        (Any::from(&vec![1.5][..]), "[1.5]"),
        (Any::from(BTreeMap::from([("b", 2), ("a", 1)])), r#"{"a":1,"b":2}"#),
        (Any::from(HashMap::from([("a", [true])])), r#"{"a":[true]}"#),
        ([("b", 1), ("a", 2)].into_iter().collect(), r#"{"b":1,"a":2}"#),
        ([Some(1), None].into_iter().collect(), "[1,null]"),
    ] {
        assert_eq!(any.to_json().as_deref(), Ok(expected));
        assert_eq!(any, json(expected));
        assert_eq!(any.to_string(), expected);
        assert_eq!(expected.parse(), Ok(any));
    }
    assert_eq!(Any::undefined().to_string(), "h'f7'");
    assert_eq!(format!("{:>3}|{:?}", Any::from(1), Any::from("a")), "  1|Any(\"a\")");
    assert!("{".parse::<Any<'_>>().is_err());
}

#[test]
fn carried_values_can_be_read() {
    let text = r#"{"t": "a\nb", "i": -7, "f": 1e400, "b": true, "n": null, "l": [1, "x"], "t": 0}"#;
    let built = Any::members([
        ("t", Any::from("a\nb")),
        ("i", (-7).into()),
        ("f", json("1e400")),
        ("b", true.into()),
        ("n", Any::null()),
        ("l", Any::array([Any::from(1), "x".into()])),
    ]);
    for any in [json(text), json(text).into_owned(), built] {
        let get = |key: &str| any.get(key).unwrap_or_else(|| panic!("{key}"));
        assert_eq!(any.kind(), Some(Kind::Map));
        assert_eq!(get("t").text().as_deref(), Some("a\nb"));
        assert_eq!(get("t"), "a\nb");
        assert_eq!(get("i").integer(), Some(-7));
        assert_eq!(get("i").number().and_then(|number| number.integer()), Some(-7));
        assert_eq!(get("f").float(), Some(f64::INFINITY));
        assert_eq!(get("f").number().map(|number| number.to_string()).as_deref(), Some("1e400"));
        assert_eq!(get("b").bool(), Some(true));
        assert!(get("n").is_null() && !get("b").is_null());
        assert_eq!(get("l").elements(), Some(vec![1.into(), "x".into()]));
        assert_eq!((any.get("none"), get("l").get("t"), any.elements()), (None, None, None));
        assert_eq!((get("l").text(), get("t").integer(), get("i").bool()), (None, None, None));
        assert_eq!((get("i").float(), get("f").integer(), get("t").number()), (None, None, None));
    }
    let labelled = Any::map([(Any::from(1), Any::from("label")), ("t".into(), json("2.5"))]);
    assert_eq!(labelled.get("t").and_then(|t| t.float()), Some(2.5));
    let deep = (0..300).fold(Any::null(), |inner, _| Any::array([inner]));
    assert_eq!((deep.kind(), deep.is_null(), deep.elements()), (None, false, None));
}
