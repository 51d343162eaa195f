//! Rules for tests about the sessions of Goose: what a record may omit and why, and where native
//! logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Goose.
pub const GOOSE: AgentRules = AgentRules {
    name: "goose",
    exceptions: &[
        Exception {
            paths: &["messages.role", "role"],
            when: When::Is(&["user", "assistant"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["messages.session_id", "session_id"],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |_| true,
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"working_dir":"/w","description":VALUE,"message_count":3,"accumulated_total_tokens":VALUE}"#,
        "\n",
        r#"{"id":"m1","role":"user","created":1756717200,"content":[{"type":"text","text":VALUE},VALUE]}"#,
        "\n",
        r#"{"id":"m2","role":"assistant","created":VALUE,"content":[{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":VALUE}}}],"metadata":VALUE}"#,
        "\n",
        r#"{"id":"m3","role":"user","created":1756717202,"content":[{"type":"toolResponse","id":"c1","toolResult":{"status":VALUE,"value":VALUE}}],"extra":VALUE}"#,
        "\n",
    ),
};

fn references(document: &Value, found: &mut References) {
    let (row, id) = match &document["messages"] {
        Value::Null => (document, "id"),
        row => (row, "message_id"),
    };
    if !matches!(row["role"].as_str(), Some("user" | "assistant")) {
        return;
    }
    found.ids.extend(text(&row[id]));
    let content =
        if row["content_json"].is_null() { &row["content"] } else { &row["content_json"] };
    if content.is_null() {
        return;
    }
    for block in elements(content) {
        match block["type"].as_str() {
            Some("toolRequest" | "frontendToolRequest") => found.calls.extend(text(&block["id"])),
            Some("toolResponse") => found.results.extend(text(&block["id"])),
            _ => {}
        }
    }
}
