//! Rules for tests about the logs of `OpenCode`: what a record may omit and why, and where native
//! logs state ids.

use vac_adapter::redact::Secrets;
use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of `OpenCode`.
pub const OPENCODE: AgentRules = AgentRules {
    name: "opencode",
    exceptions: &[
        Exception {
            paths: &["type", "messages[].parts[].type", "[].data.type", "part.type"],
            when: When::Is(&["text", "reasoning", "tool"]),
            reason: "of a part: the type of its entry",
        },
        Exception {
            paths: &["parts[].type"],
            when: When::Is(&["text", "reasoning", "tool-invocation"]),
            reason: "of a part inside its message: the type of its entry",
        },
        Exception {
            paths: &["content[].type", "messages[].content[].type"],
            when: When::Is(&["text", "reasoning", "tool"]),
            reason: "of a part inside its message: the type of its entry",
        },
        Exception {
            paths: &["type", "messages[].type"],
            when: When::Is(&["user", "assistant"]),
            reason: "of a message that contains all that was said: the type of its entry",
        },
        Exception {
            paths: &["role", "messages[].info.role", "[].data.role"],
            when: When::Is(&["user", "assistant"]),
            reason: "of a message: the type of its entry",
        },
        Exception {
            paths: &["[].type"],
            when: When::Is(&["session", "message", "part", "session_diff", "model"]),
            reason: "of an element of a shared session: what its data is",
        },
        Exception {
            paths: &["type"],
            when: When::Is(&["tool_use", "step_start", "step_finish"]),
            reason: "of a captured line: the type of its part in other words",
        },
        Exception {
            paths: &[
                "sessionID",
                "messages[].info.sessionID",
                "messages[].parts[].sessionID",
                "[].data.sessionID",
                "part.sessionID",
                "metadata.sessionID",
                "id",
            ],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
        Exception {
            paths: &["secret", "share.secret", "info.share.secret", "[].data.share.secret"],
            when: When::Always,
            reason: "a secret",
        },
        Exception {
            paths: &[],
            when: When::Redacted(Secrets::new(&["secret"])),
            reason: "what could not be parsed and may have a secret",
        },
    ],
    copies: &[],
    one_entry_a_document: |_| false,
    reads_damaged: |_| true,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1},"extra":VALUE}"#,
        "\n",
        r#"{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"tool","tool":"read","#,
        r#""callID":"c1","state":{"status":"completed","input":VALUE,"output":VALUE}}"#,
        "\n",
    ),
};

fn references(document: &Value, found: &mut References) {
    object(document, found);
    object(&document["part"], found);
    elements(document).for_each(|element| object(&element["data"], found));
    for message in elements(&document["messages"]) {
        object(&message["info"], found);
        elements(&message["parts"]).for_each(|part| object(part, found));
    }
    if document["type"] == "assistant" {
        for part in elements(&document["content"]).filter(|part| part["type"] == "tool") {
            found.calls.extend(text(&part["id"]));
            if matches!(part["state"]["status"].as_str(), Some("completed" | "error")) {
                found.results.extend(text(&part["id"]));
            }
        }
    }
    for part in elements(&document["parts"]) {
        let invocation = &part["toolInvocation"];
        found.calls.extend(text(&invocation["toolCallId"]));
        if !invocation["result"].is_null() {
            found.results.extend(text(&invocation["toolCallId"]));
        }
    }
}

fn object(object: &Value, found: &mut References) {
    if object["messageID"].is_string() {
        found.ids.extend(text(&object["id"]));
        if object["type"] == "tool" {
            found.calls.extend(text(&object["callID"]));
            if matches!(object["state"]["status"].as_str(), Some("completed" | "error")) {
                found.results.extend(text(&object["callID"]));
            }
        }
    } else if object["role"].is_string() {
        found.ids.extend(text(&object["id"]));
        found.parents.extend(text(&object["parentID"]));
    }
}
