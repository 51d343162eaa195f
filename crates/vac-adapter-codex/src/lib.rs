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
//! | `function_call_output`, `custom_tool_call_output`, `tool_search_output` | tool-result: `output` or `tools` as `output`; `is-error` where the output says its exit code |
//! | payload `id` of a response item | `id`; without one: `L` and the line |
//! | what is left of a payload | stays together as `payload` |
//! | `event_msg`, `turn_context`, `compacted`, and every other line | system-event `type/payload type` with the whole payload as data |
//! | first `session_meta`, or the header | an event too; of the session: `id`, `timestamp` (start), `cwd`, `cli_version`, `model_provider`, `git`, and where it comes from (`forked_from_id`, `source` ...) under its native names |
//! | `turn_context.model` | `models`; the one of most turns is the session's `model-id` |
//! | `turn_context.sandbox_policy` | its type in `environment.sandboxes` |
//! | `token_count` `info.last_token_usage` | `token-usage` beside the event's data |
//!
//! # Decisions
//!
//! * One entry a line, in the order of the file.
//! * An event that repeats a response item (`user_message`, `agent_message`,
//!   `agent_reasoning`, and `item_completed` of these) is a system-event with
//!   `duplicate-of`, the id of the item's entry. One that repeats nothing is the only
//!   place where its words are told, and becomes the message.
//! * A `token_count` with the same total as the one before it counts nothing: it has
//!   `duplicate-of` instead of `token-usage`, so that usages can be added up.
//! * Later `session_meta` lines are events. Where one names the session that the first
//!   one was forked from, the lines from there to the first turn of the session's own
//!   are `inherited: true`: a turn whose id (a UUID of version 7, that begins with its
//!   time) is later than the session's, else the first line that is a second later than
//!   the replay's beginning. In paginated logs, all lines before
//!   `subagent_history_start_ordinal`. Turns that are inherited do not make a model the
//!   session's `model-id`.
//! * Events about a tool call (`exec_command_end` and the like) have its `call-id`.
//! * The history that a `compacted` line puts in place of the former one stays in its
//!   data: it was told before.
//! * Logs without envelopes have no times and no model; the working directory is the
//!   one that the CLI told the model.
//! * The one JSON document of the first CLI, in TypeScript, is refused.

mod around;
mod echo;
mod event;
mod facts;
mod item;
mod meta;
mod outcome;
mod reader;
mod shape;
mod survey;
mod usage;

use vac_adapter::{Adapter, Confidence, Error, Input, Sample, Session};

use survey::Survey;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Codex;

impl Adapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn detect(&self, sample: &Sample<'_>) -> Confidence {
        sample.best(shape::confidence)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        Ok(vec![Box::new(Survey::of(input)?)])
    }
}
