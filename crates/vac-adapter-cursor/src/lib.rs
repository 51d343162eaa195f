//! Cursor transcripts as agent records.
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
//! # What goes where
//!
//! | native | record |
//! |---|---|
//! | `role` | the message's `type`: `user`, and `assistant` for anything else |
//! | `message.content` | `content` |
//! | a `tool_use` block: `name`, `input`, `id` | a tool-call child: `name`, `input`, `call-id` |
//! | a `tool_result` block: `content`, `tool_use_id`, `is_error` | a tool-result child: `output`, `call-id`, `is-error` and `status` |
//! | a `<timestamp>` at the beginning of a user's text | `timestamp`; the text stays whole |
//! | lines with a `type`: `turn_ended`, `error`, any other | system-event of that type |
//!
//! # Decisions
//!
//! * A transcript names neither its session nor its model. The session's id is the
//!   file's name where that is a UUID, as Cursor writes it, else a UUID that is a
//!   function of the bytes. Model and provider are unknown.
//! * One entry a line, in the order of the file. Its id is its place: the source has
//!   none.
//! * A `<timestamp>` counts minutes and tells its offset from UTC; without the offset
//!   it is no date-time and is left where it is. Nothing else has a timestamp, and
//!   nothing tells when a session ended.
//! * A `role` other than `user` and `assistant` is kept beside the type.
//! * What is left of the native `message` stays together under that name.
//! * Databases, `--output-format stream-json` captures and transcripts in the old text
//!   form are refused.

mod blocks;
mod detect;
mod event;
mod message;
mod survey;
mod written_time;

use vac_adapter::{Adapter, Confidence, Error, Input, Sample, Session};

use survey::Survey;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor;

impl Adapter for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn detect(&self, sample: &Sample<'_>) -> Confidence {
        sample.best(detect::confidence)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        Ok(vec![Box::new(Survey::of(input)?)])
    }
}
