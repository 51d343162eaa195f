//! Tests detection and previews.

use vac_adapter::{Adapter, Beginning, Bundle, Confidence, Memory, Preview, Share, detect};
use vac_adapter_check::fixture_logs;
use vac_adapter_cursor::Cursor;
use vac_record::AbstractTimestamp;

const LINE: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#;

fn confidence(folder: &str, text: &str) -> Option<Confidence> {
    let file = Memory { name: "x", bytes: text.as_bytes() };
    let input = Bundle { folder, parts: vec![&file], attachments: Vec::new() };
    let adapters: &[&dyn Adapter] = &[&Cursor];
    detect(&input, adapters).expect("memory").map(|(_, confidence)| confidence)
}

#[test]
fn every_variant_is_detected_by_its_content() {
    let cases: &[(&str, Option<Confidence>)] = &[
        (LINE, Some(Confidence::Likely)),
        (r#"{"type":"turn_ended","status":"success"}"#, Some(Confidence::Likely)),
        (r#"{"type":"error","error":"boom"}"#, Some(Confidence::Possible)),
        (
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
            Some(Confidence::Likely),
        ),
        (
            r#"{"type":"thinking","subtype":"delta","text":"a","session_id":"s"}"#,
            Some(Confidence::Certain),
        ),
        (
            r#"{"type":"tool_call","subtype":"started","tool_call":{},"session_id":"s"}"#,
            Some(Confidence::Certain),
        ),
        (r#"{"key":"composerData:c","value":{}}"#, Some(Confidence::Certain)),
        (r#"{"key":"bubbleId:c:b","value":null}"#, Some(Confidence::Certain)),
        (r#"{"meta":"0","value":{}}"#, Some(Confidence::Certain)),
        (r#"{"blob":"ab","base64":""}"#, Some(Confidence::Certain)),
        ("user:\n<user_query>\nhi\n</user_query>\n", Some(Confidence::Likely)),
        ("\u{feff}\nA:\n[Thinking] Hm.\n", Some(Confidence::Likely)),
        ("user:\nhi\n\nassistant:\nhello\n", Some(Confidence::Likely)),
        ("user:\n  name: ada\n", None),
        ("users:\nassistant:\n", None),
        ("", None),
        ("\n", None),
        ("{}", None),
        (r#"{"key":"other","value":1}"#, None),
        (r#"{"type":"thinking","subtype":"delta","text":"a"}"#, None),
        (r#"{"type":"system","subtype":"init","session_id":"s","tools":[]}"#, None),
        (r#"{"type":"user","uuid":"u","sessionId":"s","message":{"content":"x"}}"#, None),
        (r#"{"type":"assistant","uuid":"u","session_id":"s","message":{"content":"x"}}"#, None),
        (r#"{"id":"m","sessionID":"ses_1","role":"user"}"#, None),
        (r#"{"timestamp":"t","type":"event_msg","payload":{"type":"error"}}"#, None),
    ];
    for (text, expected) in cases {
        assert_eq!(confidence("", text), *expected, "{text}");
    }
    assert_eq!(
        confidence("projects/kettle/agent-transcripts", "user:\nhi\n"),
        Some(Confidence::Likely),
        "where such files are, one marker is enough",
    );
}

#[test]
fn every_fixture_is_detected_with_its_variant() {
    let adapters: &[&dyn Adapter] = &[&Cursor];
    for log in fixture_logs(&Cursor) {
        let found = detect(&log, adapters).expect("memory");
        assert!(found.is_some(), "{}", log.shown);
        let beginning = Beginning::read(&log).expect("memory");
        let preview = Cursor.preview(&beginning.sample());
        let sessions = Cursor.survey(&log).expect("a session");
        assert_eq!(preview.variant, sessions[0].variant(), "{}", log.shown);
        assert_eq!(preview.share, Share::Whole);
        let record = sessions[0].record();
        if let Some(id) = preview.session_id {
            assert_eq!(id, record.id, "{}", log.shown);
        }
        assert_eq!(preview.start, record.session.session_start, "{}", log.shown);
    }
    assert_eq!(Cursor.newest_tested(), None, "versions are written nowhere");
}

#[test]
fn preview_states_what_a_list_needs() {
    let text = r"<timestamp>Monday, Aug 3, 2026, 11:03 AM (UTC+2)</timestamp>\nHello";
    let log = LINE.replace("hi", text);
    let name = "0190c3d2-7a6b-4f00-8e1d-2c3b4a596877.jsonl";
    let file = Memory { name, bytes: log.as_bytes() };
    let folder = ".cursor/projects/home-ada-kettle/agent-transcripts/0190";
    let input = Bundle { folder, parts: vec![&file], attachments: Vec::new() };
    let beginning = Beginning::read(&input).expect("memory");
    let expected = Preview {
        variant: "transcript",
        parent: None,
        session_id: Some("0190c3d2-7a6b-4f00-8e1d-2c3b4a596877".to_owned()),
        start: AbstractTimestamp::try_from("2026-08-03T11:03:00+02:00").ok(),
        project: Some("home-ada-kettle".to_owned()),
        version: None,
        share: Share::Whole,
    };
    assert_eq!(Cursor.preview(&beginning.sample()), expected);
}

#[test]
fn timestamp_is_found_anywhere_in_a_user_line() {
    let tag = "<timestamp>Monday, Aug 3, 2026, 11:03 AM (UTC)</timestamp>";
    for blocks in [
        format!(r#"[{{"type":"text","text":"<user_query>hi</user_query>\n{tag}"}}]"#),
        format!(
            r#"[{{"type":"text","text":"<user_query>hi</user_query>"}},{{"type":"text","text":"{tag}"}}]"#
        ),
        format!(r#""<user_query>hi</user_query>\n{tag}""#),
    ] {
        let log = format!(r#"{{"role":"user","message":{{"content":{blocks}}}}}"#);
        let log = vac_adapter_check::TestLog::new("x.jsonl", log);
        let outcome = vac_adapter_check::check(&vac_adapter_cursor::check::CURSOR, &Cursor, &log);
        let entries = outcome.only().entries();
        assert_eq!(entries[0]["timestamp"], "2026-08-03T11:03:00Z", "{blocks}");
    }
}
