//! Rules for tests about the logs of Qwen Code: what a record may omit and why, and where native
//! logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Qwen Code.
pub const QWEN: AgentRules = AgentRules {
    name: "qwen",
    exceptions: &[
        Exception {
            paths: &["type"],
            when: When::Is(&["user", "assistant", "tool_result", "system"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["message.role"],
            when: When::Is(&["user", "model"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["sessionId"],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
        Exception {
            paths: &["cwd"],
            when: When::Equals("session.environment.working-dir"),
            reason: "the session's working directory",
        },
        Exception {
            paths: &["version"],
            when: When::Equals("session.agent-meta.cli-version"),
            reason: "the session's version",
        },
        Exception {
            paths: &["gitBranch"],
            when: When::Equals("vcs.branch"),
            reason: "the session's branch",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |_| true,
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-06-01T09:00:00.000Z","type":"user","cwd":"/w","version":"0.21.0","message":{"role":"user","parts":[{"text":"Hi"},VALUE]}}"#,
        "\n",
        r#"{"uuid":"a1","parentUuid":"u1","sessionId":"s1","type":"assistant","model":"qwen3-coder","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"glob","args":VALUE}}]},"usageMetadata":VALUE}"#,
        "\n",
        r#"{"uuid":"r1","parentUuid":"a1","sessionId":"s1","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"glob","response":VALUE}}]},"toolCallResult":{"callId":"c1","status":"success","resultDisplay":VALUE}}"#,
        "\n",
        r#"{"uuid":"x1","parentUuid":"r1","sessionId":"s1","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":VALUE},"extra":VALUE}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    found.ids.extend(text(&line["uuid"]));
    found.parents.extend(text(&line["parentUuid"]));
    if !matches!(line["type"].as_str(), Some("user" | "assistant" | "tool_result")) {
        return;
    }
    let is_result = line["type"] == "tool_result";
    let parts = || elements(&line["message"]["parts"]);
    if is_result && !parts().any(|part| part["functionResponse"].is_object()) {
        found.results.extend(text(&line["toolCallResult"]["callId"]));
    }
    for part in parts() {
        if part["functionCall"].is_object() && !is_result {
            found.calls.extend(text(&part["functionCall"]["id"]));
        } else if part["functionResponse"].is_object() {
            found.results.extend(text(&part["functionResponse"]["id"]));
        }
    }
}
