//! Rules for tests about the logs of Pi: what a record may omit and why, and where native logs
//! state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Pi.
pub const PI: AgentRules = AgentRules {
    name: "pi",
    exceptions: &[
        Exception {
            paths: &["type"],
            when: When::Is(&["message", "message_end"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["message.role"],
            when: When::Is(&["user", "assistant", "toolResult"]),
            reason: "the type of its entry",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |_| true,
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-01T09:00:00.000Z","cwd":"/w","extra":VALUE}"#,
        "\n",
        r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T09:00:01.000Z","message":{"role":"user","content":VALUE,"timestamp":1}}"#,
        "\n",
        r#"{"type":"message","id":"a2","parentId":"a1","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":VALUE},{"type":"thinking","thinking":VALUE}],"usage":VALUE,"model":VALUE,"timestamp":2}}"#,
        "\n",
        r#"{"type":"message","id":"a3","parentId":"a2","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":VALUE,"isError":VALUE,"timestamp":3}}"#,
        "\n",
        r#"{"type":"message","id":"a4","parentId":"a3","message":{"role":"bashExecution","command":VALUE,"output":VALUE,"exitCode":VALUE}}"#,
        "\n",
        r#"{"type":"compaction","id":"a5","parentId":"a4","summary":VALUE,"extra":VALUE}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    found.ids.extend(text(&line["id"]));
    found.parents.extend(text(&line["parentId"]));
    if !matches!(line["type"].as_str(), Some("message" | "message_end")) {
        return;
    }
    let message = &line["message"];
    match message["role"].as_str() {
        Some("assistant") => {
            let calls = elements(&message["content"]).filter(|block| block["type"] == "toolCall");
            found.calls.extend(calls.filter_map(|block| text(&block["id"])));
        }
        Some("toolResult") => found.results.extend(text(&message["toolCallId"])),
        Some("bashExecution") => {
            found.calls.extend(text(&line["id"]));
            found.results.extend(text(&line["id"]));
        }
        _ => {}
    }
}
