//! Arrow tables of sessions: `sessions`, `entries`, `tool_calls`, `usage` and `files`.
//!
//! [`Tables`] reads sessions, each in one pass for all tables, and passes on [record
//! batches](arrow_array::RecordBatch). `TABLES.md` lists all columns; `queries/` contains SQL for
//! common questions.
//!
//! ```
//! use vac_table::{SessionOrigin, SessionTable, TableSet, Tables};
//! use vac_value::Document;
//! use vac_view::record;
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [{"type": "user", "content": "Fire it", "vac": {"author": "user"}}]
//! }}"#;
//! let mut counts = Vec::new();
//! let mut receive = |table: SessionTable, batch| {
//!     let batch: arrow_array::RecordBatch = batch;
//!     counts.push((table.name(), batch.num_rows()));
//!     Ok(())
//! };
//! let mut tables = Tables::new(TableSet::ALL, &mut receive);
//! let document = Document::json(json)?;
//! record::read(&document, &[], &mut |session| {
//!     tables.read_session(session, &SessionOrigin::default())
//! })?;
//! tables.flush()?;
//! assert_eq!(counts, [("sessions", 1), ("entries", 1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * Columns are defined once, in `tables.rs`, with their types and their documentation. The
//!   Arrow schema, the builders and TABLES.md come from there, and a row that lacks a column does
//!   not compile.
//! * Only types that every engine reads: text, 64-bit integers and floats, booleans, timestamps in
//!   microseconds and UTC, lists and structs. JSON is text that is tagged `arrow.json`.
//! * Entries are read as in `vac-view`: with the same reader, authors, tools and rules of what
//!   counts. Sums over rows where `is_counted` is true equal `vac inspect`.
//! * Rows are passed on when those of all tables have [`MAX_BATCH`] bytes, also within a session,
//!   so that memory does not grow with it. Calls wait for their results, up to a limit; a result
//!   that comes later has a row of its own.
//! * Tables are for analysis, records are evidence. JSON in a table can be read by every parser,
//!   and rows state whether a value was changed for that (`is_lossy`).
//!

mod call_rows;
mod calls;
mod column;
mod entry_tree;
#[cfg(feature = "files")]
pub mod file_writer;
mod finished_session;
mod json_text;
mod markdown;
mod record_key;
mod session_rows;
mod table;
mod tables;
#[cfg(feature = "files")]
mod text_writer;
mod values;
mod writer;

pub use column::TIME_ZONE;
pub use markdown::markdown;
pub use record_key::record_key;
pub use session_rows::{TableSink, session_key};
pub use table::{Column, SessionTable, TableSet};
pub use writer::{MAX_BATCH, SessionOrigin, SignatureFacts, Tables};
