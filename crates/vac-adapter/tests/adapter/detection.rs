//! The documents that detection reads.

use vac_adapter::{Beginning, Memory};

/// The number of bytes of a long input that detection reads.
const MAX_SAMPLE: usize = 4 << 20;

/// Returns the documents of an input that adapters receive for detection.
fn documents(input: &str) -> Vec<String> {
    let input = Memory { name: "x", bytes: input.as_bytes() };
    let beginning = Beginning::read(&input).expect("readable");
    let documents = beginning.sample().documents;
    let text = |raw: &[u8]| String::from_utf8_lossy(raw).into_owned();
    documents.iter().map(|document| text(document.root().raw())).collect()
}

/// Returns a text that is longer than the sample.
fn long() -> String {
    "é".repeat(5 << 19)
}

#[test]
fn long_line_is_detected_by_its_beginning_like_the_lines_after_it() {
    let log = format!("{{\"a\": 1}}\n{{\"b\": 2, \"c\": [\"{}\"]}}\n{{\"d\": 3}}\n", long());
    assert_eq!(documents(&log), [r#"{"a": 1}"#, r#"{"b": 2, "c": []}"#, r#"{"d": 3}"#]);
    let alone = format!("{{\"b\": 2, \"c\": \"{}", long());
    assert_eq!(documents(&alone), [r#"{"b": 2}"#]);
}

#[test]
fn content_of_a_long_document_is_not_detected_as_a_log() {
    let log =
        format!("{{\n  \"b\": 2,\n  \"c\": [\n    \"{}\",\n    {{\"d\": 3}}\n  ]\n}}\n", long());
    assert_eq!(documents(&log), ["{\n  \"b\": 2,\n  \"c\": []}"]);
}

#[test]
fn truncated_line_is_not_a_document() {
    assert_eq!(documents("{\"a\": 1}\n{\"b\": 2, \"c\": \"unfin"), [r#"{"a": 1}"#]);
}

/// Writers of JSON break lines in other places, too.
#[test]
fn long_document_with_an_element_a_line_is_detected_by_its_beginning() {
    let elements = "{\"d\": 3},\n".repeat(MAX_SAMPLE / 8);
    let log = format!("{{\"b\": 2,\n\"c\": [{{\"d\": 1}},\n{elements}{{\"d\": 4}}]}}\n");
    let beginning = documents(&log);
    assert_eq!(beginning.len(), 1);
    assert!(beginning[0].starts_with("{\"b\": 2,\n\"c\": [{\"d\": 1},"), "{:.80}", beginning[0]);
    // A line that is invalid by itself does not hide the lines after it.
    let log = format!("{{\"b\": {{\n{}", "{\"d\": 3}\n".repeat(MAX_SAMPLE / 8));
    assert_eq!(documents(&log)[0], "{\"d\": 3}");
}

#[test]
fn long_and_short_logs_have_the_same_first_documents() {
    // Malformed lines and a document with a duplicate key do not end the search.
    let numbers: Vec<_> = (0..80).map(|number| format!("{{\"number\": {number}}}\n")).collect();
    let short = "no JSON\n".repeat(70) + "{\"a\": 0, \"a\": 1}\n" + &numbers.concat();
    let long = short.clone() + &"{\"more\": true}\n".repeat(20_000);
    let documents_of_short = documents(&short);
    assert_eq!(documents_of_short.len(), 64);
    assert_eq!(documents_of_short.last().map(String::as_str), Some(r#"{"number": 62}"#));
    assert_eq!(documents_of_short, documents(&long));
}
