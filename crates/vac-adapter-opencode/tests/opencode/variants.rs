//! Tests shared sessions, captures, messages of the first months, rows and damaged exports.

use vac_adapter::container::{RowProblem, Trouble};
use vac_adapter::{Adapter, Beginning, Confidence, Share, detect};
use vac_adapter_check::{TestLog, fixture_logs};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;
use vac_record::AbstractTimestamp;

use crate::{check, convert_one};

/// The preview of a fixture: variant, session, start, project, version.
type Expected = (&'static str, &'static str, u64, Option<&'static str>, Option<&'static str>);

const LANTERN: &str = "ses_0a1b2c3d4effeLanternHarbor01";

/// The previews of fixtures. Those of trees and databases are read by their stores.
const PREVIEWS: &[(&str, Expected)] = &[
    ("capture/basic", ("capture", LANTERN, 1_772_700_002_137, None, None)),
    (
        "concatenated/basic",
        ("concatenated", LANTERN, 1_772_700_000_000, Some("/home/ada/lantern"), Some("1.1.40")),
    ),
    (
        "export/basic",
        ("export", LANTERN, 1_772_700_000_000, Some("/home/ada/lantern"), Some("1.1.40")),
    ),
    (
        "share/basic",
        ("share", LANTERN, 1_772_700_000_000, Some("/home/ada/lantern"), Some("1.1.40")),
    ),
];

#[test]
fn beginning_of_a_log_gives_agent_and_preview() {
    let logs = fixture_logs(&OpenCode);
    for (case, (variant, session, start, project, version)) in PREVIEWS {
        let part = format!("opencode/{case}/");
        let log = logs.iter().find(|log| log.shown.contains(&part)).expect("a fixture");
        let found = detect(log, &[&OpenCode]).expect("memory").map(|(_, confidence)| confidence);
        assert_eq!(found, Some(Confidence::Certain), "{case}");
        let beginning = Beginning::read(log).expect("memory");
        let preview = OpenCode.preview(&beginning.sample());
        assert_eq!(preview.variant, *variant);
        assert_eq!(preview.session_id.as_deref(), Some(*session), "{case}");
        assert_eq!(preview.start, Some(AbstractTimestamp::Uint(*start)), "{case}");
        assert_eq!(preview.project.as_deref(), *project, "{case}");
        assert_eq!(preview.version.as_deref(), *version, "{case}");
        assert_eq!(preview.share, Share::Whole);
    }
    assert_eq!(OpenCode.newest_tested(), Some("1.18.10"));
}

#[test]
fn truncated_export_is_detected() {
    let logs = fixture_logs(&OpenCode);
    let log = logs.iter().find(|log| log.shown.contains("export/truncated")).expect("a fixture");
    let found = detect(log, &[&OpenCode]).expect("memory").map(|(_, confidence)| confidence);
    assert_eq!(found, Some(Confidence::Likely));
    let other = TestLog::new("x.json", &b"{\"info\": {\"id\": \"x\", \"title\": \"cut"[..]);
    assert_eq!(detect(&other, &[&OpenCode]).expect("memory").map(|(_, it)| it), None);
}

#[test]
fn truncated_shared_session_is_detected() {
    let logs = fixture_logs(&OpenCode);
    let log = logs.iter().find(|log| log.shown.contains("share/truncated")).expect("a fixture");
    let found = detect(log, &[&OpenCode]).expect("memory").map(|(_, confidence)| confidence);
    assert_eq!(found, Some(Confidence::Likely));
    let other = TestLog::new("x.json", &b"[{\"type\": \"session\", \"data\": {\"id\": \"x"[..]);
    assert_eq!(detect(&other, &[&OpenCode]).expect("memory").map(|(_, it)| it), None);
}

#[test]
fn whole_objects_of_a_damaged_share_are_converted() {
    let part = r#"{"type": "text", "text": "whole", "id": "prt_1", "messageID": "msg_1"}"#;
    let share = format!(
        r#"[{{"type": "session", "data": {INFO}}}, {{"type": "message", "data": {MESSAGE}}},
            {{"type": "part", "data": {part}}}, {{"type": "part", "type": "part", "data": {{}}}}]"#
    );
    let (record, report) = convert_one(share.as_bytes());
    assert_eq!(ids(&record)[..2], ["msg_1", "prt_1"]);
    assert_eq!((report.unparsed.count, &*report.variant), (1, "share"));
    // A secret is redacted wherever the log is truncated.
    let secret = r#"{"id": "ses_1", "projectID": "p", "share": {"secret": "hush", "url": "u"#;
    let share = format!(
        r#"[{{"type": "message", "data": {MESSAGE}}}, {{"type": "session", "data": {secret}"#
    );
    let (record, report) = convert_one(share.as_bytes());
    assert!(!record.to_string().contains("hush"), "{record}");
    assert_eq!(report.redacted.values().sum::<u64>(), 1);
}

