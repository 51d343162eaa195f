//! Decisions of the mapping, one test each.

use serde_json::{Value, json};
use vac_adapter::Profile;
use vac_adapter::session::RecordOptions;
use vac_adapter_check::{convert, convert_full, corpus, fixture};
use vac_adapter_claude::Claude;
use vac_value::Encoding;

use crate::{check, convert_fixture, find_entry};

#[test]
fn usage_that_is_repeated_counts_on_the_last_line_of_the_message() {
    let record = convert_fixture("jsonl/split-message").value();
    for early in ["a1", "a2"] {
        assert_eq!(find_entry(&record, early)["token-usage"], Value::Null);
        assert_eq!(find_entry(&record, early)["message"]["usage"]["output_tokens"], 1);
    }
    assert_eq!(find_entry(&record, "a3")["token-usage"]["output"], 173);
}

#[test]
fn synthetic_is_not_a_model() {
    let record = convert_fixture("jsonl/split-message").value();
    let meta = &record["session"]["agent-meta"];
    assert_eq!(meta["model-id"], "claude-opus-5");
    assert_eq!(meta["model-provider"], "anthropic");
    assert_eq!(meta["models"], json!(["claude-opus-5", "claude-haiku-5"]));
    assert_eq!(find_entry(&record, "a5")["model-id"], Value::Null);
    assert_eq!(find_entry(&record, "a5")["message"]["model"], "<synthetic>");
}

#[test]
fn children_have_timestamps_and_error_flags() {
    let record = convert_fixture("jsonl/basic").value();
    let child = |id: &str| {
        find_entry(&record, id)["children"].as_array().and_then(|all| all.last().cloned())
    };
    assert_eq!(child("a1").expect("a call")["timestamp"], "2026-03-04T09:00:04.120Z");
    assert_eq!(child("u2").expect("a result")["is-error"], false);
    let failed = child("u3").expect("a result");
    assert_eq!((&failed["is-error"], &failed["status"]), (&json!(true), &json!("error")));
}

#[test]
fn server_tools_are_calls_and_results_in_one_message() {
    let record = convert_fixture("jsonl/server-tools").value();
    let message = find_entry(&record, "a1");
    let children = message["children"].as_array().expect("children");
    let shape: Vec<_> =
        children.iter().map(|child| (child["type"].as_str(), child["call-id"].as_str())).collect();
    assert_eq!(
        shape,
        [
            (Some("reasoning"), None),
            (Some("reasoning"), None),
            (Some("tool-call"), Some("srvtoolu_1")),
            (Some("tool-result"), Some("srvtoolu_1")),
            (Some("tool-call"), Some("srvtoolu_2")),
            (Some("tool-result"), Some("srvtoolu_2")),
        ]
    );
    assert_eq!(children[0]["encrypted"], "bm90IGZvciB5b3U=");
    assert_eq!(children[1]["signature"], "c2ln");
    let usage = &message["token-usage"];
    assert_eq!((&usage["reasoning"], &usage["cached"]), (&json!(4), &json!(0)));
    assert_eq!(usage["output_tokens_details"], json!({"other": 1}));
}

#[test]
fn values_that_differ_from_the_session_stay_on_the_entry() {
    let record = convert_fixture("jsonl/changed-folder").value();
    let (first, second) = (find_entry(&record, "u1"), find_entry(&record, "u2"));
    for (key, other) in [
        ("sessionId", "another"),
        ("cwd", "/home/ada/moon"),
        ("version", "2.1.41"),
        ("gitBranch", "tides"),
    ] {
        assert_eq!(first[key], Value::Null);
        assert_eq!(second[key], other);
    }
    assert_eq!(second["session_id"], Value::Null, "that one is the session's");
}

#[test]
fn unknown_types_are_events_and_are_reported() {
    let unknown = |case: &str| {
        let types = convert_fixture(case).report.unknown_types;
        types.into_iter().map(|(name, count)| format!("{name}: {count}")).collect::<Vec<_>>()
    };
    assert_eq!(
        unknown("jsonl/line-types"),
        [
            "a line that is not an object: 3",
            "a line without a type: 1",
            "content block hologram: 1",
            "starlight: 1"
        ]
    );
    assert_eq!(
        unknown("jsonl/unknown-types"),
        [
            "attachment/moon_phase: 1",
            "comet: 1",
            "progress/gear_progress: 1",
            "queue-operation/shuffle: 1",
            "system/eclipse: 1"
        ]
    );
    assert_eq!(unknown("jsonl-folder/workflow"), ["journal/paused: 1"]);
    for case in [
        "jsonl/basic",
        "jsonl/compaction",
        "jsonl/api-errors",
        "jsonl/agent-progress",
        "jsonl-folder/basic",
        "jsonl/queued-prompts",
    ] {
        assert!(unknown(case).is_empty(), "{case}");
    }
}

