use super::{List, Piece, Pieces, wrapper};

const LINES: &[List] = &[List::new("lines")];
const MESSAGES: &[List] = &[List { key: "messages", inside: &[List::new("parts")] }];

/// Describes a piece in a few words.
fn describe(piece: &Piece<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match piece {
        Piece::Member { of, key, value } => {
            format!("{of} {}={}", text(key.root().raw()), text(value.root().raw()))
        }
        Piece::List { of, key } => format!("{of} {}=[", text(key.root().raw())),
        Piece::Object { of } => format!("{of} {{"),
        Piece::Element { of, value, .. } => format!("{of} {}", text(value.root().raw())),
        Piece::Raw { of, raw, .. } => format!("{of}? {}", text(raw.bytes)),
    }
}

#[track_caller]
fn assert_pieces(document: &str, lists: &'static [List], expected: &[&str]) {
    let pieces: Vec<_> = Pieces::new(document.as_bytes(), lists).map(|it| describe(&it)).collect();
    assert_eq!(pieces, expected, "{document}");
}

#[test]
fn elements_after_damage_are_read() {
    assert_pieces(
        r#"{"a": 1, "b": x, c, "lines": [1, {"d": y}, z, w "v", 2], "e": 3} end"#,
        LINES,
        &[
            r#" "a"=1"#,
            r#"? "b": x, c"#,
            r#" "lines"=["#,
            "lines 1",
            // Brackets do not fit from here on.
            r#"lines? {"d": y}, z, w "v""#,
            "lines 2",
            r#" "e"=3"#,
            "? end",
        ],
    );
    assert_pieces(
        r#"[{"a": 1}, {"a": x}, {"a": x}, {"a": 1, "a": 2}, {"a": 3}, {"a""#,
        LINES,
        &[
            r#" {"a": 1}"#,
            r#"? {"a": x}"#,
            r#"? {"a": x}"#,
            r#"? {"a": 1, "a": 2}"#,
            r#" {"a": 3}"#,
            r#"? {"a""#,
        ],
    );
}

#[test]
fn missing_bracket_damages_one_element() {
    assert_pieces(
        r#"{"lines": [{"a": {"b": 2}, {"a": [2}, {"a": 3}], "c": 4}"#,
        LINES,
        &[
            r#" "lines"=["#,
            r#"lines? {"a": {"b": 2}"#,
            r#"lines? {"a": [2}"#,
            r#"lines {"a": 3}"#,
            r#" "c"=4"#,
        ],
    );
}

#[test]
fn text_ends_with_its_line() {
    assert_pieces(
        "{\n \"a\": \"x,\n \"b\": 2,\n \"lines\": [\n  {\"c\": \"y},\n  {\"c\": 4}\n ]\n}",
        LINES,
        &["? \"a\": \"x,", " \"b\"=2", " \"lines\"=[", "lines? {\"c\": \"y},", "lines {\"c\": 4}"],
    );
}

#[test]
fn damaged_elements_with_lists_are_split() {
    assert_pieces(
        r#"{"messages": [{"id": 1, "parts": [1, x, 3]}, {"parts": [4], 5: 6, "id": 2},
            {"id": 3, "parts": []}, {"id": "4", {"id": 5}], "end": {}}"#,
        MESSAGES,
        &[
            r#" "messages"=["#,
            "messages {",
            r#"messages "id"=1"#,
            r#"messages "parts"=["#,
            "parts 1",
            "parts? x",
            "parts 3",
            "messages {",
            r#"messages "parts"=["#,
            "parts 4",
            "? 5: 6",
            r#"messages "id"=2"#,
            r#"messages {"id": 3, "parts": []}"#,
            "messages {",
            r#"messages "id"="4""#,
            "? ",
            r#"messages {"id": 5}"#,
            r#" "end"={}"#,
        ],
    );
    assert_pieces(
        r#"{"messages": [{"id" {"a": 1}, "parts": [1]}}, {"id": 2}]}"#,
        MESSAGES,
        &[
            r#" "messages"=["#,
            "messages {",
            r#"? "id" {"a": 1}"#,
            r#"messages "parts"=["#,
            "parts 1",
            "? }",
            r#"messages {"id": 2}"#,
        ],
    );
    assert_pieces(
        r#"{"messages": [{"parts": [1, 2}, {"id": 7, "parts": [3, {"a""#,
        MESSAGES,
        &[
            r#" "messages"=["#,
            "messages {",
            r#"messages "parts"=["#,
            "parts 1",
            "parts 2",
            "? ",
            "messages {",
            r#"messages "id"=7"#,
            r#"messages "parts"=["#,
            "parts 3",
            r#"? {"a""#,
        ],
    );
}

