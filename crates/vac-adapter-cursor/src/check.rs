//! Rules for tests about the logs of Cursor: what a record may omit and why, and where native logs
//! state ids.

use vac_adapter::redact::Secrets;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};
use vac_adapter_check::{TestLog, Value, base64};

const SECRETS: Secrets =
    Secrets::new(&["blobEncryptionKey", "speculativeSummarizationEncryptionKey"]);

/// The rules for the logs of Cursor.
pub const CURSOR: AgentRules = AgentRules {
    name: "cursor",
    exceptions: &[
        Exception {
            paths: &[
                "role",
                "message.role",
                "value.role",
                "value.type",
                "value.conversation[].type",
            ],
            when: When::Always,
            reason: "the type of its entry",
        },
        Exception {
            paths: &["value.content[].type"],
            when: When::Is(&["tool-result"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &["type", "subtype"],
            when: When::Always,
            reason: "of a capture: together the type of its entry",
        },
        Exception {
            paths: &["session_id"],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
        Exception {
            paths: &["key", "meta", "file", "blob"],
            when: When::Always,
            reason: "of a row: the id of its entry",
        },
        Exception {
            paths: &["value.blobEncryptionKey", "value.speculativeSummarizationEncryptionKey"],
            when: When::Always,
            reason: "a secret",
        },
        Exception {
            paths: &[],
            when: When::Redacted(SECRETS),
            reason: "what could not be parsed and may have a secret",
        },
    ],
    copies: &[],
    one_entry_a_document: |variant| variant == "transcript",
    reads_damaged: |_| false,
    documents,
    references,
    sample: concat!(
        r#"{"role":"user","message":{"content":[{"type":"text","text":"Hi"}]}}"#,
        "\n",
        r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":VALUE}]},"#,
        r#""extra":VALUE}"#,
        "\n",
    ),
};

/// Returns the documents of a log; for the text variant, the texts between the markers.
fn documents(log: &TestLog) -> Vec<Vec<u8>> {
    let is_marker = |line: &[u8]| matches!(line.trim_ascii_end(), b"user:" | b"assistant:" | b"A:");
    let bytes = log.first().strip_prefix(b"\xef\xbb\xbf").unwrap_or(log.first());
    let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let first = lines.iter().find(|line| !line.trim_ascii().is_empty());
    if !first.is_some_and(|line| is_marker(line.trim_ascii_start())) {
        return file_bytes(log);
    }
    let mut said: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for line in lines {
        match said.last_mut() {
            _ if is_marker(line) => said.push((line, Vec::new())),
            Some((_, turn)) => turn.extend_from_slice(line),
            None => {}
        }
    }
    let document = |(marker, said): (&[u8], Vec<u8>)| match std::str::from_utf8(&said) {
        Ok(text) => Value::from(text).to_string().into_bytes(),
        Err(_) => Value::from(base64(&[marker, &said].concat())).to_string().into_bytes(),
    };
    said.into_iter().map(document).collect()
}

fn references(line: &Value, found: &mut References) {
    match (line["type"].as_str(), line["subtype"].as_str()) {
        (Some("tool_call"), Some("started")) => found.calls.extend(text(&line["call_id"])),
        (Some("tool_call"), Some("completed")) => found.results.extend(text(&line["call_id"])),
        _ => {}
    }
    let tool = &line["value"]["toolFormerData"];
    found.calls.extend(text(&tool["toolCallId"]));
    if !tool["result"].is_null() {
        found.results.extend(text(&tool["toolCallId"]));
    }
    for content in [&line["message"]["content"], &line["value"]["content"]] {
        for block in elements(content) {
            found.results.extend(text(&block["tool_use_id"]));
            match block["type"].as_str() {
                Some("tool_use") => found.calls.extend(text(&block["id"])),
                Some("tool-call") => found.calls.extend(text(&block["toolCallId"])),
                Some("tool-result") => found.results.extend(text(&block["toolCallId"])),
                _ => {}
            }
        }
    }
}
