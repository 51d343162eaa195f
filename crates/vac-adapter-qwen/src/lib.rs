//! Qwen Code session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_qwen::Qwen;
//!
//! let log = Memory {
//!     name: "s1.jsonl",
//!     bytes: br#"{"uuid": "u1", "parentUuid": null, "sessionId": "s1", "type": "user",
//!         "message": {"role": "user", "parts": [{"text": "Hi"}]}}"#,
//! };
//! let sessions = Qwen.survey(&log)?;
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
//! | `jsonl` | a session as lines, written since 0.5 |
//! | `subagent` | the file of a subagent that ran in the background |
//!
//! Before 0.5, Qwen Code wrote the documents of Gemini CLI; these are not supported.
//!
//! # What lines become
//!
//! A line has the envelope of Claude Code around a content of Gemini's API.
//!
//! | native | record |
//! |---|---|
//! | `user` | user |
//! | `assistant` | assistant, with a child for each thought and call |
//! | `tool_result` | tool-result |
//! | `system` | system-event of its `subtype` |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | `provenance`, `subtype`, else the [rules](vac_adapter::Adapter::prompt_rules) for texts (`author.rs`) |
//! | `superseded` | all entries between a `rewind` and the line that it goes back to | `parentUuid` of the `rewind`: lines are never removed |
//! | `superseded: compacted` | messages, calls and results before a `chat_compression` | |
//! | `inherited` | all entries that a branch copied | `forkedFrom` |
//! | `subagent` | all entries of a subagent | `isSidechain`, `agentId` |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools) |
//! | `outcome`, `exit-code`, `permission` | tool-results | `toolCallResult.status`, the response, and its last lines for shell tools |
//! | `permission` | `ui_telemetry` of a tool call | `decision` |
//! | `usage` | assistant messages | `usageMetadata`: `promptTokenCount` without cached tokens; thoughts as part of the output, whether `candidatesTokenCount` contains them or not |
//! | `local-command` | `slash_command` | `phase: invocation` |
//! | `ends` | `turn_result` | `state` |
//! | `parent` of the session | | `parent_session`, `forkedFrom`, or the session of a subagent |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log. History that a compression or the start of a
//!   fork repeats (`compressedHistory`, `history`) is kept as a value of its event.
//! * A line that repeats the id of an earlier one continues it. Its id is made from its place, and
//!   `uuid` is kept. The tokens of the last such line count.
//! * Tokens of lines that were copied from another session are not counted again, and neither are
//!   those in `ui_telemetry`, which repeat those of the answers.
//! * `output` of a tool-result is the response; if there are further parts, all of them.
//! * The text that the user typed is `systemPayload.displayText` if the CLI has added files or the
//!   context of hooks to it.
#![doc = include_str!("../MAPPING.md")]

mod author;
#[cfg(feature = "check")]
pub mod check;
mod event;
mod line;
mod lines;
mod places;
mod tools;
mod usage;

use vac_adapter::line_log::{LineAdapter, LineAgent};
use vac_adapter::parts;
use vac_adapter::session_marks::SessionMark;

/// The adapter of Qwen Code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Qwen;

impl LineAdapter for Qwen {
    const AGENT: LineAgent = LineAgent {
        cli_name: Some("qwen-code"),
        newest_tested: Some("0.21.14"),
        mappings: &[
            &[line::Line::MAPPING, line::Message::MAPPING, usage::UsageMetadata::MAPPING],
            &parts::MAPPINGS,
        ],
        tools: &tools::TOOLS,
        compaction_events: &[event::COMPRESSION],
        prompt_rules: author::RULES,
        typed: author::typed,
        result_text: parts::result_text::result_text,
        logs_results: true,
        writes_whole_texts: true,
        session_marks: Some(&[SessionMark::Id("sessionId")]),
        places: places::PLACES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::QWEN),
        ..LineAgent::new::<lines::Lines>("qwen", "Qwen Code")
    };
}
