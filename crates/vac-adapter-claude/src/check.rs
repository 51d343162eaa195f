//! Rules for tests about the logs of Claude Code: what a record may omit and why, and where native
//! logs state ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for the logs of Claude Code.
pub const CLAUDE: AgentRules = AgentRules {
    name: "claude",
    exceptions: &[
        Exception {
            paths: &[
                "type",
                "loglines[].type",
                "[].type",
                "message.role",
                "loglines[].message.role",
                "[].message.role",
            ],
            when: When::Is(&["user", "assistant"]),
            reason: "the type of its entry",
        },
        Exception {
            paths: &[
                "sessionId",
                "session_id",
                "loglines[].sessionId",
                "loglines[].session_id",
                "[].sessionId",
                "[].session_id",
            ],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
        Exception {
            paths: &["cwd", "loglines[].cwd", "[].cwd"],
            when: When::Equals("session.environment.working-dir"),
            reason: "the session's working directory",
        },
        Exception {
            paths: &["version", "loglines[].version", "[].version"],
            when: When::Equals("session.agent-meta.cli-version"),
            reason: "the session's version",
        },
        Exception {
            paths: &["gitBranch", "loglines[].gitBranch", "[].gitBranch"],
            when: When::Equals("vcs.branch"),
            reason: "the session's branch",
        },
    ],
    copies: &["session.entries[].children"],
    one_entry_a_document: |variant| variant == "jsonl",
    reads_damaged: is_export,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"Hi"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s1","message":{"#,
        r#""role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":VALUE}]},"#,
        r#""extra":VALUE}"#,
        "\n",
    ),
};

/// Returns whether bytes begin like a web export or like an array of lines, which are read line by
/// line, and not like a single line.
fn is_export(piece: &[u8]) -> bool {
    let name: &[u8] = b"\"loglines\"";
    let beginning = piece.get(..4096).unwrap_or(piece).trim_ascii_start();
    beginning.starts_with(b"[") || beginning.windows(name.len()).any(|it| it == name)
}

fn references(document: &Value, found: &mut References) {
    match &document["loglines"] {
        Value::Array(lines) => lines.iter().for_each(|value| line(value, found)),
        _ => elements(document).chain([document]).for_each(|value| line(value, found)),
    }
}

fn line(line: &Value, found: &mut References) {
    found.ids.extend(text(&line["uuid"]));
    found.parents.extend(text(&line["parentUuid"]));
    if !matches!(line["type"].as_str(), Some("user" | "assistant")) {
        return;
    }
    for block in elements(&line["message"]["content"]) {
        found.results.extend(text(&block["tool_use_id"]));
        if block["type"].as_str().is_some_and(|kind| kind.ends_with("tool_use")) {
            found.calls.extend(text(&block["id"]));
        }
    }
}
