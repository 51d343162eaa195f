//! Rules for tests about the logs of Copilot CLI: what a record may omit and why, and where native
//! logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Copilot CLI.
pub const COPILOT: AgentRules = AgentRules {
    name: "copilot",
    exceptions: &[Exception {
        paths: &["type"],
        when: When::Is(&[
            "user.message",
            "assistant.message",
            "assistant.reasoning",
            "tool.execution_start",
            "tool.execution_complete",
        ]),
        reason: "the type of its entry",
    }],
    copies: &[],
    one_entry_a_document: |variant| variant != "events-folder",
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"type":"session.start","data":{"sessionId":"s1","producer":"copilot-agent","copilotVersion":"1.0.70","extra":VALUE},"id":"e1","timestamp":"2026-06-01T09:00:00.000Z","parentId":null}"#,
        "\n",
        r#"{"type":"user.message","data":{"content":VALUE,"attachments":VALUE},"id":"e2","parentId":"e1"}"#,
        "\n",
        r#"{"type":"assistant.message","data":{"content":"","model":VALUE,"toolRequests":[{"toolCallId":"c1","name":"bash","arguments":VALUE}],"reasoningText":VALUE,"outputTokens":VALUE},"id":"e3","parentId":"e2"}"#,
        "\n",
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":VALUE,"error":VALUE},"id":"e4","parentId":"e3","agentId":VALUE}"#,
        "\n",
        r#"{"type":"session.shutdown","data":{"modelMetrics":VALUE},"id":"e5","parentId":"e4","extra":VALUE}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    found.ids.extend(text(&line["id"]));
    found.parents.extend(text(&line["parentId"]));
    let data = &line["data"];
    if !data.is_object() {
        return;
    }
    match line["type"].as_str() {
        Some("assistant.message") if elements(&data["toolRequests"]).all(Value::is_object) => {
            for request in elements(&data["toolRequests"]) {
                found.calls.extend(text(&request["toolCallId"]));
            }
        }
        Some("tool.execution_start") => found.calls.extend(text(&data["toolCallId"])),
        Some("tool.execution_complete") => found.results.extend(text(&data["toolCallId"])),
        _ => {}
    }
}
