//! Codex CLI session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_codex::Codex;
//!
//! let log = Memory {
//!     name: "rollout.jsonl",
//!     bytes: br#"{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta",
//!         "payload": {"id": "s1"}}
//!         {"timestamp": "2026-01-01T00:00:01Z", "type": "response_item",
//!         "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}}"#,
//! };
//! let sessions = Codex.survey(&log)?;
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
//! | `envelopes` | lines of `{timestamp, type, payload}`, since 0.32 |
//! | `paginated` | the same with `ordinal`s and `item_completed` events (`history_mode`) |
//! | `bare` | a header, then response items without envelopes, up to 0.31 |
//! | `typescript` | one document of `session` and `items`, from the first CLI |
//! | `exec-json` | the output of `codex exec --json` |
//! | `exec-events` | its output before October 2025: its configuration, the prompt, then events as `{id, msg}` |
//!
//! # What lines become
//!
//! | line | entry |
//! |---|---|
//! | `response_item` `message` of `user`, `assistant`; `agent_message` | a message; an assistant's has the `model-id` of its turn (`item.rs`) |
//! | `message` of any other role | an event `response_item/message` |
//! | `reasoning` | reasoning |
//! | `function_call`, `custom_tool_call`, `local_shell_call`, `web_search_call`, `tool_search_call`, `image_generation_call` | a tool call; a generated image is a result inside |
//! | `function_call_output`, `custom_tool_call_output`, `local_shell_call_output`, `tool_search_output` | a tool result |
//! | `event_msg` that repeats a response item | an event with `duplicate-of`; without one to repeat, the message (`event.rs`) |
//! | `realtime_item` `transcript_segment` of `user`, `assistant` | a message |
//! | `session_meta`, `turn_context`, `compacted`, other events, and every other line | an event `type/payload type` with the whole payload as its data (`event.rs`) |
//! | printed `item.*` | messages, reasoning, calls and results; other items are events (`exec_json.rs`) |
//! | printed `{workdir, model, provider, ...}` | an event `config` |
//! | printed `{prompt}` | a message of the user (`exec_event.rs`) |
//! | printed `{id, msg}` | as an `event_msg` with this payload; events of tools are calls and results (`exec_event.rs`) |
//! | any other printed line | an event with the whole line as its data |
//! | a line that cannot be parsed | an `unparsed` event |
//!
//! The [mapping](#mapping) of members is at the end of this page. `cli-name` is always `codex-cli`.
//! An entry without an id in the log is named by its line, an item of a TypeScript session by its
//! number. Types that are not listed in `names.rs` are counted in the report.
//!
//! # Annotations
//!
//! | annotation | from |
//! |---|---|
//! | `author`, `local-command` | `prompt_rules.rs` |
//! | `action` | `tools.rs` |
//! | `outcome`, `exit-code` | the output, or an event about the call (`outcome.rs`) |
//! | `permission` | `permission.rs` |
//! | `usage` | each count that is new (`tokens.rs`): input without cached tokens, with the model of the turn |
//! | `duplicate-of` | events that repeat a response item, and counts that are repeated |
//! | `inherited` | history of another session (`replay.rs`), ordinals before `subagent_history_start_ordinal`, `metadata.inherited_user_message` |
//! | `superseded` | `thread_rolled_back`; states of printed items; copies that `metadata.delivered_assistant_message` names |
//! | `starts` | the first `session_meta`, header, `session`, `config` or `thread.started` |
//! | `ends` | `task_complete`, `turn_aborted`, `error`, `turn.completed`, `turn.failed`, `shutdown_complete`, `<turn_aborted>` |
//! | session `parent`, `relation` | `source.subagent`, `parent_thread_id`, `forked_from_id`, `history_base`, a second `session_meta` directly after the first |
//!
//! # Decisions
//!
//! * There is one entry for each line, in the order of the file. A TypeScript session has one
//!   for the document without its items, and one for each item.
//! * An event that repeats a response item (`user_message`, `agent_message`,
//!   `agent_reasoning`, and `item_completed` of these) is a system-event with `duplicate-of`.
//!   An event that repeats nothing becomes the message.
//! * Tool calls are response items. Events about a call (`exec_command_end` and the like,
//!   `item_completed` of a tool) state how its result ended if the output does not.
//! * The `token-usage` of all entries adds up to what the session used: `tokens.rs` has the
//!   rule.
//! * Later `session_meta` lines are events. Where one names the session that the first one was
//!   forked from, or directly follows it with another id, the lines from there to the first turn
//!   of the session's own are inherited: a turn whose id (a UUID of version 7, which begins with
//!   its time) is later than the session's, else the first line that is a second later than the
//!   first inherited one. Inherited turns do not make a model the session's `model-id`, and their
//!   tokens do not count.
//! * Turns that a `thread_rolled_back` removed are superseded. Their tokens count.
//! * Concatenated files are several sessions again: a `session_meta` of another id that is later
//!   than the session so far begins one, unless it directly follows another `session_meta`
//!   (sessions that a session comes from are earlier, and their lines come before).
//! * A thread that was reverted is a rollout of its own: a session of that thread, whose
//!   beginning is in another file (`history_base`). Files are never joined.
//! * The history in a `compacted` line stays in its data: earlier lines state it.
//! * Logs without envelopes have no times and no model; the working directory is the one in
//!   the CLI's context message.
//! * An item is printed in several states. The first one of a tool is the call and the last the
//!   result (one that is only printed when it is complete is a call with its result inside); a
//!   message is its last state.
//! * Printed items are numbered anew in every run of the CLI: from the second run on
//!   (`exec resume` into the same file), `call-id` is the run, a dot and the item's id. A file
//!   with several threads is several sessions.
//! * Printed events seldom name their session: each run that prints its configuration is a
//!   session of its own. Without response items, the events of tools are calls and results.
//! * The schema has `token-usage` only on messages, and most responses of a model are tool calls:
//!   `token-usage` is next to the data of the events that state it.
//! * Complete items of a truncated or damaged TypeScript session are converted as usual, and the
//!   rest is kept unparsed. After damage, the number in an id may differ from that of the item.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod clock;
mod detect;
mod duplicate_events;
mod entries;
mod envelope_rest;
mod environment;
mod event;
mod exec_event;
mod exec_json;
mod facts;
mod item;
mod location;
mod meta;
mod models;
mod names;
mod outcome;
mod permission;
mod places;
mod prompt_rules;
mod reader;
mod replay;
mod rollback;
mod rollout_name;
mod shape;
mod survey;
mod text_hash;
mod tokens;
mod tools;
mod typescript_session;
mod upkeep;
mod usage;