const INFO: &str = r#"{"id": "ses_1", "projectID": "p", "time": {"created": 1}}"#;
const MESSAGE: &str =
    r#"{"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 2}}"#;

fn ids(record: &serde_json::Value) -> Vec<&str> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["id"].as_str().unwrap_or_default()).collect()
}

#[test]
fn whole_objects_of_a_damaged_export_are_converted() {
    let good = r#"{"type": "text", "text": "whole", "id": "prt_1", "messageID": "msg_1"}"#;
    let bad = r#"{"type": "text", "text": "twice", "text": "twice"}"#;
    let export = format!(
        r#"{{"info": {INFO}, "messages": [{{"info": {MESSAGE}, "parts": [{good}, {bad}]}}], "todos": []}}"#
    );
    let (record, report) = convert_one(export.as_bytes());
    assert_eq!(ids(&record)[..2], ["msg_1", "prt_1"]);
    assert_eq!(report.unparsed.count, 1);
    assert_eq!(report.variant, "export");
    assert_eq!(record["session"]["projectID"], "p");
    // Without the session, nothing can be converted.
    let outcome = check("x.json", br#"{"info": {"id": "ses_1", "projectID": "p", "ti"#);
    assert!(outcome.refusal().starts_with("no session"), "{outcome}");
}

#[test]
fn messages_after_damage_are_converted() {
    let message = |id: &str, parts: &str| {
        format!(
            r#"{{"info": {{"id": "{id}", "sessionID": "ses_1", "role": "user"}}, "parts": [{parts}]}}"#
        )
    };
    let part = |id: &str| format!(r#"{{"type": "text", "text": "{id}", "id": "{id}"}}"#);
    let first = message("msg_1", &part("prt_1"));
    let second = message("msg_2", &format!("{}, {{oops}}, {}", part("prt_2"), part("prt_3")));
    let third = message("msg_3", &part("prt_4")).replace("\"role\"", "role");
    // The closing bracket is missing.
    let fourth = message("msg_4", &part("prt_5"));
    let fifth = message("msg_5", &part("prt_6"));
    let export = format!(
        r#"{{"info": {INFO}, "messages": [{first}, {second}, {third}, {}, {fifth}], "todos": []}}"#,
        &fourth[..fourth.len() - 1]
    );
    let (record, report) = convert_one(export.as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    for id in ["msg_1", "prt_1", "msg_2", "prt_2", "prt_3", "prt_4", "msg_4", "prt_5", "prt_6"] {
        assert!(entries.iter().any(|entry| entry["id"] == id), "{id} is not in {record:#}");
    }
    assert_eq!(report.unparsed.count, 3, "a part, an info, a bracket");
    // Its messages name the session.
    let (record, report) = convert_one(export.replace("projectID\":", "projectID\"").as_bytes());
    assert_eq!((record["id"].as_str(), report.unparsed.count), (Some("ses_1"), 4));
}

#[test]
fn secret_next_to_damage_is_redacted() {
    let message = format!(r#"{{"info": {MESSAGE}, "parts": []}}"#);
    for damaged in [
        r#""share": {"secret": "hush", oops}"#,
        r#""share": {"secret" "hush"}"#,
        r#""secret", "hush""#,
        r#""secret": , "x": "hush""#,
        r#""secret": "hush", oops"#,
        r#""secret"} "hush""#,
        r#""a": "{\"secret\": ", "b": "hush", oops"#,
    ] {
        for export in [
            format!(r#"{{"info": {INFO}, {damaged}, "messages": [{message}]}}"#),
            format!(
                r#"{{"info": {INFO}, "messages": [{{"info": {MESSAGE}, {damaged}}}, {message}"#
            ),
            format!(r#"{{"info": {INFO}, "messages": [{message}, {damaged}, {message}], x}}"#),
        ] {
            let (record, report) = convert_one(export.as_bytes());
            assert!(!record.to_string().contains("hush"), "{export}: {record}");
            assert!(report.redacted.values().sum::<u64>() > 0, "{export}");
        }
    }
}

#[test]
fn line_before_an_export_is_kept() {
    let part = r#"{"type": "text", "text": "Hi", "id": "prt_1", "messageID": "msg_1"}"#;
    let export = format!(
        "Exporting session: ses_1\n{{\"info\": {INFO},\n \"messages\": [{{\"info\": {MESSAGE}, \"parts\": [{part}]}}]}}\n"
    );
    let log = TestLog::new("s.json", export.as_bytes());
    let found = detect(&log, &[&OpenCode]).expect("memory").map(|(_, confidence)| confidence);
    assert_eq!(found, Some(Confidence::Certain));
    let (record, report) = convert_one(export.as_bytes());
    let texts: Vec<_> = record["session"]["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| entry["content"].as_str())
        .collect();
    assert_eq!((texts, report.unparsed.count), (vec!["Hi"], 1));
}

#[test]
fn unknown_elements_of_a_shared_session_are_events() {
    let share = format!(
        r#"[{{"type": "session", "data": {INFO}}}, {{"type": "message", "data": {MESSAGE}}},
            {{"type": "hologram", "data": {{"depth": 3}}}}, {{"type": "part", "data": 7}}, 8,
            {{"type": "message", "data": {MESSAGE}, "seen": true}},
            {{"type": "model", "data": [{{"id": "m-1"}}]}}]"#
    );
    let (record, report) = convert_one(share.as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    let kinds: Vec<_> = entries.iter().map(|entry| entry["event-type"].as_str()).collect();
    let unknown = [Some("hologram"), Some("part"), Some("unknown")];
    assert_eq!(kinds, [&[None][..], &unknown, &[None, Some("share")]].concat());
    assert_eq!(entries[5]["data"]["seen"], true);
    assert_eq!(record["session"]["session_model"][0]["id"], "m-1");
    assert_eq!(report.unknown_types["hologram"], 1);
    assert_eq!(report.variant, "share");
}

#[test]
fn captured_line_keeps_members_next_to_its_part() {
    let line = |kind: &str, members: &str| {
        format!(r#"{{"type": "{kind}", "timestamp": 9, "sessionID": "ses_1", {members}}}"#)
    };
    let part = |members: &str| {
        format!(
            r#""part": {{"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", {members}}}"#
        )
    };
    let log = [
        line("text", &part(r#""type": "text", "text": "a", "time": {"start": 5}, "line": 1"#)),
        line("step_start", &part(r#""type": "step-start""#)),
        line("tool_use", &part(r#""type": "snapshot", "snapshot": "s""#)),
        line("weather", r#""rain": true"#),
    ];
    let (record, report) = convert_one(log.join("\n").as_bytes());
    let entries = &record["session"]["entries"];
    assert_eq!((&entries[0]["timestamp"], &entries[0]["line"]), (&5.into(), &1.into()));
    assert_eq!(entries[0]["native:line"]["timestamp"], 9);
    assert_eq!((&entries[1]["timestamp"], entries[1].get("line")), (&9.into(), None));
    assert_eq!(entries[2]["line"]["type"], "tool_use", "another name than its part's");
    assert_eq!(
        (&entries[3]["event-type"], &entries[3]["timestamp"]),
        (&"weather".into(), &9.into())
    );
    assert_eq!(entries[3]["data"]["rain"], true);
    assert_eq!(report.unknown_types["weather"], 1);
    assert_eq!(record["session"]["session-start"], 9);
}

#[test]
fn parts_inside_a_message_may_be_anything() {
    let log = br#"{"id": "msg_1", "role": "assistant", "metadata": {"sessionID": "ses_1",
        "time": {"created": 3}, "assistant": "gone", "tool": []}, "parts": ["words", null,
        {"type": "tool-invocation"}, {"type": "tool-invocation", "toolInvocation": {"result": 0}},
        {"text": "no type"}, {"type": "text", "id": "own"}]}"#;
    let (record, report) = convert_one(log);
    assert_eq!(
        ids(&record),
        ["msg_1", "msg_1:1", "msg_1:2", "msg_1:3", "msg_1:4", "msg_1:4:result", "msg_1:5", "own"]
    );
    let entries = &record["session"]["entries"];
    assert_eq!(entries[1]["data"]["value"], "words");
    assert_eq!((&entries[4]["name"], &entries[5]["output"]), (&"unknown".into(), &0.into()));
    assert_eq!(report.unknown_types["part tool-invocation"], 1);
    assert_eq!(record["session"]["session-start"], 3);
}

#[test]
fn file_that_could_not_be_read_is_an_event_and_a_warning() {
    let mut log = TestLog::new("log.json", MESSAGE);
    let problem =
        RowProblem::Unreadable { what: "part/x.json".to_owned(), reason: "it is empty".to_owned() };
    log.parts[0].troubles.push(Trouble { offset: 0, problem });
    let converted = vac_adapter_check::check(&OPENCODE, &OpenCode, &log).only().clone();
    let entry = &converted.value()["session"]["entries"][0];
    assert_eq!(entry["event-type"], "unreadable");
    assert_eq!(entry["data"]["file"], "part/x.json");
    assert_eq!(entry["vac"]["reason"], "other");
    assert_eq!(converted.report.warnings, ["part/x.json: it is empty"]);
}

#[test]
fn document_about_an_unreadable_file_is_an_event_of_the_log() {
    let log = format!(
        "{MESSAGE}\n{}",
        r#"{"type": "unreadable", "sessionID": "ses_1", "file": "part/x.json", "reason": "no"}"#
    );
    let (_, report) = convert_one(log.as_bytes());
    assert_eq!(report.warnings, [""; 0]);
}
