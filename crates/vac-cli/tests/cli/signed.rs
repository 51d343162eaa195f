//! Tests signed records: the envelope and its content.

use crate::records::{bytes, signed, small, small_cbor, text};
use crate::run::Folder;

/// Validates an envelope with a payload and a content type.
fn with_payload(content_type: &[u8], payload: &[u8]) -> crate::run::Ran {
    let header = [&[3][..], content_type].concat();
    let protected = if content_type.is_empty() { (0, &[][..]) } else { (1, &header[..]) };
    let folder = Folder::new();
    folder.write("a.cose", signed(protected, (0, &[]), &bytes(payload)));
    folder.vac(&["validate", "a.cose"])
}

#[test]
fn an_attached_record_is_validated() {
    let cbor = small_cbor();
    for (content_type, payload) in [
        (text("application/json"), small().as_bytes()),
        (text("application/cbor"), &cbor),
        (text("application/agent-conversation+json; v=3"), small().as_bytes()),
        (vec![0x18, 50], small().as_bytes()),
        (vec![0x18, 60], &cbor),
        (text("application/agent-conversation"), &cbor),
        (vec![], small().as_bytes()),
    ] {
        with_payload(&content_type, payload).gives(0, "");
    }
}

#[test]
fn violations_inside_lead_through_the_envelope() {
    let payload = small().replace(r#""hi""#, r#""hi", "id": 7"#);
    let ran = with_payload(&[], payload.as_bytes());
    assert_eq!(ran.code, 1);
    let [line] = ran.lines()[..] else { panic!("{ran:?}") };
    assert!(
        line.starts_with("a.cose: /2(payload)/session/entries/0/id: expected text, "),
        "{line}"
    );
}

#[test]
fn payload_that_is_not_a_record_is_invalid() {
    let expected = "a.cose: /2(payload): expected a record in JSON, found bytes that are \
                    not JSON (byte 0: expected a JSON value) (rule verifiable-agent-record)\n";
    with_payload(&text("application/json"), &small_cbor()[..0])
        .gives(1, &expected.replace("expected a JSON value", "the input is empty"));
    with_payload(&text("application/json"), b"hello").gives(1, expected);
}

#[test]
fn a_detached_payload_is_said_to_be_so() {
    let folder = Folder::new();
    folder.write("a.cbor", signed((0, &[]), (0, &[]), &[0xf6]));
    let ran = folder.vac(&["validate", "a.cbor"]);
    ran.gives(0, "");
    assert!(
        ran.stderr.contains("a.cbor: 1 signed record with a detached payload: only the envelope")
    );
    let json = folder.vac(&["validate", "--json", "a.cbor"]).json();
    assert_eq!(json["files"][0]["signed"], "detached");
    // The payload of a hash envelope is a digest.
    folder.write("b.cbor", signed((1, &[0x19, 1, 2, 0x2f]), (0, &[]), &bytes(&[7; 32])));
    let json = folder.vac(&["validate", "--json", "b.cbor"]).json();
    assert_eq!(json["files"][0]["signed"], "digest");
}
