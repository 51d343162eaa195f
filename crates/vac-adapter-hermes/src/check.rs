//! Rules for tests about the sessions of Hermes Agent: what a record may omit and why, and where
//! native logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Hermes Agent.
pub const HERMES: AgentRules = AgentRules {
    name: "hermes",
    exceptions: &[
        Exception {
            paths: &["messages.role"],
            when: When::Is(&["user", "assistant", "tool"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["messages.session_id"],
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
        r#"{"sessions":{"id":"s1","source":"cli","started_at":1785707674.5,"model_config":VALUE,"input_tokens":VALUE}}"#,
        "\n",
        r#"{"messages":{"id":1,"session_id":"s1","role":"user","content":VALUE,"timestamp":VALUE,"active":VALUE}}"#,
        "\n",
        r#"{"messages":{"id":2,"session_id":"s1","role":"assistant","content":"","reasoning":VALUE,"tool_calls":[{"id":"c1","type":"function","function":{"name":"terminal","arguments":VALUE}}],"timestamp":1785707675.0}}"#,
        "\n",
        r#"{"messages":{"id":3,"session_id":"s1","role":"tool","content":VALUE,"tool_call_id":"c1","timestamp":1785707676.0,"extra":VALUE}}"#,
        "\n",
    ),
};

fn references(document: &Value, found: &mut References) {
    let row = &document["messages"];
    match row["role"].as_str() {
        Some("assistant") => {
            for call in elements(&row["tool_calls"]) {
                found.calls.extend(text(&call["id"]));
            }
        }
        Some("tool") => found.results.extend(text(&row["tool_call_id"])),
        _ => {}
    }
}
