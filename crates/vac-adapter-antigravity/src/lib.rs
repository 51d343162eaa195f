//! Antigravity session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_antigravity::Antigravity;
//!
//! let log = Memory {
//!     name: "c-1.jsonl",
//!     bytes: br#"{"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE",
//!         "created_at": "2026-06-20T09:00:00Z", "content": "<USER_REQUEST>\nHi\n</USER_REQUEST>"}"#,
//! };
//! let sessions = Antigravity.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "c-1");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is |
//! |---|---|
//! | `transcript` | `transcript_full.jsonl` of a conversation, or `transcript.jsonl`, which is shortened |
//!
//! Databases of conversations are not supported.
//!
//! # What steps become
//!
//! | native | record |
//! |---|---|
//! | `USER_INPUT` | user |
//! | `PLANNER_RESPONSE` | assistant, with a child for its thinking and for each call |
//! | any other step of the `MODEL` | tool-result |
//! | all others | system-event of that type |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | `source` |
//! | `action` | tool-calls | the [tools](Adapter::tools) |
//! | `outcome`, `exit-code` | tool-results | `status`, and the text of a command's result |
//! | `delegated-to` | calls that started a subagent | the first conversation that the result names |
//! | `ends` | `ERROR_MESSAGE` | the turn failed |
//!
//! # Decisions
//!
//! * One entry for each step, in the order of the log, which is not that of `step_index`.
//! * Calls have no ids: `<step_index>:<number>`. The results after a response answer its calls in
//!   order; a result without a call has no `call-id`.
//! * The id of a session is the folder of its conversation, else the name of the file, or
//!   (for the name that all transcripts have) made from its bytes.
//! * The model is the name that the settings in a prompt show; most sessions state none. Tokens,
//!   working directory and version are not in the log.
//! * What the user typed is in `<USER_REQUEST>`; the rest of a prompt is context.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod line;
mod lines;
mod places;
mod tools;

use vac_adapter::line_log;
use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::prompt::{Typed, between};
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};

use lines::Lines;

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Antigravity;

impl Adapter for Antigravity {
    fn name(&self) -> &'static str {
        "antigravity"
    }

    fn title(&self) -> &'static str {
        "Antigravity"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        line_log::verdict::<Lines>(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        line_log::preview::<Lines>(sample)
    }

    fn cli_name(&self) -> &'static str {
        "antigravity-cli"
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![line::Line::MAPPING, line::ToolCall::MAPPING]
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &[line::CHECKPOINT]
    }

    fn typed(&self, text: &str, _: &Rest<'_>) -> Option<Typed> {
        let (_, request, _) = between(text, "<USER_REQUEST>", "</USER_REQUEST>")?;
        Some(Typed { text: request.trim().to_owned(), left_out: "context" })
    }

    fn writes_whole_texts(&self) -> bool {
        true
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::ANTIGRAVITY)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        line_log::survey::<Lines>(input)
    }
}
