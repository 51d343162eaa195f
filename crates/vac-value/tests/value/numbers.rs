//! Tests numbers and unusual text: values are kept exactly or refused.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use vac_value::{
    Any, Document, Encode, EncodeError, Encoder, Encoding, Kind, Layout, Number, NumberError,
    transcode,
};

/// Numbers that both encodings can represent, one on each line.
const CARRIED: &str = include_str!("../../../../fixtures/numbers.txt");

/// Values that JSON can represent and CBOR cannot.
fn beyond_cbor() -> Vec<String> {
    vec![
        r#""\ud800""#.to_owned(),
        r#""\udc00\ud800""#.to_owned(),
        r#""\ud800\ud800""#.to_owned(),
        r#""\ud800\ud83d\ude00""#.to_owned(),
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

fn json_to_cbor(json: &str) -> Result<Vec<u8>, EncodeError> {
    Any::from_json(json.as_bytes()).expect("JSON").to_cbor()
}

fn cbor_to_json(cbor: &[u8]) -> Result<String, EncodeError> {
    Any::from_cbor(cbor).expect("CBOR").to_json()
}

fn is_not_representable<T>(result: &Result<T, EncodeError>, encoding: Encoding) -> bool {
    matches!(result, Err(EncodeError::NotRepresentable { encoding: at, .. }) if *at == encoding)
}

/// Returns a decimal number without a choice of how to write it: its sign, its digits without zeros
/// at the ends, and the power of ten of the last one.
fn exact(token: &str) -> (bool, String, i128) {
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

/// Returns whether a token is an integer. `-0` is not.
fn is_integer(token: &str) -> bool {
    !token.contains(['.', 'e', 'E']) && token != "-0"
}

/// Converts a number to CBOR and back and compares its value.
fn keeps_its_value(token: &str) -> Result<(), String> {
    let bytes = json_to_cbor(token).map_err(|error| format!("{token}: {error}"))?;
    let back = cbor_to_json(&bytes).map_err(|error| format!("{token}: {error}"))?;
    if exact(&back) != exact(token) {
        return Err(format!("{token} became {back}"));
    }
    // Fractions of ten are tagged in CBOR and have an exponent when they come back.
    if is_integer(token) != is_integer(&back) {
        return Err(format!("{token} changed its kind: {back}"));
    }
    let again = json_to_cbor(&back).map_err(|error| format!("{back}: {error}"))?;
    if again != bytes {
        return Err(format!("{token} came back as {back}, which is another item"));
    }
    Ok(())
}

/// Halfway between two decimals of 17 digits, JavaScript and Python choose the even one.
#[test]
fn float_ties_are_written_as_javascript_writes_them() {
    for token in ["1643585529266666.2", "2005596980660137.2", "1894796260016383.8", "-5e-324"] {
        let number = Number::Float(token.parse().expect("a double"));
        assert_eq!(Document::json(token.as_bytes()).expect("JSON").root().number(), Some(number));
        let any = Any::from_json(token.as_bytes()).expect("JSON");
        let cbor = any.to_cbor().expect("CBOR");
        assert!(cbor[0] == 0xfb && cbor.len() == 9, "a float: {cbor:02x?}");
        assert_eq!(Any::from_cbor(&cbor).expect("CBOR").to_json().as_deref(), Ok(token));
    }
    // The other one is a number of its own.
    let other = Any::from_json(b"1643585529266666.3").expect("JSON").to_cbor().expect("CBOR");
    assert_eq!(other[0], 0xc4, "a decimal fraction: {other:02x?}");
}

#[test]
fn numbers_keep_their_value_through_cbor() {
    let wrong: Vec<_> = CARRIED.lines().filter_map(|token| keeps_its_value(token).err()).collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn values_that_cbor_cannot_represent_are_refused() {
    for content in beyond_cbor() {
        let short = &content[..content.len().min(60)];
        assert!(is_not_representable(&json_to_cbor(&content), Encoding::Cbor), "{short}");
    }
}

#[test]
fn numbers_at_the_digit_limit_are_converted() {
    for token in
        ["7".repeat(4096), format!("-{}", "9".repeat(4096)), format!("0.{}", "3".repeat(4096))]
    {
        assert_eq!(keeps_its_value(&token), Ok(()));
    }
}

#[test]
fn integers_take_the_form_that_rfc_8949_gives_them() {
    let expected: &[(&str, &[u8])] = &[
        ("23", &[0x17]),
        ("24", &[0x18, 24]),
        ("-24", &[0x37]),
        ("-25", &[0x38, 24]),
        ("256", &[0x19, 1, 0]),
        ("65536", &[0x1a, 0, 1, 0, 0]),
        ("4294967296", &[0x1b, 0, 0, 0, 1, 0, 0, 0, 0]),
        ("18446744073709551615", &[0x1b, 255, 255, 255, 255, 255, 255, 255, 255]),
        ("18446744073709551616", &[0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("-18446744073709551616", &[0x3b, 255, 255, 255, 255, 255, 255, 255, 255]),
        ("-18446744073709551617", &[0xc3, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("1e400", &[0xc4, 0x82, 0x19, 1, 144, 1]),
        ("-0", &[0xf9, 0x80, 0]),
        ("1.0", &[0xf9, 0x3c, 0]),
    ];
    for (token, bytes) in expected {
        assert_eq!(json_to_cbor(token).as_deref(), Ok(*bytes), "{token}");
    }
}

#[test]
fn cbor_numbers_become_json_numbers() {
    let expected: &[(&[u8], &str)] = &[
        (&[0xc2, 0x42, 0, 5], "5"),
        (&[0xc3, 0x40], "-1"),
        (&[0xc2, 0x40], "0"),
        (&[0xc4, 0x82, 0x21, 0x19, 0x6a, 0xb3], "27315e-2"),
        (&[0xc4, 0x82, 0x20, 0xc3, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0], "-18446744073709551617e-1"),
        (&[0xfa, 0x3d, 0xcc, 0xcc, 0xcd], "0.10000000149011612"),
        (&[0xf9, 0x7b, 0xff], "65504.0"),
    ];
    for (bytes, token) in expected {
        assert_eq!(cbor_to_json(bytes).as_deref(), Ok(*token));
    }
    // Not finite, not numbers, or tags with another meaning.
    let refused: &[&[u8]] = &[
        &[0xf9, 0x7e, 0],
        &[0xf9, 0x7c, 0],
        &[0xfb, 0xff, 0xf0, 0, 0, 0, 0, 0, 0],
        &[0xf7],
        &[0xf0],
        &[0xf8, 0xff],
        &[0xc1, 0],
        &[0xc2, 0],
        &[0xc4, 0x82, 0, 0x61, 0x31],
        &[0xc4, 0x83, 0, 0, 0],
        &[0xc4, 0],
        &[0xc5, 0x82, 0, 0],
        &[0xa1, 0, 0],
        &[0xa1, 0x41, 0, 0],
    ];
    for bytes in refused {
        assert!(is_not_representable(&cbor_to_json(bytes), Encoding::Json), "{bytes:x?}");
    }
}

#[test]
fn kinds_of_json_numbers_follow_their_tokens() {
    let kinds = [
        ("0", Kind::Integer),
        ("-0", Kind::Float),
        ("1.0", Kind::Float),
        ("1e2", Kind::Float),
        ("18446744073709551615", Kind::Integer),
        ("18446744073709551616", Kind::BigInteger),
        ("-18446744073709551616", Kind::Integer),
        ("-18446744073709551617", Kind::BigInteger),
        ("99999999999999999999", Kind::BigInteger),
        ("100000000000000000000", Kind::BigInteger),
    ];
    for (token, kind) in kinds {
        assert_eq!(Document::json(token.as_bytes()).expect("JSON").root().kind(), kind, "{token}");
    }
}

#[test]
fn byte_strings_become_base64url_without_padding() {
    for (bytes, text) in [
        (&b"\x40"[..], r#""""#),
        (b"\x41\xff", r#""_w""#),
        (b"\x42\xfb\xef", r#""--8""#),
        (b"\x43\xfb\xff\xfe", r#""-__-""#),
    ] {
        assert_eq!(cbor_to_json(bytes).as_deref(), Ok(text));
    }
}

/// Returns the double of a half, by its definition.
fn widen_half(half: u16) -> u64 {
    let sign = u64::from(half >> 15) << 63;
    let fraction = half & 0x3ff;
    let magnitude = match half >> 10 & 0x1f {
        0 => f64::from(fraction) * 2f64.powi(-24),
        31 => return sign | 0x7ff << 52 | u64::from(fraction) << 42,
        power => f64::from(1024 + fraction) * 2f64.powi(i32::from(power) - 25),
    };
    magnitude.to_bits() | sign
}

/// Returns the double of a single; the payload of a NaN stays where it is.
fn widen_single(single: u32) -> u64 {
    let value = f32::from_bits(single);
    if value.is_nan() {
        let sign = u64::from(single >> 31) << 63;
        return sign | 0x7ff << 52 | u64::from(single & 0x7f_ffff) << 29;
    }
    f64::from(value).to_bits()
}

fn as_double(bits: u64) -> Vec<u8> {
    [&[0xfb], &bits.to_be_bytes()[..]].concat()
}

fn as_single(bits: u32) -> Vec<u8> {
    [&[0xfa], &bits.to_be_bytes()[..]].concat()
}

fn as_half(bits: u16) -> Vec<u8> {
    [&[0xf9], &bits.to_be_bytes()[..]].concat()
}

/// Returns the item as the encoder writes it.
fn tidied(item: &[u8]) -> Vec<u8> {
    Any::from_cbor(item).expect("an item").to_cbor().expect("CBOR")
}

#[test]
fn every_half_is_written_as_a_half() {
    for half in 0..=u16::MAX {
        let expected = as_half(half);
        let bits = widen_half(half);
        assert_eq!(tidied(&as_double(bits)), expected, "{half:04x} from a double");
        assert_eq!(tidied(&expected), expected);
        let read = Document::cbor(&expected).expect("a half").root().float().map(f64::to_bits);
        assert_eq!(read, Some(bits), "{half:04x}");
        if !f64::from_bits(bits).is_nan() {
            let theirs: f64 = ciborium::from_reader(&expected[..]).expect("a float");
            assert_eq!(theirs.to_bits(), bits);
        }
    }
}

/// Returns the shortest item that widens to a double, found by widening everything.
fn shortest(bits: u64, halves: &HashMap<u64, u16>) -> Vec<u8> {
    if let Some(half) = halves.get(&bits) {
        return as_half(*half);
    }
    // The bits of a single are the truncated bits of the double, except for subnormal singles.
    #[allow(clippy::cast_possible_truncation)] // what does not widen back is not taken
    let by_value = (f64::from_bits(bits) as f32).to_bits();
    #[allow(clippy::cast_possible_truncation)] // masked
    let by_payload = ((bits >> 32 & 0x8000_0000) | 0x7f80_0000 | (bits >> 29 & 0x7f_ffff)) as u32;
    for single in [by_value, by_payload] {
        if widen_single(single) == bits {
            return as_single(single);
        }
    }
    as_double(bits)
}

fn is_carried_bit_for_bit(bits: u64, halves: &HashMap<u64, u16>) {
    let value = f64::from_bits(bits);
    let expected = shortest(bits, halves);
    assert_eq!(tidied(&as_double(bits)), expected, "{bits:016x}");
    assert_eq!(tidied(&expected), expected, "{bits:016x}");
    assert_eq!(value.to_cbor().as_deref(), Ok(&*expected));
    let document = Document::cbor(&expected).expect("a float");
    assert_eq!(document.root().float().map(f64::to_bits), Some(bits));
    if !value.is_nan() {
        let theirs: f64 = ciborium::from_reader(&expected[..]).expect("a float");
        assert_eq!(theirs.to_bits(), bits);
    }
    if !value.is_finite() {
        assert!(is_not_representable(&value.to_json(), Encoding::Json));
        assert!(is_not_representable(&cbor_to_json(&expected), Encoding::Json));
        return;
    }
    let text = cbor_to_json(&expected).expect("JSON has it");
    assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(bits), "{text}");
    assert_eq!(json_to_cbor(&text), Ok(expected), "{text}");
    assert_eq!(text.parse(), Ok(Number::Float(value)), "{text}");
}

fn halves() -> HashMap<u64, u16> {
    (0..=u16::MAX).map(|half| (widen_half(half), half)).collect()
}

#[test]
fn floats_at_the_edges_are_carried_bit_for_bit() {
    let halves = halves();
    let singles = [
        0x0000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x3300_0000,
        0x3380_0000,
        0x3380_0001,
        0x387f_ffff,
        0x387f_c000,
        0x477f_e000,
        0x477f_e001,
        0x4780_0000,
        0x7f7f_ffff,
        0x7f80_0001,
        0x7fc0_0001,
        0x7fff_e000,
        0xffc0_0000,
    ];
    for single in singles {
        is_carried_bit_for_bit(widen_single(single), &halves);
    }
    let doubles = [
        0x0000_0000_0000_0000,
        0x8000_0000_0000_0000,
        0x0000_0000_0000_0001,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3690_0000_0000_0000, // half of the least single
        0x369f_ffff_ffff_ffff,
        0x47ef_ffff_f000_0000, // above the greatest single
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0000_0000,
        0x7ff8_0000_0000_0001,
        0x7ff8_0000_2000_0000,
        0xfff0_0000_2000_0000,
        0xffff_ffff_ffff_ffff,
    ];
    for bits in doubles {
        is_carried_bit_for_bit(bits, &halves);
    }
}

#[test]
fn random_floats_are_carried_bit_for_bit() {
    let halves = halves();
    let mut runner = TestRunner::deterministic();
    let bits = prop_oneof![
        any::<u64>(),
        any::<u32>().prop_map(widen_single),
        any::<u64>().prop_map(|bits| bits & 0x800f_ffff_ffff_ffff),
        any::<u64>().prop_map(|bits| bits | 0x7ff0_0000_0000_0000),
        // Near what a half or a single can hold.
        (any::<u16>(), -2i64..=2)
            .prop_map(|(half, by)| widen_half(half).wrapping_add_signed(by << 29)),
        (any::<u32>(), -2i64..=2)
            .prop_map(|(single, by)| widen_single(single).wrapping_add_signed(by)),
    ];
    for _ in 0..4000 {
        let bits = bits.new_tree(&mut runner).expect("some bits").current();
        is_carried_bit_for_bit(bits, &halves);
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 600,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(8949),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn json_numbers_keep_their_value_in_cbor(
        token in "-?(0|[1-9][0-9]{0,45})([.][0-9]{1,45})?([eE][+-]?[0-9]{1,4})?",
    ) {
        let any = Any::from_json(token.as_bytes()).expect("a number");
        prop_assert_eq!(any.to_json(), Ok(token.clone()));
        prop_assert_eq!(keeps_its_value(&token), Ok(()));
    }

    #[test]
    fn integers_of_128_bits_keep_their_value(value in any::<i128>(), shift in 0u32..127) {
        let value = value >> shift;
        let (json, cbor) = (value.to_json().expect("digits"), value.to_cbor().expect("an item"));
        prop_assert_eq!(&json, &value.to_string());
        prop_assert_eq!(json_to_cbor(&json), Ok(cbor.clone()));
        prop_assert_eq!(cbor_to_json(&cbor), Ok(json));
        let theirs: ciborium::Value = ciborium::from_reader(&cbor[..]).expect("theirs");
        let read = match theirs {
            ciborium::Value::Integer(integer) => i128::from(integer),
            tagged => tagged.deserialized::<i128>().expect("a bignum"),
        };
        prop_assert_eq!(read, value);
        prop_assert!(Document::cbor(&cbor).is_ok_and(|document| document.is_tidy()));
    }
}

#[test]
fn keys_keep_their_order_in_json_and_are_sorted_in_cbor() {
    let text = r#"{"b":1,"a":2,"aa":3,"":4,"\u00e9":5,"e\u0301":6,"B":7}"#;
    let document = Document::json(text.as_bytes()).expect("JSON");
    let mut encoder = Encoder::json(Layout::Compact);
    transcode(&document, &mut encoder).expect("JSON as JSON");
    assert_eq!(encoder.finish(), text.as_bytes());
    let sorted = r#"{"":4,"B":7,"a":2,"b":1,"aa":3,"(composed)":5,"(in two)":6}"#
        .replace("(composed)", "\u{e9}")
        .replace("(in two)", "e\u{301}");
    assert_eq!(json_to_cbor(text).and_then(|bytes| cbor_to_json(&bytes)), Ok(sorted));
}

#[test]
fn numbers_are_parsed_as_json_numbers() {
    assert_eq!("18446744073709551615".parse(), Ok(Number::Integer(i128::from(u64::MAX))));
    assert_eq!("-18446744073709551616".parse(), Ok(Number::Integer(-(1 << 64))));
    assert_eq!("-0".parse(), Ok(Number::Float(-0.0)));
    assert_eq!("1e2".parse(), Ok(Number::Float(100.0)));
    for token in ["1e400", "0.1234567890123456789012345678"] {
        let Ok(Number::Decimal(decimal)) = Number::parse(token) else { panic!("{token}") };
        assert_eq!(decimal.as_str(), token);
    }
    for wrong in ["}oops{", "", " 1", "1 ", "01", "+1", "NaN", "true", "\"1\"", "[1]", "1,"] {
        assert_eq!(wrong.parse::<Number<'_>>(), Err(NumberError::Syntax), "{wrong:?}");
    }
    for large in ["18446744073709551616", "-18446744073709551617"] {
        assert_eq!(large.parse::<Number<'_>>(), Err(NumberError::OutOfRange));
    }
}

#[test]
fn numbers_are_equal_by_value_and_kind() {
    let number = |token: &str| token.parse::<Number<'static>>().expect("a number");
    assert_eq!(number("1e400"), number("10E399"));
    assert_ne!(number("1e400"), number("1e401"));
    assert_ne!(number("1"), number("1.0"));
    assert_eq!(number("1.50"), number("15e-1"));
    assert_ne!(Number::Float(0.0), Number::Float(-0.0));
    assert_eq!(Number::Float(f64::NAN), Number::Float(f64::NAN));
    let set = std::collections::HashSet::from([number("1e400"), number("10e399"), number("1")]);
    assert_eq!(set.len(), 2);
    assert!(number("1e400").to_f64().is_infinite());
    assert!((number("0.1234567890123456789").to_f64() - 0.123_456_789).abs() < 1e-9);
}
