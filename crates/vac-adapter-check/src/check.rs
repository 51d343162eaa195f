//! All that is true of every log, in one call.

use std::fmt;

use vac_adapter::{Adapter, Error};

use crate::agents::Agent;
use crate::convert::{Converted, every_way, full, twice};
use crate::logs::Log;
use crate::no_drop::{self, Where};
use crate::references::{self, References, Resolved};

/// What became of a log.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is no log of the agent.
    Refused(String),
    /// Nothing is lost.
    Held {
        /// The records, in compact JSON and the full profile.
        records: Vec<Converted>,
        /// What became of its scalars; none is missing.
        no_drop: no_drop::Outcome,
        /// How many of its references lead somewhere; none is lost.
        resolved: Resolved,
    },
}

impl Outcome {
    /// The records; none if it was refused.
    pub fn records(&self) -> &[Converted] {
        match self {
            Self::Refused(_) => &[],
            Self::Held { records, .. } => records,
        }
    }

    /// The only record.
    pub fn only(&self) -> &Converted {
        match self.records() {
            [only] => only,
            others => panic!("{} records, not one: {self}", others.len()),
        }
    }

    /// Why it was refused.
    pub fn refusal(&self) -> &str {
        match self {
            Self::Refused(reason) => reason,
            Self::Held { .. } => panic!("not refused: {self}"),
        }
    }

    /// Whether it was refused.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Held { records, no_drop, resolved } => {
                let entries: u64 =
                    records.iter().flat_map(|record| record.report.entries.values()).sum();
                write!(
                    f,
                    "{} sessions, {entries} entries, {} leaves, {} excepted, {} raw, {} missing, \
                     {} parents, {} calls",
                    records.len(),
                    no_drop.leaves,
                    no_drop.excepted.values().sum::<usize>(),
                    no_drop.raw,
                    no_drop.missing.len(),
                    resolved.parents,
                    resolved.calls,
                )
            }
        }
    }
}

/// Converts a log in every way and fails unless the records are valid and the same every
/// time, nothing is lost, and ids lead where they led.
pub fn check(agent: &Agent, adapter: &dyn Adapter, log: &Log) -> Outcome {
    held(agent, log, every_way(adapter, log), true)
}

/// The same, but converts only twice: held and streamed.
pub fn check_briefly(agent: &Agent, adapter: &dyn Adapter, log: &Log) -> Outcome {
    held(agent, log, twice(adapter, log), true)
}

/// The same for logs with events that are too long: converts in every way, and follows no
/// ids, which are not read in what is kept unparsed.
pub fn check_pieces(agent: &Agent, adapter: &dyn Adapter, log: &Log) -> Outcome {
    held(agent, log, every_way(adapter, log), false)
}

/// The same for damaged logs, of which there may be many: converts once, and follows no
/// ids, which damage may have changed.
pub fn lossless(agent: &Agent, adapter: &dyn Adapter, log: &Log) -> Outcome {
    held(agent, log, full(adapter, log), false)
}

fn held(
    agent: &Agent,
    log: &Log,
    converted: Result<Vec<Converted>, Error>,
    follows_ids: bool,
) -> Outcome {
    let name = &log.shown;
    let records = match converted {
        Ok(records) => records,
        Err(Error::Refused(reason)) => {
            assert!(!reason.is_empty(), "{name} is refused without a reason");
            return Outcome::Refused(reason);
        }
        Err(error) => panic!("{name}: {error}"),
    };
    let documents = (agent.documents)(log);
    let texts: Vec<_> = records.iter().map(|record| &record.record[..]).collect();
    let place = match &records[..] {
        [only] if (agent.one_entry_a_document)(only.variant) => Where::InItsEntry,
        _ => Where::Anywhere,
    };
    let no_drop = no_drop::compare(agent, &documents, &texts, place);
    let some = &no_drop.missing[..no_drop.missing.len().min(20)];
    assert!(some.is_empty(), "{name}: {} are not {place}: {some:#?}", no_drop.missing.len());
    let mut resolved = Resolved::default();
    if follows_ids {
        let native = References::of_log(agent, &documents);
        let values: Vec<_> = records.iter().map(Converted::value).collect();
        resolved = references::compare(&native, &values)
            .unwrap_or_else(|problem| panic!("{name}: {problem}"));
    }
    Outcome::Held { records, no_drop, resolved }
}

/// Checks logs, prints a line about each, and then what was excepted; gives what became
/// of them.
pub fn walk(agent: &Agent, adapter: &dyn Adapter, logs: &[Log]) -> Vec<(String, Outcome)> {
    let mut outcomes = Vec::new();
    for log in logs {
        let outcome = check(agent, adapter, log);
        println!("{}: {outcome}", log.shown);
        outcomes.push((log.shown.clone(), outcome));
    }
    agent.print_exceptions();
    let mut excepted = std::collections::BTreeMap::new();
    for (_, outcome) in &outcomes {
        if let Outcome::Held { no_drop, .. } = outcome {
            for (reason, count) in &no_drop.excepted {
                *excepted.entry(*reason).or_insert(0) += count;
            }
        }
    }
    println!("excepted: {excepted:?}");
    outcomes
}
