//! Converts logs, several in parallel, with outcomes in the order of the logs.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use vac::Agent;
use vac::convert::{ConvertOptions, Written, convert_each};
use vac::parallel::ordered_parallel_map;
use vac_adapter::Error;
use vac_adapter::report::Report;
use vac_store::join::DetectedLog;
use vac_value::Encoding;

use super::record_writer::{RecordWriter, Target, WrittenRecord};
use crate::printer::Progress;
use crate::readers::ModeOption;
use crate::sessions;

/// The settings of a conversion.
pub struct Settings {
    /// The agent that was named, if any.
    pub agent: Option<Agent>,
    /// Options for reading logs and writing records.
    pub options: ConvertOptions,
    /// The readers of the records.
    pub mode: ModeOption,
    /// The number of logs that are converted in parallel.
    pub jobs: usize,
}

/// The outcome of converting one log.
pub enum Outcome {
    /// Its sessions.
    Converted(Vec<SessionOutcome>),
    /// No adapter recognises it. Contains a description of the log, if there is one.
    Unknown(Option<String>),
    /// It is a log that cannot be converted.
    Refused(String),
    /// It could not be read.
    Trouble(String),
}

impl Outcome {
    fn from_error(error: &Error) -> Self {
        match error {
            error if is_trouble(error) => Self::Trouble(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

/// Returns whether an error is about files. An error that says that a log needs more memory than
/// there is, is about the log.
fn is_trouble(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() != io::ErrorKind::OutOfMemory)
}

/// The outcome of converting one session.
pub enum SessionOutcome {
    /// A record, and its report.
    Record(Box<Report>, WrittenRecord),
    /// It could not be converted, for this reason.
    Failed(String),
    /// It could not be read to its end, or its record could not be written.
    Trouble(String),
}

/// Converts all logs, and calls `take` with each outcome, in order.
pub fn convert_all(
    logs: &[DetectedLog],
    settings: &Settings,
    target: &Target,
    progress: &Progress<'_>,
    mut take: impl FnMut(&DetectedLog, Outcome) -> ControlFlow<()>,
) -> io::Result<()> {
    let work = |(number, detected)| convert(number, detected, settings, target);
    let mut due = logs.iter();
    let mut taken = 0;
    ordered_parallel_map(logs.iter().enumerate(), settings.jobs, work, |outcome| {
        progress.step();
        let flow = match due.next() {
            Some(detected) => take(detected, outcome),
            None => ControlFlow::Break(()),
        };
        taken += 1;
        target.set_due(taken);
        flow
    })
}

fn convert(number: usize, detected: &DetectedLog, settings: &Settings, target: &Target) -> Outcome {
    if let Some(trouble) = &detected.trouble {
        return Outcome::Trouble(trouble.clone());
    }
    // The name that the user gave takes precedence over that of the place.
    let Some(agent) = settings.agent.or_else(|| sessions::named(detected)) else {
        return Outcome::Unknown(detected.looks_like.clone());
    };
    let readers = settings.mode.readers_of_logs([&detected.log]);
    let open = || RecordWriter::new(target, number, readers);
    let complete = |mut record: RecordWriter<'_>| {
        // JSON records end in a line end, CBOR items do not.
        if settings.options.record.encoding == Encoding::Json {
            record.write_all(b"\n")?;
        }
        record.complete()
    };
    match convert_each(&detected.log, agent, &settings.options, open, complete) {
        Ok(written) => Outcome::Converted(written.into_iter().map(session_outcome).collect()),
        Err(error) => Outcome::from_error(&error),
    }
}

fn session_outcome(written: Written<WrittenRecord>) -> SessionOutcome {
    match written {
        Ok((report, record)) => SessionOutcome::Record(Box::new(report), record),
        Err(error) if is_trouble(&error) => SessionOutcome::Trouble(error.to_string()),
        Err(error) => SessionOutcome::Failed(error.to_string()),
    }
}
