//! Views of sessions and records: [facts](facts::inspect) about a session, its flat stream of
//! [events](events::events), and its [transcript](transcript::transcript) for display.
//!
//! All read a [`Session`](vac_adapter::Session) entry by entry. An adapter reads the sessions of a
//! log, and [`record::read`] that of a record, so a log and its record give the same events.
//!
//! This crate does not know any agent. It reads the keys of the schema, the annotations that
//! adapters attach ([`vac_adapter::annotation`]) and the tables of the agent's adapter. It never
//! reads a native key of a log.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::{inspect, record};
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [
//!         {"type": "user", "content": "Fire it", "vac": {"author": "user"}},
//!         {"type": "user", "content": "It is hot", "vac": {"author": "hook"}},
//!         {"type": "assistant", "content": "", "children": [
//!             {"type": "tool-call", "name": "fire", "call-id": "c1", "input": {},
//!                 "vac": {"action": {"tool": "shell_exec", "category": "Execute"}}},
//!             {"type": "tool-result", "call-id": "c1", "output": "cold",
//!                 "vac": {"outcome": "error", "exit-code": 2}}]}
//!     ]
//! }}"#;
//! let document = Document::json(json)?;
//! let facts = record::read(&document, &[], &mut |session| inspect(session, &[]))?;
//! assert_eq!(facts.first_prompt.as_deref(), Some("Fire it"));
//! assert_eq!((facts.prompts["user"], facts.prompts["hook"]), (1, 1));
//! assert_eq!((facts.tools[0].category, facts.tools[0].errors), ("Execute", 1));
//! assert_eq!(facts.status.name(), "failure");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Events
//!
//! All events have `event`, `session-id` and `agent`, and, where they are known, `timestamp` and
//! `entry-id` (of the entry, or else of its parent). A member whose value is unknown is absent.
//! Members with the name of an annotation have its value.
//!
//! | event | reported for | other members |
//! |---|---|---|
//! | `session_start` | the session | `synthesised`, `model`, `cli-version`, `working-dir`, `parent`, `relation` |
//! | `user_prompt` | a message in the user's name that has text | `author`, `local-command`, `canonical`, `category`, `command`, `text`, `left-out` |
//! | `assistant_text` | a message in the model's name that has text | `author` (if it is not the model), `model`, `text`, `left-out` |
//! | `reasoning` | reasoning | `subject`, `text`, `left-out`, `encrypted` |
//! | `tool_use` | every tool call | `tool`, `canonical`, `category`, `server`, `call-id`, `command`, `paths`, `host`, `delegated-to`, `outcome`, `exit-code`, `input` |
//! | `tool_result` | every tool result | `tool`, `canonical`, `category`, `server`, `call-id`, `outcome`, `exit-code`, `text`, `output` |
//! | `permission` | every permission decision | `decision`, `by`, `what`, `call-id` |
//! | `usage` | every entry that states tokens or a cost | `model`, `usage`, `cost` |
//! | `session_end` | the session | `synthesised`, `status`, `ended` |
//!
//! Any of them can have `subagent`, `superseded`, `duplicate-of` and `inherited`.
//!
//! # What adapters annotate
//!
//! | annotation | used for |
//! |---|---|
//! | `author` | which prompts are the user's, and which messages of the model the program wrote; a message of the user without it has the author `unstated` |
//! | `local-command` | a prompt that the model does not receive: it does not count for the status |
//! | `action` | canonical name, category and server of a call; on a message of the user, a command that the user ran. Without it the adapter's table decides by the tool's name |
//! | `tool` | the tool of a result whose call is not in the session |
//! | `delegated-to` | the session or subagent that a call started |
//! | `outcome`, `exit-code` | the end of a call. A result without it has that of `is-error`; a call without it is open until its result |
//! | `usage`, `stated-cost` | tokens and their cost. `token-usage` is not added up, because agents count differently; its `cost` is |
//! | `permission` | `permission` events |
//! | `subagent` | entries that do not decide how the session ended |
//! | `duplicate-of`, `inherited`, `superseded` | entries that are skipped or marked |
//! | `reason` | the number of unparsed entries |
//! | `starts` | on the first entry: `session_start` is not synthesised |
//! | `ends` | the [`status`]; of a session, on the last entry: `session_end` is not synthesised |
//!
//! # Decisions
//!
//! * Nothing is reported twice. Entries that repeat others (`duplicate-of`), are earlier versions
//!   of others (`superseded` by `updated`) or come from another session (`inherited`) are skipped
//!   and counted. Other superseded entries did happen: they are reported, with the member
//!   `superseded`.
//! * By default only prompts of the user are reported, and those of an unstated author. Others
//!   are counted by author.
//! * System events of a log are not events here, but they can contain entries, permissions and
//!   usage, and they decide how a session ended ([`status`]).
//! * Annotations that are not valid are counted and treated as absent, since this program did not
//!   write them.
//! * Inputs and outputs of tools are written as they are in the record. Only an input that is the
//!   text of an object is written as that object.
//! * `command`, `paths` and `host` are derived from the input by the adapter's table of tools.
//!   Without an adapter they are absent.
//! * Times are RFC 3339 in UTC. An event whose time the log does not state is a microsecond later
//!   than the event before it, and has the member `timestamp-derived` ([`event_time`]). Records do
//!   not contain such times.
//! * Memory does not grow with a session: the last calls are remembered to name the tools of
//!   their results, and names are counted up to a limit.

pub mod author;
pub mod byte_filter;
pub mod context;
pub mod diff;
pub mod entry_reader;
pub mod event;
pub mod event_time;
pub mod events;
pub mod facts;
pub mod prices;
mod recent_calls;
pub mod record;
mod session_info;
pub mod status;
pub mod text_search;
pub mod transcript;
pub mod usage;
pub mod usage_totals;

pub use author::{AuthorSet, MessageAuthor};
pub use context::{Context, EntryPlace, Position, SkipReason};
pub use event::{Event, EventKind};
pub use events::{EventOptions, EventSink, SkippedEvents, events};
pub use facts::{Facts, FactsSink, inspect};
pub use text_search::{SessionHits, TextQuery, search_session};
pub use transcript::{Item, ItemKind, TranscriptSink, transcript};
