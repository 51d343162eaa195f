//! Rules for tests about the logs of Gemini CLI: what a record may omit and why, and where native
//! logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Gemini CLI.
pub const GEMINI: AgentRules = AgentRules {
    name: "gemini",
    exceptions: &[
        Exception {
            paths: &["messages[].type", "type", "$set.messages[].type", "[].type"],
            when: When::Is(&["user", "gemini"]),
            reason: "of a message: the type of its entry",
        },
        Exception {
            paths: &["history[].role", "clientHistory[].role", "messages[].role", "[].role"],
            when: When::Is(&["user", "model"]),
            reason: "of a content: the type of its entry",
        },
        Exception {
            paths: &["type"],
            when: When::Is(&["message", "tool_use", "tool_result"]),
            reason: "of a line of a stream: the type of its entry",
        },
        Exception {
            paths: &["role"],
            when: When::Is(&["user", "assistant"]),
            reason: "of a message of a stream: the type of its entry",
        },
        Exception {
            paths: &["[].sessionId"],
            when: When::Equals("session.session-id"),
            reason: "of a prompt: the session it is in",
        },
    ],
    copies: &[],
    one_entry_a_document: |_| false,
    // A damaged document is read message by message.
    reads_damaged: |_| true,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"sessionId":"s1","projectHash":"p","startTime":"2026-01-05T09:30:00Z","extra":VALUE,"#,
        r#""messages":[{"id":"m1","type":"user","content":VALUE},"#,
        r#"{"id":"m2","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"glob","args":VALUE}]}]}"#,
        "\n",
        r#"{"id":"m3","type":"gemini","content":[{"functionCall":{"id":"c2","name":"glob","args":VALUE}}],"tokens":VALUE}"#,
        "\n",
        r#"{"id":"m4","type":"user","content":[{"functionResponse":{"id":"c2","response":VALUE}}]}"#,
        "\n",
        r#"{"$set":{"summary":VALUE,"messages":[{"id":"m3","type":"info","content":VALUE}]}}"#,
        "\n",
        r#"{"$rewindTo":"m3","why":VALUE}"#,
        "\n",
    ),
};

fn references(document: &Value, found: &mut References) {
    match document["type"].as_str() {
        Some("tool_use") => found.calls.extend(text(&document["tool_id"])),
        Some("tool_result") => found.results.extend(text(&document["tool_id"])),
        _ => {}
    }
    let lists = [&document["messages"], &document["$set"]["messages"]];
    for message in lists.into_iter().flat_map(elements).chain([document]) {
        of_message(message, found);
    }
    let contents = match document {
        Value::Array(_) => document,
        _ if document["clientHistory"].is_array() => &document["clientHistory"],
        _ => &document["history"],
    };
    for content in elements(contents) {
        of_parts(&content["parts"], found);
    }
}

fn of_message(message: &Value, found: &mut References) {
    for call in elements(&message["toolCalls"]) {
        found.calls.extend(text(&call["id"]));
        if !call["result"].is_null() {
            found.results.extend(text(&call["id"]));
        }
    }
    of_parts(&message["content"], found);
}

fn of_parts(parts: &Value, found: &mut References) {
    // A single part may be without an array.
    for part in elements(parts).chain(parts.is_object().then_some(parts)) {
        found.calls.extend(text(&part["functionCall"]["id"]));
        found.results.extend(text(&part["functionResponse"]["id"]));
    }
}
