//! The matcher, with schemas written as CDDL.

mod controls;
mod decode;
mod features;
mod limits;
mod semantics;
mod tables;

use vac_schema::{Budget, Schema, Violations};
use vac_value::{Document, Violation, ViolationKind};

fn schema(text: &str) -> Schema {
    let schema = vac_cddl::parse("test.cddl", text).expect("the schema is CDDL");
    vac_cddl::tables(&schema).expect("the schema has tables")
}

fn violations(text: &str, document: &Document<'_>) -> Vec<Violation> {
    let schema = schema(text);
    match schema.validate(schema.root, document.root(), 20) {
        Ok(()) => Vec::new(),
        Err(violations) => violations.into_iter().collect(),
    }
}

fn json(text: &str, document: &str) -> Vec<Violation> {
    violations(text, &Document::json(document.as_bytes()).expect("JSON"))
}

fn cbor(text: &str, document: &[u8]) -> Vec<Violation> {
    violations(text, &Document::cbor(document).expect("CBOR"))
}

fn lines(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(ToString::to_string).collect()
}

fn json_lines(text: &str, document: &str) -> Vec<String> {
    lines(&json(text, document))
}

fn cbor_lines(text: &str, document: &[u8]) -> Vec<String> {
    lines(&cbor(text, document))
}

#[track_caller]
fn valid(text: &str, document: &str) {
    assert_eq!(json_lines(text, document), Vec::<String>::new(), "{document}");
}

#[track_caller]
fn invalid(text: &str, document: &str, messages: &[&str]) {
    assert_eq!(json_lines(text, document), messages, "{document}");
}
