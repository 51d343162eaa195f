//! GitHub Copilot CLI session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_copilot::Copilot;
//!
//! let log = Memory {
//!     name: "events.jsonl",
//!     bytes: br#"{"type": "session.start", "data": {"sessionId": "s1", "copilotVersion": "1.0.78"},
//!         "id": "e1", "timestamp": "2026-08-05T09:00:00.000Z", "parentId": null}
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
//! | `tool.execution_start` of a call that no message requests | tool-call |
//! | `tool.execution_complete` | tool-result |
//! | all others | system-event of that type |
//! | a companion file | system-event `file` |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | `agentId`, `source`, `isAutopilotContinuation`, else the [rules](Adapter::prompt_rules) for texts (`author.rs`) |
//! | `duplicate-of` | `tool.execution_start` | the call of a message, by its `call-id` |
//! | `subagent` | all entries of a subagent | `agentId`, which is the call that started it; `parentToolCallId` |
//! | `delegated-to` | tool-calls that started a subagent | `subagent.started` |
//! | `action` | tool-calls | the [tools](Adapter::tools), `mcpServerName`; `user_command` for a command that the user typed with `!` |
//! | `outcome`, `exit-code` | tool-results | `success`, `error.code`, and the last line of what a command printed |
//! | `permission` | `permission.requested`, `permission.completed`, `session.permissions_changed` | (`event.rs`) |
//! | `usage` | assistant messages, children of `session.shutdown`, `session.compaction_complete` | `outputTokens`; `modelMetrics` without the output of messages; `compactionTokensUsed` (`usage.rs`) |
//! | `starts`, `ends` | `session.start`; `session.shutdown`, `session.error`, `abort` | |
//! | `parent` of the session | | `detachedFromSpawningParentSessionId` |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log. `parentId` is the line before, not a tree.
//! * What is left of `data` of a message, call or result is its member `data`.
//! * The working directory and the repository are the last that the log states.
//! * A rewind removes lines from the file. Their tokens are still in `session.shutdown`, and count
//!   there; nothing else shows them.
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

use vac_adapter::line_log;
use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};
use vac_value::Any;

use lines::Lines;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copilot;

impl Adapter for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn title(&self) -> &'static str {
        "Copilot CLI"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        line_log::verdict::<Lines>(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        line_log::preview::<Lines>(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("1.0.79")
    }

    fn cli_name(&self) -> &'static str {
        "copilot-cli"
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![
            line::Line::MAPPING,
            line::UserMessage::MAPPING,
            line::AssistantMessage::MAPPING,
            line::ToolRequest::MAPPING,
            line::ExecutionStart::MAPPING,
            line::ExecutionComplete::MAPPING,
            usage::NativeUsage::MAPPING,
        ]
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &[event::COMPACTION]
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        author::RULES
    }

    fn typed(&self, text: &str, extensions: &Rest<'_>) -> Option<Typed> {
        author::typed(text, extensions)
    }

    /// The output is a result with `content`, or an error with `message`.
    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        let text = |key: &str| output.get(key).and_then(|it| it.text());
        text("content").or_else(|| text("message"))
    }

    fn logs_results(&self) -> bool {
        true
    }

    fn writes_whole_texts(&self) -> bool {
        true
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::COPILOT)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        line_log::survey::<Lines>(input)
    }
}
