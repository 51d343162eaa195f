//! Canonical JSON: RFC 8785, and the form that the draft's authors sign.

use proptest::prelude::*;
use vac_sign::canonical::{CanonicalError, Form, canonical, double_as_text};
use vac_value::{Document, Kind, Node};

use super::fixture;

fn form(json: &[u8], form: Form) -> Result<String, CanonicalError> {
    let document = Document::json(json).expect("JSON");
    canonical(&document, form).map(|bytes| String::from_utf8(bytes).expect("text"))
}

#[track_caller]
fn gives(json: &str, which: Form, expected: &str) {
    assert_eq!(form(json.as_bytes(), which).as_deref(), Ok(expected), "{json}");
}

#[track_caller]
fn fails(json: &str, which: Form, words: &str) {
    let error = form(json.as_bytes(), which).expect_err(json).to_string();
    assert!(error.contains(words), "{json}: {error}");
}

#[test]
fn vectors_of_rfc_8785_have_their_canonical_form() {
    let text = fixture("rfc/rfc8785.json");
    let vectors = Document::json(&text).expect("JSON");
    let list = |name: &str| vectors.root().member(name).expect("a list").elements();
    let text = |node: Node<'_, '_>, name: &str| {
        node.member(name).and_then(Node::text).expect("text").into_owned()
    };
    for vector in list("documents") {
        gives(&text(vector, "input"), Form::Rfc8785, &text(vector, "canonical"));
    }
    for vector in list("numbers") {
        let bits = u64::from_str_radix(&text(vector, "bits"), 16).expect("hexadecimal digits");
        assert_eq!(double_as_text(f64::from_bits(bits)), text(vector, "json"));
    }
    assert_eq!((list("documents").count(), list("numbers").count()), (2, 24));
}

#[test]
fn numbers_that_a_double_would_change_are_errors() {
    for (json, words) in [
        ("1e400", "beyond the range"),
        ("-1e400", "beyond the range"),
        (&"9".repeat(400), "beyond the range"),
        ("9007199254740993", "would change this integer"),
        ("-9007199254740993", "would change this integer"),
        ("18446744073709551615", "would change this integer"),
        ("123456789012345678901234567890", "would change this integer"),
        ("1e-400", "would change this number"),
        ("1.2345678e-320", "would change this number"),
        ("0.1234567890123456789012345678", "would change this number"),
        ("0.123456789012345678", "would change this number"),
    ] {
        fails(json, Form::Rfc8785, words);
        fails(&format!("{{\"a\": [0, {json}]}}"), Form::Rfc8785, "/a/1: ");
    }
    for (json, expected) in [
        ("9007199254740992", "9007199254740992"),
        ("-9007199254740994", "-9007199254740994"),
        ("1000000000000000000000", "1e+21"),
        ("295147905179352830000", "295147905179352830000"),
        ("333333333.33333329", "333333333.3333333"),
        ("5e-324", "5e-324"),
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e9", "0"),
        ("1E2", "100"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("123456789012345680000.0", "123456789012345680000"),
    ] {
        gives(json, Form::Rfc8785, expected);
    }
}

#[test]
fn lone_surrogates_fail_and_keys_sort_by_utf_16() {
    fails(r#"{"a": "\ud800"}"#, Form::Rfc8785, "/a: text with a lone surrogate");
    fails(r#"{"\udfff": 1}"#, Form::Rfc8785, "lone surrogate");
    fails(r#"{"a": {"b": 1, "\u0062": 2}}"#, Form::Rfc8785, "/a/b: duplicate key");
    let keys = "{\"\u{fb33}\":1,\"\u{1f602}\":2}";
    gives(keys, Form::Rfc8785, "{\"\u{1f602}\":2,\"\u{fb33}\":1}");
    gives(keys, Form::Sorted, keys);
    gives(
        r#""\u0007\u001F\/\b\"\u00e9\u007f""#,
        Form::Rfc8785,
        "\"\\u0007\\u001f/\\b\\\"é\u{7f}\"",
    );
}

/// What Python's `json.dumps` writes for what `json.loads` has read.
#[test]
fn the_authors_form_has_pythons_numbers() {
    for (json, expected) in [
        ("1.5", "1.5"),
        ("1.0", "1.0"),
        ("-0.0", "-0.0"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("1e-7", "1e-07"),
        ("1e-07", "1e-07"),
        ("1.25e-10", "1.25e-10"),
        ("1000000000000000.0", "1000000000000000.0"),
        ("1e16", "1e+16"),
        ("1.0e16", "1e+16"),
        ("1e+22", "1e+22"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("18446744073709551617", "18446744073709551617"),
        ("-12", "-12"),
    ] {
        gives(json, Form::Sorted, expected);
        gives(expected, Form::Sorted, expected);
    }
    for json in ["15e-1", "2.1e-3", "1.50", "1e3", "-0", "0.10", "1e400", "1e-007", "10e20"] {
        fails(json, Form::Sorted, "has no canonical form");
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        any::<f64>().prop_filter("finite", |double| double.is_finite()).prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn canonical_json_is_stable_and_keeps_the_value(value in json()) {
        let text = serde_json::to_vec_pretty(&value).expect("JSON");
        for which in [Form::Rfc8785, Form::Sorted] {
            let canonical = form(&text, which).expect("canonical");
            let twice = form(canonical.as_bytes(), which).expect("canonical");
            prop_assert_eq!(&twice, &canonical);
            let (before, after) = (Document::json(&text), Document::json(canonical.as_bytes()));
            let same = are_equal(before.expect("JSON").root(), after.expect("JSON").root());
            prop_assert!(same, "{} became {}", value, canonical);
        }
    }
}

/// Compares values: `1` equals `1.0`, and zeros are equal.
fn are_equal(one: Node<'_, '_>, other: Node<'_, '_>) -> bool {
    let number = |node: Node<'_, '_>| {
        let is_number = matches!(node.kind(), Kind::Integer | Kind::BigInteger | Kind::Float);
        std::str::from_utf8(node.raw()).ok()?.parse::<f64>().ok().filter(|_| is_number)
    };
    match (one.kind(), other.kind()) {
        (Kind::Array, Kind::Array) => {
            one.elements().count() == other.elements().count()
                && one.elements().zip(other.elements()).all(|(one, other)| are_equal(one, other))
        }
        (Kind::Map, Kind::Map) => {
            one.members().count() == other.members().count()
                && one.members().all(|(key, one)| {
                    let key = key.text().expect("text");
                    other.member(&key).is_some_and(|other| are_equal(one, other))
                })
        }
        (Kind::Text, Kind::Text) => one.text() == other.text(),
        _ if number(one).is_some() => number(one) == number(other),
        _ => one.raw() == other.raw(),
    }
}
