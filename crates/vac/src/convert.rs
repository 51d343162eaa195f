//! Converts logs to records.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;
use vac_adapter::report::Report;
use vac_adapter::session::{self, Named};
use vac_adapter::{Session, frame};
use vac_store::{Loaded, StoredLog};
use vac_value::Encoding;

use crate::error::Result;
use crate::output::EarlierLabels;
use crate::parallel::with_stack;
use crate::version::is_newer;
use crate::{Agent, Task};

/// The placeholder in the value of a label for the name of the home folder in which the log was
/// found.
pub const HOME: &str = "{home}";

/// Options for converting a log.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Options for writing the record. [`HOME`] in a label is replaced by the name of the home
    /// folder.
    pub record: session::RecordOptions,
    /// The maximum number of bytes of a line or message that is parsed. A longer one is kept
    /// unparsed, in pieces.
    pub max_event: usize,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self { record: session::RecordOptions::default(), max_event: frame::MAX_EVENT }
    }
}

impl ConvertOptions {
    /// Returns the options for a log, with the name of its home folder in labels.
    pub(crate) fn with_home(&self, log: &StoredLog) -> Result<Cow<'_, Self>, vac_adapter::Error> {
        let labels = &self.record.labels;
        let Some((key, value)) = labels.iter().find(|(_, value)| value.contains(HOME)) else {
            return Ok(Cow::Borrowed(self));
        };
        let Some(home) = &log.home else {
            let reason = format!("label {key}={value}: it was not found in a home folder");
            return Err(vac_adapter::Error::Refused(reason));
        };
        let mut options = self.clone();
        for value in options.record.labels.values_mut() {
            *value = value.replace(HOME, home);
        }
        Ok(Cow::Owned(options))
    }
}

/// The result of converting a log.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Converted {
    /// A report for each record. Most logs contain one session.
    pub sessions: Vec<Report>,
}

/// Converts a log and writes its records, one after the other: each JSON record with a line end, or
/// a CBOR sequence.
///
/// # Errors
/// If the log cannot be read or is refused, or a record cannot be written. The output is incomplete
/// then.
pub fn convert(
    task: &Task,
    options: &ConvertOptions,
    mut out: impl Write + Send,
) -> Result<Converted> {
    let (log, agent) = task.open()?;
    let converted = with_stack(|| convert_to(&log, agent, options, &mut out))?;
    converted.map_err(|error| crate::Error::from(error).at(&task.name))
}

/// A record in memory.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// The bytes of the record: JSON or CBOR.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The report on the conversion of the session.
    #[serde(flatten)]
    pub report: Report,
}

/// Converts a log to records in memory, one for each session. Most logs contain one.
///
/// # Errors
/// If the log cannot be read or is refused.
pub fn convert_to_records(task: &Task, options: &ConvertOptions) -> Result<Vec<Record>> {
    let (log, agent) = task.open()?;
    let records = with_stack(|| {
        let written = convert_each(&log, agent, options, Vec::new, Ok)?;
        let record = |written: Written<_>| written.map(|(report, bytes)| Record { bytes, report });
        written.into_iter().map(record).collect::<Result<_, _>>()
    })?;
    records.map_err(|error: vac_adapter::Error| crate::Error::from(error).at(&task.name))
}

fn convert_to(
    log: &StoredLog,
    agent: Agent,
    options: &ConvertOptions,
    out: &mut dyn Write,
) -> Result<Converted, vac_adapter::Error> {
    let mut reports: Result<_, vac_adapter::Error> = Ok(Vec::new());
    let options = &*options.with_home(log)?;
    let loaded = load_to_convert(log, options)?;
    each_session(log, log.wanted.as_ref(), &loaded, agent, &mut |session, loaded| {
        let Ok(done) = &mut reports else { return };
        let written = write(session, agent, options, loaded, out).and_then(|report| {
            if options.record.encoding == Encoding::Json {
                out.write_all(b"\n")?;
            }
            Ok(report)
        });
        match written {
            Ok(report) => done.push(report),
            Err(error) => reports = Err(error),
        }
    })?;
    let sessions = reports?;
    loaded.sources()?;
    out.flush()?;
    Ok(Converted { sessions })
}

/// The report on a record and the writer that received it, or the reason why the session was not
/// converted.
pub type Written<W> = Result<(Report, W), vac_adapter::Error>;

