//! Claude Code session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_claude::Claude;
//!
//! let log = Memory {
//!     name: "s1.jsonl",
//!     bytes: br#"{"type": "user", "uuid": "u1", "sessionId": "s1",
//!         "message": {"content": "Hi"}}"#,
//! };
//! let sessions = Claude.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "s1");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Variants
//!
//! | variant | what it is |
//! |---|---|
//! | `jsonl` | a session's lines |
//! | `jsonl-folder` | the same with the session's folder: subagents, workflows, tool results |
//! | `subagent` | the lines of a subagent alone |
//! | `loglines` | documents that contain lines: web exports and arrays of lines, also truncated or damaged |
//! | `stream` | the output of `--output-format stream-json`: `session_id` instead of the envelope |
//!
//! # What lines become
//!
//! One entry a line, in the order of the file: timestamps are not monotonic, and forks and
//! several roots in one file are normal.
//!
//! | line | entry |
//! |---|---|
//! | `user`, `assistant` | a message, with a child for each block that the schema has a type for (`message.rs`, `blocks.rs`) |
//! | `attachment` of type `queued_command` | a message of the user |
//! | `queue-operation`, `enqueue` | a message of the user if no other line contains the prompt, else an event (`queue.rs`) |
//! | `system/local_command` with a command | a message of the user |
//! | `progress` with a message of a subagent | that message (`progress.rs`) |
//! | any other | an event with the whole line as its data (`event.rs`) |
//! | a line that cannot be parsed | an `unparsed` event |
//!
//! The [mapping](#mapping) of members is at the end of this page. A message that comes from a line of another type keeps that type as `native:type`.
//! Types, subtypes and blocks that are not listed in `known.rs` are counted in the report.
//!
//! # Annotations
//!
//! | annotation | from |
//! |---|---|
//! | `author`, `local-command` | `prompt_rules.rs` |
//! | `action` | `tools.rs`; of a shell command of the user (`!`), `prompt_rules.rs` |
//! | `outcome`, `exit-code` | `outcome.rs` |
//! | `permission` | `outcome.rs` for results, `event_meaning.rs` for events |
//! | `starts`, `ends` | `event_meaning.rs`; API errors and interruptions, which are messages |
//! | `subagent` | `isSidechain`, `agentId`, `parent_tool_use_id`, the subagent's file (`subagent.rs`) |
//! | `duplicate-of` | a message of a subagent that its own file contains, too; a message that a resumed session logs again; a call that the message before ended with (`repeated_calls.rs`) |
//! | `superseded` | `retracted_message_uuids` and `refused_user_message_uuid` (retracted), `supersedes` (updated) |
//! | `inherited` | `forkedFrom`, and lines of the session that was resumed (`fork_history.rs`) |
//! | `usage` | `usage.rs` |
//!
//! # Decisions
//!
//! * One API message is split over several lines that all repeat its usage. The last one has the
//!   final numbers and gets `token-usage`; the others keep their native usage. The usage in
//!   `progress` lines is that of a message that is not finished: it is kept and not counted.
//! * `<synthetic>` is not a model: it stays a native value, and the message is the program's.
//!   `model-id` is the model that wrote most lines of the main thread. `models` has all others,
//!   also those of subagents and those that were asked for advice (`usage.iterations`).
//! * Session id, working directory, version and branch are the first that the log states; if a line
//!   names the session that the file is named after, that is the id. A line that repeats these
//!   values does not keep them; a line with other values does.
//! * A session that was resumed under a new id, or forked, begins with lines of another one. The
//!   usage of those is not counted again, and the start of the session is that of its own lines.
//! * Several sessions in one file are several records (`sessions.rs`), unless the file is named
//!   after one of them, or lines of one continue those of the other.
//! * The remaining members of the native `message` are kept together under that name. A `message`
//!   that is not an object is the content.
//! * The failure of a provider's tool is stated by the content (`web_search_tool_result_error`),
//!   not by `is_error`; `is-error` is true for it, too.
//! * Compaction does not supersede messages: the conversation still contains them.
//! * Subagents are part of the session's record, after its own lines. Each begins with a
//!   `subagent` event that names it, its first entry (`root`), and the call that started it: the
//!   call whose result names it (`agentId`, or the `runId` of the workflow), else the call that the
//!   note about the subagent or `progress` lines name. In old logs, subagents are in the main file,
//!   without names, and the prompt decides. Alone, a subagent's log is a session of its own, with
//!   `agentId` next to the session id, and that session as its parent.
//! * Files in the session's folder that are not logs are events after all lines
//!   (`session_folder.rs`): tool results with the `call-id` of the result that names them, notes
//!   about subagents, the journal of a workflow line by line.
//! * The first pass plans the entry of each line (`first_pass.rs`), and the second pass builds it
//!   (`session.rs`).
#![doc = include_str!("../MAPPING.md")]

mod blocks;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod detect;
mod envelope;
mod event;
mod event_meaning;
mod first_pass;
mod fork_history;
mod iflow;
mod known;
mod line_members;
mod lines;
mod message;
mod outcome;
mod places;
mod progress;
mod prompt_rules;
mod queue;
mod repeated_calls;
mod session;
mod session_defaults;
mod session_folder;
mod sessions;
mod short_hash;
mod subagent;
mod tools;
mod upkeep;
mod usage;

use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::session_marks::SessionMark;
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};

use session::ClaudeSession;

/// The model of messages that the program makes itself.
const SYNTHETIC: &str = "<synthetic>";

/// The name of the program in records.
const CLI_NAME: &str = "claude-code";

/// The adapter of Claude Code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claude;

impl Adapter for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn fork(&self, sample: &Sample<'_>) -> Option<&'static str> {
        iflow::is_iflow(sample).then_some(iflow::NAME)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        detect::preview(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("2.1.231")
    }

    fn cli_name(&self) -> &'static str {
        CLI_NAME
    }

    fn mappings(&self) -> Vec<Mapping> {
        let own = [
            envelope::Envelope::MAPPING,
            message::ApiMessage::MAPPING,
            usage::NativeUsage::MAPPING,
            usage::OutputDetails::MAPPING,
            blocks::Thinking::MAPPING,
            blocks::RedactedThinking::MAPPING,
            message::ProgressData::MAPPING,
            message::ProgressLine::MAPPING,
            message::QueuedCommand::MAPPING,
            event::Wrapper::MAPPING,
        ];
        own.into_iter().chain(vac_adapter::blocks::MAPPINGS).collect()
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &["system/compact_boundary"]
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        prompt_rules::RULES
    }

    fn typed(&self, text: &str, _: &Rest<'_>) -> Option<Typed> {
        prompt_rules::typed(text)
    }

    fn writes_whole_texts(&self) -> bool {
        true
    }

    fn result_text(&self, output: &vac_value::Any<'_>) -> Option<String> {
        iflow::result_text(output)
    }

    fn logs_results(&self) -> bool {
        true
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn session_marks(&self, _: &str) -> Option<&'static [SessionMark]> {
        Some(&[SessionMark::Id("sessionId"), SessionMark::Id("session_id")])
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    fn upkeep(&self) -> &'static vac_adapter::upkeep::Upkeep {
        &upkeep::UPKEEP
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::CLAUDE)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let sessions = ClaudeSession::read_all(input)?.into_iter();
        Ok(sessions.map(|session| Box::new(session) as Box<dyn Session>).collect())
    }
}