#[test]
fn events_keep_the_line_and_its_parent() {
    let record = convert_fixture("jsonl/compaction").value();
    let boundary = find_entry(&record, "c1");
    assert_eq!(boundary["event-type"], "system/compact_boundary");
    assert_eq!(boundary["parent-id"], Value::Null);
    assert_eq!(boundary["data"]["logicalParentUuid"], "c0");
    assert_eq!(boundary["data"]["compactMetadata"]["preTokens"], 155_000);
    let summary = find_entry(&record, "u2");
    assert_eq!((&summary["type"], &summary["isCompactSummary"]), (&json!("user"), &json!(true)));
    assert_eq!(summary["parent-id"], "c1");
}

#[test]
fn retried_api_errors_are_events_and_the_last_is_a_message() {
    let converted = convert_fixture("jsonl/api-errors");
    let record = converted.value();
    assert_eq!(find_entry(&record, "s1")["event-type"], "system/api_error");
    assert!(converted.text().contains(r#""retryInMs":537.9472312"#));
    let message = find_entry(&record, "a1");
    assert_eq!(
        (&message["type"], &message["isApiErrorMessage"]),
        (&json!("assistant"), &json!(true))
    );
    assert_eq!(record["session"]["agent-meta"]["model-id"], "unknown");
}

#[test]
fn line_with_a_duplicate_key_is_unparsed_and_keeps_its_id() {
    let converted = convert_fixture("jsonl/duplicate-keys");
    assert_eq!(converted.report.unparsed.lines, [2]);
    let event = find_entry(&converted.value(), "u2");
    assert_eq!((&event["event-type"], &event["parent-id"]), (&json!("unparsed"), &json!("u1")));
    let raw = event["data"]["raw"].as_str().expect("the line");
    assert!(raw.contains(r#""content":"one","content":"two""#));
}

#[test]
fn lone_surrogate_is_kept_in_json_and_unparsed_in_cbor() {
    let json = convert_fixture("jsonl/lone-surrogate");
    assert_eq!(json.report.unparsed.count, 0);
    assert!(json.text().contains(r"half a pair: \ud83d"));
    let options = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
    let cbor =
        convert(&Claude, &fixture(&Claude, "jsonl/lone-surrogate"), &options).expect("a record");
    assert_eq!(cbor[0].report.unparsed.lines, [1]);
}

#[test]
fn canonical_profile_has_schema_keys_and_annotations_only() {
    let options = RecordOptions { profile: Profile::Canonical, ..RecordOptions::default() };
    let records = convert(&Claude, &fixture(&Claude, "jsonl/basic"), &options).expect("a record");
    let entry = find_entry(&records[0].value(), "a1");
    let keys: Vec<_> = entry.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut named = [
        "type",
        "content",
        "timestamp",
        "id",
        "model-id",
        "parent-id",
        "token-usage",
        "children",
        "vac",
    ];
    named.sort_unstable();
    assert_eq!(keys, named);
}

#[test]
fn file_of_another_format_is_refused_with_the_reason() {
    for text in ["", "\n\n", r#"{"type":"session_meta","payload":{}}"#, r#"{"loglines":[]}"#] {
        assert_eq!(check("x.jsonl", text).refusal(), "no line of a Claude Code session in it");
    }
    let journal = r#"{"type":"started","key":"v2:a","agentId":"b"}"#;
    assert_eq!(
        check("journal.jsonl", journal).refusal(),
        "the journal of a workflow, which is read with its session"
    );
}

#[test]
fn real_sessions_have_no_unknown_types() {
    for log in corpus(&Claude) {
        for record in convert_full(&Claude, &log).into_iter().flatten() {
            let mut unknown = record.report.unknown_types;
            unknown.remove("a line that is not an object");
            unknown.remove("a line without a type");
            assert!(unknown.is_empty(), "{}: {unknown:?}", log.shown);
        }
    }
}

#[test]
fn empty_keys_and_types_are_kept() {
    let record =
        check("x.jsonl", r#"{"type":"user","":1}{"type":"","":2}{"type":"mode","":{"":3}}"#);
    let entries = record.only().entries();
    assert_eq!(entries[0][""], 1);
    assert_eq!(entries[1]["data"], json!({"type": "", "": 2}));
    assert_eq!(entries[2]["data"][""], json!({"": 3}));
}

#[test]
fn models_lists_every_model_that_took_part() {
    let lines = [
        r#"{"type":"assistant","sessionId":"s","message":{"model":"claude-opus-5","usage":{"iterations":[{"type":"message"},{"type":"advisor_message","model":"claude-fable-5"}]}}}"#,
        r#"{"type":"progress","sessionId":"s","data":{"type":"agent_progress","message":{"type":"assistant","message":{"model":"claude-haiku-5"}}}}"#,
        r#"{"type":"progress","sessionId":"s","data":{"type":"agent_progress","message":{"type":"assistant","message":{"model":"claude-haiku-5"}}}}"#,
        r#"{"type":"assistant","sessionId":"s","message":{"model":"<synthetic>"}}"#,
    ];
    let outcome = check("s.jsonl", &lines.join("\n"));
    let agent = outcome.only().value()["session"]["agent-meta"].take();
    assert_eq!(agent["models"], json!(["claude-opus-5", "claude-fable-5", "claude-haiku-5"]));
    assert_eq!(agent["model-id"], "claude-opus-5");
}

#[test]
fn failed_server_tool_is_an_error() {
    let log = r#"{"type":"assistant","uuid":"a1","sessionId":"s","message":{"content":[
        {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}},
        {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}},
        {"type":"web_search_tool_result","tool_use_id":"srvtoolu_2","content":[{"type":"web_search_result"}]},
        {"type":"web_fetch_tool_result","tool_use_id":"srvtoolu_3","content":{"type":"web_fetch_tool_error"}}]}}"#;
    let outcome = check("s.jsonl", log);
    let children = outcome.only().entries()[0]["children"].clone();
    assert_eq!((&children[1]["status"], &children[1]["is-error"]), (&json!("error"), &json!(true)));
    assert_eq!(children[1]["output"]["error_code"], "max_uses_exceeded");
    assert_eq!(children[2]["is-error"], Value::Null, "the log does not say");
    assert_eq!(children[3]["is-error"], true);
}