use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::session_marks::SessionMark;
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};

/// The adapter of Codex CLI.
#[derive(Clone, Copy, Debug, Default)]
pub struct Codex;

impl Adapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        detect::preview(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("0.166.0")
    }

    fn cli_name(&self) -> &'static str {
        "codex-cli"
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![
            envelope_rest::LineMembers::MAPPING,
            meta::SessionMeta::MAPPING,
            typescript_session::SessionDocument::MAPPING,
            item::Message::MAPPING,
            item::Reasoning::MAPPING,
            item::ToolCall::MAPPING,
            item::ToolResult::MAPPING,
            event::EventData::MAPPING,
            usage::NativeUsage::MAPPING,
            event::MessageEvent::MAPPING,
            event::CompletedItem::MAPPING,
            event::Segment::MAPPING,
            exec_json::PrintedTool::MAPPING,
            exec_json::PrintedMessage::MAPPING,
            exec_event::PromptLine::MAPPING,
            exec_event::CallEvent::MAPPING,
            exec_event::Invocation::MAPPING,
            exec_event::ResultEvent::MAPPING,
        ]
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &[
            "compacted",
            "event_msg/context_compacted",
            "response_item/compaction",
            "response_item/compaction_summary",
            "response_item/context_compaction",
        ]
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

    fn logs_results(&self) -> bool {
        true
    }

    fn session_marks(&self, variant: &str) -> Option<&'static [SessionMark]> {
        let has_heads = matches!(variant, "envelopes" | "paginated");
        has_heads.then_some(&[SessionMark::Head("session_meta")])
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    fn upkeep(&self) -> &'static vac_adapter::upkeep::Upkeep {
        &upkeep::UPKEEP
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::CODEX)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let sessions = survey::sessions(input)?.into_iter();
        Ok(sessions.map(|session| Box::new(session) as Box<dyn Session + 'i>).collect())
    }
}
