//! Keys that a native member must not be mistaken for, and native keys that are known.

use vac_adapter::Report;
use vac_adapter::members::{Rest, keys};
use vac_record::ToolResultEntry;

/// Members of a tool result under which the rest of a native object is kept.
const IN_RESULTS: &[&str] = &["functionResponse", "message"];

/// Keys of a tool result: those of the schema and ours.
pub(crate) const TOOL_RESULT: &[&str] = &keys::with::<
    { ToolResultEntry::KEYS.len() + IN_RESULTS.len() },
>(&ToolResultEntry::KEYS, IN_RESULTS);

/// Native members of a message.
pub(crate) const IN_MESSAGE: &[&str] = &[
    "id",
    "timestamp",
    "type",
    "role",
    "content",
    "displayContent",
    "parts",
    "model",
    "tokens",
    "toolCalls",
    "thoughts",
    "messageId",
];
/// Native members of a tool call.
pub(crate) const IN_CALL: &[&str] = &[
    "id",
    "name",
    "args",
    "result",
    "timestamp",
    "status",
    "agentId",
    "displayName",
    "description",
    "resultDisplay",
    "renderOutputAsMarkdown",
];
/// Native members of a `$set`.
pub(crate) const IN_SET: &[&str] = &[
    "sessionId",
    "projectHash",
    "startTime",
    "lastUpdated",
    "kind",
    "directories",
    "summary",
    "memoryScratchpad",
];

/// Members of a session that are native or ours.
pub(crate) const IN_SESSION: &[&str] = &[
    "projectHash",
    "kind",
    "directories",
    "summary",
    "memoryScratchpad",
    "authType",
    "commitHash",
    "messageId",
    "filePath",
    "type",
    "parentSessionId",
    "project-root",
];

/// Counts unknown names. What is known and has a value of another type than
/// expected is not counted.
pub(crate) fn unknown(report: &mut Report, of: &str, rest: &Rest<'_>, known: &[&str]) {
    for (name, _) in rest {
        let name = name.strip_prefix("native:").unwrap_or(name);
        if !known.contains(&name) {
            report.unknown(&format!("{of} key {name}"));
        }
    }
}
