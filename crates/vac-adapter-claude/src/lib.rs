//! Claude Code session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_claude::Claude;
//!
//! let log = Memory {
//!     name: "s1.jsonl",
//!     bytes: br#"{"type": "user", "uuid": "u1", "sessionId": "s1", "message": {"content": "Hi"}}"#,
//! };
//! let sessions = Claude.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::Options::default())?;
//! assert_eq!(record.id, "s1");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Decisions
//!
//! * One entry a line, in the order of the file: timestamps are not monotonic, and
//!   forks and several roots in one file are normal.
//! * `user` and `assistant` lines are messages with their native `content`, and one
//!   child for each block that the schema has a type for. A text or an image has none:
//!   it is content and nothing else. Every other line is a system-event that carries
//!   the whole line as its data, so that parent ids never dangle.
//! * One API message is split over several lines that all repeat its usage. The last
//!   of them has the final numbers: that one gets the canonical `token-usage`, the
//!   others keep their native usage.
//! * `<synthetic>` is not a model: it stays a native value.
//! * Session id, working directory, version and branch are the first that the file
//!   states. A line that repeats them need not say them again; one that differs keeps
//!   its own.
//! * What is left of the native `message` stays together under that name.

mod blocks;
mod detect;
mod event;
mod lines;
mod message;
mod survey;
mod usage;

use vac_adapter::{Adapter, Confidence, Error, Input, Sample, Session};

use survey::Survey;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claude;

impl Adapter for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn detect(&self, sample: &Sample<'_>) -> Confidence {
        sample.best(detect::confidence)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        Ok(vec![Box::new(Survey::of(input)?)])
    }
}
