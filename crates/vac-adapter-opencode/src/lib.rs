//! `OpenCode` sessions as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_opencode::OpenCode;
//!
//! let log = Memory {
//!     name: "session.jsonl",
//!     bytes: br#"
//!         {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "Hi"}
//!         {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1770000000000}}
//!     "#,
//! };
//! let sessions = OpenCode.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::Options::default())?;
//! assert_eq!(record.id, "ses_1");
//! assert_eq!(report.entries["user"], 2, "the message and its text");
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # What goes where
//!
//! | native | record |
//! |---|---|
//! | message: `role`, `id`, `time.created`, `parentID` | message: `type`, `id`, `timestamp`, `parent-id` |
//! | `modelID`, a user's `model.modelID` | `model-id`; all of them in `models` |
//! | `tokens`, `tokens.cache.read`, `cost` | `token-usage`, its `cached`, its `cost` |
//! | part `text`: `text`, `time.start` | message of its message's role: `content`, `timestamp` |
//! | part `reasoning`: `text`, `time.start`, `metadata.*.reasoningEncryptedContent` | reasoning: `content`, `timestamp`, `encrypted` |
//! | part `tool`: `tool`, `callID`, `state.input`, `state.time.start` | tool-call: `name`, `call-id`, `input`, `timestamp` |
//! | `state.output` or `state.error`, `state.status`, `state.time.end` | tool-result: `output`, `status`, `is-error`, `timestamp` |
//! | every other part | system-event of that type |
//! | session: `id`, `version`, `directory`, `time` | `session-id`, `cli-version`, `working-dir`, `session-start` and `session-end` |
//! | session: everything else | `session`, native names |
//! | project: `vcs`, `sandboxes`, the rest | `vcs.type`, `environment.sandboxes`, `environment.project` |
//! | arrays of diffs and of todos, the share object | `session.session_diff`, `session.todo`, `session.session_share` |
//!
//! # Decisions
//!
//! * The files of a store come one behind the other in no particular order, parts
//!   before their message and a prompt behind its answers. Entries are in the order
//!   that `OpenCode` shows: messages by the time of their creation, then by id; each
//!   before its parts, these by id. What has no such place (bytes that are no
//!   document) stays behind what it stood behind. So all containers of a session
//!   give the same entries. The price is that an input is held in memory.
//! * One input with several sessions gives one record for each, by the time of
//!   their creation, then by id. An array names no session: it belongs to the session
//!   object right behind it, else to what stands before it. A project belongs to all
//!   sessions that name it.
//! * A part is an entry of its own and keeps its `messageID`. A user's message is one
//!   moment: its parts without a time have that of the message. Other parts have the
//!   time they state, or none.
//! * Usage is counted once: on the message. A `step-finish` repeats it, and keeps it
//!   as native data.
//! * `sessionID` is not repeated on entries where it is the session's.
//! * The `secret` of a share object, or of a session's `share`, is never copied: the one deliberate omission,
//!   named in the report. The same goes for bytes that might be a broken share object.
//! * What stands beside the entries has to fit both encodings: an object with half a
//!   surrogate pair in it is an event instead.
//! * Databases, share files and `run --format json` captures are refused.

mod capture;
mod classify;
mod container;
mod cut;
mod detect;
mod early;
mod event;
mod message;
mod models;
mod names;
mod order;
mod part;
mod record;
mod secret;
mod session;
mod source;
mod survey;
mod tool;
mod unit;

use vac_adapter::{Adapter, Confidence, Error, Glimpse, Input, Sample, Session};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCode;

impl Adapter for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn detect(&self, sample: &Sample<'_>) -> Confidence {
        detect::confidence(sample)
    }

    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        detect::glimpse(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("1.18.10")
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let sessions = survey::sessions(input)?;
        Ok(sessions.into_iter().map(|session| Box::new(session) as Box<dyn Session>).collect())
    }
}
