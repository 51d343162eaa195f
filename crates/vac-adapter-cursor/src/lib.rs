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
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is | one entry for |
//! |---|---|---|
//! | `transcript` | lines `{role, message}` of `agent-transcripts` | a line |
//! | `stream-json` | output of `cursor-agent --output-format stream-json` | a line; all lines of one thought |
//! | `composer` | rows of the IDE's `state.vscdb`, as `vac-store` provides them | a row; a bubble inside a composer |
//! | `chat` | the CLI's `store.db`, as `vac-store` provides it | a blob; a tool result inside one |
//! | `text` | the old text transcript, with `user:` and `assistant:` | a turn |
//!
//! # What documents become
//!
//! | native | record |
//! |---|---|
//! | line with a `role`, line of a stream of type `user` or `assistant`, bubble, message of a chat | message |
//! | blocks `tool_use`, `tool-call` | tool-call children |
//! | blocks `tool_result`, `tool-result` | tool-result children |
//! | blocks `reasoning`, `redacted-reasoning`, `thinking`, `redacted_thinking`, a bubble's `thinking` | reasoning children |
//! | `thinking` lines of a stream | one reasoning; every line is in its `deltas` and `completed` |
//! | `tool_call` lines of a stream | started: a tool-call; completed: a tool-result |
//! | a bubble's `toolFormerData` | a tool-call child, and a tool-result child once it is over |
//! | a composer, `meta` and `meta.json` of a chat | system-events, and the facts about the session |
//! | a chat's message of the role `tool` | a tool-result for each of its blocks |
//! | lines with a `type`: `turn_ended`, `error`, `result`, any other | system-event of that type, with the `subtype` after a slash |
//!
//! A `<timestamp>` in a user's text, outside of what the user typed, is the `timestamp` of a message
//! that has no other; the text stays complete. The [mapping](#mapping) of members is at the end of
//! this page.
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | the text in `<user_query>`, else the text without `<timestamp>`, by the [rules](Adapter::prompt_rules); `program` for `isSimulatedMsg` and `isPlanExecution` of a bubble or its header, and for `isSummary` of a chat; `other-agent` in a subagent's session |
//! | `action` | tool-calls | the [tools](Adapter::tools); the server of an MCP tool is in its name or its input |
//! | `outcome`, `exit-code`, `permission` | tool-results | `outcome.rs` |
//! | `duplicate-of` | answers of a stream | the first piece of an answer that is repeated as a whole |
//! | `permission` | tool-calls of bubbles | `userDecision` |
//! | `usage` | bubbles, `result` lines | `tokenCount`, `usage` |
//! | `starts` | `system/init` lines | |
//! | `ends` | `result` lines: the session; `turn_ended` and `error` lines: the turn | `is_error`, `subtype`, `status` |
//! | `superseded: other` | bubbles and blobs that the conversation does not list any more | the store |
//! | `reason: row-missing` | events `missing` | rows that are NULL, or listed without existing |
//! | `parent` of the session | | the folder `<id>/subagents`, `subagentInfo`; `fork` for `isBestOfNSubcomposer` |
//!
//! # Decisions
//!
//! * A transcript names neither its session nor its model. The session's id is the
//!   file's name where that is a UUID, as Cursor writes it, else a UUID that is a
//!   function of the bytes. Model and provider are unknown.
//! * Entries are in the order of the log. An entry without an id has its place as
//!   one; the id of a bubble is the end of its key, that of a blob its hash.
//! * A `<timestamp>` has minutes and an offset from UTC; without the offset
//!   it is not a date-time and is ignored. Only prompts of a transcript have
//!   timestamps, and no member states when that session ended.
//! * A `role` other than `user` and `assistant` is kept next to the type. In a chat, messages of
//!   other roles are events: the system prompt is not an answer.
//! * The rest of the native `message` stays together under that name, and so does
//!   the rest of a `tool_call`.
//! * The texts of a thought are joined token by token, so that a character that was
//!   cut in two is complete again.
//! * A line for a completed call that no line started becomes the call and its result.
//! * Blobs that the conversation refers to, but does not list, are `linked`.
//! * Rows that are not JSON are kept as text or bytes.
//! * Whether a row is listed, missing or repeated is stated by the input
//!   ([`Input::troubles`]), not by the row.
//! * The keys of the data that Cursor stores encrypted (`blobEncryptionKey`,
//!   `speculativeSummarizationEncryptionKey`) are redacted, and the report counts them. Of unparsed
//!   bytes with such a name in them, only the length and the digest are kept.
//! * The text variant is ambiguous. A turn is kept as the content of its message;
//!   thoughts, calls and results are parsed from it as children. A thought is one line.
//! * Cursor logs do not state a version, so no log is reported as newer than the tested versions.
#![doc = include_str!("../MAPPING.md")]

mod blocks;
mod bubble;
mod capture;
mod chat;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod composer;
mod detect;
mod entry;
mod event;
mod facts;
mod line;
mod message;
mod outcome;
mod partial_output;
mod places;
mod preview;
mod prompt_rules;
mod reader;
mod secret;
mod store;
mod stored;
mod survey;
mod text;
mod thought;
mod tool_former_data;
mod tools;
mod upkeep;
mod usage;
mod written_time;

use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::session_marks::SessionMark;
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};
use vac_record::MessageEntry;
use vac_value::{Any, Kind};

/// The adapter of Cursor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor;

impl Adapter for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        preview::preview(sample)
    }

    fn mappings(&self) -> Vec<Mapping> {
        let own = [
            message::MessageLine::MAPPING,
            message::Message::MAPPING,
            event::Event::MAPPING,
            usage::RunUsage::MAPPING,
            capture::CallLine::MAPPING,
            capture::ToolCall::MAPPING,
            capture::Tool::MAPPING,
            stored::StoredRow::MAPPING,
            composer::Composer::MAPPING,
            bubble::Bubble::MAPPING,
            bubble::ModelInfo::MAPPING,
            bubble::TokenCount::MAPPING,
            bubble::Thinking::MAPPING,
            tool_former_data::ToolFormerData::MAPPING,
            chat::ChatMeta::MAPPING,
            chat::ChatMessage::MAPPING,
            blocks::StoredCall::MAPPING,
            blocks::StoredResult::MAPPING,
            blocks::Reasoning::MAPPING,
        ];
        own.into_iter().chain(vac_adapter::blocks::MAPPINGS).collect()
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        prompt_rules::RULES
    }

    fn typed(&self, text: &str, _: &Rest<'_>) -> Option<Typed> {
        prompt_rules::typed(text)
    }

    fn spoken(&self, message: &MessageEntry<'_>, text: &str) -> Option<String> {
        let has_children = message.children.as_ref().is_some_and(|it| !it.is_empty());
        let is_text = |content: &Any<'_>| {
            content.document().is_ok_and(|content| content.root().kind() == Kind::Text)
        };
        let is_turn = has_children && message.content.as_ref().is_some_and(is_text);
        is_turn.then(|| text::turn::spoken(text))
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn session_marks(&self, _: &str) -> Option<&'static [SessionMark]> {
        Some(&[])
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
        Some(&check::CURSOR)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        if text::is_text_transcript(&text::beginning(input)?) {
            return Ok(vec![Box::new(text::Survey::new(input)?)]);
        }
        Ok(vec![Box::new(survey::Survey::new(input)?)])
    }
}
