//! Hermes Agent session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_hermes::Hermes;
//!
//! // The rows of a session as `vac-store` provides them.
//! let rows = Memory {
//!     name: "s1",
//!     bytes: br#"{"sessions": {"id": "s1", "source": "cli", "started_at": 1785707674.25,
//!         "end_reason": "user_exit"}}
//!         {"messages": {"id": 1, "session_id": "s1", "role": "user", "content": "Hi",
//!         "active": 1, "timestamp": 1785707674.5}}"#,
//! };
//! let sessions = Hermes.survey(&rows)?;
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
//! | `database` | a session of `state.db` |
//!
//! A session is read as the documents of its rows (`store.rs`): its own, its system prompt, its
//! messages, and the tokens of each model. Exports, and the files that were written before the
//! database, are not supported.
//!
//! # What rows become
//!
//! | native | record |
//! |---|---|
//! | a message of a `user` | user |
//! | a message of the `assistant` | assistant, with a child for its reasoning and for each call |
//! | a message of a `tool` | tool-result |
//! | a message of the `system` | system-event `system` |
//! | a row of another table | system-event `session`, `system_prompt`, `model_usage` |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages | the user; `program` for summaries (`_compressed_summary`) and hidden messages (`display_kind`); `other-agent` in a session that another one delegated |
//! | `superseded` | messages that are not `active` | `compacted`, else `rewound` |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools) |
//! | `outcome`, `exit-code` | tool-results | `success`, `error` and `exit_code` in the JSON of the content; no column states them |
//! | `usage` | `model_usage`; else `session` | `session_model_usage`; the totals of the session |
//! | `parent` of the session | | `parent_session_id`; the relation is in `model_config` |
//!
//! # Decisions
//!
//! * Times are seconds with a fraction: `timestamp` is in milliseconds, and the native number is
//!   kept. Numbers that are not times occur, and are only kept.
//! * The arguments of a call are JSON in a text: `input` is the value.
//! * Columns of sessions that contain names of chats and persons (`user_id`, `chat_id`, `session_key`,
//!   `origin_json`, ...) are never read, and neither are tables of gateways.
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

/// The adapter of Hermes Agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hermes;

impl LineAdapter for Hermes {
    const AGENT: LineAgent = LineAgent {
        cli_name: Some("hermes-agent"),
        mappings: &[&[line::Message::MAPPING, line::ToolCall::MAPPING, usage::Tokens::MAPPING]],
        tools: &tools::TOOLS,
        logs_results: true,
        writes_whole_texts: true,
        session_marks: Some(&[]),
        places: places::PLACES,
        stores: &store::STORES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::HERMES),
        ..LineAgent::new::<lines::Lines>("hermes", "Hermes Agent")
    };
}
