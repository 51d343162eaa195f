//! Writing: forms of scalars, the order of keys, escapes.

use vac_value::{Embedded, Key, MapEncoder, Null, Tagged, Undefined, harmless, printable};

use super::*;

fn hex(value: &dyn Encode) -> String {
    let bytes = value.to_cbor().expect("CBOR can represent it");
    data_encoding::HEXLOWER.encode(&bytes)
}

#[test]
fn json_escapes_what_it_must_and_nothing_else() {
    let cases = [
        ("", r#""""#),
        ("\"\\/", r#""\"\\/""#),
        ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
        ("\0\u{1}\u{b}\u{1f}", r#""\u0000\u0001\u000b\u001f""#),
        (
            " \u{7f}\u{80}\u{2028}\u{2029}\u{feff}\u{ffff}😀",
            "\" \u{7f}\u{80}\u{2028}\u{2029}\u{feff}\u{ffff}😀\"",
        ),
        ("sixteen bytes...\n and more than that", "\"sixteen bytes...\\n and more than that\""),
    ];
    for (text, expected) in cases {
        assert_eq!(text.to_json().as_deref(), Ok(expected));
        assert_eq!(text.to_owned().to_json().as_deref(), Ok(expected));
        let document = Document::json(expected.as_bytes()).expect("JSON");
        assert_eq!(document.root().text().as_deref(), Some(text));
    }
    for code in 0..0x80_u8 {
        let text = char::from(code).to_string();
        let written = text.to_json().expect("text");
        let is_escaped = code < 0x20 || matches!(code, b'"' | b'\\');
        assert_eq!(written.contains('\\'), is_escaped, "{code:#x}");
    }
}

#[test]
fn integers_are_written_in_their_shortest_form() {
    let cases: &[(i128, &str)] = &[
        (0, "00"),
        (23, "17"),
        (24, "1818"),
        (255, "18ff"),
        (256, "190100"),
        (65_535, "19ffff"),
        (65_536, "1a00010000"),
        (0xffff_ffff, "1affffffff"),
        (1 << 32, "1b0000000100000000"),
        (0xffff_ffff_ffff_ffff, "1bffffffffffffffff"),
        (1 << 64, "c249010000000000000000"),
        (i128::MAX, "c2507fffffffffffffffffffffffffffffff"),
        (-1, "20"),
        (-24, "37"),
        (-25, "3818"),
        (-(1 << 64), "3bffffffffffffffff"),
        (-(1 << 64) - 1, "c349010000000000000000"),
        (i128::MIN, "c3507fffffffffffffffffffffffffffffff"),
    ];
    for (value, expected) in cases {
        assert_eq!(hex(value), *expected, "{value}");
        assert_eq!(value.to_json(), Ok(value.to_string()));
    }
}

#[test]
fn cbor_keys_are_sorted_by_their_bytes() {
    let keys = [
        Any::from("aa"),
        Any::from("b"),
        Any::from(""),
        Any::from(-1),
        Any::from(100),
        Any::from(10),
        Any::from(false),
        Any::bytes([9]),
        Any::array([1]),
    ];
    let map = Any::map(keys.map(|key| (key, 0)));
    // The order of RFC 8949 section 4.2.1, with more types of keys.
    let members =
        ["0a00", "186400", "2000", "410900", "6000", "616200", "62616100", "810100", "f400"];
    assert_eq!(hex(&map), format!("a9{}", members.concat()));
    // Length-first order (section 4.2.3) would put -1 before 100.
    let two = Any::map([(Any::from(-1), 0), (Any::from(100), 0)]);
    assert_eq!(hex(&two), "a21864002000");
    // The same from a scanned document, and with text keys only.
    let document = Document::cbor(b"\xa3\x62aa\x00\x20\x00\x18\x64\x00").expect("CBOR");
    assert_eq!(hex(&document.root().carry()), "a3186400200062616100");
    let texts = Any::members([("bb", 0), ("a", 1), ("", 2), ("ab", 3)]);
    assert_eq!(hex(&texts), "a460026161016261620362626200");
    let json = Any::from_json(br#"{"bb":0,"a":1,"":2,"ab":3}"#).expect("JSON");
    assert_eq!(hex(&json), hex(&texts));
    let json = Any::from_json(br#"{"bb":0,"\u0061":1,"":2,"ab":3}"#).expect("JSON");
    assert_eq!(hex(&json), hex(&texts));
}

#[test]
fn a_map_can_have_every_kind_of_key() {
    let bytes = vac_value::Bytes::from(&[1_u8][..]);
    let mut encoder = Encoder::cbor();
    let mut map = MapEncoder::new(&mut encoder);
    map.member(Key::Integer(7), &true).expect("a member");
    map.optional(Key::Text("\""), Some(&1_u64)).expect("a member");
    map.optional::<u64>(Key::Name("absent"), None).expect("nothing");
    map.optional_field("n", &Some(2_u64)).expect("a member");
    map.extension(Key::Other(&bytes), &Null).expect("a member");
    map.end().expect("a map");
    assert_eq!(encoder.finish(), b"\xa4\x07\xf5\x41\x01\xf6\x61\"\x01\x61n\x02");
    for key in [Key::Integer(7), Key::Other(&true)] {
        let mut encoder = Encoder::json(Layout::Compact);
        let mut map = MapEncoder::new(&mut encoder);
        let error = map.member(key, &true).expect_err("JSON has only text keys");
        assert_eq!(error.to_string(), "JSON cannot represent a key that is not text");
    }
}

#[test]
fn small_types_are_written_in_both_encodings() {
    assert_eq!((Null.to_json().as_deref(), hex(&Null)), (Ok("null"), "f6".to_owned()));
    assert_eq!(hex(&Undefined), "f7");
    assert!(Undefined.to_json().is_err());
    let tagged = Tagged::<32, _>("x".to_owned());
    assert_eq!(hex(&tagged), "d8206178");
    assert!(tagged.to_json().is_err());
    let embedded = Embedded::new(vec![1_u64, 2]);
    assert_eq!(
        (hex(&embedded), embedded.to_json().as_deref()),
        ("43820102".to_owned(), Ok("\"ggEC\""))
    );
    let bytes = vac_value::Bytes::from(&b"\xfb\xff"[..]);
    assert_eq!((hex(&bytes), bytes.to_json().as_deref()), ("42fbff".to_owned(), Ok("\"-_8\"")));
    let options = vec![Some(Box::new(1_u64)), None];
    assert_eq!(
        (hex(&options), options.to_json().as_deref()),
        ("8201f6".to_owned(), Ok("[1,null]"))
    );
    assert!(f64::NAN.to_json().is_err() && f64::INFINITY.to_json().is_err());
    assert_eq!(
        (hex(&f64::NAN), hex(&f64::NEG_INFINITY)),
        ("f97e00".to_owned(), "f9fc00".to_owned())
    );
}

#[test]
fn embedded_bytes_are_written_as_they_were_read() {
    // 24 in a longer form than necessary.
    let embedded = Embedded::with_bytes(24_u64, (&b"\x19\x00\x18"[..]).into());
    assert_eq!(hex(&embedded), "43190018");
    assert_eq!(hex(&Embedded::new(24_u64)), "421818");
    assert_eq!(embedded, Embedded::new(24_u64));
    assert_eq!(embedded.bytes().expect("bytes"), &b"\x19\x00\x18"[..]);
}

#[test]
fn duplicate_keys_are_refused_while_writing() {
    let write = |encoding, size: usize| {
        let names: Vec<String> = (0..size).map(|at| format!("n{at}")).collect();
        let mut encoder = Encoder::new(encoding);
        let mut map = MapEncoder::new(&mut encoder);
        map.field("first", &1_u64)?;
        for name in &names {
            map.extension(Key::Text(name), &2_u64)?;
        }
        map.extension(Key::Text("first"), &3_u64)?;
        map.end()
    };
    for encoding in [Encoding::Json, Encoding::Cbor] {
        for size in [0, 1, 18, 19, 20, 100] {
            let error = EncodeError::DuplicateKey("first".to_owned());
            assert_eq!(write(encoding, size), Err(error), "{encoding}, {size} more");
        }
    }
}

#[test]
fn nodes_keep_their_tokens_in_their_own_encoding() {
    let text = r#"{"b":[1.0,1E+2,-0,"\u0061\/"],"a":{"\ud800":1e400}}"#;
    let spaced = text.replace(',', " ,\n").replace(':', "\t:  ");
    let document = Document::json(spaced.as_bytes()).expect("JSON");
    assert_eq!(document.root().carry().to_json().as_deref(), Ok(text));
    assert!(document.root().carry().to_cbor().is_err());
    let inner = document.root().member("b").expect("a member");
    assert_eq!(inner.carry().to_json().as_deref(), Ok(r#"[1.0,1E+2,-0,"\u0061\/"]"#));
}

#[test]
fn transcoding_refuses_what_would_change() {
    let refused: &[&[u8]] = &[
        b"\x41\x00",
        b"\x81\x41\x00",
        b"\xa1\x61a\x40",
        b"\xf7",
        b"\xe0",
        b"\xc1\x00",
        b"\xf9\x7c\x00",
        b"\xa1\x01\x01",
    ];
    for bytes in refused {
        let document = Document::cbor(bytes).expect("CBOR");
        let result = transcode(&document, &mut Encoder::json(Layout::Compact));
        assert!(
            matches!(result, Err(EncodeError::NotRepresentable { encoding: Encoding::Json, .. })),
            "{bytes:02x?}"
        );
        let mut encoder = Encoder::cbor();
        transcode(&document, &mut encoder).expect("CBOR as CBOR");
        assert_eq!(encoder.finish(), *bytes);
    }
    let twice = Document::json(br#"[{"x":{"a":1,"\u0061":1}}]"#).expect("JSON");
    for encoding in [Encoding::Json, Encoding::Cbor] {
        let result = transcode(&twice, &mut Encoder::new(encoding));
        assert_eq!(result, Err(EncodeError::DuplicateKey("a".to_owned())));
    }
}

#[test]
fn text_for_terminals_has_no_effect() {
    assert_eq!(harmless("a\u{1b}[0m\u{7f}\u{202e}\u{2028}b"), r"a\u{1b}[0m\u{7f}\u{202e}\u{2028}b");
    assert_eq!(printable("say \"hi\"\\\n", 8), r#"say \"hi\"..."#);
    for code in 0..0x11_0000 {
        let Some(character) = char::from_u32(code) else { continue };
        if character.is_control() {
            assert!(!vac_value::is_harmless(character), "{code:#x}");
        }
    }
}
