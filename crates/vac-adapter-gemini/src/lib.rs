//! Gemini CLI session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_gemini::Gemini;
//!
//! let log = Memory {
//!     name: "session-2026-01-05T09-30-5f0c1d2e.json",
//!     bytes: br#"{"sessionId": "s1", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z",
//!         "messages": [{"id": "m1", "type": "user", "content": "Hi"}]}"#,
//! };
//! let sessions = Gemini.survey(&log)?;
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
//! | `sessionId` | `id`, `session.session-id`; without one the file's stem, else a function of the bytes |
//! | `startTime` | `created`, `session-start`; without one the earliest timestamp inside, else the minute in the file's name |
//! | `lastUpdated` | `session-end`; without one the latest timestamp inside |
//! | `directories[0]` | `environment.working-dir`; the list stays on the session too |
//! | `projectHash`, `kind`, `summary` and all others of the top level | the session, by their own names |
//! | message of type `user`, `human` | user |
//! | message of type `gemini`, `model`, `assistant` | assistant |
//! | message of type `info`, `warning`, `error` or unknown | system-event of that type, the rest as its data |
//! | `id`, `timestamp`, `content`, `model` | `id`, `timestamp`, `content`, `model-id` |
//! | `parts` of a message without content | `content` |
//! | `tokens` | `token-usage`: `thoughts` is `reasoning`, `tool` keeps its name |
//! | `thoughts[]` | reasoning children: `description` is `content`; `subject`, `timestamp` |
//! | `toolCalls[]` | tool-call children: `args` is `input`, `id` is `call-id`; `displayName`, `description`, `agentId`, ... by their own names |
//! | `toolCalls[].result` | tool-result child with the result as it is for `output`; `status` and `resultDisplay` |
//! | `history[]`, or an array of Content | messages: `role` is the type, `parts` the `content` |
//! | part with `functionCall`, `functionResponse`, `thought` | child: tool-call, tool-result, reasoning; the part is in `content` as well |
//!
//! # Decisions
//!
//! * One entry for each element of `messages` or `history`, in the order of the file.
//! * A file is one document, and it is held in memory. Several documents in one input
//!   are several sessions, unless they have one `sessionId`: those are one session, in
//!   the order of their start, and each but the first begins with a system-event
//!   `session-continued` that holds what stands around its messages.
//! * An empty `info` is what `/compress` leaves: a system-event with the mark
//!   `marker: compression`.
//! * There is a tool-result where there is a result. Without one the status and the
//!   display stay on the call.
//! * `is-error` is true for the status `error` and for a response with `error` (what
//!   the CLI writes) or `content.error`.
//! * Calls and responses of a `history` that have no id are paired by order and name
//!   within one turn and the answer to it; the id is the tool's name and a number.
//! * A response that tells the result of a tool call once more is linked to it by
//!   `duplicate-of`.
//! * Children without a timestamp of their own have that of their message.
//! * A document that is cut short or damaged is read message by message; what cannot
//!   be read is carried raw.
//! * Other files of the CLI (JSONL logs with `$set`, tool checkpoints, `logs.json`) are
//!   refused by name.

mod broken;
mod content;
mod detect;
mod event;
mod facts;
mod message;
mod part;
mod survey;
mod tools;

use vac_adapter::{Adapter, Confidence, Error, Input, Sample, Session};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gemini;

impl Adapter for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn detect(&self, sample: &Sample<'_>) -> Confidence {
        sample.best(detect::confidence)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        survey::sessions(input)
    }
}
