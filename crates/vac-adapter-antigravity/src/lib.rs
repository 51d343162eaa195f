//! Antigravity session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_antigravity::Antigravity;
//!
//! let log = Memory {
//!     name: "c-1.jsonl",
//!     bytes: br#"{"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT",
//!         "status": "DONE", "created_at": "2026-06-20T09:00:00Z",
//!         "content": "<USER_REQUEST>\nHi\n</USER_REQUEST>"}"#,
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
//! | `database` | `conversations/<id>.db`, which is one conversation; read only if no transcript of it is found |
//!
//! A database is read as the documents of its rows (`store.rs`). Encrypted conversations (`*.pb`)
//! are not supported.
//!
//! # What steps become
//!
//! | native | record |
//! |---|---|
//! | `USER_INPUT` | user |
//! | `PLANNER_RESPONSE` | assistant, with a child for its thinking and for each call |
//! | any other step of the `MODEL` | tool-result |
//! | all others | system-event of that type |
//! | a row of `steps` of type 14 | user |
//! | a row of `steps` of type 15 | assistant, with a child for its thinking |
//! | a row of `steps` of type 23, 90 or 98 | system-event `CHECKPOINT`, `EPHEMERAL_MESSAGE` or `CONVERSATION_HISTORY` |
//! | any other row of `steps` | system-event `step-type-<number>` |
//! | rows of other tables | system-event of the table's name |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | `source` |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools) |
//! | `outcome`, `exit-code` | tool-results | `status`, and the text of a command's result |
//! | `superseded: compacted` | messages and results whose step is before a `CHECKPOINT` | `step_index` |
//! | `delegated-to` | calls that started a subagent | the first conversation that the result names |
//! | `ends` | `ERROR_MESSAGE` | the turn failed |
//! | `usage` | steps of a database, and requests (`gen_metadata`) of which no step states it | the tokens of the request, once for each response |
//!
//! # Decisions
//!
//! * One entry for each step, in the order of the log, which is not that of `step_index`.
//! * Calls have no ids: `<step_index>:<number>`. The results after a response, in the order of their
//!   steps, answer its calls in order; a result without a call has no `call-id`.
//! * The arguments of a call are JSON inside of texts: `input` has the values, and `args` is kept as it
//!   is. An argument that is not such a text is in `input` unchanged.
//! * The id of a session is the folder of its conversation or `cascade_id` of its database, else the
//!   name of the file, or, for the name that all transcripts have, an id computed from its bytes.
//! * The model of a transcript is the name in the settings that a prompt contains; most prompts
//!   contain none. Only the database states tokens. Neither states the working directory or the
//!   version.
//! * The blobs of a database are Protocol Buffers without a published schema. They are kept whole
//!   (`{"base64": ...}`), and only fields that recorded databases have are read (`blobs.rs`). The
//!   format of calls, results and permissions in databases is not known, so they are events.
//! * The model of a response in a database is the name that the user sees (`Gemini 3.1 Pro (High)`),
//!   as in transcripts; the program's own (`gemini-pro-default`) is an alias. Tokens of a step without
//!   a request have no model.
//! * Tokens of input do not contain those of caches; those of output contain thinking.
//! * The text that the user typed is in `<USER_REQUEST>`; the rest of a prompt is context.
#![doc = include_str!("../MAPPING.md")]

mod blobs;
#[cfg(feature = "check")]
pub mod check;
mod line;
mod lines;
mod places;
mod protobuf;
mod row;
mod store;
mod tools;

use vac_adapter::line_log::{LineAdapter, LineAgent};
use vac_adapter::members::Rest;
use vac_adapter::prompt::Typed;

/// The adapter of Antigravity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Antigravity;

impl LineAdapter for Antigravity {
    const AGENT: LineAgent = LineAgent {
        cli_name: Some("antigravity-cli"),
        mappings: &[&[line::Line::MAPPING, line::ToolCall::MAPPING, row::Step::MAPPING]],
        tools: &tools::TOOLS,
        compaction_events: &[line::CHECKPOINT],
        typed,
        writes_whole_texts: true,
        session_marks: Some(&[]),
        places: places::PLACES,
        stores: &store::STORES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::ANTIGRAVITY),
        ..LineAgent::new::<lines::Lines>("antigravity", "Antigravity")
    };
}

/// Returns the request in a prompt, without what the program adds to it. The user can have typed the
/// end mark, too, and a shortened prompt can end before it.
fn typed(text: &str, _: &Rest<'_>) -> Option<Typed> {
    let (_, rest) = text.split_once("<USER_REQUEST>")?;
    let request = rest.rsplit_once("</USER_REQUEST>").map_or(rest, |(request, _)| request);
    Some(Typed { text: request.trim().to_owned(), left_out: "context" })
}
