//! Session logs of Pi, and of programs that write the same format, as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_pi::Pi;
//!
//! let log = Memory {
//!     name: "2026-05-01T09-00-00-000Z_s1.jsonl",
//!     bytes: br#"{"type": "session", "version": 3, "id": "s1", "cwd": "/home/ada",
//!         "timestamp": "2026-05-01T09:00:00.000Z"}
//!         {"type": "message", "id": "a1", "parentId": null,
//!         "message": {"role": "user", "content": "Hi", "timestamp": 1777626000000}}"#,
//! };
//! let sessions = Pi.survey(&log)?;
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
//! | `jsonl` | a session as lines in a tree (version 3; older ones without ids) |
//! | `capture` | output of `pi --mode json` |
//! | `database` | a session of `OpenClaw` since 2026.7.2, in `openclaw-agent.sqlite` (`store.rs`) |
//!
//! Oh My Pi, Prime Agent and `OpenClaw` (until 2026.7.1) write the same format. The place
//! of a log names the one that wrote it, else lines that only that one writes.
//!
//! # What lines become
//!
//! | native | record |
//! |---|---|
//! | `message` of a `user` | user |
//! | `message` of the `assistant` | assistant, with a child for each thought and call |
//! | `message` with the role `toolResult` | tool-result |
//! | `message` with the role `bashExecution` | tool-call, with its result as a child |
//! | `message` with another role | system-event of that role |
//! | all others | system-event of that type |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | the [rules](vac_adapter::Adapter::prompt_rules) for texts; `other-agent` in the session of a subagent of Oh My Pi |
//! | `superseded` | messages and summaries that are not on the way from the last line to the first | `parentId`; `by` is the line with which the log went on instead |
//! | `superseded: compacted` | messages, calls and results before `firstKeptEntryId` of a `compaction` or (`OpenClaw`) a `reset`; version 1 counts them (`firstKeptEntryIndex`) | |
//! | `superseded: compacted` | the line that a `context_edit` removes or replaces for the model | `targetId` |
//! | `inherited` | all entries that a fork copied | a time before that of the header, with `parentSession` |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools); `user_command` for a `bashExecution` |
//! | `outcome`, `exit-code` | tool-results | `isError`, and the last line of what a command printed; `exitCode`, `cancelled` |
//! | `usage`, `stated-cost` | assistant messages (whose cost is in `token-usage`); `usage`, `compaction`, `branch_summary`, tool results with requests of their own; `child_usage_attributed` of Prime Agent | `usage`: its numbers do not overlap; `childUsage` |
//! | `starts` | `session` | |
//! | `ends` | assistant messages; `session_exit` of Oh My Pi | `stopReason` `stop`, `error`, `aborted`; `kind` |
//! | `parent` of the session | | `parentSession`; the folder of a subagent of Oh My Pi, which has the name of its session |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log. The remaining members of a message are in
//!   its member `message`.
//! * A line whose parent is not in the file follows the line before it. Lines about the session
//!   (models, titles, labels) are never superseded.
//! * Tokens of lines that a fork copied are not counted again.
//! * `aggregateUsage` of Prime Agent (0.9) is that of a message with those of the sessions it started:
//!   only `childUsage` counts next to the message. Logs of these sessions are not searched for.
//! * A captured line has the time of its message.
//! * `credential_pin.hash` is kept: it is a hash, and shows which credential was used.
//! * The version of the agent is not in the log.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod event;
mod line;
mod lines;
mod places;
mod store;
mod tools;
mod tree;
mod usage;

use vac_adapter::line_log::{LineAdapter, LineAgent};
use vac_adapter::prompt::PromptRule;
use vac_adapter::session_marks::SessionMark;
use vac_record::annotations::Author;

/// Texts in the user's name.
const RULES: &[PromptRule] = &[
    PromptRule::tag("skill", Author::Program, "0.50"),
    PromptRule::tag("system-notice", Author::Program, "1.0"),
    PromptRule::tag("system-reminder", Author::Program, "1.0"),
];

/// The adapter of Pi.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pi;

impl LineAdapter for Pi {
    const AGENT: LineAgent = LineAgent {
        mappings: &[&[
            line::Line::MAPPING,
            line::Message::MAPPING,
            line::ToolResult::MAPPING,
            line::BashExecution::MAPPING,
            line::ToolCall::MAPPING,
            line::Thinking::MAPPING,
            usage::NativeUsage::MAPPING,
        ]],
        fork: lines::fork,
        tools: &tools::TOOLS,
        compaction_events: &[event::COMPACTION],
        prompt_rules: RULES,
        logs_results: true,
        writes_whole_texts: true,
        session_marks: Some(&[SessionMark::Head("session")]),
        places: places::PLACES,
        stores: &store::STORES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::PI),
        ..LineAgent::new::<lines::Lines>("pi", "Pi")
    };
}
