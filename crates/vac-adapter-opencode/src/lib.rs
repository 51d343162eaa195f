//! `OpenCode` sessions as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_opencode::OpenCode;
//!
//! let log = Memory {
//!     name: "session.jsonl",
//!     bytes: br#"
//!         {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text",
//!         "text": "Hi"}
//!         {"id": "msg_1", "sessionID": "ses_1", "role": "user",
//!         "time": {"created": 1770000000000}}
//!     "#,
//! };
//! let sessions = OpenCode.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "ses_1");
//! assert_eq!(report.entries["user"], 2, "the message and its text");
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Variants
//!
//! | variant | log |
//! |---|---|
//! | `concatenated` | objects of a store one after the other, in any order, of one session or of several |
//! | `tree` | the files of one session in a storage tree, one after the other |
//! | `early` | the same from 2025, with messages that contain their parts |
//! | `database` | the rows of one session as such objects, with the times of the rows |
//! | `export` | `opencode export`: `{info, messages: [{info, parts}]}`, from version 2 `{info, messages: [{type, ...}]}`, also damaged or truncated |
//! | `share` | a shared session: `[{type, data}]`, also damaged or truncated |
//! | `capture` | `opencode run --format json`: lines with a part each |
//!
//! A session has the same entries in all of them, except for what a variant does not contain:
//!
//! * an export has no project and no `session_diff`, and often no `todo`;
//! * a shared session has no project and no `todo`, and lists its models;
//! * a database has no `session_diff` (it is a file next to it), and its entries have the times
//!   of their rows (`time_created`, `time_updated`);
//! * a capture has the parts of answers only: no session and no messages, so no prompts, no
//!   models and no parent. Other members of a line are the member `line` of its entry; a part
//!   without a time has the time of its line.
//!
//! # What objects become
//!
//! | object | record |
//! |---|---|
//! | message | a message without content, before the entries of its parts (`message.rs`) |
//! | part `text`, `reasoning` | a message with the role of its message; reasoning (`part.rs`) |
//! | part `tool`, and `tool-invocation` of 2025 | a tool-call, and a tool-result if there is one (`tool.rs`, `message_2025.rs`) |
//! | every other part (`step-start`, `step-finish`, `patch`, `file`, `compaction` ...) | system-event of that type |
//! | rows of `session_message`, `session_inbox`, `session_pending`, messages of exports of version 2 | messages with all that was said (`session_message.rs`) |
//! | `agent-switched`, `model-switched`, `system`, `skill`, `compaction`, `idle` there | system-event of that type |
//! | session, project | the record around the entries (`record.rs`) |
//! | arrays of diffs and of todos, the share object, the models of a shared session | `session.session_diff`, `session.todo`, `session.session_share`, `session.session_model` |
//! | other members of an export or of its messages; of an element of a shared session | system-event `export`; `share` |
//!
//! The [mapping](#mapping) of members is at the end of this page.
//!
//! Annotations are decided in `annotate.rs` (authors, ends, what is no longer part of the
//! conversation), `outcome.rs` and `tools.rs`.
//!
//! # Decisions
//!
//! * The files of a store are in any order, such as parts before their message and prompts after
//!   their answers. Entries are in the order that `OpenCode` shows: messages by the time of their
//!   creation, then by id; each before its parts, these by id. In an export, messages contain their
//!   parts: nesting decides order and owner, not the ids (they may be replaced). Rows of
//!   `session_message` are ordered by `seq`. Bytes that are not a document have no such place and
//!   stay after the object that precedes them.
//! * For that order, an index of the input is kept in memory, never the input itself. An input in
//!   memory is scanned once. Any other input is read again for every 32 MB of it, in the order of
//!   the entries; only an export, which is one document, has to be in memory completely.
//! * One input with several sessions gives one record for each, by the time of their creation,
//!   then by id. A part without a session belongs to the session of its message. An array names
//!   no session: it belongs to the session object right after it, else to what comes before it.
//!   A project belongs to all sessions that name it.
//! * A part is an entry of its own and keeps its `messageID`. A user's message is one moment:
//!   its parts without a time have that of the message. Other parts have the time they state, or
//!   none. A part inside a message has the message's id and its own number.
//! * Usage is counted once: on the message. A `step-finish` repeats it, and keeps it as native
//!   data; where the message is missing, it is the `token-usage` of the event.
//! * Prompts of a session with a `parentID` are the parent's (`other-agent`). A fork is the
//!   user's: its prompts stay the user's, and messages older than the fork are `inherited`.
//! * A command that the user ran with `!` is a tool-call of the tool `user_command`. The log does
//!   not state its exit code before version 2, so its outcome is unknown.
//! * `sessionID` is not repeated on entries where it is the session's.
//! * The `secret` of a share object, or of a session's `share`, is redacted, and the report
//!   counts it. What could not be parsed and has that name in it is kept as its length and
//!   digest.
//! * Data of the session has to fit both encodings: an object with half a surrogate pair in it
//!   is an event instead.
//! * Of a damaged export or shared session, whole objects are converted as usual, and the rest
//!   is kept unparsed.
//! * A row whose data is not a JSON object is kept unparsed; the object for a file that could
//!   not be read is an event and a warning.
//! * Rows of `session_message` are the session's messages if no other table has any. Otherwise
//!   they are events, except for prompts that wait in a queue, which no other table has.
#![doc = include_str!("../MAPPING.md")]

mod annotate;
mod capture;
#[cfg(feature = "check")]
pub mod check;
mod classify;
mod container;
mod damaged_export;
mod detect;
mod entry;
mod event;
mod message;
mod message_2025;
mod models;
mod names;
mod object;
mod order;
mod outcome;
mod part;
mod places;
mod prompt_rules;
mod record;
mod secret;
mod session;
mod session_message;
mod source;
mod steps;
mod store;
mod survey;
mod time;
mod tool;
mod tools;
mod upkeep;
mod usage;

use vac_adapter::mapping::Mapping;
use vac_adapter::prompt::PromptRule;
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};
use vac_value::Any;

/// The adapter of `OpenCode`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCode;

impl Adapter for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "OpenCode"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        detect::preview(sample)
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![
            record::SessionObject::MAPPING,
            record::Project::MAPPING,
            secret::Share::MAPPING,
            message::Message::MAPPING,
            message::NamedModel::MAPPING,
            usage::Tokens::MAPPING,
            usage::Cache::MAPPING,
            time::Time::MAPPING,
            part::TextPart::MAPPING,
            part::ReasoningPart::MAPPING,
            part::ProviderMetadata::MAPPING,
            tool::ToolPart::MAPPING,
            tool::NativeState::MAPPING,
            part::EventPart::MAPPING,
            session_message::SessionMessage::MAPPING,
            session_message::ContentText::MAPPING,
            session_message::ContentTool::MAPPING,
            session_message::UserCommand::MAPPING,
            message_2025::Message2025::MAPPING,
            message_2025::Metadata::MAPPING,
            message_2025::Assistant::MAPPING,
            message_2025::InvocationPart::MAPPING,
            message_2025::Invocation::MAPPING,
            capture::Line::MAPPING,
            event::Row::MAPPING,
            event::Document::MAPPING,
        ]
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &["compaction"]
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        prompt_rules::RULES
    }

    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        outcome::result_text(output)
    }

    fn logs_results(&self) -> bool {
        true
    }

    fn newest_tested(&self) -> Option<&'static str> {
        Some("1.18.10")
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    fn upkeep(&self) -> &'static vac_adapter::upkeep::Upkeep {
        &upkeep::UPKEEP
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
