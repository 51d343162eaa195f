//! Rules for tests about the logs of Factory Droid: what a record may omit and why, and where
//! native logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Factory Droid.
pub const DROID: AgentRules = AgentRules {
    name: "droid",
    exceptions: &[
        Exception {
            paths: &["type"],
            when: When::Is(&["message", "tool_call", "tool_result", "reasoning"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["message.role", "role"],
            when: When::Is(&["user", "assistant"]),
            reason: "the type of its entry",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |variant| variant != "jsonl-settings",
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"type":"session_start","id":"s1","title":VALUE,"owner":"ada","version":2,"cwd":"/w"}"#,
        "\n",
        r#"{"type":"message","id":"m1","timestamp":"2026-01-28T09:00:00.000Z","message":{"role":"user","content":VALUE}}"#,
        "\n",
        r#"{"type":"message","id":"m2","timestamp":VALUE,"message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"LS","input":VALUE},{"type":"thinking","thinking":VALUE}],"usage":VALUE},"extra":VALUE}"#,
        "\n",
        r#"{"type":"message","id":"m3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":VALUE,"is_error":VALUE}]}}"#,
        "\n",
        r#"{"type":"todo_state","id":"t1","todos":VALUE,"messageIndex":1}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    let kind = line["type"].as_str();
    let is_call = matches!(kind, Some("tool_call" | "tool_result"));
    let call = text(&line["toolCallId"]).or_else(|| text(&line["id"]));
    if !is_call || line["toolCallId"].is_string() {
        found.ids.extend(text(&line["id"]));
    }
    found.parents.extend(text(&line["parentId"]));
    match kind {
        Some("message")
            if matches!(line["message"]["role"].as_str(), Some("user" | "assistant")) =>
        {
            for block in elements(&line["message"]["content"]) {
                match block["type"].as_str() {
                    Some("tool_use") => found.calls.extend(text(&block["id"])),
                    Some("tool_result") => found.results.extend(text(&block["tool_use_id"])),
                    _ => {}
                }
            }
        }
        Some("tool_call") => found.calls.extend(call),
        Some("tool_result") => found.results.extend(call),
        _ => {}
    }
}
