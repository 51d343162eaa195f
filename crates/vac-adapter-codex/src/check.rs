//! Rules for tests about the logs of Codex: what a record may omit and why, and where native logs
//! state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Codex CLI.
pub const CODEX: AgentRules = AgentRules {
    name: "codex",
    exceptions: &[
        Exception {
            paths: &["type"],
            when: When::Always,
            reason: "of a line: the entry's type, or the first half of its event-type",
        },
        Exception {
            paths: &["payload.type", "items[].type"],
            when: When::Is(&["message", "reasoning", "function_call", "function_call_output"]),
            reason: "of a response item: the entry's type",
        },
        Exception {
            paths: &["item.type", "item.item_type"],
            when: When::Is(&["agent_message", "assistant_message", "reasoning"]),
            reason: "of a printed item: the entry's type",
        },
        Exception {
            paths: &["role", "payload.role", "items[].role"],
            when: When::Is(&["user", "assistant"]),
            reason: "the entry's type",
        },
    ],
    copies: &[],
    one_entry_a_document: |variant| variant != "typescript",
    // A damaged session in one document is read piece by piece.
    reads_damaged: |_| true,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s1","x":VALUE}}"#,
        "\n",
        r#"{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"#,
        r#""type":"message","role":"user","content":VALUE}}"#,
        "\n",
        r#"{"timestamp":"2026-01-01T00:00:02Z","type":"event_msg","payload":VALUE}"#,
        "\n",
    ),
};

fn references(line: &Value, found: &mut References) {
    let kind = line["type"].as_str().unwrap_or_default();
    match &line["payload"] {
        payload if kind == "response_item" => item(payload, found),
        Value::Null if kind.contains('.') => printed(line, kind, found),
        Value::Null if line["msg"].is_object() => event(&line["msg"], found),
        Value::Null => item(line, found),
        _ => {}
    }
    elements(&line["items"]).for_each(|one| item(one, found));
}

fn item(item: &Value, found: &mut References) {
    let kind = item["type"].as_str().unwrap_or_default();
    if kind.ends_with("_call") {
        found.calls.extend(text(&item["call_id"]));
    } else if kind.ends_with("_output") {
        found.results.extend(text(&item["call_id"]));
    }
}

/// Adds the ids of an event. A tool begins and ends; a search on the web only ends.
fn event(event: &Value, found: &mut References) {
    let call = text(&event["call_id"]);
    match event["type"].as_str().unwrap_or_default() {
        "web_search_end" => found.calls.extend(call),
        "web_search_begin" => {}
        kind if kind.ends_with("_begin") => found.calls.extend(call),
        kind if kind.ends_with("_end") => found.results.extend(call),
        _ => {}
    }
}

/// Adds the ids of a printed line. Every run, which begins with its thread, numbers items anew.
fn printed(line: &Value, kind: &str, found: &mut References) {
    const RUN: &str = "run ";
    let runs = found.ids.iter().filter(|id| id.starts_with(RUN)).count();
    if kind == "thread.started" {
        found.ids.insert(format!("{RUN}{runs}"));
    }
    let messages = [None, Some("agent_message"), Some("reasoning"), Some("error")];
    let item = &line["item"];
    let Some(id) = text(&item["id"]).filter(|_| !messages.contains(&item["type"].as_str())) else {
        return;
    };
    let id = if runs < 2 { id } else { format!("{runs}.{id}") };
    if kind == "item.completed" && found.calls.contains(&id) {
        found.results.push(id);
    } else {
        found.calls.insert(id);
    }
}
