//! Rules for tests about the logs of Antigravity. Records contain all of their values.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, file_bytes};
use vac_adapter_check::references::References;

/// The rules for the logs of Antigravity.
pub const ANTIGRAVITY: AgentRules = AgentRules {
    name: "antigravity",
    exceptions: &[],
    copies: &["session.entries[].children[].input"],
    one_entry_a_document: |_| true,
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-06-20T09:00:00Z","content":VALUE}"#,
        "\n",
        r#"{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-06-20T09:00:01Z","content":VALUE,"thinking":VALUE,"tool_calls":[{"name":"run_command","args":VALUE}]}"#,
        "\n",
        r#"{"step_index":2,"source":"MODEL","type":"RUN_COMMAND","status":VALUE,"created_at":VALUE,"content":VALUE}"#,
        "\n",
        r#"{"step_index":3,"source":"SYSTEM","type":"CHECKPOINT","status":"DONE","content":VALUE,"extra":VALUE}"#,
        "\n",
        r#"{"steps":{"idx":4,"step_type":14,"status":VALUE,"metadata":VALUE,"step_payload":VALUE,"extra":VALUE}}"#,
        "\n",
        r#"{"steps":{"idx":VALUE,"step_type":15,"metadata":{"base64":VALUE},"step_payload":{"base64":VALUE}}}"#,
        "\n",
        r#"{"gen_metadata":{"idx":VALUE,"data":VALUE,"size":7}}"#,
        "\n",
    ),
};

/// Logs have neither ids nor references.
fn references(_: &Value, _: &mut References) {}
