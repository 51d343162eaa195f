//! Converts logs, several in parallel, with outcomes in the order of the logs.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use vac_adapter::report::Report;
use vac_store::StoredLog;
use vac_value::Encoding;

use super::earlier_labels::EarlierLabels;
use super::found_log::{Detection, FoundLog};
use super::options::OutputOptions;
use super::record_writer::{RecordWriter, Target, WrittenRecord};
use crate::Agent;
use crate::convert::{KnownSessions, Written, convert_some};
use crate::error::Error;
use crate::files::Readers;
use crate::parallel::ordered_parallel_map;

/// The outcome of converting one log.
pub enum LogOutcome {
    /// Its sessions.
    Converted(Vec<Result<(Box<Report>, WrittenRecord), Error>>),
    /// It is not a log. The value is a description of the file, if there is one.
    Skipped(Option<String>),
    /// It could not be converted.
    Failed(Error),
}

/// Converts all logs, and calls `take` with each outcome, in order.
pub fn convert_all(
    logs: &[FoundLog],
    labels: Option<&EarlierLabels>,
    options: &OutputOptions,
    jobs: usize,
    target: &Target,
    mut take: impl FnMut(&FoundLog, LogOutcome) -> ControlFlow<()>,
) -> io::Result<()> {
    let work = |(number, found)| convert(number, found, labels, options, target);
    let mut due = logs.iter();
    let mut taken = 0;
    ordered_parallel_map(logs.iter().enumerate(), jobs, work, |outcome| {
        let flow = match due.next() {
            Some(found) => take(found, outcome),
            None => ControlFlow::Break(()),
        };
        taken += 1;
        target.set_due(taken);
        flow
    })
}

fn convert(
    number: usize,
    found: &FoundLog,
    labels: Option<&EarlierLabels>,
    options: &OutputOptions,
    target: &Target,
) -> LogOutcome {
    match (found.detection(), found.log()) {
        (Detection::Agent(agent), Some(log)) => {
            let known = KnownSessions { wanted: found.wanted(), labels };
            convert_log(number, log, known, *agent, options, target)
        }
        (Detection::Agent(_), None) => unreachable!("a log with an agent was opened"),
        (Detection::Failed(error) | Detection::NotALog(error), _) => {
            LogOutcome::Failed(error.clone())
        }
        (Detection::Skipped(looks_like), _) => LogOutcome::Skipped(looks_like.clone()),
    }
}

fn convert_log(
    number: usize,
    log: &StoredLog,
    known: KnownSessions<'_>,
    agent: Agent,
    options: &OutputOptions,
    target: &Target,
) -> LogOutcome {
    let readers = options.readers.unwrap_or_else(|| Readers::of_logs([log]));
    let open = || RecordWriter::new(target, number, readers);
    let complete = |mut record: RecordWriter<'_>| {
        // JSON records end in a line end, CBOR items do not.
        if options.convert.record.encoding == Encoding::Json {
            record.write_all(b"\n")?;
        }
        record.complete()
    };
    let failed = |error| Error::from(error).at(log.shown.clone());
    let session = |written: Written<WrittenRecord>| {
        written.map(|(report, record)| (Box::new(report), record)).map_err(failed)
    };
    match convert_some(log, known, agent, &options.convert, open, complete) {
        Ok(written) => LogOutcome::Converted(written.into_iter().map(session).collect()),
        Err(error) => LogOutcome::Failed(failed(error)),
    }
}
