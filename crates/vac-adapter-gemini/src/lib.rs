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
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "s1");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is |
//! |---|---|
//! | `json` | a session as one document with `messages`, written until 0.38 |
//! | `jsonl` | a session as lines: a header, messages, changes (`$set`), rewinds (`$rewindTo`) |
//! | `history`, `contents` | output of `/chat save` and `/chat share`: Content of the API, in an object or bare |
//! | `tool-checkpoint` | the state before an edit, for `/restore` |
//! | `stream-json` | output of `--output-format stream-json` (`stream.rs`) |
//! | `logs` | `logs.json`: the prompts of several sessions, each a record of its own |
//!
//! # What documents become
//!
//! | native | record |
//! |---|---|
//! | message of type `user`, `human`, or without a type and with that `role` | user |
//! | message of type `gemini`, `model`, `assistant`, or without a type and with that `role` | assistant |
//! | message of type `info`, `warning`, `error` or unknown | system-event of that type |
//! | Content of the API: `history[]`, `clientHistory[]`, or an array of them | user for the role `user` or `function`, assistant for `model` |
//! | user message that consists of `functionResponse` parts | a tool-result for each |
//! | `$set` | system-event `session-updated`, or `messages-replaced` and then the messages |
//! | `$rewindTo` | system-event `session-rewound` |
//! | any other `$...` | system-event of that name |
//! | `toolCall`, `history[]` of a tool checkpoint | a tool-call; system-events `display` |
//! | prompt of `logs.json` | user |
//! | line of a stream | `stream.rs` |
//! | other attachments | system-event `tool-result-file` with its `call-id`, if the file is named after a call, else `file` |
//!
//! `environment.working-dir` is the first of `.project_root`, the folder in `<session_context>` and
//! `directories` whose SHA-256 is `projectHash`, else the first. The members of the head are those
//! of the session, with their last values. The [mapping](#mapping) of members is at the end of this
//! page.
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | the [rules](Adapter::prompt_rules) for texts; `program` before a canned answer of the CLI (the compressor's summary) and where `displayContent` is the response of a tool; `other-agent` in a subagent's session |
//! | `author: program` | assistant messages | the canned answers of the CLI |
//! | `local-command` | user messages | `/name`, `?`, and the report of a command that the user ran with `!` (with `action` and `exit-code`) |
//! | `superseded` | messages | `updated`: a later version with the same id exists; `rewound`, `compacted`: by the event `by` |
//! | `duplicate-of` | messages | the id of the message that a new list of messages repeats |
//! | `duplicate-of` | tool-results | the `call-id` of the call that contains the same result |
//! | `action` | tool-calls | the [tools](Adapter::tools); the server of an MCP tool is in its name or in `displayName` |
//! | `outcome`, `exit-code`, `permission` | tool-results, calls without a result | `status`, the response, and its last lines for shell tools (`vac_adapter::parts::outcome`) |
//! | `usage` | messages with `token-usage` | `input` - `cached` + `tool`; `cached`; `output` + `thoughts`; `thoughts` |
//! | `ends` | system-events | `error`: the turn failed; `info` "Request cancelled.": the turn was interrupted. After either, until the next message, errors are those of commands and end nothing. `info` or `warning` as the last message of the conversation: interrupted |
//! | `tool` | tool-results whose call is not in the log | `functionResponse.name` |
//! | `parent` of the session | | the folder `chats/<id>` of a subagent's file |
//!
//! # Decisions
//!
//! * One entry for each line, and for each element of a list, in the order of the log. The
//!   conversation at the end consists of the entries that are neither superseded nor duplicates.
//! * An `id` belongs to the last message that has it. Earlier versions have an id made from
//!   their place. A later version replaces the message even if the earlier one was rewound or
//!   compacted.
//! * A rewind ends the message that it names and all later ones, in the order of their first
//!   versions. With an unknown id it ends all. It reaches back to the beginning of its file, as
//!   does a new list of messages.
//! * A new list of messages repeats those that are kept, also under new ids and with shortened
//!   results of tools. The first ones stay part of the conversation, in their places.
//! * Messages of one list never replace each other.
//! * `token-usage` is on the last version of a message that has any; earlier ones keep
//!   `tokens`. Rewound and compacted messages were paid for, and count.
//! * The record's head is that of the first file, with what `$set` stated last. Replaced values
//!   are in a system-event `session-header`.
//! * Files or documents of one `sessionId` are one session in the order of their start;
//!   each but the first begins with a system-event `session-continued` that contains the members
//!   of its head. Without an id, documents are sessions of their own. Lines before the first head
//!   belong to it.
//! * Entries without an id get one made from their place: `L3`, `L3#2` for the second element of
//!   the document in line 3, `F2.L3` for line 3 of the second file.
//! * There is a tool-result where there is a result. Without one, status and display stay on the
//!   call.
//! * `is-error` is true for the status `error` and for a response with `error` (what
//!   the CLI writes) or `content.error`. A command that failed is not an error for the CLI: its
//!   exit code is an annotation.
//! * Calls and responses without an id are paired by order and name within one turn and
//!   the answer to it; the id is the tool's name and a number.
//! * Children without a timestamp of their own have that of their message.
//! * `/home/ada is full` is a prompt, `/home` a command.
//! * `commitHash` of a tool checkpoint belongs to a repository of the CLI, not of the
//!   project: it stays a native value.
//! * A truncated or damaged document is read message by message; what cannot be parsed is kept
//!   unparsed.
//! * A survey keeps a few bytes for each message, so that a log of lines is converted in
//!   the memory of its largest line.
#![doc = include_str!("../MAPPING.md")]

mod attachment;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod content;
mod damaged;
mod detect;
mod entry;
mod event;
mod facts;
mod head;
mod message;
mod message_content;
mod message_versions;
mod native;
mod places;
mod prompt_rules;
mod session;
mod session_builder;
mod stream;
mod survey;
mod tool_calls;
mod tools;
mod upkeep;
mod user_message_kind;
mod walk;

use std::rc::Rc;

use vac_adapter::mapping::Mapping;
use vac_adapter::members::Rest;
use vac_adapter::parts;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Log, Preview, Sample, Session, Verdict};

