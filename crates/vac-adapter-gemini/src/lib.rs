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
//! let (record, report) = session::collect(&*sessions[0], &session::Options::default())?;
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
//! | `history`, `contents` | what `/chat save` and `/chat share` write: Content of the API, in an object or bare |
//! | `tool-checkpoint` | what an edit can be undone with |
//! | `stream-json` | what `--output-format stream-json` prints (`stream.rs`) |
//! | `logs` | `logs.json`: the prompts of several sessions, each a record of its own |
//!
//! # Where things go
//!
//! | native | record |
//! |---|---|
//! | `sessionId` | `id`, `session.session-id`; without one that of a `$set`, the file's stem, or a function of the bytes |
//! | `startTime` | `created`, `session-start`; without one the earliest timestamp inside, else the minute in the file's name |
//! | `lastUpdated` | `session-end`, the last one there is; without one the latest timestamp inside |
//! | `.project_root`, the folder in `<session_context>`, `directories` | `environment.working-dir`: the first whose SHA-256 is `projectHash`, else the first |
//! | `projectHash`, `kind`, `summary`, `directories` and all others of the head | the session, by their own names, as they are at the end |
//! | the folder `chats/<id>` of a subagent's file | `parentSessionId` of the session |
//! | message of type `user`, `human`, or without a type and of that `role` | user |
//! | message of type `gemini`, `model`, `assistant`, or without a type and of that `role` | assistant |
//! | message of type `info`, `warning`, `error` or unknown | system-event of that type, the rest as its data |
//! | `id`, `timestamp`, `content`, `model` | `id`, `timestamp`, `content`, `model-id` |
//! | `parts` of a message without content | `content` |
//! | `tokens` | `token-usage`: `thoughts` is `reasoning`, `tool` keeps its name |
//! | `thoughts[]` | reasoning children: `description` is `content`; `subject`, `timestamp` |
//! | `toolCalls[]` | tool-call children: `args` is `input`, `id` is `call-id`; `displayName`, `description`, `agentId`, ... by their own names |
//! | `toolCalls[].result` | tool-result child with the result as it is for `output`; `status` and `resultDisplay` |
//! | `history[]`, or an array of Content | messages: `role` is the type, `parts` the `content` |
//! | part with `functionCall`, `functionResponse`, `thought` | child: tool-call, tool-result, reasoning; the part is in `content` as well |
//! | user message of nothing but `functionResponse` parts | a tool-result for each; the first has the message's `id`, and what else it says as `message` |
//! | `$set` | system-event `session-updated`, or `messages-replaced` and then the messages; `lastUpdated` is its `timestamp` |
//! | `$rewindTo` | system-event `session-rewound` |
//! | any other `$...` | system-event of that name |
//! | `clientHistory[]`, `toolCall`, `history[]` of a tool checkpoint | messages; a tool-call with `checkpoint: true`; system-events `display` |
//! | prompt of `logs.json` | user: `message` is the `content` |
//! | other attachments | system-event `tool-result-file` with its `call-id`, if the file is named after a call, else `file` |
//!
//! # Names of ours
//!
//! | name | on | means |
//! |---|---|---|
//! | `superseded` | every entry made of a message | it is not part of the conversation as it is at the end: `updated` (written again later), `rewound`, `compacted` (not in the list that replaced all messages) |
//! | `superseded-by` | the same | the `id` of the later version, or of the event that did it |
//! | `user-kind` | user | it is no prompt: `session-context`, `hook-context`, `state-snapshot` (said by the CLI), `tool-response` (responses, and something else), `command` |
//! | `duplicate-of` | tool-result | the `call-id` of the result that it repeats |
//! | `duplicate-of` | messages | the id of the message that a new list of messages repeats |
//! | `marker: compression` | system-event `info` | it is empty, which is what `/compress` leaves |
//!
//! # Decisions
//!
//! * One entry for each line, and for each element of a list, in the order of the log. The
//!   conversation at the end is the entries without `superseded`.
//! * An `id` belongs to the last message that has it. Earlier versions have the id of
//!   their place and name it in `superseded-by`. A later version stands for the message
//!   even if the earlier one was rewound or compacted.
//! * A rewind ends the message it names and those behind it, in the order of their first
//!   versions; one that names nobody ends all. It reaches back to the beginning of its
//!   file, as does a new list of messages.
//! * Messages of one list, with one id or not, never replace each other.
//! * `token-usage` is on the last version of a message that has any; earlier ones keep
//!   `tokens`. What was rewound or compacted was paid for, and counts.
//! * The record's head is that of the first file, with what `$set` said last. What that
//!   replaced is a system-event `session-header`.
//! * Files or documents of one `sessionId` are one session in the order of their start;
//!   each but the first begins with a system-event `session-continued` that holds what
//!   stands around its messages. Where there is no id, documents are sessions of their own.
//!   Lines before the first head belong to it.
//! * What has no id gets one of its place: `L3`, `L3#2` for the second element of the
//!   document in line 3, `F2.L3` for line 3 of the second file.
//! * There is a tool-result where there is a result. Without one the status and the
//!   display stay on the call.
//! * `is-error` is true for the status `error` and for a response with `error` (what
//!   the CLI writes) or `content.error`.
//! * Calls and responses that have no id are paired by order and name within one turn and
//!   the answer to it; the id is the tool's name and a number.
//! * A response whose call has its result with it is linked to that by `duplicate-of`,
//!   wherever it stands.
//! * Children without a timestamp of their own have that of their message.
//! * `/home/ada is full` is a prompt, `/home` a command.
//! * `commitHash` of a tool checkpoint is of a repository of the CLI's own, not of the
//!   project: it stays a native value.
//! * A document that is cut short or damaged is read message by message; what cannot
//!   be read is carried raw.
//! * A survey keeps a few bytes for each message, so that a log of lines is converted in
//!   the memory of its largest line.

mod attachment;
mod broken;
#[cfg(feature = "check")]
pub mod check;
mod companions;
mod content;
mod detect;
mod draft;
mod event;
mod facts;
mod keys;
mod ledger;
mod message;
mod native;
mod places;
mod said;
mod session;
mod stream;
mod survey;
mod tools;
mod walk;

use vac_adapter::{Adapter, Beginning, Error, Glimpse, Input, Sample, Session, Verdict};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gemini;

impl Adapter for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        detect::verdict(sample)
    }

    fn glimpse(&self, sample: &Sample<'_>) -> Glimpse {
        detect::glimpse(sample)
    }

    /// No log of the CLI says which version wrote it.
    fn newest_tested(&self) -> Option<&'static str> {
        Some("0.55.1")
    }

    fn companions(&self) -> &'static vac_adapter::companions::Companions {
        &companions::COMPANIONS
    }

    fn places(&self) -> &'static [vac_adapter::places::Place] {
        places::PLACES
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::GEMINI)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let beginning = Beginning::of(input)?;
        if stream::is_stream(&beginning.sample(), native::is_line) {
            return stream::sessions(input);
        }
        survey::sessions(input)
    }
}
