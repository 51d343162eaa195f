//! One log at a time, several at once: results come back in the order of the
//! logs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use vac_adapter::adapter::{Adapter, Error, Session};
use vac_adapter::detect::detect;
use vac_adapter::report::Report;
use vac_adapter::session::{self, Options};

use super::ADAPTERS;
use super::logs::{Loaded, Log};

/// Entries nest, and what walks them calls itself.
const STACK: usize = 16 << 20;

/// How logs are converted.
pub struct Settings {
    /// The agent that was named, if any.
    pub agent: Option<String>,
    /// How records are written.
    pub options: Options,
    /// How many logs at once.
    pub jobs: usize,
}

/// What became of one log.
pub enum Outcome {
    /// Its sessions.
    Converted(Vec<Made>),
    /// It is nobody's log.
    Unknown,
    /// It is an agent's log, and not one that can be converted.
    Refused(String),
    /// It could not be read, or a record not be kept.
    Trouble(String),
}

/// What became of one session.
pub enum Made {
    /// A record, kept in a file without a name, and its report.
    Record(Box<Report>, File),
    /// It did not become one, and why.
    Failed(String),
}

/// Converts all logs and hands over each outcome, in order.
pub fn convert_all(
    logs: &[Log],
    settings: &Settings,
    mut take: impl FnMut(&Log, Outcome),
) -> std::io::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(settings.jobs);
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.min(logs.len()) {
            let (next, sender) = (&next, sender.clone());
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(log) = logs.get(at) else { return };
                    if sender.send((at, convert(log, settings))).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (at, outcome) in receiver {
            early.insert(at, outcome);
            while let Some(outcome) = early.remove(&due) {
                take(&logs[due], outcome);
                due += 1;
            }
        }
        Ok(())
    })
}

fn convert(log: &Log, settings: &Settings) -> Outcome {
    let log = match log.load() {
        Ok(log) => log,
        Err(error) => return Outcome::Trouble(error.to_string()),
    };
    let adapter = match choose(&log, settings.agent.as_deref()) {
        Ok(Some(adapter)) => adapter,
        Ok(None) => return Outcome::Unknown,
        Err(error) => return Outcome::Trouble(error.to_string()),
    };
    let source = match log.source() {
        Ok(source) => source,
        Err(error) => return Outcome::Trouble(error.to_string()),
    };
    let sessions = match adapter.survey(&log) {
        Ok(sessions) => sessions,
        Err(Error::Io(error)) => return Outcome::Trouble(error.to_string()),
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let options = Options { sources: vec![source], ..settings.options.clone() };
    Outcome::Converted(sessions.iter().map(|session| write(&**session, &options)).collect())
}

fn choose(log: &Loaded<'_>, agent: Option<&str>) -> std::io::Result<Option<&'static dyn Adapter>> {
    match agent {
        Some(name) => Ok(ADAPTERS.iter().copied().find(|adapter| adapter.name() == name)),
        None => Ok(detect(log, ADAPTERS)?.map(|(adapter, _)| adapter)),
    }
}

fn write(session: &dyn Session, options: &Options) -> Made {
    let written = (|| {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        let report = session::write(session, options, &mut out)?;
        out.flush()?;
        let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        Ok::<_, Error>((report, file))
    })();
    match written {
        Ok((report, file)) => Made::Record(Box::new(report), file),
        Err(error) => Made::Failed(error.to_string()),
    }
}
