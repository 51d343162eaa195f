//! GitHub Copilot CLI session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_copilot::Copilot;
//!
//! let log = Memory {
//!     name: "events.jsonl",
//!     bytes: br#"{"type": "session.start", "data": {"sessionId": "s1",
//!         "copilotVersion": "1.0.78"}, "id": "e1", "timestamp": "2026-08-05T09:00:00.000Z", "parentId": null}
//!         {"type": "user.message", "data": {"content": "Hi"}, "id": "e2", "parentId": "e1"}"#,
//! };
//! let sessions = Copilot.survey(&log)?;
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
//! | `events` | `events.jsonl` of a session of the CLI |
//! | `events-folder` | the same with its workspace, plan and checkpoints |
//! | `vscode` | a transcript of Copilot Chat in VS Code: the same lines, of seven types |
//!
//! # What lines become
//!
//! | native | record |
//! |---|---|
//! | `user.message` | user |
//! | `assistant.message` | assistant, with a child for its reasoning and for each of `toolRequests` |
//! | `assistant.reasoning` (older versions) | reasoning |
//! | `tool.execution_start` of a call that no message requests | tool-call |
//! | `tool.execution_complete` | tool-result |
//! | all others | system-event of that type |
//! | a companion file | system-event `file` |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | `agentId`, `source`, `isAutopilotContinuation`, else the [rules](vac_adapter::Adapter::prompt_rules) for texts (`author.rs`) |
//! | `duplicate-of` | `tool.execution_start` | the call of a message, by its `call-id` |
//! | `superseded: compacted` | messages, calls and results before the start of a compaction that succeeded, or before the conversation was cleared | `session.compaction_complete`, `session.context_cleared` |
//! | `subagent` | all entries of a subagent | `agentId`, which is the call that started it; `parentToolCallId` |
//! | `delegated-to` | tool-calls that started a subagent | `subagent.started` |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools), `mcpServerName`; `user_command` for a command that the user typed with `!` |
//! | `outcome`, `exit-code` | tool-results | `success`, `error.code`, and the last line of what a command printed |
//! | `permission` | `permission.requested`, `permission.completed`, `session.permissions_changed` | (`event.rs`) |
//! | `usage` | assistant messages, children of `session.shutdown`, `session.compaction_complete` | `outputTokens`; `modelMetrics` without the output of messages; `compactionTokensUsed` (`usage.rs`) |
//! | `starts`, `ends` | `session.start`; `session.shutdown`, `session.error`, `abort` | |
//! | `parent` of the session | | `detachedFromSpawningParentSessionId` |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log. `parentId` is the line before, not a tree.
//! * The remaining members of `data` of a message, call or result are in its member `data`.
//! * The program of a transcript of VS Code is `copilot-chat`; its version is that of the extension.
//! * The working directory and the repository are the last that the log states.
//! * A rewind removes lines from the file. Their tokens are still in `session.shutdown`, and count
//!   there. No other line states them.
//! * Hooks and `tool.execution_start` repeat prompts, arguments and results: they are kept as events.
//! * The content of an empty prompt is what the model received, for readers of its text.
#![doc = include_str!("../MAPPING.md")]

mod author;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod event;
mod line;
mod lines;
mod places;
mod tools;
mod usage;

use vac_adapter::line_log::{LineAdapter, LineAgent};
use vac_adapter::session_marks::SessionMark;

/// The adapter of GitHub Copilot CLI.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copilot;

impl LineAdapter for Copilot {
    const AGENT: LineAgent = LineAgent {
        cli_name: Some("copilot-cli"),
        newest_tested: Some("1.0.79"),
        mappings: &[&[
            line::Line::MAPPING,
            line::UserMessage::MAPPING,
            line::AssistantMessage::MAPPING,
            line::Thought::MAPPING,
            line::ToolRequest::MAPPING,
            line::ExecutionStart::MAPPING,
            line::ExecutionComplete::MAPPING,
            usage::NativeUsage::MAPPING,
        ]],
        tools: &tools::TOOLS,
        compaction_events: &[event::COMPACTION],
        prompt_rules: author::RULES,
        typed: author::typed,
        // The output is a result with `content`, or an error with `message`.
        result_text: |output| {
            let text = |key: &str| output.get(key).and_then(|it| it.text());
            text("content").or_else(|| text("message"))
        },
        logs_results: true,
        writes_whole_texts: true,
        companions: &companions::COMPANIONS,
        session_marks: Some(&[SessionMark::Head("session.start")]),
        places: places::PLACES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::COPILOT),
        ..LineAgent::new::<lines::Lines>("copilot", "Copilot CLI")
    };
}
