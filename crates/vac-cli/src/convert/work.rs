//! Converts logs, several in parallel, with outcomes in the order of the logs.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use tempfile::SpooledTempFile;
use vac::{AGENTS, Agent};
use vac_adapter::adapter::{Adapter, Error, Session};
use vac_adapter::report::Report;
use vac_adapter::session::{self, Options};
use vac_store::join::{Known, look_and_hold};
use vac_store::{HeldBudget, Loaded, Log, join};

use super::version;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::progress::Progress;
use crate::sessions;
use crate::terminal::Talk;

/// Smaller records are kept in memory: there are more of them than files may be open.
const SMALL: usize = 1 << 18;

/// How logs are converted.
pub struct Settings {
    /// The agent that was named, if any.
    pub agent: Option<Agent>,
    /// How records are written.
    pub options: Options,
    /// How many bytes an event may have to be parsed.
    pub max_event: usize,
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

/// Looks at the beginning of every log and puts those together that are one session.
pub fn arrange(
    logs: Vec<Log>,
    agent: Option<Agent>,
    jobs: usize,
    budget: &HeldBudget,
    talk: Talk,
) -> io::Result<Vec<Known>> {
    let adapters = match agent {
        Some(agent) => vec![agent.adapter],
        None => AGENTS.to_vec(),
    };
    let progress = Progress::new("looking", logs.len(), talk);
    let mut known = Vec::with_capacity(logs.len());
    let work = |log| look_and_hold(log, &adapters, budget);
    ordered_parallel_map(logs, jobs, work, |log| {
        progress.step();
        known.push(log);
        ControlFlow::Continue(())
    })?;
    Ok(join::join(known))
}

/// Converts all logs and hands over each outcome, in order.
pub fn convert_all(
    logs: &[Known],
    settings: &Settings,
    talk: Talk,
    mut take: impl FnMut(&Log, Outcome) -> ControlFlow<()>,
) -> io::Result<()> {
    let work = |known: &Known| convert(known, settings);
    let mut due = logs.iter();
    let progress = Progress::new("converting", logs.len(), talk);
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
    let Some(Agent { name, adapter }) = settings.agent.or_else(|| sessions::named(known)) else {
        return Outcome::Unknown(known.looks_like.clone());
    };
    let log = match known.log.load_within(settings.max_event) {
        Ok(log) => log,
        Err(error) => return Outcome::of(&error.into()),
    };
    let sessions = match adapter.survey(&log) {
        Ok(sessions) => sessions,
        Err(error) => return Outcome::of(&error),
    };
    let made = sessions.iter().map(|session| {
        let session = session::Named::new(&**session, name);
        let mut made = write(&session, &settings.options, &log);
        if let Made::Record(report, _) = &mut made {
            warn_if_newer(report, adapter);
        }
        made
    });
    let made = made.collect();
    // A change that the last of several sessions met has to do with all of them.
    match log.sources() {
        Ok(_) => Outcome::Converted(made),
        Err(error) => Outcome::of(&error),
    }
}

/// A newer version may write what nobody has seen.
fn warn_if_newer(report: &mut Report, adapter: &dyn Adapter) {
    if let (Some(version), Some(tested)) = (&report.cli_version, adapter.newest_tested())
        && version::is_newer(version, tested)
    {
        let warning = format!("written by version {version}, tested up to {tested}");
        report.warn(warning);
    }
}

fn write(session: &dyn Session, options: &Options, log: &Loaded<'_>) -> Made {
    let mut out = BufWriter::new(Kept(SpooledTempFile::new(SMALL)));
    let written = session::write(session, options, &|| log.sources(), &mut out)
        .and_then(|report| Ok((report, out.into_inner().map_err(io::IntoInnerError::into_error)?)));
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
