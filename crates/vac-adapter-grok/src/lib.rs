//! Session logs of Grok Build, and captured streams of the Agent Client Protocol, as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_grok::Grok;
//!
//! let log = Memory {
//!     name: "updates.jsonl",
//!     bytes: br#"{"timestamp": 1787000000, "method": "session/update",
//!         "params": {"sessionId": "s1", "update": {"sessionUpdate": "user_message_chunk",
//!         "content": {"type": "text", "text": "Hi"}}}}"#,
//! };
//! let sessions = Grok.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "s1");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is |
//! |---|---|
//! | `updates` | `updates.jsonl` of a session of Grok Build |
//! | `updates-folder` | the same with its `summary.json`, plan, counters and compactions |
//! | `acp` | captured messages of the Agent Client Protocol, of any agent |
//!
//! # What lines become
//!
//! | native | record |
//! |---|---|
//! | `user_message_chunk`, `session/prompt` | user |
//! | `agent_message_chunk` | assistant |
//! | `agent_thought_chunk` | reasoning |
//! | `tool_call`, or (version 2) the first `tool_call_update` that describes the call | tool-call; with its result as a child if it states its end |
//! | the last `tool_call_update` of a call with the status `completed` or `failed` | tool-result |
//! | `summary.json` | system-event `summary` |
//! | all other updates, requests and responses | system-event of that type; a response is `response` |
//! | a companion file | system-event `file` |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | the user; `other-agent` in the session of a subagent |
//! | `superseded: rewound` | all entries since the prompt that a `rewind_marker` goes back to | `target_prompt_index` |
//! | `superseded: compacted` | messages, calls and results before a `compaction_checkpoint` or `auto_compact_completed` | |
//! | `subagent` | entries of a session that this one started | `sessionId`, `subagent_spawned` |
//! | `delegated-to` | tool-calls that started a subagent | `child_session_id` of `subagent_spawned`, in order |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools), else the `kind` of the protocol |
//! | `outcome`, `exit-code` | tool-results | `status`, `rawOutput.exit_code` |
//! | `permission` | `session/request_permission` and its response, `pending_interaction` | (`permission.rs`) |
//! | `usage` | `turn_completed`, for each model; else the response to a prompt | `usage.modelUsage`, else `usage`: `inputTokens` without those of caches, unless the total shows that these are next to it |
//! | `ends` | `turn_completed`, the response to a prompt | `stop_reason`, `stopReason` |
//! | `parent` of the session | | `parent_session_id` of the summary |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log, which is not that of the events. Grok Build
//!   joins the chunks of a message before it writes them. Other agents do not: in a capture, chunks of
//!   one message that follow each other are one entry, with the lines as `chunks`.
//! * The time of an entry is `agentTimestampMs`, that of the event; else `timestamp`, when the line was
//!   written. Captures have no times, and none are added.
//! * The name of a tool is `_meta."x.ai/tool".name` or `_meta.claudeCode.toolName`, else the `title` if that is one word (it is a label
//!   in most agents), else the `kind`.
//! * A capture is a log of the agent `acp`, unless it has extensions of Grok Build. The program is
//!   `agentInfo` of the response to `initialize`.
//! * `chat_history.jsonl` next to the log contains the same session, and is not read.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod companions;
mod line;
mod lines;
mod permission;
mod places;
mod tools;
mod usage;

use vac_adapter::line_log::{LineAdapter, LineAgent};

/// The adapter of Grok Build and of captures of the Agent Client Protocol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grok;

impl LineAdapter for Grok {
    const AGENT: LineAgent = LineAgent {
        cli_name: Some("grok-build"),
        newest_tested: Some("1.0.5"),
        fork: lines::fork,
        mappings: &[&[
            line::Line::MAPPING,
            line::Params::MAPPING,
            line::Meta::MAPPING,
            line::Update::MAPPING,
            usage::NativeUsage::MAPPING,
        ]],
        tools: &tools::TOOLS,
        compaction_events: lines::COMPACTIONS,
        result_text: line::result_text,
        logs_results: true,
        companions: &companions::COMPANIONS,
        session_marks: Some(&[]),
        places: places::PLACES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::GROK),
        ..LineAgent::new::<lines::Lines>("grok", "Grok Build")
    };
}
