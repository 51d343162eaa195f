//! Reads the sessions of logs and of records.

use std::io;

pub use vac_adapter::adapter::Counter;
use vac_adapter::report::Report;
pub use vac_adapter::{Error as ReadError, Origin, Session, Sink};
use vac_adapter::{SourceFile, frame};
pub use vac_record::Entry;
pub use vac_store::Loaded;
use vac_view::{Event, Facts, SkippedEvents, record};
pub use vac_view::{EventSink, FactsSink, TranscriptSink};

use crate::convert::read_log;
use crate::error::{Error, ErrorKind, Result};
use crate::parallel::with_stack;
use crate::record_documents::each_valid_document;
use crate::{AGENTS, EventOptions, Task};

/// Something that contains sessions: a log, or the bytes of records.
#[derive(Clone, Copy, Debug)]
pub enum Readable<'r> {
    /// A log.
    Log(&'r Task),
    /// Records in JSON or CBOR, one after the other, signed or not. Signatures are not checked.
    Records(&'r [u8]),
}

impl<'r> From<&'r Task> for Readable<'r> {
    fn from(task: &'r Task) -> Self {
        Self::Log(task)
    }
}

impl<'r> From<&'r [u8]> for Readable<'r> {
    fn from(bytes: &'r [u8]) -> Self {
        Self::Records(bytes)
    }
}

impl<'r> From<&'r Vec<u8>> for Readable<'r> {
    fn from(bytes: &'r Vec<u8>) -> Self {
        Self::Records(bytes)
    }
}

/// A function that receives each session, and the log that it is read from; `None` for a session of
/// a record.
pub type LoadedSessionReceiver<'s> =
    dyn FnMut(&dyn Session, Option<&Loaded<'_>>) -> Result<(), ReadError> + Send + 's;

/// Reads every session of a log or of records.
///
/// # Errors
/// If something cannot be read or is refused, and if `show` fails. The sessions before the error
/// were passed to `show`.
pub fn read<'r>(from: impl Into<Readable<'r>>, show: &mut LoadedSessionReceiver<'_>) -> Result<()> {
    match from.into() {
        Readable::Log(task) => {
            let (log, agent) = task.open()?;
            let done = with_stack(|| {
                let mut shown = Ok(());
                read_log(&log, agent, frame::MAX_EVENT, &mut |session, loaded| {
                    if shown.is_ok() {
                        shown = show(session, Some(loaded));
                    }
                })?;
                shown
            })?;
            done.map_err(|error| Error::from(error).at(&task.name))
        }
        Readable::Records(bytes) => with_stack(|| read_records(bytes, show))?,
    }
}

fn read_records(bytes: &[u8], show: &mut LoadedSessionReceiver<'_>) -> Result<()> {
    let syntax = each_valid_document(bytes, &mut |document| {
        if !record::is_record(document) {
            return Err(Error::new(ErrorKind::Unrecognised, "not a record"));
        }
        Ok(record::read(document, AGENTS, &mut |session| show(session, None))?)
    })?;
    match syntax {
        None => Ok(()),
        Some(reason) => Err(Error::new(ErrorKind::Unrecognised, format!("not a record: {reason}"))),
    }
}

/// Passes every entry of a session to several sinks, in one pass. The first of them receives the
/// report of the adapter.
///
/// ```
/// use vac::read::{Counter, FactsSink};
///
/// # let log = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
/// # let task = vac::Task::from_bytes("session.jsonl", log.to_vec())?;
/// vac::read::read(&task, &mut |session, _| {
///     let (mut facts, mut counter) = (FactsSink::new(session, &[]), Counter::default());
///     vac::read::read_entries(session, &mut [&mut facts, &mut counter])?;
///     assert_eq!((facts.finish().prompts["user"], counter.count), (1, 1));
///     Ok(())
/// })?;
/// # Ok::<(), vac::Error>(())
/// ```
///
/// # Errors
/// If the session cannot be read, or a sink fails.
pub fn read_entries(session: &dyn Session, sinks: &mut [&mut dyn Sink]) -> Result<(), ReadError> {
    session.entries(&mut SeveralSinks { sinks, report: Report::default() })
}

struct SeveralSinks<'s, 'e> {
    sinks: &'s mut [&'e mut dyn Sink],
    /// The report that the adapter writes to if the list of sinks is empty.
    report: Report,
}

impl Sink for SeveralSinks<'_, '_> {
    fn entry(&mut self, entry: Entry<'_>, origin: Origin<'_>) -> Result<(), ReadError> {
        let Some((last, others)) = self.sinks.split_last_mut() else { return Ok(()) };
        for sink in others {
            sink.entry(entry.clone(), origin)?;
        }
        last.entry(entry, origin)
    }

    fn report(&mut self) -> &mut Report {
        match self.sinks.first_mut() {
            Some(sink) => sink.report(),
            None => &mut self.report,
        }
    }
}

/// Returns the facts about every session.
///
/// # Errors
/// If something cannot be read or is refused, or a log was changed meanwhile.
pub fn inspect<'r>(from: impl Into<Readable<'r>>) -> Result<Vec<Facts>> {
    let mut all = Vec::new();
    read(from, &mut |session, log| {
        let mut facts = vac_view::inspect(session, &log.map(source_names).unwrap_or_default())?;
        if let Some(log) = log {
            facts.sources = log.sources()?;
        }
        all.push(facts);
        Ok(())
    })?;
    Ok(all)
}

/// Reports the events of every session, in order. Returns the numbers of events and entries that
/// were skipped.
///
/// # Errors
/// If something cannot be read or is refused, a log was changed meanwhile, or `receive` fails.
pub fn events<'r>(
    from: impl Into<Readable<'r>>,
    options: EventOptions,
    mut receive: impl FnMut(&Event<'_>) -> io::Result<()> + Send,
) -> Result<SkippedEvents> {
    let mut skipped = SkippedEvents::default();
    read(from, &mut |session, log| {
        let names = log.map(source_names).unwrap_or_default();
        let receive = &mut |event: &Event<'_>| Ok(receive(event)?);
        skipped.add(&vac_view::events(session, &names, options, receive)?);
        log.map_or(Ok(()), Loaded::check_unchanged)
    })?;
    Ok(skipped)
}

/// Returns the names of the files of a log, as sources whose content has not been read yet.
pub fn source_names(log: &Loaded<'_>) -> Vec<SourceFile> {
    use vac_adapter::Input as _;
    let parts = log.parts();
    let name = |part: &&dyn vac_adapter::Input| SourceFile {
        name: part.name().to_owned(),
        size: 0,
        sha_256: String::new(),
    };
    parts.iter().map(name).collect()
}
