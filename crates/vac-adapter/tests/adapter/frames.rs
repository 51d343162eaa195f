//! The frames of logs.

use vac_adapter::frame::{Content, frames_in_memory};

/// Returns the frames of a log: `+` for a document, `-` for unparsed bytes, then the line and the
/// bytes.
fn frames(log: &[u8]) -> Vec<String> {
    frames_in_memory(log)
        .iter()
        .map(|frame| {
            let (sign, bytes) = match &frame.content {
                Content::Document(document) => ('+', document.root().raw()),
                Content::Raw(raw) => ('-', raw.bytes),
            };
            let end = usize::try_from(frame.place.offset).expect("small") + bytes.len();
            assert_eq!(&log[end - bytes.len()..end], bytes, "the offset is where it is");
            format!("{sign}{} {}", frame.place.id(), bytes.escape_ascii())
        })
        .collect()
}

#[test]
fn each_line_is_a_document() {
    assert_eq!(frames(b""), [""; 0]);
    assert_eq!(frames(b"\n \r\n\t"), [""; 0]);
    assert_eq!(frames(b"{\"a\":1}\n\n[2]\n"), ["+L1 {\\\"a\\\":1}", "+L3 [2]"]);
    assert_eq!(frames(b"{}\r\n{}\r\n"), ["+L1 {}", "+L2 {}"]);
    assert_eq!(frames(b"\xef\xbb\xbf{}\n{}"), ["+L1 {}", "+L2 {}"]);
}

#[test]
fn documents_may_share_a_line_or_span_several() {
    assert_eq!(frames(b"{}{} [1]\n{}"), ["+L1 {}", "+L1.2 {}", "+L1.3 [1]", "+L2 {}"]);
    assert_eq!(
        frames(b"{\n  \"a\": [\n    1\n  ]\n}{\n}\n[]"),
        ["+L1 {\\n  \\\"a\\\": [\\n    1\\n  ]\\n}", "+L5 {\\n}", "+L7 []",]
    );
}

#[test]
fn scalar_alone_on_its_line_is_a_document() {
    assert_eq!(frames(b"42\nnull \r\n\"x\""), ["+L1 42", "+L2 null", "+L3 \\\"x\\\""]);
    assert_eq!(
        frames(b"2026-01-01 started\n1 2\n3"),
        ["-L1 2026-01-01 started", "-L2 1 2", "+L3 3",]
    );
}

#[test]
fn malformed_line_ends_at_the_line_end() {
    assert_eq!(frames(b"{\"a\":\n{}\n"), ["-L1 {\\\"a\\\":", "+L2 {}"]);
    assert_eq!(frames(b"{\"a\":[1,\r\n{}\n{}"), ["-L1 {\\\"a\\\":[1,", "+L2 {}", "+L3 {}"]);
    assert_eq!(
        frames(b"{\"a\":\"b\n{}\n<<<<\n{}"),
        ["-L1 {\\\"a\\\":\\\"b", "+L2 {}", "-L3 <<<<", "+L4 {}",]
    );
    assert_eq!(frames(b"{}garbage\n{}"), ["+L1 {}", "-L1.2 garbage", "+L2 {}"]);
}

#[test]
fn truncated_end_is_unparsed() {
    assert_eq!(frames(b"{}\n{\"a\": \"b"), ["+L1 {}", "-L2 {\\\"a\\\": \\\"b"]);
    assert_eq!(frames(b"{}\n{\"a\": tr"), ["+L1 {}", "-L2 {\\\"a\\\": tr"]);
    assert_eq!(frames(b"{}{"), ["+L1 {}", "-L1.2 {"]);
}

#[test]
fn malformed_pretty_document_ends_with_its_indentation() {
    assert_eq!(
        frames(b"{\n  \"a\": oops,\n  \"b\": {\n  }\n}\n{\n}"),
        ["-L1 {\\n  \\\"a\\\": oops,\\n  \\\"b\\\": {\\n  }\\n}", "+L6 {\\n}",]
    );
    assert_eq!(frames(b"[\n  {\n    \"a\": 1"), ["-L1 [\\n  {\\n    \\\"a\\\": 1"]);
    assert_eq!(frames(b"{\n  \"a\": oops\n{}"), ["-L1 {\\n  \\\"a\\\": oops", "+L3 {}"]);
}

#[test]
fn nul_bytes_are_a_frame_of_their_own() {
    assert_eq!(frames(b"{}\n\0\0\0{}\n"), ["+L1 {}", "-L2 \\x00\\x00\\x00", "+L2.2 {}"]);
    assert_eq!(
        frames(b"{\"cut\":\"sh\0\0{}"),
        ["-L1 {\\\"cut\\\":\\\"sh", "-L1.2 \\x00\\x00", "+L1.3 {}",]
    );
}

#[test]
fn invalid_utf_8_is_unparsed_to_the_end_of_the_line() {
    assert_eq!(
        frames(b"{}\n{\"a\":\"\xff\"}\r\n{}"),
        ["+L1 {}", "-L2 {\\\"a\\\":\\\"\\xff\\\"}", "+L3 {}",]
    );
    assert_eq!(
        frames(b"\xff\n\xfe{}\n{}\xe2\x82"),
        ["-L1 \\xff", "-L2 \\xfe{}", "+L3 {}", "-L3.2 \\xe2\\x82",]
    );
    assert_eq!(frames(b"7\xff\n8"), ["-L1 7\\xff", "+L2 8"]);
}

#[test]
fn duplicate_keys_and_deep_nesting_are_unparsed() {
    assert_eq!(frames(b"{\"a\":{\"b\":1,\"\\u0062\":2}}")[0].as_bytes()[0], b'-');
    let deep = [b"[".repeat(5000), b"]".repeat(5000), b"\n{}".to_vec()].concat();
    let found = frames(&deep);
    assert_eq!((found.len(), found[0].as_bytes()[0], found[1].as_str()), (2, b'-', "+L2 {}"));
}
