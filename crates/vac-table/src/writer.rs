//! Collects the rows of many sessions and passes them on in batches.

use arrow_array::RecordBatch;
use vac_adapter::{Error, Session, SourceFile};

use crate::session_rows::TableSink;
use crate::table::{RowBuilder, SessionTable, TableSet};
use crate::tables::{EntryBuilder, FileBuilder, SessionBuilder, ToolCallBuilder, UsageBuilder};

/// The number of bytes of rows, in all tables together, at which they are passed to the receiver.
pub const MAX_BATCH: usize = 16 << 20;

/// A function that receives batches of rows.
pub type BatchReceiver<'r> = dyn FnMut(SessionTable, RecordBatch) -> Result<(), Error> + 'r;

/// Facts about the source of a session, which the session does not state.
#[derive(Clone, Debug, Default)]
pub struct SessionOrigin {
    /// The files of a log. A record states them itself.
    pub sources: Vec<SourceFile>,
    /// The SHA-256 of a record's bytes, in hexadecimal.
    pub record_sha256: Option<String>,
    /// The signature of a record.
    pub signature: Option<SignatureFacts>,
    /// The version of the program that reads a log. A record states it itself.
    pub vac_version: Option<String>,
}

/// The facts that a signature states, without verifying it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignatureFacts {
    /// The algorithm.
    pub algorithm: Option<String>,
    /// The issuer.
    pub issuer: Option<String>,
    /// The identifier of the key.
    pub key: Option<String>,
}

/// Converts sessions to rows, and passes them to a receiver in batches.
pub struct Tables<'r> {
    pub(crate) selected: TableSet,
    pub(crate) builders: Builders,
    receive: &'r mut BatchReceiver<'r>,
}

pub(crate) struct Builders {
    pub sessions: SessionBuilder,
    pub entries: EntryBuilder,
    pub tool_calls: ToolCallBuilder,
    pub usage: UsageBuilder,
    pub files: FileBuilder,
}

impl Builders {
    fn all(&mut self) -> [(SessionTable, &mut dyn RowBuilder); 5] {
        [
            (SessionTable::Sessions, &mut self.sessions),
            (SessionTable::Entries, &mut self.entries),
            (SessionTable::ToolCalls, &mut self.tool_calls),
            (SessionTable::Usage, &mut self.usage),
            (SessionTable::Files, &mut self.files),
        ]
    }

    fn size(&self) -> usize {
        let Self { sessions, entries, tool_calls, usage, files } = self;
        sessions.size() + entries.size() + tool_calls.size() + usage.size() + files.size()
    }
}

impl<'r> Tables<'r> {
    /// Creates tables without rows. Only rows of the selected tables are passed to `receive`.
    pub fn new(selected: TableSet, receive: &'r mut BatchReceiver<'r>) -> Self {
        let builders = Builders {
            sessions: SessionBuilder::new(),
            entries: EntryBuilder::new(),
            tool_calls: ToolCallBuilder::new(),
            usage: UsageBuilder::new(),
            files: FileBuilder::new(),
        };
        Self { selected, builders, receive }
    }

    /// Reads a session, in one pass. Returns its [key](crate::record_key).
    ///
    /// # Errors
    /// If the session cannot be read, or the receiver fails. Some of its rows may have been passed
    /// on then, but not its row in `sessions`.
    pub fn read_session(
        &mut self,
        session: &dyn Session,
        origin: &SessionOrigin,
    ) -> Result<String, Error> {
        let mut sink = TableSink::new(session, origin, self);
        session.entries(&mut sink)?;
        sink.finish()
    }

    /// Passes all rows so far to the receiver.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn flush(&mut self) -> Result<(), Error> {
        for (table, builder) in self.builders.all() {
            if let Some(batch) = builder.finish() {
                (self.receive)(table, batch)?;
            }
        }
        Ok(())
    }

    pub(crate) fn flush_if_full(&mut self) -> Result<(), Error> {
        if self.builders.size() < MAX_BATCH { Ok(()) } else { self.flush() }
    }
}
