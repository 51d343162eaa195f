//! Tests that unusual numbers and texts in records are kept exactly or are an error.

use vac_record::{Decode, DecodeError, TokenUsage, VerifiableAgentRecord};
use vac_value::{Any, Document, Encode, EncodeError, Encoding, IntoOwned, Kind};

/// Numbers that both encodings can express, one on each line.
const REPRESENTABLE: &str = include_str!("../../fixtures/numbers.txt");

/// Returns values that JSON can express and CBOR cannot.
fn numbers_beyond_cbor() -> Vec<String> {
    vec![
        r#""\ud800""#.to_owned(),
        r#""\udc00\ud800""#.to_owned(),
        r#""half \uD83d of a pair""#.to_owned(),
        r#"{"\udfff":1}"#.to_owned(),
        "1e9223372036854775808".to_owned(),
        "10e9223372036854775807".to_owned(),
        "1e-9223372036854775809".to_owned(),
        "-1.5E+99999999999999999999999999".to_owned(),
        "7".repeat(4097),
        format!("-{}", "7".repeat(5000)),
        format!("0.{}", "7".repeat(4097)),
    ]
}

/// Returns a record whose only message has this content. Its keys are in the order of the schema,
/// which is also the order in which they are written.
fn record(content: &str) -> String {
    format!(
        concat!(
            r#"{{"version":"3.0.0-draft","id":"r","session":{{"session-id":"s","#,
            r#""agent-meta":{{"model-id":"m","model-provider":"p"}},"#,
            r#""entries":[{{"type":"user","content":{content}}},"#,
            r#"{{"type":"tool-call","name":"n","input":[{content}]}}]}},"x":{{"y":{content}}}}}"#
        ),
        content = content
    )
}

fn json_to_cbor(json: &str) -> Result<Vec<u8>, EncodeError> {
    Any::from_json(json.as_bytes()).expect("JSON").to_cbor()
}

fn is_not_representable<T>(result: &Result<T, EncodeError>, encoding: Encoding) -> bool {
    matches!(result, Err(EncodeError::NotRepresentable { encoding: at, .. }) if *at == encoding)
}

/// Returns the normal form of a decimal number: its sign, its digits without zeros at the ends, and
/// the power of ten of the last one.
fn normalize(token: &str) -> (bool, String, i128) {
    let (mantissa, power) = match token.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i128>().expect("a power of ten")),
        None => (token, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0').trim_end_matches('0').to_owned();
    if digits.is_empty() {
        return (negative, digits, 0);
    }
    let zeros = all.len() - all.trim_end_matches('0').len();
    (negative, digits, power - fraction.len() as i128 + zeros as i128)
}

