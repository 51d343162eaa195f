//! Goose session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_goose::Goose;
//!
//! let log = Memory {
//!     name: "20250901_090000.jsonl",
//!     bytes: br#"{"working_dir": "/home/ada", "description": "Geese", "message_count": 1}
//!         {"role": "user", "created": 1756717200,
//!         "content": [{"type": "text", "text": "Hi"}]}"#,
//! };
//! let sessions = Goose.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "20250901_090000");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is |
//! |---|---|
//! | `database` | `sessions.db`, written since September 2025 |
//! | `jsonl` | a session as lines, before |
//!
//! A session of the database is read as the documents of its rows (`store.rs`): its own, then its
//! messages, then its requests. The output of `goose session export` is not supported.
//!
//! # What rows and lines become
//!
//! | native | record |
//! |---|---|
//! | a message of a `user` or the `assistant` | user, assistant, with a child for each thought, call and result |
//! | a row of `sessions`, or the first line | system-event `session` |
//! | a row of `usage_ledger` | system-event `usage_ledger` |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages with anything but results | the user; `program` if the user does not see it, or the session is `scheduled`; `other-agent` in the session of a `sub_agent` |
//! | `superseded: compacted` | messages that the model does not see any more, before a summary that the user does not see | `agentVisible`, `userVisible` |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools); the extension of any other tool is its server |
//! | `outcome` | tool-results | `status`, `isError` |
//! | `permission` | messages that ask for it | `toolConfirmationRequest`, `actionRequired` |
//! | `usage` | rows of `usage_ledger`; else `session` | the request; the totals (`accumulated_...`) |
//!
//! # Decisions
//!
//! * The model of an answer is `resolvedModel`, else `requestedModel`.
//! * Tables of sessions that are not listed here (threads, schedules) are never read.
//! * `input_tokens` contain those of caches, if they and the output are the total.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod line;
mod lines;
mod places;
mod store;
mod tools;
mod usage;

use vac_adapter::line_log::{LineAdapter, LineAgent};

/// The adapter of Goose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Goose;

impl LineAdapter for Goose {
    const AGENT: LineAgent = LineAgent {
        mappings: &[&[
            line::Message::MAPPING,
            line::Metadata::MAPPING,
            line::ToolRequest::MAPPING,
            line::ToolResponse::MAPPING,
            line::Thinking::MAPPING,
            usage::Ledger::MAPPING,
        ]],
        tools: &tools::TOOLS,
        result_text: line::result_text,
        logs_results: true,
        writes_whole_texts: true,
        session_marks: Some(&[]),
        places: places::PLACES,
        stores: &store::STORES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::GOOSE),
        ..LineAgent::new::<lines::Lines>("goose", "Goose")
    };
}
