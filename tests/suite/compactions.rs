//! Tests that every adapter whose sessions are lines annotates the entries that a summary replaces.

use serde_json::Value;
use vac_adapter_check::{TestLog, convert_full};

/// Returns the ids of the superseded entries of a log, with the way and the id of the entry that
/// supersedes them.
fn superseded(agent: &str, name: &str, lines: &[&str]) -> Vec<String> {
    let adapter = vac::agent(agent).expect("an agent").adapter;
    let log = TestLog::new(name, lines.join("\n").into_bytes());
    let records = convert_full(adapter, &log).unwrap_or_else(|error| panic!("{agent}: {error}"));
    let record = records[0].value();
    let entries = record["session"]["entries"].as_array().expect("entries");
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let found = entries.iter().filter(|entry| !entry["vac"]["superseded"].is_null());
    found
        .map(|entry| {
            let how = &entry["vac"]["superseded"];
            format!("{} {} {}", text(&entry["id"]), text(&how["how"]), text(&how["by"]))
        })
        .collect()
}

#[test]
fn lines_before_a_summary_are_compacted() {
    let qwen = |uuid: &str, parent: &str, rest: &str| {
        format!(r#"{{"uuid":"{uuid}","parentUuid":{parent},"sessionId":"s",{rest}}}"#)
    };
    let words = r#""type":"user","message":{"role":"user","parts":[{"text":"Hi"}]}"#;
    let compression = r#""type":"system","subtype":"chat_compression","systemPayload":{}"#;
    let rewind = r#""type":"system","subtype":"rewind","systemPayload":{"truncatedCount":2}"#;
    let (one, two) = (qwen("q1", "null", words), qwen("q2", "\"q1\"", compression));
    let (three, back) = (qwen("q3", "\"q2\"", words), qwen("q4", "\"q1\"", rewind));
    assert_eq!(superseded("qwen", "s.jsonl", &[&one, &two, &three]), ["q1 compacted q2"]);
    // The summary is rewound, so the entries that it replaced are part of the conversation again.
    let taken_back = superseded("qwen", "s.jsonl", &[&one, &two, &three, &back]);
    assert_eq!(taken_back, ["q2 rewound q4", "q3 rewound q4"]);

    let copilot = |id: &str, kind: &str, data: &str| {
        format!(r#"{{"type":"{kind}","data":{{{data}}},"id":"{id}","parentId":null}}"#)
    };
    let said = |id: &str| copilot(id, "user.message", r#""content":"Hi""#);
    let done = |is_done: bool| {
        let success = format!(r#""success":{is_done}"#);
        copilot("e4", "session.compaction_complete", &success)
    };
    let start = copilot("e0", "session.start", r#""sessionId":"s","copilotVersion":"1.0.79""#);
    let begin = copilot("e2", "session.compaction_start", "");
    let (first, during) = (said("e1"), said("e3"));
    let log = |is_done| {
        superseded("copilot", "s.jsonl", &[&start, &first, &begin, &during, &done(is_done)])
    };
    assert_eq!(log(true), ["e1 compacted e4"], "what was said meanwhile is kept");
    assert!(log(false).is_empty());

    let pi = |id: &str, parent: &str, rest: &str| {
        format!(r#"{{"type":{rest},"id":"{id}","parentId":{parent}}}"#)
    };
    let session =
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T00:00:00Z","cwd":"/w"}"#;
    let words = r#""message","message":{"role":"user","content":"Hi","timestamp":1}"#;
    let summary = r#""compaction","summary":"x","firstKeptEntryId":"p2""#;
    let (one, two) = (pi("p1", "null", words), pi("p2", "\"p1\"", words));
    let (three, four) = (pi("p3", "\"p2\"", summary), pi("p4", "\"p3\"", words));
    let log = [session, &one, &two, &three, &four];
    assert_eq!(superseded("pi", "s.jsonl", &log), ["p1 compacted p3"]);
    // The log continues before the summary, so the summary is on an abandoned branch.
    let branch = pi("p5", "\"p2\"", words);
    let left = superseded("pi", "s.jsonl", &[session, &one, &two, &three, &four, &branch]);
    assert_eq!(left, ["p3 rewound p5", "p4 rewound p5"]);

    let droid = [
        r#"{"type":"session_start","id":"s","owner":"ada","cwd":"/w"}"#,
        r#"{"type":"message","id":"d1","message":{"role":"user","content":"Hi"}}"#,
        r#"{"type":"compaction_state","id":"d2","summaryText":"x"}"#,
        r#"{"type":"message","id":"d3","message":{"role":"user","content":"Hi"}}"#,
    ];
    assert_eq!(superseded("droid", "s.jsonl", &droid), ["d1 compacted d2"]);

    let step = |number: u64, source: &str, kind: &str| {
        format!(
            r#"{{"step_index":{number},"source":"{source}","type":"{kind}","status":"DONE","created_at":"2026-06-20T09:00:00Z","content":"x"}}"#
        )
    };
    let steps = [
        step(0, "USER_EXPLICIT", "USER_INPUT"),
        step(1, "MODEL", "PLANNER_RESPONSE"),
        step(2, "SYSTEM", "CHECKPOINT"),
        step(3, "MODEL", "PLANNER_RESPONSE"),
    ];
    let steps: Vec<_> = steps.iter().map(String::as_str).collect();
    let expected = ["step-0 compacted step-2", "step-1 compacted step-2"];
    assert_eq!(superseded("antigravity", "transcript.jsonl", &steps), expected);
}
