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
//! # What is read
//!
//! | variant | what it is |
//! |---|---|
//! | `concatenated` | the objects of a store one behind the other, in no particular order, of one session or of several |
//! | `tree` | the files of one session, one behind the other: what a storage tree has |
//! | `early` | the same from 2025, with messages that have their parts inside |
//! | `database` | the rows of one session as such objects, with the times of the rows |
//! | `export` | `opencode export`: `{info, messages: [{info, parts}]}`, also damaged or cut short |
//! | `share` | a shared session: `[{type, data}]`, also damaged or cut short |
//! | `capture` | `opencode run --format json`: lines with a part each |
//!
//! The same session gives the same entries, whatever it is in. What containers lack:
//!
//! * an export has no project, no `session_diff`, often no `todo`;
//! * a shared session has no project and no `todo`, and tells its models as well;
//! * a database has no `session_diff` (it is a file beside it), and says of every entry
//!   when its row was written (`time_created`, `time_updated`);
//! * a capture has the parts of answers alone: no session, no messages, so no prompts and
//!   no models. What its lines say beside their part is an entry's `line`; a part
//!   without a time has that of its line.
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
//! | part `tool-invocation` of 2025: `toolName`, `toolCallId`, `args`, `result`; `metadata.tool.*.time` | tool-call and tool-result; their timestamps |
//! | every other part | system-event of that type |
//! | row of `session_message`: `user` with `text`, `assistant` with `content` | message; `content` by its parts: message, reasoning, tool-call and tool-result (`state.content` or `state.error` as `output`, `time.ran` and `time.completed` as timestamps) |
//! | `agent-switched`, `model-switched`, `synthetic`, `system`, `shell`, `compaction` there | system-event of that type |
//! | session: `id`, `version`, `directory`, `time` | `session-id`, `cli-version`, `working-dir`, `session-start` and `session-end` |
//! | session: everything else | `session`, native names |
//! | project: `vcs`, `sandboxes`, the rest | `vcs.type`, `environment.sandboxes`, `environment.project` |
//! | arrays of diffs and of todos, the share object, the models of a shared session | `session.session_diff`, `session.todo`, `session.session_share`, `session.session_model` |
//!
//! # Decisions
//!
//! * The files of a store come one behind the other in no particular order, parts
//!   before their message and a prompt behind its answers. Entries are in the order
//!   that `OpenCode` shows: messages by the time of their creation, then by id; each
//!   before its parts, these by id. What has no such place (bytes that are no
//!   document) stays behind what it stood behind. So all containers of a session
//!   give the same entries.
//! * For that order an index is held of an input, never the input itself: units know
//!   where they are. One in memory is scanned once and looked at in place. One that is
//!   not is read again for every 32 MB of it, in the order of the entries; only an export,
//!   which is one document, has to be held as a whole.
//! * One input with several sessions gives one record for each, by the time of
//!   their creation, then by id. A part without a session is its message's. An array names
//!   no session: it belongs to the session object right behind it, else to what stands
//!   before it. A project belongs to all sessions that name it.
//! * A part is an entry of its own and keeps its `messageID`. A user's message is one
//!   moment: its parts without a time have that of the message. Other parts have the
//!   time they state, or none. A part inside a message has the message's id and its own
//!   number.
//! * Usage is counted once: on the message. A `step-finish` repeats it, and keeps it
//!   as native data; where the message is missing, it is the `token-usage` of the event.
//! * `sessionID` is not repeated on entries where it is the session's.
//! * The `secret` of a share object, or of a session's `share`, is redacted, and the report
//!   counts it. What could not be parsed and has that name in it is kept as its length and
//!   digest alone.
//! * What stands beside the entries has to fit both encodings: an object with half a
//!   surrogate pair in it is an event instead.
//! * A damaged export or shared session is taken apart: what is whole in it is told as
//!   ever, and the rest is carried as text.
//! * A row whose data is no JSON object is carried as text with the reason; what stands
//!   for a file that could not be read is an event and a warning.
//! * What newer versions say in `session_message` is the session's messages, if no other
//!   table has any: a prompt with its text, an answer and behind it what is in its
//!   `content`. Where the older tables have messages, too, they are the ones that are
//!   told, and these rows are events.

mod capture;
#[cfg(feature = "check")]
pub mod check;
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
mod places;
mod record;
mod secret;
mod session;
mod source;
mod steps;
mod store;
mod survey;
mod tool;
mod unit;
mod whole;

use vac_adapter::{Adapter, Error, Glimpse, Input, Sample, Session, Verdict};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCode;

impl Adapter for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        detect::glimpse(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("1.18.10")
    }

    fn places(&self) -> &'static [vac_adapter::places::Place] {
        places::PLACES
    }

    fn stores(&self) -> &'static vac_adapter::container::Stores {
        &store::STORES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::OPENCODE)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let sessions = survey::sessions(input)?;
        Ok(sessions.into_iter().map(|session| Box::new(session) as Box<dyn Session>).collect())
    }
}
