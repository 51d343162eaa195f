//! Tests that unusual input is kept.

use vac_adapter::Report;
use vac_adapter_check::TestLog;
use vac_adapter_check::hostile::VALUES;
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

use crate::check;

const MESSAGE: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#;

/// Converts a message with something unusual after it, without loss.
fn convert_after_message(unusual: &str) -> (String, Report) {
    let log = format!("{MESSAGE}\n{unusual}");
    let outcome = check("s.jsonl", log.as_bytes());
    (outcome.only().text().to_owned(), outcome.only().report.clone())
}

#[test]
fn input_that_is_not_json_is_kept_unparsed() {
    for unusual in [
        r#"{"role":"assistant","message":{"content":[{"type":"te"#,
        "what is this?",
        r#"{"role":"user","message":{"content":"a","content":"b"}}"#,
    ] {
        let (record, report) = convert_after_message(unusual);
        assert_eq!(report.unparsed.count, 1);
        assert!(record.contains(r#""event-type":"unparsed""#));
    }
}

#[test]
fn numbers_and_lone_surrogates_are_kept() {
    let unusual = r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"T","input":{"n":18446744073709551617,"e":1e400,"s":"\ud800"}}]}}"#;
    let (record, _) = convert_after_message(unusual);
    assert_eq!(record.matches("18446744073709551617").count(), 2, "content and child");
    assert_eq!(record.matches("1e400").count(), 2);
    assert_eq!(record.matches(r#""\ud800""#).count(), 2);
}

#[test]
fn lines_of_the_wrong_shape_are_events() {
    let (record, report) = convert_after_message(
        "{\"role\":7,\"message\":\"x\"}\n[1,2]\n{\"type\":\"beacon\",\"n\":3}",
    );
    assert!(record.contains(r#"{"role":7,"message":"x"}"#));
    assert!(record.contains(r#"{"value":[1,2]}"#));
    let unknown: Vec<_> = report.unknown_types.keys().map(String::as_str).collect();
    assert_eq!(unknown, ["a line without a type", "beacon"]);
}

#[test]
fn unknown_members_keep_their_native_names() {
    let (record, _) = convert_after_message(
        r#"{"role":"critic","id":9,"message":{"role":"assistant","content":"x","mood":"good"}}"#,
    );
    assert!(record.contains(r#""role":"critic""#), "who spoke is not forgotten");
    assert!(record.contains(r#""native:id":9"#));
    assert!(record.contains(r#""message":{"mood":"good"}"#));
}

#[test]
fn nul_bytes_are_counted() {
    let log = format!("{MESSAGE}\n\0\0\0\n{MESSAGE}");
    let outcome = check("s.jsonl", log.as_bytes());
    assert!(outcome.only().text().contains(r#""nul-bytes":3"#));
}

/// A log of every variant, with an unexpected value in it.
const VARIANTS: &[&str] = &[
    r#"{"type":"thinking","subtype":"delta","text":VALUE,"session_id":"s","timestamp_ms":VALUE}
       {"type":"thinking","subtype":"delta","text":"a","session_id":VALUE,"extra":VALUE}
       {"type":"thinking","subtype":"completed","session_id":"s","text":VALUE}"#,
    r#"{"type":"tool_call","subtype":"started","call_id":VALUE,"tool_call":{"a":VALUE,"aToolCall":{"args":VALUE,"b":VALUE}},"session_id":"s"}
       {"type":"tool_call","subtype":"completed","call_id":VALUE,"tool_call":{"aToolCall":{"args":VALUE,"result":VALUE}},"session_id":"s"}
       {"type":"tool_call","subtype":"completed","call_id":"x","tool_call":{"function":{"name":VALUE,"arguments":VALUE,"result":{"error":VALUE}}},"session_id":"s"}
       {"type":"tool_call","subtype":"started","call_id":"x","tool_call":VALUE,"session_id":"s"}"#,
    r#"{"type":"system","subtype":"init","session_id":VALUE,"cwd":VALUE,"model":VALUE}
       {"type":"assistant","message":{"role":VALUE,"content":VALUE,"x":VALUE},"session_id":"s","timestamp_ms":VALUE}
       {"type":"result","subtype":VALUE,"usage":VALUE,"session_id":"s"}
       {"type":"result","subtype":"success","usage":{"inputTokens":VALUE,"cacheReadTokens":1},"session_id":"s"}"#,
    r#"{"key":"composerData:c","value":{"createdAt":VALUE,"lastUpdatedAt":VALUE,"name":VALUE,"modelConfig":VALUE,"workspaceIdentifier":{"uri":VALUE},"createdOnBranch":VALUE,"conversation":VALUE}}
       {"key":"composerData:c","value":{"conversation":[VALUE,{"type":1,"bubbleId":VALUE,"text":VALUE},{"type":2,"bubbleId":"b"}]}}
       {"key":"composerData:c","value":VALUE,"orphan":VALUE}"#,
    r#"{"key":"bubbleId:c:b","value":{"type":2,"bubbleId":VALUE,"text":VALUE,"createdAt":VALUE,"thinking":VALUE,"toolFormerData":VALUE,"tokenCount":VALUE,"modelInfo":VALUE,"timingInfo":VALUE,"superseded":VALUE}}
       {"key":"bubbleId:c:d","value":{"type":2,"thinking":{"text":VALUE,"x":VALUE},"toolFormerData":{"name":VALUE,"rawArgs":VALUE,"params":VALUE,"result":VALUE,"error":VALUE,"status":VALUE,"toolCallId":VALUE},"tokenCount":{"inputTokens":VALUE,"outputTokens":5},"modelInfo":{"modelName":VALUE,"x":VALUE},"timingInfo":{"clientStartTime":VALUE}}}
       {"key":"bubbleId:c:e","value":{"type":VALUE,"text":"a"},"extra":VALUE}
       {"key":"bubbleId:c:f","value":VALUE,"orphan":true}
       {"key":"bubbleId:c:g","text":VALUE}
       {"key":"bubbleId:c:h","missing":VALUE}"#,
    r#"{"meta":"0","value":VALUE,"x":VALUE}
       {"meta":"0","value":{"agentId":VALUE,"name":VALUE,"createdAt":VALUE,"lastUsedModel":VALUE}}
       {"file":"meta.json","value":{"createdAtMs":VALUE,"cwd":VALUE}}
       {"blob":"a","root":true,"value":VALUE,"problem":VALUE}
       {"blob":"b","value":{"role":VALUE,"content":VALUE}}
       {"blob":"c","value":{"role":"user","content":VALUE,"id":VALUE,"linked":VALUE},"time":VALUE}
       {"blob":"d","value":{"role":"assistant","content":[VALUE,{"type":"tool-call","toolCallId":VALUE,"toolName":VALUE,"args":VALUE},{"type":"reasoning","text":VALUE},{"type":"redacted-reasoning","data":VALUE}],"providerOptions":VALUE}}
       {"blob":"e","value":{"role":"tool","content":[{"type":"tool-result","toolCallId":VALUE,"result":VALUE,"isError":VALUE,"message":VALUE,"output":VALUE}],"id":VALUE},"x":VALUE}
       {"blob":"f","value":{"role":"tool","content":[VALUE]},"orphan":true}
       {"blob":"g","base64":VALUE,"linked":true}"#,
];

#[test]
fn every_variant_keeps_unexpected_values() {
    let mut converted = 0;
    for form in VARIANTS {
        for (name, value) in VALUES {
            let log = TestLog::new("form.jsonl", form.replace("VALUE", value));
            let log = log.named(format!("{name} in {form:.40}"));
            converted +=
                usize::from(!vac_adapter_check::check(&CURSOR, &Cursor, &log).is_refused());
        }
    }
    assert_eq!(converted, VARIANTS.len() * VALUES.len());
}
