//! Reads a session for display: one item for each action, in order, with everything that belongs to
//! it.
//!
//! An item is a prompt, an answer, reasoning, a tool call together with its result, a permission
//! decision, a compaction, or a part of the log that could not be parsed.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::transcript::{ItemKind, TranscriptOptions, transcript};
//! use vac_view::record;
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [
//!         {"type": "tool-call", "name": "fire", "call-id": "c1", "input": {"to": 900}},
//!         {"type": "tool-result", "call-id": "c1", "output": "hot\nvery hot",
//!             "vac": {"outcome": "success"}}]
//! }}"#;
//! let document = Document::json(json)?;
//! let mut items = Vec::new();
//! let summary = record::read(&document, &[], &mut |session| {
//!     transcript(session, &[], TranscriptOptions::default(), &mut |item| {
//!         items.push(item.clone());
//!         Ok(())
//!     })
//! })?;
//! let ItemKind::Call(call) = &items[0].kind else { panic!("not a call") };
//! assert_eq!(call.result.as_ref().map(|result| result.line_count()), Some(2));
//! assert_eq!(items[0].place.pointer(), "/session/entries/0");
//! assert_eq!((items.len(), summary.totals.calls), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * A call waits for its result, and what follows waits with it, up to [`MAX_WAITING`] items. A
//!   prompt of the user ends the wait, and so does the first action of a subagent that the call
//!   started. A result that comes later is an item of its own.
//! * Entries that repeat others, were inherited, updated or superseded are left out and counted,
//!   except with [`TranscriptOptions::all`]. Entries that were only compacted did happen and are
//!   not left out.
//! * Messages that the program or a hook wrote in the user's name are left out and counted in the
//!   same way.

mod head;
mod item;
mod summary;
mod waiting_items;

use vac_adapter::report::SourceFile;
use vac_adapter::{Error, Origin, Report, Session, Sink};
use vac_record::Entry;

pub use head::Head;
pub use item::{Call, CallResult, Item, ItemKind};
pub use summary::{FileTotal, Summary, Totals};
pub use waiting_items::MAX_WAITING;

use crate::entry_reader::EntryReader;
use crate::session_info::SessionInfo;
use waiting_items::WaitingItems;

/// The maximum number of names that a summary lists.
const MAX_NAMES: usize = 10_000;

/// The entries to include.
#[derive(Clone, Copy, Debug, Default)]
pub struct TranscriptOptions {
    /// Whether to include entries that repeat others, were inherited, updated or superseded, and
    /// messages that the program or a hook wrote.
    pub all: bool,
}

/// A function that receives items, in order.
pub type ItemReceiver<'t> = dyn FnMut(&Item) -> Result<(), Error> + 't;

/// Reads the items of a session, in order. `sources` are the files of a log; a record states them
/// itself.
///
/// # Errors
/// If the session cannot be read, or `receive` fails.
pub fn transcript(
    session: &dyn Session,
    sources: &[SourceFile],
    options: TranscriptOptions,
    receive: &mut ItemReceiver<'_>,
) -> Result<Summary, Error> {
    let mut sink = TranscriptSink::new(session, sources, options, receive);
    session.entries(&mut sink)?;
    sink.finish()
}

/// Receives the entries of a session and reports its items.
pub struct TranscriptSink<'t, 'f> {
    reader: EntryReader,
    items: WaitingItems<'t, 'f>,
    report: Report,
}

impl Sink for TranscriptSink<'_, '_> {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.reader.read(&entry, &mut self.items)?;
        self.items.flush()
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

impl<'t, 'f> TranscriptSink<'t, 'f> {
    /// Creates a sink for the entries of a session. The parameters are those of [`transcript`].
    pub fn new(
        session: &dyn Session,
        sources: &[SourceFile],
        options: TranscriptOptions,
        receive: &'t mut ItemReceiver<'f>,
    ) -> Self {
        let info = SessionInfo::new(session, sources);
        let reader = EntryReader::new(info.adapter);
        let items = WaitingItems::new(info, options, receive);
        Self { reader, items, report: Report::default() }
    }

    /// Reports the items that wait for a result. Returns the summary.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn finish(self) -> Result<Summary, Error> {
        let mut totals = self.items.finish()?;
        totals.invalid_annotations += self.reader.invalid_annotations;
        Ok(Summary { totals, ended: self.reader.ended(), status: self.reader.status() })
    }
}
