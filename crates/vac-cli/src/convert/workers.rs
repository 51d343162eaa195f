//! Converts logs, several in parallel, with outcomes in the order of the logs.

use std::io::{self, BufWriter, IntoInnerError, Write};
use std::ops::ControlFlow;

use tempfile::SpooledTempFile;
use vac::Agent;
use vac::convert::{Options, Written, convert_each};
use vac::parallel::ordered_parallel_map;
use vac_adapter::Error;
use vac_adapter::report::Report;
use vac_store::Log;
use vac_store::join::Known;

use crate::printer::Progress;
use crate::sessions;

/// Smaller records are kept in memory: there are more of them than files may be open.
const SMALL: usize = 1 << 18;

/// How logs are converted.
pub struct Settings {
    /// The agent that was named, if any.
    pub agent: Option<Agent>,
    /// How logs are read and records written.
    pub options: Options,
    /// How many logs at once.
    pub jobs: usize,
}

/// What became of one log.
pub enum Outcome {
    /// Its sessions.
    Converted(Vec<Made>),
    /// No adapter knows it; what it looks like instead, if that is known.
    Unknown(Option<String>),
    /// It is an agent's log, and not one that can be converted.
    Refused(String),
    /// It could not be read, or a record not be kept.
    Trouble(String),
}

impl Outcome {
    /// That of a log that could not be converted.
    fn of(error: &Error) -> Self {
        match error {
            error if is_trouble(error) => Self::Trouble(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

/// Whether an error is about files. That a log needs more memory than there is, is about
/// the log.
fn is_trouble(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() != io::ErrorKind::OutOfMemory)
}

/// What became of one session.
pub enum Made {
    /// A record, kept in memory or in a file without a name, and its report.
    Record(Box<Report>, SpooledTempFile),
    /// It did not become one, and why.
    Failed(String),
    /// It could not be read on, or the record not be kept.
    Trouble(String),
}

/// Converts all logs and hands over each outcome, in order.
pub fn convert_all(
    logs: &[Known],
    settings: &Settings,
    progress: &Progress<'_>,
    mut take: impl FnMut(&Log, Outcome) -> ControlFlow<()>,
) -> io::Result<()> {
    let work = |known: &Known| convert(known, settings);
    let mut due = logs.iter();
    ordered_parallel_map(logs.iter(), settings.jobs, work, |outcome| {
        progress.step();
        match due.next() {
            Some(known) => take(&known.log, outcome),
            None => ControlFlow::Break(()),
        }
    })
}

fn convert(known: &Known, settings: &Settings) -> Outcome {
    if let Some(trouble) = &known.trouble {
        return Outcome::Trouble(trouble.clone());
    }
    // The name that the user states goes before that of the place.
    let Some(agent) = settings.agent.or_else(|| sessions::named(known)) else {
        return Outcome::Unknown(known.looks_like.clone());
    };
    let open = || BufWriter::new(Kept(SpooledTempFile::new(SMALL)));
    match convert_each(&known.log, agent, &settings.options, open) {
        Ok(made) => Outcome::Converted(made.into_iter().map(finish).collect()),
        Err(error) => Outcome::of(&error),
    }
}

fn finish(written: Written<BufWriter<Kept>>) -> Made {
    let written = written.and_then(|(report, out)| {
        Ok((report, out.into_inner().map_err(IntoInnerError::into_error)?))
    });
    match written {
        Ok((report, Kept(file))) => Made::Record(Box::new(report), file),
        Err(error) if is_trouble(&error) => Made::Trouble(error.to_string()),
        Err(error) => Made::Failed(error.to_string()),
    }
}

/// Says that it is not the log that cannot be read.
struct Kept(SpooledTempFile);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| {
            let folder = tempfile::env::temp_dir();
            let words = format!("cannot keep its record in {}: {error}", folder.display());
            io::Error::new(error.kind(), words)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
