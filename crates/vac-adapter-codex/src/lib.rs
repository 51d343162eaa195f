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
//! | `exec-json` | what `codex exec --json` printed |
//! | `exec-events` | what it printed before October 2025: how it is set up, the prompt, then events as `{id, msg}` |
//!
//! # Where things go
//!
//! | native | record |
//! |---|---|
//! | envelope `timestamp` | `timestamp`; one that is no timestamp stays `native:timestamp` |
//! | envelope `type` | the entry's type, or the first half of `event-type` |
//! | envelope members beyond (`ordinal`, `metadata`) | beside the entry's fields, under their names |
//! | `response_item` `message` of `user`, `assistant` | message with its native `content`; an assistant's has the `model-id` of its turn |
//! | `message` of any other role | system-event `response_item/message`: neither the user nor the model said it |
//! | `reasoning` | reasoning: `summary` (if there is none: `content`) as `content`, `encrypted_content` as `encrypted` |
//! | `function_call`, `custom_tool_call`, `local_shell_call`, `web_search_call`, `tool_search_call`, `image_generation_call` | tool-call: `arguments` (the raw string), `input`, `action` or `revised_prompt` as `input`; `call_id`, else `id`, as `call-id`; a generated image is a tool-result inside |
//! | `function_call_output`, `custom_tool_call_output`, `local_shell_call_output`, `tool_search_output` | tool-result: `output` or `tools` as `output`; `is-error` where the output says its exit code, or an event about the call how it ended |
//! | payload `id` of a response item | `id`; without one: `L` and the line, in a whole session `.items.` and its number |
//! | what is left of a payload | stays together as `payload` |
//! | `event_msg`, `turn_context`, `compacted`, and every other line | system-event `type/payload type` with the whole payload as data |
//! | first `session_meta`, the header, `session` | an event too; of the session: `id`, `timestamp` (start), `cwd`, `cli_version`, `model_provider`, `git`, and where it comes from (`forked_from_id`, `source` ...) under its native names |
//! | `turn_context.model` | `models`, with those of settings and collaboration modes; the one of most turns is the session's `model-id` |
//! | `turn_context.sandbox_policy` | its type in `environment.sandboxes` |
//! | `source` | `format`: `exec` and subagents are `autonomous`, `cli` and `vscode` `interactive` |
//! | `token_usage_record`, `token_count`, `turn.completed` | `token-usage` beside the event's data |
//! | printed `agent_message`, `reasoning` | message, reasoning: `text` as `content`; the item that is left stays together as `item` |
//! | printed `command_execution`, `mcp_tool_call`, `file_change`, `web_search`, `todo_list`, `collab_tool_call` | tool-call and tool-result, with the item's `id` as `call-id` |
//! | other printed lines and items | system-event with the whole line as data |
//! | printed `{workdir, model, provider, ...}` | system-event `config`; of the session: working directory, model, provider, sandbox |
//! | printed `{prompt}` | message of the user |
//! | printed `{id, msg}` | as an `event_msg` with this payload, what is left of it as `msg`; the `id`, which is that of the request, as `native:id` |
//! | `exec_command_begin`, `patch_apply_begin`, `mcp_tool_call_begin`, `web_search_end` in such a line | tool-call: `command`, `changes`, `arguments`, `query` as `input` |
//! | `exec_command_end`, `patch_apply_end`, `mcp_tool_call_end` there | tool-result: `aggregated_output` (before it was told: `stdout` and `stderr`) or `result` as `output` |
//!
//! # Decisions
//!
//! * One entry a line, in the order of the file; a whole session is one for what is
//!   around its items, and one for each of them.
//! * An event that repeats a response item (`user_message`, `agent_message`,
//!   `agent_reasoning`, and `item_completed` of these) is a system-event with
//!   `duplicate-of`, the id of the item's entry. One that repeats nothing is the only
//!   place where its words are told, and becomes the message.
//! * Tool calls are response items. Events about one (`exec_command_end` and the like,
//!   `item_completed` of a tool) have its `call-id`, and say whether its result is an
//!   error if the output does not.
//! * The `token-usage` of all entries adds up to what the session used: `tokens.rs` has the
//!   rule. A count that is not new has `duplicate-of` instead.
//! * Later `session_meta` lines are events. Where one names the session that the first
//!   one was forked from, or stands directly behind it with another id, the lines from
//!   there to the first turn of the session's own are `inherited: true`: a turn whose id
//!   (a UUID of version 7, that begins with its time) is later than the session's, else
//!   the first line that is a second later than the replay's beginning. In paginated logs,
//!   all lines before `subagent_history_start_ordinal`. Turns that are inherited do not
//!   make a model the session's `model-id`, and their tokens do not count.
//! * Turns that a `thread_rolled_back` took back are `rolled-back: true`. Their tokens
//!   count: they were used.
//! * Files that were put one behind the other are several sessions again: a `session_meta`
//!   of another id that is younger than the session so far begins one, where something has
//!   happened since (those that a session comes from are older, and stand before that).
//! * A thread that was reverted is a rollout of its own: a session of that thread, whose
//!   beginning is in another file (`history_base`). Files are never joined.
//! * The history that a `compacted` line puts in place of the former one stays in its
//!   data: it was told before.
//! * Logs without envelopes have no times and no model; the working directory is the
//!   one that the CLI told the model.
//! * An item is printed in several states. The first one of a tool is the call and the
//!   last the result (one that is only printed when it is complete is a call with its
//!   result inside); a message is its last state. Those between are system-events with
//!   `superseded-by`, the id of the entry that followed.
//! * Printed items are numbered anew in every run of the CLI: from the second run on
//!   (`exec resume` into the same file), `call-id` is the run, a dot and the item's id. A
//!   file with several threads is several sessions.
//! * Printed events name their session seldom: each run that says how it is set up is a
//!   session of its own. Without response items, the events of tools are calls and results.
//! * The schema has a place for usage on messages alone, and most responses of a model are
//!   calls of tools: usage is said of the events that tell it, under the canonical name. The
//!   profile `canonical` keeps what these say (`data`) without that name. A message that
//!   carried the usage of other responses, too, would say what is not true of it.
//! * A whole session that is cut short or damaged is read up to there; the rest is raw.

mod around;
mod at;
mod capture;
#[cfg(feature = "check")]
pub mod check;
mod clock;
mod detect;
mod echo;
mod environment;
mod event;
mod exec_event;
mod facts;
mod item;
mod mark;
mod meta;
mod models;
mod names;
mod outcome;
mod places;
mod reader;
mod replay;
mod rollback;
mod rollout_name;
mod shape;
mod survey;
mod tokens;
mod usage;
mod whole;

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
        Some("0.160.0")
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
