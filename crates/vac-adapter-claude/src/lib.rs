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
//! # Variants
//!
//! | variant | what it is |
//! |---|---|
//! | `jsonl` | a session's lines |
//! | `jsonl-folder` | the same with what is in its folder: subagents, workflows, spilled results |
//! | `subagent` | the lines of a subagent alone |
//! | `loglines` | documents with the lines inside: what the web exports, and arrays of lines; also cut short or damaged |
//! | `stream` | what `--output-format stream-json` prints: `session_id` instead of the envelope |
//!
//! # Decisions
//!
//! * One entry a line, in the order of the file: timestamps are not monotonic, and
//!   forks and several roots in one file are normal.
//! * `user` and `assistant` lines are messages with their native `content`, and one
//!   child for each block that the schema has a type for. A text or an image has none:
//!   it is content and nothing else. Every other line is a system-event that carries
//!   the whole line as its data, so that parent ids never dangle. What was not known
//!   when this was written is counted in the report (`known.rs` has the names).
//! * One API message is split over several lines that all repeat its usage. The last
//!   of them has the final numbers: that one gets the canonical `token-usage`, the
//!   others keep their native usage. Messages of subagents that `progress` lines repeat
//!   are data, and count nothing.
//! * `<synthetic>` is not a model: it stays a native value. `models` has all others, also
//!   those that were only asked for advice (`usage.iterations`) or that a subagent's message
//!   in a `progress` line is of; `model-id` is the one that wrote most lines.
//! * Session id, working directory, version and branch are the first that the log
//!   states; where a line names the session that the file is named after, that is it. A line that repeats them need not say them again; one that differs keeps
//!   its own.
//! * A session that was resumed under a new id, or forked, begins with lines of another
//!   (`inherited.rs`). They are `inherited: true`, their usage is not counted again, and when
//!   the session began and where is what its own lines say.
//! * Several sessions in one file are several records (`sessions.rs`), unless the file is named
//!   after one of them, or lines of one go on from lines of the other.
//! * What is left of the native `message` stays together under that name. One that is no
//!   object is the content.
//! * A tool of the provider that failed says so by its content (`web_search_tool_result_error`)
//!   rather than by `is_error`: `is-error` is true there, too.
//! * A prompt that was given while the agent worked is a message of the user, and told
//!   once (`queue.rs`): by the `user` line that it became; else by the attachment
//!   (`queued_command`) that gave it to the agent, which is then a message; else by the
//!   `queue-operation` that put it into the queue. Of these, those that do not tell it
//!   are events. Such a message keeps what the line is as `native:type`. A prompt that
//!   the user took back (`popAll`) is an event.
//! * Subagents are part of the session's record, behind its own lines (`subagent.rs`).
//!   Where the part of one begins, a `subagent` event says whose it is and by `call-id`
//!   which call spawned it: what the call's result names (`agentId`, or the `runId` of
//!   the workflow), else what the note about the subagent says, else what progress lines
//!   say. The subagent's entries stay as they are: they name it (`agentId`), and the first
//!   of them has no parent, because it has none in the source; `root` of the event names
//!   it. Alone, a subagent's log is a session of its own, with `agentId` beside the
//!   session id.
//! * Files in the session's folder that are no logs are events behind all lines
//!   (`beside.rs`): tool output that was put aside with the `call-id` of the result that
//!   names it, notes about subagents, the journal of a workflow line by line.
//! * The survey decides what becomes of each line, the second pass does it: so nothing
//!   is looked up twice, and both passes take each line apart in one go (`envelope.rs`).

mod beside;
mod blocks;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod detect;
mod envelope;
mod event;
mod facts;
mod hoisted;
mod inherited;
mod known;
mod lines;
mod message;
mod places;
mod queue;
mod sessions;
mod subagent;
mod survey;
mod usage;

use vac_adapter::{Adapter, Error, Glimpse, Input, Sample, Session, Verdict};

use survey::Survey;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claude;

impl Adapter for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        detect::glimpse(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("2.1.231")
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn places(&self) -> &'static [vac_adapter::places::Place] {
        places::PLACES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::CLAUDE)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let surveys = Survey::all(input)?.into_iter();
        Ok(surveys.map(|survey| Box::new(survey) as Box<dyn Session>).collect())
    }
}