#[test]
fn keys_are_compared_by_value() {
    assert_pieces(r#"{"l\u0069nes": [1, 2"#, LINES, &[r#" "l\u0069nes"=["#, "lines 1", "? 2"]);
    let text = wrapper(br#"{"l\u0069nes": [1], "a": {}, "b": ?"#, LINES).expect("an object");
    assert_eq!(text, br#"{"l\u0069nes":[],"a":{}}"#);
    assert_eq!(wrapper(b"[1, 2", LINES), None);
}

#[test]
fn other_bytes_are_one_piece() {
    assert_pieces("", LINES, &[]);
    assert_pieces("Dear Ada, [1]", LINES, &["? Dear Ada, [1]"]);
    assert_pieces("[}}]]", LINES, &["? }}]]"]);
    assert_pieces("{]]", LINES, &["? ]]"]);
}

/// Returns all bytes of the pieces except punctuation and space.
fn words(document: &[u8], lists: &'static [List]) -> Vec<u8> {
    let mut words = Vec::new();
    for piece in Pieces::new(document, lists) {
        let parts = match &piece {
            Piece::Member { key, value, .. } => [key.root().raw(), value.root().raw()],
            Piece::List { key, .. } => [key.root().raw(), b""],
            Piece::Object { .. } => [&b""[..], b""],
            Piece::Element { value, .. } => [value.root().raw(), b""],
            Piece::Raw { raw, .. } => [raw.bytes, b""],
        };
        words.extend(parts.concat());
    }
    words.retain(|byte| !b" \n{}[]:,".contains(byte));
    words
}

#[test]
fn nothing_is_lost_and_order_is_kept_wherever_the_damage_is() {
    let good = br#"{"id": "s", "messages": [{"id": "m1", "parts": [{"a": "b\"c"}, 2, [{}]]},
        {"id": "m2", "parts": [], "x": {"parts": [1]}}, "three"], "parts": [4], "end": null}"#;
    let kept = |document: &[u8]| {
        let mut expected = document.to_vec();
        expected.retain(|byte| !b" \n{}[]:,".contains(byte));
        for lists in [LINES, MESSAGES] {
            let words = words(document, lists);
            let text = String::from_utf8_lossy;
            assert_eq!(text(&words), text(&expected), "{}", text(document));
        }
    };
    for at in 0..good.len() {
        kept(&good[..at]);
        kept(&[&good[..at], &good[at + 1..]].concat());
        for byte in b"\"\\{}[],:\xff\nx9" {
            let mut changed = good.to_vec();
            changed[at] = *byte;
            kept(&changed);
        }
    }
}

#[test]
fn damaged_documents_take_linear_time() {
    // In quadratic time, one of these documents would take minutes.
    const SIZE: usize = 1 << 18;
    let repeated = [
        "[",
        "{",
        "]",
        "}",
        "\"",
        "\\",
        ":",
        "x",
        "\n",
        "{\"a\":",
        "[{",
        "{[",
        "}{",
        "]{",
        ",{\"a\":1",
        "{\"a\":[1},",
        "{\"parts\":[",
        "{\"parts\":[{}},",
        "{\"parts\":[x",
        "\"parts\":[1}",
        "x\"",
        "\"a\":x,",
        "{\"a\":\"},",
        "{\"id\":1,\"parts\":[{\"a\":1},{x}]},",
    ];
    for text in repeated {
        for start in ["[", "{", "{\"messages\":["] {
            let document = [start, &text.repeat(SIZE / text.len())].concat();
            let bytes: usize = Pieces::new(document.as_bytes(), MESSAGES)
                .map(|piece| match piece {
                    Piece::Element { value, .. } => value.root().raw().len(),
                    Piece::Raw { raw, .. } => raw.bytes.len(),
                    _ => 0,
                })
                .sum();
            assert!(bytes <= document.len(), "{start}{text}");
        }
    }
}
