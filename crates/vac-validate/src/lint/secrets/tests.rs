//! Tests with sample secrets. They are joined from pieces, so that secret scanners do not report
//! this file.

use vac_value::{Any, Encode as _, Encoder, transcode};

use super::*;
use crate::lint::lint as lint_document;

fn github() -> String {
    ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat()
}

/// Returns a record with secrets in an entry, in JSON inside of a string, and in keys.
fn record() -> String {
    let token = github();
    let output = format!(r#"{{\"env\": {{\"TOKEN\": \"{token}\"}}, \"a\": \"\\n{token}\"}}"#);
    format!(
        r#"{{"session": {{"entries": [
            {{"type": "user", "content": "use {token}, please"}},
            {{"type": "tool-result", "output": "{output}"}},
            {{"type": "user", "{token}": ["{token}", {{"a/b": "ftp://ada:correct-horse@c.dev"}}]}}
        ]}}}}"#
    )
}

#[test]
fn json_and_cbor_have_the_same_secrets() {
    let json = record();
    let document = Document::json(json.as_bytes()).expect("JSON");
    let found = secrets(&document);
    assert!(may_contain_secrets(json.as_bytes(), Encoding::Json));
    assert!(!may_contain_secrets(br#"{"a": "ghp_", "b": "\n\u001b[1m"}"#, Encoding::Json));
    let short: Vec<_> =
        found.iter().map(|it| format!("{} {} {}", it.kind, it.count, it.path)).collect();
    let expected = [
        "github-token 1 /session/entries/0/content",
        "github-token 2 /session/entries/1/output",
        "github-token 1 /session/entries/2/(key 1)",
        "github-token 1 /session/entries/2/(redacted)/0",
        "url-password 1 /session/entries/2/(redacted)/1/a~1b",
    ];
    assert_eq!(short, expected);
    let mut encoder = Encoder::cbor();
    transcode(&document, &mut encoder).expect("CBOR");
    let cbor = encoder.finish();
    let of_cbor = secrets(&Document::cbor(&cbor).expect("CBOR"));
    // Keys are in another order.
    let same = |it: &Secret| (it.kind, it.count, it.path.replace("(key 0)", "(key 1)"));
    let by_path = |secrets: &[Secret]| {
        let mut all: Vec<_> = secrets.iter().map(same).collect();
        all.sort();
        all
    };
    assert_eq!(by_path(&of_cbor), by_path(&found));
}

#[test]
fn findings_do_not_contain_the_value() {
    let token = github();
    let json = record().replace(r#""type": "tool-result","#, &format!(
        r#""type": "tool-result", "call-id": "{token}", "id": "{token}", "parent-id": "x {token}","#
    ));
    let document = Document::json(json.as_bytes()).expect("JSON");
    let findings = lint_document(&document);
    assert_eq!(findings.iter().filter(|finding| finding.code == CODE).count(), 8);
    assert!(findings.iter().any(|finding| finding.code == "result-without-call"));
    let printed = format!("{findings:?}{:?}", secrets(&document))
        + &findings.iter().map(ToString::to_string).collect::<String>();
    for value in [&token[4..20], "correct"] {
        assert!(!printed.contains(value), "{printed}");
    }
    assert_eq!(
        findings.iter().find(|finding| finding.code == CODE).map(ToString::to_string).as_deref(),
        Some("/session/entries/0/content: likely secret: github-token (lint likely-secret)")
    );
}

#[test]
fn escaped_letters_do_not_hide_a_secret() {
    let token = github().replace('_', r"\u005f");
    let found = |json: String| {
        let found = secrets(&Document::json(json.as_bytes()).expect("JSON")).len();
        assert!(found == 0 || may_contain_secrets(json.as_bytes(), Encoding::Json));
        found
    };
    assert_eq!(found(format!(r#""{token}""#)), 1);
    assert_eq!(found(format!(r#""\u001b[1m{} {token}""#, github())), 1);
    assert_eq!(found(format!(r#""\u0041{token}""#)), 0);
    // Text with a lone surrogate cannot be decoded.
    assert_eq!(found(format!(r#""\ud800 {} \u0041""#, github())), 1);
}

#[test]
fn strings_of_cbor_may_be_bytes_or_in_chunks() {
    let token = github();
    let bytes = Any::bytes(token.as_bytes()).to_cbor().expect("CBOR");
    let text = Any::from(token.clone()).to_cbor().expect("CBOR");
    // An indefinite-length text of two chunks.
    let (first, last) = token.split_at(10);
    let chunk = |text: &str| Any::from(text.to_owned()).to_cbor().expect("CBOR");
    let chunks = [&b"\x7f"[..], &chunk(first), &chunk(last), b"\xff"].concat();
    for cbor in [bytes, text, chunks] {
        let found = secrets(&Document::cbor(&cbor).expect("CBOR"));
        assert_eq!(found.len(), 1, "{cbor:x?}");
        assert_eq!((found[0].kind, &*found[0].path), ("github-token", ""));
    }
}

#[test]
fn private_keys_are_found_in_the_lines_of_a_patch() {
    let first = ["-----BEGIN EC ", "PRIVATE KEY-----"].concat();
    let line = ["MHcCAQEEIIsX8R0kTqZ4y1bVn3mWcJd7", "Lh2uKfPz9oEaGtYr5sBxoAoGCCqGSM49"].concat();
    let rest = "AwEHoUQDQgAEq3n8V0";
    for json in [
        format!(
            r#"{{"structuredPatch": [{{"lines": [" a", "+{first}", "+{line}", "+{rest}"]}}]}}"#
        ),
        format!(r#"{{"header": "{first}\n", "body": "{line}\n{rest}\n"}}"#),
        format!(r#"["{first}", "{}", "{}", "{rest}"]"#, &line[..32], &line[32..]),
    ] {
        let document = Document::json(json.as_bytes()).expect("JSON");
        let found = secrets(&document);
        assert_eq!(found.iter().map(|it| it.kind).collect::<Vec<_>>(), ["private-key"], "{json}");
        assert!(may_contain_secrets(json.as_bytes(), Encoding::Json), "{json}");
        let mut encoder = Encoder::cbor();
        transcode(&document, &mut encoder).expect("CBOR");
        let cbor = encoder.finish();
        let of_cbor = secrets(&Document::cbor(&cbor).expect("CBOR"));
        // Members are sorted in CBOR, so that the body is before the header.
        assert_eq!(of_cbor.is_empty(), json.contains("header"), "{json}");
    }
    let json = format!(r#"["{first}", "is how a key begins", "{}"]"#, "../".repeat(30));
    assert_eq!(secrets(&Document::json(json.as_bytes()).expect("JSON")), []);
}

#[test]
fn violations_do_not_contain_the_value() {
    let url = ["https://ada:Xk", "29d@h.d"].concat();
    let key_id = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    for secret in [github(), url, key_id.clone(), format!("{key_id}.210123456789")] {
        let json = format!(
            r#"{{"version": "3.0.0-draft", "id": "r", "{secret}": 1, "session": {{
                "session-id": "s", "agent-meta": {{"model-id": "m", "model-provider": "p"}},
                "entries": [{{"type": "{secret}"}}, {{"type": "user", "{secret}": 1, "{secret}": 2}}]
            }}}}"#
        );
        let document = Document::json(json.as_bytes()).expect("JSON");
        let violations = crate::validate_document(&document, crate::rules::ROOT, 20).unwrap_err();
        let streamed = crate::stream::validate(json.as_bytes(), 20).unwrap_err();
        let printed = format!("{violations:#}{violations:?}{streamed}");
        assert!(
            violations.total() >= 2 && printed.contains("/session/entries/0/type"),
            "{printed}"
        );
        assert!(!printed.contains(&secret[..10]), "{printed}");
    }
}
