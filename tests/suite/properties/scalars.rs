//! Generates random texts, numbers, and items of either encoding.

use super::*;

/// Creates strategies for values of both encodings, or only for values that JSON can express, too.
#[derive(Clone, Copy)]
pub(super) struct Make {
    pub(super) for_json: bool,
}

pub(super) const BOTH: Make = Make { for_json: false };
pub(super) const JSON: Make = Make { for_json: true };

pub(super) const ODD_TEXTS: &[&str] = &[
    "",
    "type",
    "\0",
    "\"\\/",
    "~0/~1",
    "\u{1f600}",
    "e\u{301}",
    "\u{2028}",
    "\r\n\t",
    "\u{feff}",
    "null",
];

/// JSON numbers that a mistake easily changes.
pub(super) const ODD_NUMBERS: &[&str] = &[
    "-0",
    "-0.0",
    "1.0",
    "1E+2",
    "1e400",
    "-1e-400",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551616",
    "-18446744073709551617",
    "0.1234567890123456789012345678",
    "1234567890123456789012345678901234567890",
    "5e-324",
];

/// Values that JSON can express and CBOR cannot.
pub(super) const ONLY_IN_JSON: &[&str] =
    &[r#""\ud800""#, r#"{"\udc00":"x"}"#, "1e99999999999999999999"];

pub(super) fn text() -> BoxedStrategy<Text<'static>> {
    prop_oneof![
        4 => prop::collection::vec(prop::char::range('a', 'z'), 0..8)
            .prop_map(String::from_iter),
        2 => prop::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
        1 => prop::sample::select(ODD_TEXTS).prop_map(str::to_owned),
    ]
    .prop_map(Text::from)
    .boxed()
}

pub(super) fn bytes() -> BoxedStrategy<Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..12).boxed()
}

pub(super) fn integer() -> BoxedStrategy<i128> {
    let most = i128::from(u64::MAX);
    prop_oneof![
        -30..300i128,
        -(most + 1)..=most,
        prop::sample::select(vec![most, -most - 1, 0, -1, 1 << 32, i128::from(i64::MIN) - 1]),
    ]
    .boxed()
}

pub(super) fn finite() -> BoxedStrategy<f64> {
    prop_oneof![
        any::<f32>().prop_map(f64::from),
        any::<u64>().prop_map(f64::from_bits),
        prop::sample::select(vec![0.0, -0.0, 1.5, 1e16, 1e300, 65504.0, 5e-324]),
    ]
    .prop_map(|value| if value.is_finite() { value } else { 0.1 })
    .boxed()
}

/// Returns the JSON token of a text; sometimes with an unnecessary escape.
pub(super) fn quoted(text: &str, escape: bool) -> String {
    let plain = text.to_json().expect("JSON has all text");
    match plain[1..].chars().next() {
        Some(first) if escape && first.is_ascii_lowercase() => {
            format!("\"\\u{:04x}{}", u32::from(first), &plain[2..])
        }
        _ => plain,
    }
}

/// Returns a strategy for JSON texts: nested, with unusual numbers and white space.
pub(super) fn json_text() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false", "[]", "{ }"]).prop_map(str::to_owned),
        prop::sample::select(ODD_NUMBERS).prop_map(str::to_owned),
        integer().prop_map(|value| value.to_string()),
        finite().prop_map(|value| format!("{value:?}")),
        "-?(0|[1-9][0-9]{0,30})([.][0-9]{1,30})?([eE][+-]?[0-9]{1,3})?",
        (text(), any::<bool>()).prop_map(|(text, escape)| quoted(&text, escape)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec((text(), any::<bool>(), inner.clone()), 0..4);
        prop_oneof![
            (prop::collection::vec(inner, 0..4), any::<bool>()).prop_map(|(elements, spaced)| {
                format!("[{}]", elements.join(if spaced { " ,\n" } else { "," }))
            }),
            (members, any::<bool>()).prop_map(|(members, spaced)| {
                let distinct: BTreeMap<_, _> = members
                    .into_iter()
                    .map(|(key, escape, value)| (key.clone(), (quoted(&key, escape), value)))
                    .collect();
                let colon = if spaced { " : " } else { ":" };
                let written: Vec<_> = distinct
                    .values()
                    .rev()
                    .map(|(key, value)| format!("{key}{colon}{value}"))
                    .collect();
                format!("{{{}}}", written.join(","))
            }),
        ]
    })
    .boxed()
}

