//! What detection looks at.

use vac_adapter::{Beginning, Memory};

/// The documents that adapters are shown of an input.
fn documents(input: &str) -> Vec<String> {
    let input = Memory { name: "x", bytes: input.as_bytes() };
    let beginning = Beginning::of(&input).expect("readable");
    let documents = beginning.sample().documents;
    let text = |raw: &[u8]| String::from_utf8_lossy(raw).into_owned();
    documents.iter().map(|document| text(document.root().raw())).collect()
}

/// More than is held at once.
fn long() -> String {
    "é".repeat(5 << 19)
}

#[test]
fn a_line_that_is_too_long_is_known_by_its_beginning_and_so_is_what_follows() {
    let log = format!("{{\"a\": 1}}\n{{\"b\": 2, \"c\": [\"{}\"]}}\n{{\"d\": 3}}\n", long());
    assert_eq!(documents(&log), [r#"{"a": 1}"#, r#"{"b": 2, "c": []}"#, r#"{"d": 3}"#]);
    let alone = format!("{{\"b\": 2, \"c\": \"{}", long());
    assert_eq!(documents(&alone), [r#"{"b": 2}"#]);
}

#[test]
fn what_is_inside_a_document_that_is_too_long_is_not_taken_for_a_log() {
    let log =
        format!("{{\n  \"b\": 2,\n  \"c\": [\n    \"{}\",\n    {{\"d\": 3}}\n  ]\n}}\n", long());
    assert_eq!(documents(&log), ["{\n  \"b\": 2,\n  \"c\": []}"]);
}

#[test]
fn a_line_that_is_cut_short_is_not_a_document() {
    assert_eq!(documents("{\"a\": 1}\n{\"b\": 2, \"c\": \"unfin"), [r#"{"a": 1}"#]);
}