/// The name of the program in records.
const CLI_NAME: &str = "gemini-cli";

use vac_record::AbstractTimestamp;
use vac_value::Any;

/// The adapter of Gemini CLI.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gemini;

impl Adapter for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        detect::preview(sample)
    }

    fn cli_name(&self) -> &'static str {
        CLI_NAME
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![
            head::Head::MAPPING,
            message::Message::MAPPING,
            tool_calls::Tokens::MAPPING,
            tool_calls::Thought::MAPPING,
            tool_calls::ToolCall::MAPPING,
            parts::ApiPart::MAPPING,
            parts::FunctionCall::MAPPING,
            parts::FunctionResponse::MAPPING,
            event::Event::MAPPING,
            head::SetLine::MAPPING,
            head::Set::MAPPING,
            head::Operation::MAPPING,
            event::CheckpointCall::MAPPING,
            message::Prompt::MAPPING,
            stream::StreamMessage::MAPPING,
            stream::StreamCall::MAPPING,
            stream::StreamResult::MAPPING,
            stream::StreamEvent::MAPPING,
            stream::Stats::MAPPING,
        ]
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        prompt_rules::RULES
    }

    fn typed(&self, text: &str, extensions: &Rest<'_>) -> Option<Typed> {
        prompt_rules::typed(text, extensions)
    }

    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        parts::result_text::result_text(output)
    }

    /// Returns the newest tested version. No log of the CLI states its own version.
    fn newest_tested(&self) -> Option<&'static str> {
        Some("0.55.1")
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn start_in_name(&self, file: &str) -> Option<AbstractTimestamp<'static>> {
        facts::start_in_name(file)
    }

    fn places(&self) -> &'static [vac_adapter::places::AgentPlace] {
        places::PLACES
    }

    fn upkeep(&self) -> &'static vac_adapter::upkeep::Upkeep {
        &upkeep::UPKEEP
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::GEMINI)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let log = Rc::new(Log::new(input));
        if stream::is_stream(&log, native::is_line)? {
            return stream::sessions(input, &log);
        }
        survey::sessions(input, &log)
    }
}