pub(super) fn head(major: u8, argument: u64) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    encoder.tag(argument).expect("CBOR has tags");
    let mut head = encoder.finish();
    head[0] = head[0] & 0x1f | major << 5;
    head
}

/// Returns a strategy for CBOR items, not always in the deterministic form.
pub(super) fn cbor_item() -> BoxedStrategy<Vec<u8>> {
    let number = prop_oneof![
        integer().prop_map(|value| value.to_cbor().expect("CBOR has integers")),
        any::<u8>().prop_map(|value| vec![0x19, 0, value]),
        finite().prop_map(|value| [&[0xfb][..], &value.to_be_bytes()].concat()),
        any::<i128>().prop_map(|value| value.to_cbor().expect("CBOR has bignums")),
        prop::sample::select(vec![&b"\xf9\x7e\x00"[..], b"\xf9\xfc\x00", b"\xfa\x7f\x80\x00\x00"])
            .prop_map(<[u8]>::to_vec),
    ];
    let string = prop_oneof![
        text().prop_map(|value| value.to_cbor().expect("CBOR has text")),
        bytes().prop_map(|value| value[..].to_cbor().expect("CBOR has bytes")),
        text().prop_map(|value| {
            let chunk = value.to_cbor().expect("CBOR has text");
            [&[0x7f][..], &chunk, &chunk, &[0xff]].concat()
        }),
    ];
    let simple = prop::sample::select(vec![0xf4, 0xf5, 0xf6, 0xf7, 0xe0, 0xf3])
        .prop_map(|value: u8| vec![value]);
    let leaf = prop_oneof![
        3 => number,
        3 => string,
        1 => simple,
        1 => (32..=255u8).prop_map(|value| vec![0xf8, value]),
    ];
    let key = leaf.clone();
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let elements = prop::collection::vec(inner.clone(), 0..4);
        let members = prop::collection::vec((key.clone(), inner.clone()), 0..4);
        let number = prop::sample::select(vec![0u64, 1, 5, 18, 24, 32, 100, 55799, 1 << 40]);
        prop_oneof![
            elements.clone().prop_map(|elements| {
                [head(4, elements.len() as u64), elements.concat()].concat()
            }),
            elements.prop_map(|elements| [&[0x9f][..], &elements.concat(), &[0xff]].concat()),
            members.prop_map(|members| {
                let distinct: BTreeMap<_, _> = members
                    .into_iter()
                    .map(|(key, value)| (deterministic(&key), [key, value].concat()))
                    .collect();
                let all: Vec<u8> = distinct.values().rev().flatten().copied().collect();
                [head(5, distinct.len() as u64), all].concat()
            }),
            (number, inner).prop_map(|(number, inner)| [head(6, number), inner].concat()),
        ]
    })
    .boxed()
}

pub(super) fn deterministic(item: &[u8]) -> Vec<u8> {
    Any::from_cbor(item).expect("an item").to_cbor().expect("CBOR")
}

/// Returns a value in compact JSON if CBOR cannot express it: such values are compared by bytes.
pub(super) fn compact(any: Any<'_>) -> Any<'static> {
    match (any.to_cbor(), any.to_json()) {
        (Err(_), Ok(text)) => Any::from_json(text.as_bytes()).expect("JSON").into_owned(),
        _ => any.into_owned(),
    }
}
