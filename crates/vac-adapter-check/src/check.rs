//! Runs the checks that every log has to pass.

use std::fmt;

use vac_adapter::{Adapter, Error};

use crate::agents::AgentRules;
use crate::convert::{ConvertedRecord, convert_full, convert_in_every_way, convert_twice};
use crate::logs::TestLog;
use crate::no_drop::{self, Where};
use crate::references::{self, References, Resolved};

/// The result of checking a log.
#[derive(Clone, Debug)]
pub enum CheckOutcome {
    /// The input was refused, because it is not a log of the agent.
    Refused(String),
    /// The log was converted, and nothing is lost.
    Converted {
        /// The records, in compact JSON and the full profile.
        records: Vec<ConvertedRecord>,
        /// The result of comparing its scalars with those of the records; none is missing.
        no_drop: no_drop::NoDropOutcome,
        /// The number of its references to ids that exist; none is lost.
        resolved: Resolved,
    },
}

impl CheckOutcome {
    /// Returns the records; an empty slice if the input was refused.
    pub fn records(&self) -> &[ConvertedRecord] {
        match self {
            Self::Refused(_) => &[],
            Self::Converted { records, .. } => records,
        }
    }

    /// Returns the only record.
    pub fn only(&self) -> &ConvertedRecord {
        match self.records() {
            [only] => only,
            others => panic!("{} records, not one: {self}", others.len()),
        }
    }

    /// Returns the reason for the refusal.
    pub fn refusal(&self) -> &str {
        match self {
            Self::Refused(reason) => reason,
            Self::Converted { .. } => panic!("not refused: {self}"),
        }
    }

    /// Returns whether the input was refused.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Converted { records, no_drop, resolved } => {
                let entries: u64 =
                    records.iter().flat_map(|record| record.report.entries.values()).sum();
                write!(
                    f,
                    "{} sessions, {entries} entries, {} leaves, {} excepted, {} unparsed, {} missing, \
                     {} parents, {} calls",
                    records.len(),
                    no_drop.leaves,
                    no_drop.excepted.values().sum::<usize>(),
                    no_drop.unparsed,
                    no_drop.missing.len(),
                    resolved.parents,
                    resolved.calls,
                )
            }
        }
    }
}

/// Converts a log in every way. Panics unless the records are valid and the same each time, nothing
/// is lost, and ids refer to the same entries.
pub fn check(agent: &AgentRules, adapter: &dyn Adapter, log: &TestLog) -> CheckOutcome {
    compare(agent, log, convert_in_every_way(adapter, log), true)
}

/// Checks like [`check`], but converts only from memory and streamed.
pub fn check_briefly(agent: &AgentRules, adapter: &dyn Adapter, log: &TestLog) -> CheckOutcome {
    compare(agent, log, convert_twice(adapter, log), true)
}

/// Checks a log with events that are too long. Unlike [`check`], it does not compare references,
/// because ids are not read in events that are kept unparsed.
pub fn check_pieces(agent: &AgentRules, adapter: &dyn Adapter, log: &TestLog) -> CheckOutcome {
    compare(agent, log, convert_in_every_way(adapter, log), false)
}

/// Checks that no value of a damaged log is lost. The log is converted only once, because there are
/// many damaged logs, and references are not compared, because the damage may have changed ids.
pub fn check_damaged(agent: &AgentRules, adapter: &dyn Adapter, log: &TestLog) -> CheckOutcome {
    compare(agent, log, convert_full(adapter, log), false)
}

fn compare(
    agent: &AgentRules,
    log: &TestLog,
    converted: Result<Vec<ConvertedRecord>, Error>,
    follows_ids: bool,
) -> CheckOutcome {
    let name = &log.shown;
    let records = match converted {
        Ok(records) => records,
        Err(Error::Refused(reason)) => {
            assert!(!reason.is_empty(), "{name} is refused without a reason");
            return CheckOutcome::Refused(reason);
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
        let native = References::from_log(agent, &documents);
        let values: Vec<_> = records.iter().map(ConvertedRecord::value).collect();
        resolved = references::compare(&native, &values)
            .unwrap_or_else(|problem| panic!("{name}: {problem}"));
    }
    CheckOutcome::Converted { records, no_drop, resolved }
}

/// Checks logs, prints a line about each and the number of exceptions, and returns the outcomes.
pub fn check_all(
    agent: &AgentRules,
    adapter: &dyn Adapter,
    logs: &[TestLog],
) -> Vec<(String, CheckOutcome)> {
    let mut outcomes = Vec::new();
    for log in logs {
        let outcome = check(agent, adapter, log);
        println!("{}: {outcome}", log.shown);
        outcomes.push((log.shown.clone(), outcome));
    }
    agent.print_exceptions();
    let mut excepted = std::collections::BTreeMap::new();
    for (_, outcome) in &outcomes {
        if let CheckOutcome::Converted { no_drop, .. } = outcome {
            for (reason, count) in &no_drop.excepted {
                *excepted.entry(*reason).or_insert(0) += count;
            }
        }
    }
    println!("excepted: {excepted:?}");
    outcomes
}
