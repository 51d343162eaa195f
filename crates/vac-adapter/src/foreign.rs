//! Agents whose logs are not supported: recognised only to name them in messages, and so
//! that no log of theirs becomes a record of another agent.
//!
//! Each is recognised by members that no supported agent writes. A place on disk names an
//! agent only where the content does not.

use vac_value::{Kind, Node};

/// The first bytes of a database file.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Tables that identify the agent of a database.
const TABLES: &[(&str, &str)] = &[
    ("trajectory_meta", "a database of Antigravity"),
    ("conversations_v2", "a database of Kiro CLI"),
    ("transcript_events", "an older database of OpenClaw"),
];

/// Texts that logs without documents begin with.
const BEGINNINGS: &[(&str, &str)] = &[("# aider chat started at", "Aider")];

/// Names of folders that identify the agent of a log.
const FOLDERS: &[(&str, &str)] = &[
    (".cline", "Cline"),
    (".continue", "Continue"),
    (".crush", "Crush"),
    (".dsh", "DeepSeek Harness"),
    (".hermes", "an export of Hermes Agent"),
    ("history-session-state", "Copilot CLI 0.0.3xx"),
    (".junie", "Junie"),
    (".kimi", "Kimi CLI"),
    (".kimi-code", "Kimi Code"),
    (".kiro", "Kiro CLI"),
    (".openhands", "OpenHands"),
    (".vibe", "Mistral Vibe"),
    ("chatSessions", "VS Code Copilot Chat"),
    ("kilocode.kilo-code", "Kilo Code"),
    ("rooveterinaryinc.roo-cline", "Roo Code"),
    ("saoudrizwan.claude-dev", "Cline"),
];

/// Names of files that identify the agent of a log.
const FILES: &[(&str, &str)] = &[
    (".aider.chat.history.md", "Aider"),
    ("api_conversation_history.json", "Cline"),
    ("ui_messages.json", "Cline"),
    ("task_metadata.json", "Cline"),
];

/// Returns the agent that wrote a document, if its members identify it.
pub fn agent_of_document(root: Node<'_, '_>) -> Option<&'static str> {
    match root.kind() {
        Kind::Map => RULES.iter().find(|(_, is_theirs)| is_theirs(root)).map(|(name, _)| *name),
        Kind::Array => {
            let first = root.elements().next()?;
            let is_ui = is_number(first, "ts") && is_one_of(first, "type", &["ask", "say"]);
            is_ui.then_some("Cline")
        }
        _ => None,
    }
}

/// Returns the agent of a log by its first bytes, or by its place on disk.
pub fn agent_of_place(name: &str, folder: &str, bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(SQLITE) {
        let has = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        if let Some((_, agent)) = TABLES.iter().find(|(table, _)| has(table)) {
            return Some(agent);
        }
    }
    let bytes = bytes.trim_ascii_start();
    if let Some((_, agent)) = BEGINNINGS.iter().find(|(text, _)| bytes.starts_with(text.as_bytes()))
    {
        return Some(agent);
    }
    if let Some((_, agent)) = FILES.iter().find(|(file, _)| *file == name) {
        return Some(agent);
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if ending == Some("pb") && folder.contains("antigravity") {
        return Some("an encrypted conversation of Antigravity");
    }
    let mut names = folder.split('/').rev();
    names.find_map(|name| FOLDERS.iter().find(|(folder, _)| *folder == name).map(|(_, it)| *it))
}

/// Returns whether a document is one of an agent.
type Rule = for<'d, 'a> fn(Node<'d, 'a>) -> bool;

const RULES: &[(&str, Rule)] = &[
    ("Qwen Code before 0.5", is_old_qwen),
    ("Cline", is_cline),
    ("Kimi Code", |it| {
        is_map(it, "agents") && has_text(it, "workDir")
            || has(it, "protocol_version") && is_one_of(it, "type", &["metadata"])
            || is_number(it, "time") && has_dotted_type(it) && !has(it, "part")
    }),
    ("Kiro CLI", |it| {
        is_one_of(it, "kind", &["Prompt", "AssistantMessage", "ToolResults"]) && is_map(it, "data")
            || is_map(it, "session_state") && has_text(it, "session_id")
    }),
    ("Mistral Vibe", |it| has_text(it, "role") && has(it, "injected") && has(it, "message_id")),
    ("Amp", |it| starts_with(it, "id", "T-") && is_number(it, "v") && is_list(it, "messages")),
    ("VS Code Copilot Chat", |it| {
        is_list(it, "requests") && has(it, "responderUsername")
            || is_number(it, "kind") && (has(it, "k") || is_map(it, "v"))
    }),
    ("SWE-agent", |it| is_list(it, "trajectory") && is_list(it, "history") && is_map(it, "info")),
    ("an export of Goose", |it| is_list(it, "conversation") && has_text(it, "working_dir")),
    ("an export of Hermes Agent", |it| {
        has_text(it, "session_id") && has_text(it, "session_start") && is_list(it, "messages")
    }),
];

/// Returns whether a document is one of Qwen Code before 0.5, which wrote that of Gemini CLI with
/// messages of its own.
fn is_old_qwen(it: Node<'_, '_>) -> bool {
    let messages = it.member("messages").filter(|_| has_text(it, "projectHash"));
    messages.into_iter().flat_map(Node::elements).any(|it| is_one_of(it, "type", &["qwen"]))
}

fn is_cline(it: Node<'_, '_>) -> bool {
    let is_messages = is_list(it, "messages")
        && has(it, "updated_at")
        && (is_one_of(it, "agent", &["lead", "subagent", "teammate"])
            || has(it, "source_message_count"));
    let is_manifest = has_text(it, "session_id") && has_text(it, "workspace_root");
    is_messages || is_manifest || is_list(it, "files_in_context")
}

fn has(it: Node<'_, '_>, key: &str) -> bool {
    it.member(key).is_some()
}

fn is_kind(it: Node<'_, '_>, key: &str, kind: Kind) -> bool {
    it.member(key).is_some_and(|value| value.kind() == kind)
}

fn has_text(it: Node<'_, '_>, key: &str) -> bool {
    is_kind(it, key, Kind::Text)
}

fn is_map(it: Node<'_, '_>, key: &str) -> bool {
    is_kind(it, key, Kind::Map)
}

fn is_list(it: Node<'_, '_>, key: &str) -> bool {
    is_kind(it, key, Kind::Array)
}

fn is_number(it: Node<'_, '_>, key: &str) -> bool {
    it.member(key).is_some_and(|value| value.number().is_some())
}

fn is_one_of(it: Node<'_, '_>, key: &str, texts: &[&str]) -> bool {
    it.member(key).is_some_and(|value| texts.iter().any(|text| value.is_text(text)))
}

fn starts_with(it: Node<'_, '_>, key: &str, beginning: &str) -> bool {
    it.member(key).and_then(Node::text).is_some_and(|text| text.starts_with(beginning))
}

/// Returns whether the type has two parts: `session.start`.
fn has_dotted_type(it: Node<'_, '_>) -> bool {
    it.member("type").and_then(Node::text).is_some_and(|kind| kind.contains('.'))
}