#[test]
fn stream_is_named_by_session_id() {
    let converted = convert_fixture("stream/basic");
    assert_eq!(converted.variant, "stream");
    let record = converted.value();
    assert_eq!(record["id"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c10");
    let agent = &record["session"]["agent-meta"];
    assert_eq!(agent["cli-version"], "2.1.40");
    assert_eq!(agent["models"], json!(["claude-sonnet-5", "claude-haiku-5"]));
    assert_eq!(record["created"], Value::Null, "it has no timestamps");
    assert_eq!(find_entry(&record, "r1")["event-type"], "result/success");
    assert!(converted.report.unknown_types.is_empty(), "{:?}", converted.report.unknown_types);
}

#[test]
fn message_that_is_not_an_object_is_the_content() {
    let record = convert_fixture("jsonl/wrong-types").value();
    assert_eq!(find_entry(&record, "u1")["content"], "text in the place of a message");
    assert_eq!(find_entry(&record, "a1")["children"][0]["call-id"], "toolu_1");
    assert_eq!(find_entry(&record, "u2")["children"][0]["output"], "88 teeth");
    assert_eq!(find_entry(&record, "u3")["content"], Value::Null);
    let both = find_entry(&record, "u4");
    assert_eq!((&both["content"], &both["native:content"]), (&json!("both"), &json!("of them")));
}

#[test]
fn inherited_entries_are_marked_and_not_counted_again() {
    for (case, id, begins, version, branch, own) in [
        (
            "jsonl/resumed",
            "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c21",
            "2026-03-11",
            "1.0.44",
            "teeth",
            "u2",
        ),
        (
            "jsonl/forked",
            "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c22",
            "2026-03-13",
            "2.1.90",
            "sun",
            "u3",
        ),
    ] {
        let record = convert_fixture(case).value();
        assert_eq!(record["id"], id, "{case}");
        let session = &record["session"];
        let start = session["session-start"].as_str().expect("a start");
        assert!(start.starts_with(begins), "{case}: {start}");
        assert_eq!(session["agent-meta"]["cli-version"], version, "{case}");
        assert_eq!(record["vcs"]["branch"], branch, "{case}");
        for id in ["u1", "a1"] {
            let line = find_entry(&record, id);
            let parent = &record["session"]["vac"]["parent"];
            assert_eq!((&line["vac"]["inherited"], &line["version"]), (parent, &json!("1.0.40")));
            assert_eq!(line["token-usage"], Value::Null, "{case}");
        }
        assert_eq!(find_entry(&record, "a1")["message"]["usage"]["input_tokens"], 10, "{case}");
        let own = find_entry(&record, own);
        assert_eq!((&own["vac"]["inherited"], &own["parent-id"]), (&Value::Null, &json!("a1")));
    }
    let resumed = convert_fixture("jsonl/resumed").value();
    assert_eq!(find_entry(&resumed, "u1")["sessionId"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c20");
    assert_eq!(find_entry(&resumed, "a2")["token-usage"]["output"], 2);
}

#[test]
fn linked_sessions_have_the_first_id_if_the_file_names_none() {
    let lines = [
        r#"{"type":"user","uuid":"u1","sessionId":"one","message":{"content":"1"}}"#,
        r#"{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"two","message":{"content":"2"}}"#,
    ];
    let outcome = check("three.jsonl", &lines.join("\n"));
    let record = outcome.only().value();
    assert_eq!(record["id"], "one");
    let second = find_entry(&record, "u2");
    assert_eq!((&second["sessionId"], &second["vac"]["inherited"]), (&json!("two"), &Value::Null));
}
