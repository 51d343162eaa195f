//! One log at a time, several at once: results come back in the order of the
//! logs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::{Mutex, mpsc};

use vac_adapter::adapter::{Error, Session};
use vac_adapter::report::Report;
use vac_adapter::session::{self, Options};
use vac_store::join::{Known, look};
use vac_store::{Log, join};

use super::ADAPTERS;

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

/// Looks at the beginning of every log and puts those together that are one session.
pub fn arrange(logs: Vec<Log>, settings: &Settings) -> std::io::Result<Vec<Known>> {
    let adapters: Vec<_> = ADAPTERS
        .iter()
        .copied()
        .filter(|adapter| settings.agent.as_ref().is_none_or(|name| name == adapter.name()))
        .collect();
    let mut known = Vec::with_capacity(logs.len());
    each(logs, settings.jobs, |log| look(log, &adapters), |log| known.push(log))?;
    Ok(join::join(known))
}

/// Converts all logs and hands over each outcome, in order.
pub fn convert_all(
    logs: &[Known],
    settings: &Settings,
    mut take: impl FnMut(&Log, Outcome),
) -> std::io::Result<()> {
    let work = |known: &Known| convert(known, settings);
    let mut due = logs.iter();
    each(logs.iter(), settings.jobs, work, |outcome| {
        if let Some(known) = due.next() {
            take(&known.log, outcome);
        }
    })
}

/// Does the same with every item, several at once; results are taken in order.
fn each<I: Send, O: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    jobs: usize,
    work: impl Fn(I) -> O + Sync,
    mut take: impl FnMut(O),
) -> std::io::Result<()> {
    let items = Mutex::new(items.into_iter().enumerate());
    let (sender, receiver) = mpsc::sync_channel(jobs);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (items, work, sender) = (&items, &work, sender.clone());
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                loop {
                    let next = items.lock().ok().and_then(|mut items| items.next());
                    let Some((at, item)) = next else { return };
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (at, result) in receiver {
            early.insert(at, result);
            while let Some(result) = early.remove(&due) {
                take(result);
                due += 1;
            }
        }
        Ok(())
    })
}

fn convert(known: &Known, settings: &Settings) -> Outcome {
    if let Some(trouble) = &known.trouble {
        return Outcome::Trouble(trouble.clone());
    }
    let named = settings.agent.as_deref().or(known.agent);
    let adapter = ADAPTERS.iter().find(|adapter| Some(adapter.name()) == named);
    let Some(adapter) = adapter else { return Outcome::Unknown };
    let loaded = known.log.load().and_then(|log| log.sources().map(|sources| (log, sources)));
    let (log, sources) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return Outcome::Trouble(error.to_string()),
    };
    let sessions = match adapter.survey(&log) {
        Ok(sessions) => sessions,
        Err(Error::Io(error)) => return Outcome::Trouble(error.to_string()),
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let options = Options { sources, ..settings.options.clone() };
    Outcome::Converted(sessions.iter().map(|session| write(&**session, &options)).collect())
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
