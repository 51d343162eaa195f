//! Recognises logs of agents that are not supported, and files of supported agents that are not
//! logs, to name them in messages and to prevent that they become records of another agent.
//!
//! Each is recognised by members that no log of a supported agent has. The place on disk is used
//! only if the content identifies no agent.

use vac_value::{Kind, Node};

/// The first bytes of a database file.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Tables that identify the agent of a database.
const TABLES: &[(&str, &str)] = &[
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

/// The writer of a document that no adapter reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// An agent that is not supported, by its name.
    Agent(&'static str),
    /// A supported agent. The document is from a file that is not a log, which the text describes.
    NotLog(&'static str),
}

/// Returns the writer of a document, if its members identify it.
pub fn writer_of_document(root: Node<'_, '_>) -> Option<Unread> {
    let find = |rules: &[(&'static str, Rule)]| {
        rules.iter().find(|(_, is_theirs)| is_theirs(root)).map(|(name, _)| *name)
    };
    match root.kind() {
        Kind::Map => {
            let agent = find(RULES).map(Unread::Agent);
            agent.or_else(|| find(FILE_RULES).map(Unread::NotLog))
        }
        Kind::Array => {
            let first = root.elements().next()?;
            let is_ui = is_number(first, "ts") && is_one_of(first, "type", &["ask", "say"]);
            is_ui.then_some(Unread::Agent("Cline"))
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

/// A function that returns whether a document was written by an agent.
type Rule = for<'d, 'a> fn(Node<'d, 'a>) -> bool;

const RULES: &[(&str, Rule)] = &[
    ("Qwen Code before 0.5", is_old_qwen),
    ("Cline", is_cline),
    ("Kimi Code", |it| {
        is_map(it, "agents") && has_text(it, "workDir")
            || has(it, "protocol_version") && is_one_of(it, "type", &["metadata"])
            || is_number(it, "time") && has_dotted_type(it) && !has(it, "part")
    }),
    ("Kimi CLI", |it| {
        is_one_of(it, "role", &["_checkpoint", "_system_prompt", "_usage"])
            || is_number(it, "timestamp") && it.member("message").is_some_and(is_wire_message)
    }),
    ("Amazon Q or Kiro CLI", |it| {
        has_text(it, "conversation_id")
            && is_list(it, "history")
            && (has(it, "next_message") || has(it, "valid_history_range"))
    }),
    ("Continue", |it| has_text(it, "workspaceDirectory") && is_list(it, "history")),
    ("OpenHands", |it| {
        let is_event =
            is_one_of(it, "source", &["agent", "user", "environment"]) && has_text(it, "timestamp");
        is_event
            && (has_text(it, "kind") && has_text(it, "id")
                || is_number(it, "id") && (has_text(it, "action") || has_text(it, "observation")))
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

/// Files of supported agents that are not logs.
const FILE_RULES: &[(&str, Rule)] = &[
    ("settings of a session of Factory Droid, which are read with its log", |it| {
        !has(it, "type") && has_text(it, "autonomyMode") && is_map(it, "tokenUsage")
    }),
    ("a summary of a session of Grok Build, which is read with its log", |it| {
        has_text(it, "current_model_id") && is_map(it, "info")
    }),
    (
        "the model's messages of a session of Grok Build, of which `updates.jsonl` is the log",
        |it| has(it, "content") && is_chat_line(it),
    ),
];

/// Returns whether a document has members that only lines of `chat_history.jsonl` of Grok Build
/// have. Such lines have no id and no time.
fn is_chat_line(it: Node<'_, '_>) -> bool {
    let is = |kind: &str, keys: &[&str]| {
        is_one_of(it, "type", &[kind]) && keys.iter().any(|key| has(it, key))
    };
    let is_known = is("assistant", &["model_id", "tool_calls"])
        || is("user", &["prompt_index", "synthetic_reason"])
        || is("tool_result", &["tool_call_id"]);
    is_known && !["id", "message", "role", "timestamp", "uuid"].iter().any(|key| has(it, key))
}

/// Returns whether a message is one of the protocol of Kimi CLI: `{"type": "TurnBegin", "payload": {}}`.
fn is_wire_message(message: Node<'_, '_>) -> bool {
    is_map(message, "payload")
        && message
            .member("type")
            .and_then(Node::text)
            .is_some_and(|kind| kind.starts_with(|first: char| first.is_ascii_uppercase()))
}

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