fn cost(token: &str) -> String {
    format!(r#"{{"cost":{token}}}"#)
}

#[test]
fn unusual_values_are_unchanged_in_json() {
    let beyond = numbers_beyond_cbor();
    let texts = [
        r#"{"b":1,"a":2,"":3,"a b":4,"ab":5,"~0/":6}"#,
        r#"{"2":1,"10":2,"1":{"z":[],"y":{}}}"#,
        r#""\u0061\/\u00e9\ud83d\ude00\b""#,
        r#"[[],{},"",null,true,false]"#,
    ];
    for content in REPRESENTABLE.lines().chain(texts).chain(beyond.iter().map(String::as_str)) {
        let text = record(content);
        let value = VerifiableAgentRecord::from_json(text.as_bytes()).expect("a record");
        assert_eq!(value.to_json().as_deref(), Ok(&*text));
        assert_eq!(value.into_owned().to_json().as_deref(), Ok(&*text));
    }
}

#[test]
fn white_space_is_removed_and_tokens_are_kept() {
    let compact = record(r#"{"a":[1.0,-0,1E+2],"\u0062":"\ud800"}"#);
    let spaced = record("\n{ \"a\" :\t[ 1.0 , -0,1E+2 ] ,\r\n\"\\u0062\": \"\\ud800\" } ");
    let value = VerifiableAgentRecord::from_json(spaced.as_bytes()).expect("a record");
    assert_eq!(value.to_json(), Ok(compact));
}

#[test]
fn unusual_numbers_are_kept_through_cbor() {
    for token in REPRESENTABLE.lines() {
        let text = record(token);
        let value = VerifiableAgentRecord::from_json(text.as_bytes()).expect("a record");
        let bytes = value.to_cbor().expect("CBOR has it");
        let back = VerifiableAgentRecord::from_cbor(&bytes).expect("the same record");
        assert_eq!(back, value, "{token}");
        let json = back.to_json().expect("JSON has it");
        assert_eq!(VerifiableAgentRecord::from_json(json.as_bytes()).as_ref(), Ok(&value));
    }
}

#[test]
fn cost_of_28_digits_is_kept_in_json_and_refused_for_cbor() {
    for token in ["0.1234567890123456789012345678", "1e400", "-3.00000000000000000000000001"] {
        let text = cost(token);
        let usage = TokenUsage::from_json(text.as_bytes()).expect("a cost");
        assert_eq!(usage.cost, Some(token.parse().expect("a number")));
        assert_eq!(usage.to_json(), Ok(text.clone()));
        assert!(is_not_representable(&usage.to_cbor(), Encoding::Cbor), "{token}");
        // The value is tag 4 as `any`, but `number` does not match a tag.
        let tagged = json_to_cbor(&text).expect("tag 4");
        assert!(matches!(TokenUsage::from_cbor(&tagged), Err(DecodeError::Invalid(_))));
    }
}

#[test]
fn cost_that_fits_a_double_is_kept_in_both_encodings() {
    for token in REPRESENTABLE.lines() {
        let text = cost(token);
        let Ok(usage) = TokenUsage::from_json(text.as_bytes()) else {
            let document = Document::json(token.as_bytes()).expect("JSON");
            assert_eq!(document.root().kind(), Kind::BigInteger, "{token} is a number");
            continue;
        };
        let json = usage.to_json().expect("JSON has all numbers");
        let written = json.strip_prefix(r#"{"cost":"#).and_then(|rest| rest.strip_suffix('}'));
        assert_eq!(written.map(normalize), Some(normalize(token)), "{json}");
        match usage.to_cbor() {
            Ok(bytes) => assert_eq!(TokenUsage::from_cbor(&bytes), Ok(usage), "{token}"),
            error => assert!(is_not_representable(&error, Encoding::Cbor), "{token}"),
        }
    }
}

#[test]
fn typed_integers_and_texts_refuse_other_values() {
    for token in ["-1", "-0", "1.0", "1e2", "18446744073709551616", "0.5", "\"1\"", "null"] {
        let text = format!(r#"{{"input":{token}}}"#);
        assert!(TokenUsage::from_json(text.as_bytes()).is_err(), "{token} is not a uint");
    }
    let most = r#"{"input":18446744073709551615}"#;
    let usage = TokenUsage::from_json(most.as_bytes()).expect("a uint");
    assert_eq!((usage.input, usage.to_json().as_deref()), (Some(u64::MAX), Ok(most)));
    for broken in [r#""\ud800""#, r#""\ude00\ud83d""#] {
        let text = record("0").replace(r#""r""#, broken);
        assert!(VerifiableAgentRecord::from_json(text.as_bytes()).is_err(), "{broken} is not text");
        let text = record("0").replace(r#""x":"#, &format!("{broken}:"));
        assert!(
            VerifiableAgentRecord::from_json(text.as_bytes()).is_err(),
            "{broken} is not a key"
        );
    }
}

#[test]
fn records_that_cbor_cannot_represent_are_refused() {
    for content in numbers_beyond_cbor() {
        let text = record(&content);
        let value = VerifiableAgentRecord::from_json(text.as_bytes()).expect("a record");
        assert!(is_not_representable(&value.to_cbor(), Encoding::Cbor), "{}", &text[..200]);
    }
}

#[test]
fn duplicate_keys_are_refused_by_types() {
    let record = |extra: &str, content: &str| {
        format!(
            concat!(
                r#"{{"version":"3","id":"r",{extra}"session":{{"session-id":"s","#,
                r#""agent-meta":{{"model-id":"m","model-provider":"p"}},"#,
                r#""entries":[{{"type":"user","content":{content}}}]}}}}"#
            ),
            extra = extra,
            content = content
        )
    };
    let fine = record("", r#"{"a":1}"#);
    assert!(VerifiableAgentRecord::from_json(fine.as_bytes()).is_ok());
    let twice = [
        record(r#""id":"r","#, "0"),
        record(r#""x":1,"x":1,"#, "0"),
        record(r#""x":1,"\u0078":2,"#, "0"),
        record("", r#"[{"a":1,"a":1}]"#),
    ];
    for text in &twice {
        let error = VerifiableAgentRecord::from_json(text.as_bytes()).expect_err("twice");
        assert_eq!(error.violations()[0].expected, "every key once");
        // serde_json rejects it, too.
        assert!(serde_json::from_str::<VerifiableAgentRecord<'_>>(text).is_err(), "{text}");
    }
    let bytes = b"\xa2\x65input\x01\x65input\x01";
    assert!(TokenUsage::from_cbor(bytes).is_err());
    assert!(ciborium::from_reader::<TokenUsage<'_>, _>(&bytes[..]).is_err());
    // An `any` is not checked when it is decoded, only when it is encoded.
    let any = Any::from_json(br#"{"a":1,"a":2}"#).expect("JSON");
    assert_eq!(any.to_json(), Err(EncodeError::DuplicateKey("a".to_owned())));
    assert_eq!(any.to_cbor(), Err(EncodeError::DuplicateKey("a".to_owned())));
}
