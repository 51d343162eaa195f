//! Codex CLI session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_codex::Codex;
//!
//! let log = Memory {
//!     name: "rollout.jsonl",
//!     bytes: br#"{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s1"}}
//! {"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": {"type": "message",
//!  "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}}"#,
//! };
//! let sessions = Codex.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::Options::default())?;
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
//! # Mapping
//!
//! Keys of the draft's translation (*Translation Layer Breakdown*, section Codex CLI):
//!
//! | native key | record | section there |
//! |---|---|---|
//! | `timestamp` | `timestamp` | direct matches |
//! | `payload.arguments` | `input` | renames |
//! | `payload.call_id` | `call-id` | renames |
//! | `payload.name` | `name` | renames |
//! | `payload.output` | `output` | renames |
//! | `payload.type` `function_call` | `tool-call` | structural extraction |
//! | `payload.type` `function_call_output` | `tool-result` | structural extraction |
//! | `payload.type` `reasoning` | `reasoning` | structural extraction |
//! | `payload.type` `message` with `payload.role` | `user`, `assistant` | structural extraction |
//! | `event_msg` that repeats a `response_item` | system-event with `duplicate-of` | structural extraction (there: both are messages) |
//! | `turn_context.model` | `model-id`, `models` | fabricated |
//! | (constant) | `cli-name` `codex-cli` | fabricated |
//! | `session_meta`, `turn_context`, `event_msg` members | data of their events | dropped fields (kept here) |
//!
//! All keys and types:
//!
//! | native | record |
//! |---|---|
//! | line `timestamp` | `timestamp`; a value that is not a timestamp stays `native:timestamp` |
//! | line `type` | the entry's type, or the first half of `event-type` |
//! | other members of a line (`ordinal`, `metadata`) | members of the entry, under their names |
//! | `response_item` `message` of `user`, `assistant` | message with its native `content`; an assistant's has the `model-id` of its turn |
//! | `message` of any other role | system-event `response_item/message` |
//! | `agent_message` | message of the user with author `other-agent` |
//! | `reasoning` | reasoning: `summary` (if there is none: `content`) as `content`, `encrypted_content` as `encrypted` |
//! | `function_call`, `custom_tool_call`, `local_shell_call`, `web_search_call`, `tool_search_call`, `image_generation_call` | tool-call: `arguments` (the raw string), `input`, `action` or `revised_prompt` as `input`; `call_id`, else `id`, as `call-id`; a generated image is a tool-result inside |
//! | `function_call_output`, `custom_tool_call_output`, `local_shell_call_output`, `tool_search_output` | tool-result: `output` or `tools` as `output`; `is-error` where the output states an exit code, or an event about the call its end |
//! | payload `id` of a response item | `id`; without one: `L` and the line, in a TypeScript session `.items.` and its number |
//! | what is left of a payload | one object `payload` |
//! | `event_msg`, `turn_context`, `compacted`, and every other line | system-event `type/payload type` with the whole payload as data |
//! | `realtime_item` `transcript_segment` of `user`, `assistant` | message with `text` as `content` |
//! | first `session_meta`, the header, `session` | an event; of the session: `id`, `timestamp` (start), `cwd`, `cli_version`, `model_provider`, `git`, and where it comes from (`forked_from_id`, `source` ...) under its native names |
//! | `turn_context.model` | `models`, with those of settings and collaboration modes; the one of most turns is the session's `model-id` |
//! | `turn_context.sandbox_policy` | its type in `environment.sandboxes` |
//! | `source` | `format`: `exec` and subagents are `autonomous`, `cli` and `vscode` `interactive` |
//! | `token_usage_record`, `token_count`, `turn.completed` | `token-usage` next to the event's data |
//! | printed `agent_message`, `reasoning` | message, reasoning: `text` as `content`; what is left of the item as `item` |
//! | printed `command_execution`, `mcp_tool_call`, `file_change`, `web_search`, `todo_list`, `collab_tool_call` | tool-call and tool-result, with the item's `id` as `call-id` |
//! | other printed lines and items | system-event with the whole line as data |
//! | printed `{workdir, model, provider, ...}` | system-event `config`; of the session: working directory, model, provider, sandbox |
//! | printed `{prompt}` | message of the user |
//! | printed `{id, msg}` | as an `event_msg` with this payload, what is left of it as `msg`; the `id`, which is that of the request, as `native:id` |
//! | `exec_command_begin`, `patch_apply_begin`, `mcp_tool_call_begin`, `web_search_end` in such a line | tool-call: `command`, `changes`, `arguments`, `query` as `input` |
//! | `exec_command_end`, `patch_apply_end`, `mcp_tool_call_end` there | tool-result: `aggregated_output` (in earlier versions: `stdout` and `stderr`) or `result` as `output` |
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
//!   for what is around its items, and one for each item.
//! * An event that repeats a response item (`user_message`, `agent_message`,
//!   `agent_reasoning`, and `item_completed` of these) is a system-event with `duplicate-of`.
//!   One that repeats nothing becomes the message.
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
//!   than the session so far begins one, after anything but a `session_meta` (those that a
//!   session comes from are earlier, and come before that).
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
//! * The schema has a place for usage on messages alone, and most responses of a model are tool
//!   calls: `token-usage` is next to the data of the events that state it.
//! * Of a TypeScript session that is cut short or damaged, complete items are converted as usual,
//!   and the rest is kept unparsed. After damage, the number in an id may not be the item's own.

#[cfg(feature = "check")]
pub mod check;
mod clock;
mod detect;
mod duplicate_events;
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
mod usage;

use vac_adapter::members::Rest;
use vac_adapter::prompt::{Rule, Typed};
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Glimpse, Input, Sample, Session, Verdict};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Codex;

impl Adapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        detect::glimpse(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("0.166.0")
    }

    fn cli_name(&self) -> &'static str {
        "codex-cli"
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn prompt_rules(&self) -> &'static [Rule] {
        prompt_rules::RULES
    }

    fn typed(&self, text: &str, _: &Rest<'_>) -> Option<Typed> {
        prompt_rules::typed(text)
    }

    fn logs_results(&self) -> bool {
        true
    }

    fn places(&self) -> &'static [vac_adapter::places::Place] {
        places::PLACES
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
