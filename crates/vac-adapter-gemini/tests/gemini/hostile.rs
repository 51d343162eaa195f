//! Awkward input: never a panic, never a loss.

use vac_adapter::session::Options;
use vac_adapter::{Adapter, Error, Memory};
use vac_adapter_gemini::Gemini;

use crate::{check, convert, record};

const NAME: &str = "session-2026-01-05T09-30-5f0c1d2e.json";

fn fixture(case: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/gemini");
    std::fs::read(format!("{folder}/{case}/{NAME}")).expect("a fixture")
}

#[test]
fn a_session_cut_anywhere_converts_or_is_refused() {
    for case in ["messages", "parts-and-displays", "history"] {
        let whole = fixture(case);
        let mut converted = 0;
        for length in (0..whole.len()).step_by(37) {
            match check(NAME, &whole[..length]) {
                Ok(records) => {
                    assert_eq!(records.len(), 1);
                    converted += 1;
                }
                Err(Error::Refused(reason)) => assert!(!reason.is_empty()),
                Err(error) => panic!("{case} cut at {length}: {error}"),
            }
        }
        assert!(converted > 10, "{case}: {converted} pieces convert");
    }
}

#[test]
fn any_byte_may_be_any_other() {
    let whole = fixture("messages");
    for (at, with) in
        (0..whole.len()).step_by(23).zip([b'"', b'{', b']', 0, 0xff, b'\\', b','].iter().cycle())
    {
        let mut bytes = whole.clone();
        bytes[at] = *with;
        match check(NAME, &bytes) {
            Ok(records) => assert!(!records.is_empty()),
            Err(Error::Refused(reason)) => assert!(!reason.is_empty()),
            Err(error) => panic!("{with} at {at}: {error}"),
        }
    }
}

#[test]
fn what_is_no_session_is_refused_with_a_reason() {
    for (bytes, reason) in [
        (&b""[..], "no session"),
        (b"garbage {[", "no session"),
        (b"\xff\xfe\x00", "no session"),
        (b"[]", "no session"),
        (br#"{"messages": []}"#, "no session"),
        (br#"{"messages": [{"role": "user", "content": "somebody else's"}]}"#, "no session"),
        (br#"{"$set": {"lastUpdated": "x"}}"#, "JSON lines"),
        (br#"{"sessionId": "s", "projectHash": "p"}"#, "JSON lines"),
        (br#"{"history": [], "clientHistory": []}"#, "tool checkpoint"),
        (br#"[{"sessionId": "s", "messageId": 0, "message": "hi"}]"#, "logs.json"),
    ] {
        let input = Memory { name: "x.json", bytes };
        let Err(Error::Refused(found)) = Gemini.survey(&input) else {
            panic!("not refused: {}", String::from_utf8_lossy(bytes))
        };
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn a_cut_session_keeps_its_messages_and_tells_of_the_cut() {
    let records = convert(NAME, &fixture("cut-short"), &Options::default()).expect("a session");
    let report = &records[0].1;
    assert_eq!(report.entries["user"], 1);
    assert_eq!(report.unparsed.count, 1);
}

#[test]
fn a_damaged_message_harms_no_other() {
    let bytes = fixture("damaged");
    let records = convert(NAME, &bytes, &Options::default()).expect("a session");
    let report = &records[0].1;
    assert_eq!((report.entries["user"], report.entries["assistant"]), (1, 1));
    assert_eq!(report.unparsed.count, 4, "two messages, the summary, what is behind the end");
}

#[test]
fn documents_beside_a_session_are_kept_with_it() {
    let text = concat!(
        "{\"before\": 1}\n",
        "{\"sessionId\": \"s\", \"projectHash\": \"p\", \"messages\": [{\"type\": \"user\", \"id\": \"m\"}]}\n",
        "oops\n",
        "{\"behind\": 2}\n",
    );
    let record = record("x.json", text);
    let entries = record["session"]["entries"].as_array().expect("entries");
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str().unwrap_or("")).collect();
    assert_eq!(ids, ["L1", "m", "L3", "L4"]);
    assert_eq!(entries[0]["data"]["value"]["before"], 1);
    assert_eq!(entries[2]["data"]["raw"], "oops");
    check("x.json", text.as_bytes()).expect("a session");
}
