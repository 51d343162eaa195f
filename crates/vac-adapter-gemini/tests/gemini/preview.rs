//! Tests detection and previews.

use vac_adapter::{Adapter, Beginning, Confidence, Memory, Preview, Share};
use vac_adapter_check::{corpus, fixture_logs};
use vac_adapter_gemini::Gemini;
use vac_record::AbstractTimestamp;

fn detect_and_preview(name: &str, bytes: &[u8]) -> (Confidence, Preview) {
    let input = Memory { name, bytes };
    let beginning = Beginning::read(&input).expect("readable");
    let sample = beginning.sample();
    (Gemini.detect(&sample).confidence(), Gemini.preview(&sample))
}

#[test]
fn every_log_is_recognised() {
    for log in fixture_logs(&Gemini).into_iter().chain(corpus(&Gemini)) {
        let beginning = Beginning::read(&log).expect("readable");
        let sure = Gemini.detect(&beginning.sample()).confidence();
        assert!(sure >= Confidence::Likely, "{}: {sure:?}", log.shown);
    }
}

#[test]
fn document_is_recognised_wherever_it_is_cut() {
    let whole = br#"{"sessionId": "s1", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z",
        "messages": [{"id": "m", "type": "user", "content": "Hello"}, {"id": "n", "type": "gemini"#;
    let messages = whole.iter().position(|byte| *byte == b'[').expect("a list");
    for length in messages + 1..whole.len() {
        let (sure, preview) = detect_and_preview("x.json", &whole[..length]);
        assert!(sure >= Confidence::Likely, "cut at {length}");
        assert_eq!((preview.variant, preview.session_id.as_deref()), ("json", Some("s1")));
        assert_eq!(preview.share, Share::Piece);
    }
}

#[test]
fn preview_states_what_a_list_needs() {
    let header = r#"{"sessionId": "s1", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z", "directories": ["/d"]}"#;
    let (_, preview) = detect_and_preview("x.jsonl", header.as_bytes());
    let start = AbstractTimestamp::try_from("2026-01-05T09:30:00Z").expect("a time");
    assert_eq!(
        preview,
        Preview {
            variant: "jsonl",
            parent: None,
            session_id: Some("s1".to_owned()),
            start: Some(start),
            project: Some("/d".to_owned()),
            version: None,
            share: Share::Piece,
        }
    );
    for (name, text, variant, id, share) in [
        (
            "checkpoint-a.json",
            r#"[{"role": "user", "parts": []}]"#,
            "contents",
            Some("checkpoint-a"),
            Share::Whole,
        ),
        (
            "checkpoint-a.json",
            r#"{"history": [{"role": "user", "parts": []}]}"#,
            "history",
            Some("checkpoint-a"),
            Share::Whole,
        ),
        (
            "t.json",
            r#"{"history": [], "clientHistory": []}"#,
            "tool-checkpoint",
            Some("t"),
            Share::Whole,
        ),
        (
            "logs.json",
            r#"[{"sessionId": "s1", "messageId": 0, "message": "x"}]"#,
            "logs",
            None,
            Share::Whole,
        ),
        (
            "session-1.jsonl",
            r#"{"id": "g", "type": "gemini", "content": "x"}"#,
            "jsonl",
            Some("session-1"),
            Share::Whole,
        ),
        ("session-1.jsonl", r#"{"$set": {"sessionId": "s1"}}"#, "jsonl", Some("s1"), Share::Piece),
    ] {
        let (sure, preview) = detect_and_preview(name, text.as_bytes());
        assert!(sure >= Confidence::Likely, "{text}");
        assert_eq!(
            (preview.variant, preview.session_id.as_deref(), preview.share),
            (variant, id, share)
        );
    }
}

#[test]
fn logs_of_other_agents_are_refused() {
    for text in [
        r#"{"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": "Hi"}}"#,
        r#"{"timestamp": "2026-01-05T09:31:00Z", "type": "session_meta", "payload": {"id": "s"}}"#,
        r#"{"role": "user", "message": {"content": []}}"#,
        r#"{"info": {"id": "ses_1"}, "messages": [{"info": {"role": "user"}, "parts": []}]}"#,
        r#"{"id": "prt_1", "sessionID": "s", "messageID": "m", "type": "text", "text": "Hi"}"#,
        r#"{"type": "message", "id": "i", "role": "user", "content": []}"#,
        r#"{"session": {"id": "s"}, "items": []}"#,
    ] {
        assert_eq!(detect_and_preview("x", text.as_bytes()).0, Confidence::No, "{text}");
    }
}
