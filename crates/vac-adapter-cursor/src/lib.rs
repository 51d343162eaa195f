//! Cursor's logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_cursor::Cursor;
//!
//! let log = Memory {
//!     name: "6f9619ff-8b86-4011-b42d-00cf4fc964ff.jsonl",
//!     bytes: br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#,
//! };
//! let sessions = Cursor.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::Options::default())?;
//! assert_eq!(record.id, "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Forms
//!
//! | variant | what it is | one entry for |
//! |---|---|---|
//! | `transcript` | lines `{role, message}` of `agent-transcripts` | a line |
//! | `stream-json` | what `cursor-agent --output-format stream-json` prints | a line; all lines of one thought |
//! | `composer` | rows of the IDE's `state.vscdb`, as `vac-store` gives them | a row; a bubble inside a composer |
//! | `chat` | the CLI's `store.db`, as `vac-store` gives it | a blob; a tool result inside one |
//! | `text` | the old text form, with `user:` and `assistant:` | a turn |
//!
//! # What goes where
//!
//! | native | record |
//! |---|---|
//! | `role`, in a capture `type`, of a bubble `type` 1 or 2 | the message's `type`: `user`, and `assistant` for anything else that speaks |
//! | `message.content`, `content`, a bubble's `text` | `content` |
//! | blocks `tool_use`, `tool-call` | tool-call children: `name`, `input`, `call-id` |
//! | blocks `tool_result`, `tool-result` | tool-result children: `output`, `call-id`, `is-error` |
//! | a block `reasoning`, `redacted-reasoning`, `thinking` or `redacted_thinking`, a bubble's `thinking` | a reasoning child |
//! | a `<timestamp>` at the beginning of a user's text | `timestamp`; the text stays whole |
//! | `id`, `model` and `timestamp` of a line, which none has been seen to have | `id`, `model-id`, `timestamp` |
//! | `timestamp_ms`, a bubble's `createdAt`, else its `timingInfo` | `timestamp` |
//! | `thinking` lines of a capture | one reasoning; every line is in its `deltas` and `completed` |
//! | `tool_call` lines: `call_id`, the `…ToolCall` object with `args` and `result` | started: a tool-call of that name; completed: a tool-result, with the first member of `result` as `status`; a success that tells an exit code or `isError` is an error |
//! | `usage` of a capture's `result` | `token-usage` beside the event |
//! | a bubble's `toolFormerData`: `name`, `rawArgs` or `params`, `result` or `error`, `status`, `toolCallId` | a tool-call child, and a tool-result child once it is over |
//! | a bubble's `tokenCount`, `modelInfo.modelName` | `token-usage`, `model-id` |
//! | a composer: `createdAt`, `lastUpdatedAt`, `name`, `workspaceIdentifier`, `createdOnBranch`, `modelConfig` | the session's start, end, `name`, working directory, branch, models; all of it is an event `composer` |
//! | `meta` and `meta.json` of a chat | the same, as far as they tell it; events |
//! | a chat's message of the role `tool` | a tool-result for each of its blocks |
//! | lines with a `type`: `turn_ended`, `error`, `result`, any other | system-event of that type, with the `subtype` behind a slash |
//! | the folder `<id>/subagents` | `parent-session-id` of the session |
//!
//! # Decisions
//!
//! * A transcript names neither its session nor its model. The session's id is the
//!   file's name where that is a UUID, as Cursor writes it, else a UUID that is a
//!   function of the bytes. Model and provider are unknown.
//! * Entries stand in the order of the log. What the source gives no id has its place as
//!   one; a bubble's is the end of its key, a blob's its hash.
//! * A `<timestamp>` counts minutes and tells its offset from UTC; without the offset
//!   it is no date-time and is left where it is. No line of a transcript but a prompt has
//!   a timestamp, and nothing tells when that session ended.
//! * A `role` other than `user` and `assistant` is kept beside the type. In a chat those
//!   are events: the system's prompt is nobody's answer.
//! * What is left of the native `message` stays together under that name, and so does
//!   what is left of a `tool_call`.
//! * The texts of a thought are put together token by token, so that a character that was
//!   cut in two is whole again.
//! * A call that is completed and was never started gives the call and its result.
//! * Bubbles and blobs that the conversation does not list, or does not lead to any more, are kept
//!   and `superseded`.
//! * Rows that are NULL or named and not there are events `missing`. Rows that are not JSON are
//!   carried as text or bytes.
//! * Whether a row is listed, missing or repeated is said by the input
//!   ([`Input::troubles`]), and not by the row.
//! * The keys to what Cursor stores encrypted (`blobEncryptionKey`,
//!   `speculativeSummarizationEncryptionKey`) are redacted, and the report counts them. What
//!   could not be parsed and has such a name in it is kept as its length and digest alone.
//! * The text form is ambiguous. A turn stays whole as the content of its message;
//!   thoughts, calls and results are read out of it as children. A thought is one line.
//! * Cursor writes its version nowhere: a log cannot be newer than what was tried.

mod blocks;
mod bubble;
mod capture;
mod chat;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod composer;
mod detect;
mod event;
mod facts;
mod glimpse;
mod line;
mod message;
mod places;
mod reader;
mod secret;
mod store;
mod stored;
mod survey;
mod text;
mod thought;
mod tool;
mod usage;
mod written_time;

use vac_adapter::{Adapter, Error, Glimpse, Input, Sample, Session, Verdict};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor;

impl Adapter for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        glimpse::glimpse(sample)
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn places(&self) -> &'static [vac_adapter::places::Place] {
        places::PLACES
    }

    fn stores(&self) -> &'static vac_adapter::container::Stores {
        &store::STORES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::CURSOR)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        if text::is_it(&text::beginning(input)?) {
            return Ok(vec![Box::new(text::Survey::of(input)?)]);
        }
        Ok(vec![Box::new(survey::Survey::of(input)?)])
    }
}
