//! What sessions and records hold: [facts](facts::inspect) about them, and their flat
//! stream of [events](events::events).
//!
//! Both read a [`Session`](vac_adapter::Session) entry by entry. The survey of a native
//! log gives some; [`record::read`] makes one of a record, so that a log and its record
//! tell the same.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::{inspect, record};
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "gemini-cli"},
//!     "entries": [
//!         {"type": "user", "content": "See @a.md\n--- Content from referenced files ---\n..."},
//!         {"type": "assistant", "content": "", "children": [
//!             {"type": "tool-call", "name": "read_file", "call-id": "c1", "input": {}},
//!             {"type": "tool-result", "call-id": "c1", "output": {}, "is-error": true}]}
//!     ]
//! }}"#;
//! let document = Document::json(json)?;
//! let facts = record::read(&document, &mut |session| inspect(session, &[]))?;
//! assert_eq!(facts.first_prompt.as_deref(), Some("See @a.md"));
//! assert_eq!((facts.tools[0].category, facts.tools[0].errors), ("Read", 1));
//! assert_eq!(facts.status.name(), "failure");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The events
//!
//! All have `event`, `session-id`, `agent`, `timestamp` and `entry-id` (of the entry, or
//! of the one that it is a child of; null for a boundary that no entry states).
//!
//! | event | of | besides |
//! |---|---|---|
//! | `session_start` | the session | `synthesised`, `model`, `cli-version`, `working-dir` |
//! | `user_prompt` | a message of the user that has words | `text`, `left-out`, `command` |
//! | `assistant_text` | a message of the model that has words | `text`, `left-out`, `model` |
//! | `reasoning` | a reasoning | `text`, `left-out`, `subject`, `encrypted` |
//! | `tool_use` | every tool call | `tool`, `canonical`, `category`, `call-id`, `input`, `outcome` if the call itself says it |
//! | `tool_result` | every tool result | `tool`, `canonical`, `category`, `call-id`, `output`, `outcome` |
//! | `session_end` | the session | `synthesised`, `status` |
//!
//! # Decisions
//!
//! * What happened is told once. Entries that repeat others, are earlier versions of
//!   others or were inherited from another session stand [aside], and so does what the
//!   program said in the user's or the model's name ([`prompt`]). They are counted, and
//!   told to those who ask for everything, with the reason. What was taken back later
//!   happened: it is told, and says `superseded`.
//! * System-events are no events here, but what is inside them is (a prompt that waited in
//!   a queue), and they decide how a session ended ([`status`]).
//! * Values of tools are carried as they stand; only an input that is the text of an object
//!   (Codex, Cursor) is that object.
//! * Times are shown in UTC. Where the log has none, an event comes a microsecond behind
//!   the one before it, and says so ([`moment`]). Nothing of the kind is ever in a record.
//! * Memory does not grow with a session: the last calls are remembered to name the tools
//!   of their results, and names are counted up to a limit.

pub mod agent;
pub mod aside;
mod calls;
mod cursor_text;
mod entry;
pub mod event;
pub mod events;
pub mod facts;
mod head;
pub mod moment;
pub mod outcome;
pub mod prompt;
pub mod record;
pub mod said;
pub mod status;
pub mod tokens;
mod walk;

pub use agent::Agent;
pub use event::Event;
pub use events::{Options, Untold, events};
pub use facts::{Facts, inspect};
pub use walk::Subagent;