/// Converts a log and writes each of its records to a writer of its own. `complete` receives the
/// writer when its record is complete, and before the next is begun. Has to be called on a thread
/// with a stack of [`STACK`](crate::parallel::STACK) bytes, such as those of
/// [`ordered_parallel_map`](crate::parallel::ordered_parallel_map).
///
/// # Errors
/// If the log cannot be read or is refused, or was changed meanwhile. A session that could not be
/// converted does not prevent others.
pub fn convert_each<W: Write, T>(
    log: &StoredLog,
    agent: Agent,
    options: &ConvertOptions,
    open: impl Fn() -> W,
    complete: impl Fn(W) -> io::Result<T>,
) -> Result<Vec<Written<T>>, vac_adapter::Error> {
    let known = KnownSessions { wanted: log.wanted.as_ref(), labels: None };
    convert_some(log, known, agent, options, open, complete)
}

/// What is known of the sessions of a log before they are converted.
#[derive(Clone, Copy)]
pub(crate) struct KnownSessions<'k> {
    /// The ids of the records of the sessions to convert; `None` for all.
    pub wanted: Option<&'k BTreeSet<String>>,
    /// The labels that earlier records have, for new ones to keep.
    pub labels: Option<&'k EarlierLabels>,
}

/// Converts some sessions of a log, like [`convert_each`].
pub(crate) fn convert_some<W: Write, T>(
    log: &StoredLog,
    known: KnownSessions<'_>,
    agent: Agent,
    options: &ConvertOptions,
    open: impl Fn() -> W,
    complete: impl Fn(W) -> io::Result<T>,
) -> Result<Vec<Written<T>>, vac_adapter::Error> {
    let mut all = Vec::new();
    let options = &*options.with_home(log)?;
    let loaded = load_to_convert(log, options)?;
    each_session(log, known.wanted, &loaded, agent, &mut |session, loaded| {
        let mut out = open();
        let mut options = Cow::Borrowed(options);
        if let Some(labels) = known.labels {
            labels.add_to(&session.record().id, &mut options.to_mut().record.labels);
        }
        let report = write(session, agent, &options, loaded, &mut out);
        all.push(report.and_then(|report| Ok((report, complete(out)?))));
    })?;
    // If the log was changed while the last session was read, earlier records are refused, too.
    loaded.sources()?;
    Ok(all)
}

/// Loads a log of an agent and passes each of its [wanted](StoredLog::wanted) sessions to a
/// function. Has to be called on a thread with a large stack, as [`convert_each`].
///
/// # Errors
/// If the log cannot be read or is refused.
pub fn read_log<'l>(
    log: &'l StoredLog,
    agent: Agent,
    max_event: usize,
    show: &mut dyn FnMut(&dyn Session, &Loaded<'l>),
) -> Result<Loaded<'l>, vac_adapter::Error> {
    let loaded = log.load_within(max_event)?;
    each_session(log, log.wanted.as_ref(), &loaded, agent, show)?;
    Ok(loaded)
}

/// Loads a log, and starts to hash it: its records state its SHA-256.
fn load_to_convert<'l>(log: &'l StoredLog, options: &ConvertOptions) -> io::Result<Loaded<'l>> {
    let loaded = log.load_within(options.max_event)?;
    loaded.start_hashing();
    Ok(loaded)
}

/// Passes each session of a log that is wanted, by the id of its record, to a function.
fn each_session<'l>(
    log: &StoredLog,
    wanted: Option<&BTreeSet<String>>,
    loaded: &Loaded<'l>,
    agent: Agent,
    show: &mut dyn FnMut(&dyn Session, &Loaded<'l>),
) -> Result<(), vac_adapter::Error> {
    let sessions = agent.adapter.survey(loaded)?;
    log.note_session_count(sessions.len());
    for session in &sessions {
        if wanted.is_none_or(|wanted| wanted.contains(&*session.record().id)) {
            show(&Named::new(&**session, agent.name), loaded);
        }
    }
    Ok(())
}

/// Writes a record. If the agent is newer than the tested versions, the report contains a warning,
/// because the log may contain unknown types and keys.
fn write(
    session: &dyn Session,
    agent: Agent,
    options: &ConvertOptions,
    log: &Loaded<'_>,
    out: &mut dyn Write,
) -> Result<Report, vac_adapter::Error> {
    let mut report = session::write(session, &options.record, &|| log.sources(), out)?;
    if let (Some(version), Some(tested)) = (&report.cli_version, agent.adapter.newest_tested())
        && is_newer(version, tested)
    {
        let warning = format!("written by version {version}, tested up to {tested}");
        report.warn(warning);
    }
    Ok(report)
}
