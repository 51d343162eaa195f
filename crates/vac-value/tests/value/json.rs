//! Scanning JSON: what is accepted, what is refused and where.

use super::*;

#[test]
fn well_formed_json_is_accepted() {
    let accepted = [
        "0",
        "-0",
        "-1",
        "10",
        "1.0",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "0.5e0",
        "1e05",
        "-0.0e-00",
        "null",
        "true",
        "false",
        r#""""#,
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u00e9\uD83D\ude00""#,
        r#""\ud800""#,
        "\"\u{7f}\u{2028}\u{ffff}\u{10ffff}\"",
        "[]",
        "{}",
        " \t\r\n[ ] ",
        r#"{"":{}}"#,
        "[[],[[]]]",
        r#"{ "a" : [ 1 , 2 ] , "b" : null }"#,
        "[1,\n2]",
    ];
    for text in accepted {
        assert_eq!(json_fault(text), None, "{text}");
        assert!(survives(text.as_bytes(), Encoding::Json));
    }
}

#[test]
fn malformed_json_is_refused_with_its_offset() {
    use Problem::{
        ByteOrderMark, ControlCharacter, Empty, Escape, Expected, Number, Trailing, Truncated,
    };
    let value = Expected("a JSON value");
    let key = Expected("a key in quotes");
    let refused = [
        ("", 0, Empty),
        (" \n", 2, Empty),
        ("\u{feff}{}", 0, ByteOrderMark),
        ("[1", 2, Truncated),
        ("[1,", 3, Truncated),
        ("[", 1, Truncated),
        ("{", 1, Truncated),
        (r#"{"a"#, 3, Truncated),
        (r#"{"a""#, 4, Truncated),
        (r#"{"a":"#, 5, Truncated),
        (r#"{"a":1"#, 6, Truncated),
        ("\"abc", 4, Truncated),
        ("\"\\", 1, Truncated),
        ("\"\\u12", 1, Truncated),
        ("tru", 3, Truncated),
        ("-", 1, Truncated),
        ("1.", 2, Truncated),
        ("1e", 2, Truncated),
        ("1e+", 3, Truncated),
        ("1 2", 2, Trailing),
        ("{} x", 3, Trailing),
        ("1,", 1, Trailing),
        ("nulll", 4, Trailing),
        ("0x10", 1, Trailing),
        ("1.5.2", 3, Trailing),
        ("1e5e5", 3, Trailing),
        ("[]]", 2, Trailing),
        ("{}\0", 2, Trailing),
        ("\"a\"\"b\"", 3, Trailing),
        ("01", 1, Number),
        ("-01", 2, Number),
        ("00.5", 1, Number),
        ("[-]", 2, Number),
        ("-a", 1, Number),
        ("--1", 1, Number),
        ("1.e5", 2, Number),
        ("1.a", 2, Number),
        ("1e+-2", 3, Number),
        ("-Infinity", 1, Number),
        ("+1", 0, value),
        (".5", 0, value),
        ("NaN", 0, value),
        ("nul1", 0, value),
        ("True", 0, value),
        ("'a'", 0, value),
        ("// c\n1", 0, value),
        ("[,]", 1, value),
        ("[1,]", 3, value),
        ("[1,,2]", 3, value),
        ("]", 0, value),
        (r#"{"a":}"#, 5, value),
        ("\u{a0}1", 0, value),
        ("\u{b}1", 0, value),
        (r#"{"a":1,}"#, 7, key),
        ("{,}", 1, key),
        ("{1:2}", 1, key),
        ("{a:1}", 1, key),
        ("{null:1}", 1, key),
        (r#"{"a" 1}"#, 5, Expected("':'")),
        (r#"{"a"}"#, 4, Expected("':'")),
        (r#"{"a":1 "b":2}"#, 7, Expected("',' or '}'")),
        (r#"{"a":1]"#, 6, Expected("',' or '}'")),
        ("[1 2]", 3, Expected("',' or ']'")),
        ("[1}", 2, Expected("',' or ']'")),
        ("\"a\nb\"", 2, ControlCharacter),
        ("\"\0\"", 1, ControlCharacter),
        ("\"long enough for a word\u{1f}\"", 23, ControlCharacter),
        ("{\"\t\":1}", 2, ControlCharacter),
        (r#""\x41""#, 1, Escape),
        (r#""\U0041""#, 1, Escape),
        (r#""\'""#, 1, Escape),
        (r#""ab\u12g4""#, 3, Escape),
        (r#""\u+123""#, 1, Escape),
        (r#""\ud800\u00""#, 7, Escape),
        ("\"\\\n\"", 1, Escape),
    ];
    for (text, offset, problem) in refused {
        assert_eq!(json_fault(text), Some((offset, problem)), "{text:?}");
    }
}

#[test]
fn json_that_is_not_utf_8_is_refused() {
    let refused: &[(&[u8], usize, Problem)] = &[
        (b"\"a\xff\"", 2, Problem::Utf8),
        (b"\"\xc0\x80\"", 1, Problem::Utf8),
        (b"\"\xed\xa0\x80\"", 1, Problem::Utf8),
        (b"\"\xf4\x90\x80\x80\"", 1, Problem::Utf8),
        (b"{\"\xe9\":1}", 2, Problem::Utf8),
        (b"\"\xc3", 1, Problem::Truncated),
        (b"\xff\xfe1\0", 0, Problem::Utf8),
    ];
    for (bytes, offset, problem) in refused {
        assert_eq!(fault(bytes, Encoding::Json), Some((*offset, *problem)), "{bytes:x?}");
    }
}

/// Generates pieces of JSON that are concatenated to documents.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"b\":", "0", "1", "-", "+", ".", "e",
        "E", "true", "false", "null", " ", "\n", "a", "\u{1}", "é", "\\u", "\\ud800", "\\n",
        "00e1", "[]", "{}", "1.5", "\"x\":1",
    ]);
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

#[test]
fn serde_json_agrees_on_what_is_json() {
    let mut runner = TestRunner::deterministic();
    let (texts, mut accepted) = (pieces(), 0);
    for _ in 0..20_000 {
        let text = texts.new_tree(&mut runner).expect("some text").current();
        for text in [text.clone(), format!("[{text}]"), format!("{{\"k\":{text}}}")] {
            let theirs = serde_json::from_str::<::serde::de::IgnoredAny>(&text).is_ok();
            assert_eq!(survives(text.as_bytes(), Encoding::Json), theirs, "{text:?}");
            accepted += usize::from(theirs);
        }
    }
    assert!(accepted > 1000, "only {accepted} were JSON: the test is worth little");
}
