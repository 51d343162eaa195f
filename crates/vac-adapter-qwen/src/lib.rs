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
//! | `author` | user messages | `provenance`, `subtype`, else the [rules](Adapter::prompt_rules) for texts (`author.rs`) |
//! | `superseded` | all entries between a `rewind` and the line that it goes back to | `parentUuid` of the `rewind`: lines are never removed |
//! | `inherited` | all entries that a branch copied | `forkedFrom` |
//! | `subagent` | all entries of a subagent | `isSidechain`, `agentId` |
//! | `action` | tool-calls | the [tools](Adapter::tools) |
//! | `outcome`, `exit-code`, `permission` | tool-results | `toolCallResult.status`, the response, and its last lines for shell tools |
//! | `permission` | `ui_telemetry` of a tool call | `decision` |
//! | `usage` | assistant messages | `usageMetadata`: `promptTokenCount` without cached tokens; thoughts as part of the output, whether `candidatesTokenCount` contains them or not |
//! | `local-command` | `slash_command` | `phase: invocation` |
//! | `ends` | `turn_result` | `state` |
//! | `parent` of the session | | `parent_session`, `forkedFrom`, or the session of a subagent |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log. What a compression or the start of a fork
//!   repeats (`compressedHistory`, `history`) stays a value of its event.
//! * A line that repeats the id of an earlier one continues it: it has an id made from its place,
//!   keeps `uuid`, and the tokens of the last such line count.
//! * Tokens of lines that were copied from another session are not counted again, and neither are
//!   those in `ui_telemetry`, which repeat those of the answers.
//! * `output` of a tool-result is the response; if there are further parts, all of them.
//! * What the user typed is `systemPayload.displayText` where the CLI has added files or the context
//!   of hooks to it.
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

use vac_adapter::line_log;
use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::parts;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};
use vac_value::Any;

use lines::Lines;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Qwen;

impl Adapter for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn title(&self) -> &'static str {
        "Qwen Code"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        line_log::verdict::<Lines>(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        line_log::preview::<Lines>(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("0.21.14")
    }

    fn cli_name(&self) -> &'static str {
        "qwen-code"
    }

    fn mappings(&self) -> Vec<Mapping> {
        let lines = [line::Line::MAPPING, line::Message::MAPPING, usage::UsageMetadata::MAPPING];
        lines.into_iter().chain(parts::MAPPINGS).collect()
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &[event::COMPRESSION]
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        author::RULES
    }

    fn typed(&self, text: &str, extensions: &Rest<'_>) -> Option<Typed> {
        author::typed(text, extensions)
    }

    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        parts::result_text::result_text(output)
    }

    fn logs_results(&self) -> bool {
        true
    }

    fn writes_whole_texts(&self) -> bool {
        true
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::QWEN)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        line_log::survey::<Lines>(input)
    }
}
