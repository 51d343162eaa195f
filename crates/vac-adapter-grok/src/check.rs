//! Rules for tests about logs of Grok Build and of the Agent Client Protocol: what a record may
//! omit and why, and where native logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Grok Build.
pub const GROK: AgentRules = AgentRules {
    name: "grok",
    exceptions: &[
        Exception {
            paths: &["method"],
            when: When::Is(&["session/update"]),
            reason: "of an update: its entry",
        },
        Exception {
            paths: &["params.update.sessionUpdate", "update.sessionUpdate"],
            when: When::Is(&[
                "user_message_chunk",
                "agent_message_chunk",
                "agent_thought_chunk",
                "user_message",
                "agent_message",
                "agent_thought",
                "tool_call",
                "tool_call_update",
            ]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["params.sessionId", "sessionId"],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |variant| variant == "updates",
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"timestamp":1787000000,"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"user_message_chunk","content":VALUE,"_meta":VALUE},"_meta":{"eventId":"s1-1","agentTimestampMs":VALUE}}}"#,
        "\n",
        r#"{"timestamp":1787000001,"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"write","rawInput":VALUE,"status":VALUE},"_meta":VALUE}}"#,
        "\n",
        r#"{"timestamp":1787000002,"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","rawOutput":VALUE,"content":VALUE},"_meta":{"eventId":"s1-3"}}}"#,
        "\n",
        r#"{"timestamp":VALUE,"method":"_x.ai/session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"turn_completed","stop_reason":VALUE,"usage":VALUE},"extra":VALUE}}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    let params = if line["params"].is_object() { &line["params"] } else { line };
    let update = &params["update"];
    found
        .ids
        .extend(text(&params["_meta"]["eventId"]).filter(|_| update["sessionUpdate"].is_string()));
    let is_end = matches!(update["status"].as_str(), Some("completed" | "failed"));
    match update["sessionUpdate"].as_str() {
        Some("tool_call") => found.calls.extend(text(&update["toolCallId"])),
        Some("tool_call_update") if is_end => found.results.extend(text(&update["toolCallId"])),
        _ => {}
    }
}
