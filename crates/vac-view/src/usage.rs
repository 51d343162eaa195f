//! Adds up the tokens of many sessions by day, project, model, agent or session.
//!
//! # Decisions
//!
//! * The sums are those of the annotation `usage`, whose buckets do not overlap. Records of other
//!   converters, without annotations, have none.
//! * Each token is counted once. Entries that repeat others (`duplicate-of`), are earlier versions of others
//!   (`superseded` by `updated`) or were `inherited` from another session do not count, as in
//!   [`facts`](crate::facts). Entries that were superseded in another way count, because they were
//!   paid for.
//! * A statement that another session, or another copy of the session, contains as well counts once,
//!   in the session that is read first. Two statements are the same if they have the same tokens of
//!   the same model at the same time, or in an entry of the same id. Ids shorter than [`MIN_ID`]
//!   bytes are not unique. Statements without a time and such an id are the same if they are at the
//!   same position in sessions of the same id and agent.
//! * A statement without a time is counted at the start of its session.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use vac_adapter::report::SourceFile;
use vac_adapter::{Error, Origin, Report, Session, Sink};
use vac_record::Entry;
use vac_record::annotations::EntryAnnotations;
use vac_record::time::{instant, utc};

use crate::context::{Context, SkipReason};
use crate::entry_reader::{EntryReader, EntryVisitor};
use crate::event::EventKind;
use crate::prices::{Cost, PriceTable};
use crate::session_info::SessionInfo;
use crate::transcript::Head;
use crate::usage_totals::UsageTotals;

/// The minimum number of bytes of an id that identifies an entry in all sessions. Shorter ids can
/// occur in several sessions.
pub const MIN_ID: usize = 16;

/// The tokens that one entry states.
#[derive(Clone, Debug)]
pub struct UsageStatement {
    /// The model, if it is known.
    pub model: Option<String>,
    /// The time in nanoseconds since 1970, if it is known.
    pub time: Option<i128>,
    /// The tokens.
    pub tokens: UsageTotals,
    /// The cost that the log states.
    pub cost: Option<f64>,
    /// Hashes that a copy of the statement in another session has, too.
    keys: [Option<u128>; 2],
}

/// The tokens of a session.
#[derive(Clone, Debug)]
pub struct SessionUsage {
    /// The head of the session.
    pub head: Head,
    /// The statements of the session's entries, in order.
    pub statements: Vec<UsageStatement>,
    /// The number of statements that are not counted, by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
}

/// Reads the tokens of a session. `sources` are the files of a log; a record states them itself.
///
/// # Errors
/// If the session cannot be read.
pub fn read_usage(session: &dyn Session, sources: &[SourceFile]) -> Result<SessionUsage, Error> {
    let info = SessionInfo::new(session, sources);
    let mut sink = UsageSink {
        reader: EntryReader::new(info.adapter),
        statements: Statements {
            start: info.start().and_then(instant),
            found: Vec::new(),
            skipped: BTreeMap::new(),
            head: Head::from_info(&info),
        },
        report: Report::default(),
    };
    session.entries(&mut sink)?;
    let Statements { found: statements, skipped, head, .. } = sink.statements;
    Ok(SessionUsage { head, statements, skipped })
}

struct UsageSink {
    reader: EntryReader,
    statements: Statements,
    report: Report,
}

impl Sink for UsageSink {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.reader.read(&entry, &mut self.statements)
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

struct Statements {
    head: Head,
    start: Option<i128>,
    found: Vec<UsageStatement>,
    skipped: BTreeMap<SkipReason, u64>,
}

impl EntryVisitor for Statements {
    fn entry(&mut self, _: &Entry<'_>, _: &EntryAnnotations<'_>, _: &Context) {}

    fn needs_result_texts(&self) -> bool {
        false
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        let EventKind::Usage { usage, model, cost } = kind else { return Ok(()) };
        if let Some(reason) = context.skip_reason() {
            *self.skipped.entry(reason).or_insert(0) += 1;
            return Ok(());
        }
        let mut tokens = UsageTotals::default();
        if let Some(usage) = usage {
            tokens.add(usage);
        }
        let stated = context.timestamp.and_then(instant);
        let id = context.entry_id.filter(|id| id.len() >= MIN_ID);
        let key = |identity| hash(&identity, model, &tokens);
        let mut keys =
            [stated.map(|time| key(Identity::Time(time))), id.map(|id| key(Identity::Entry(id)))];
        if keys == [None, None] {
            let Head { agent, session_id, .. } = &self.head;
            keys[0] = Some(key(Identity::Position(agent, session_id, self.found.len())));
        }
        self.found.push(UsageStatement {
            keys,
            model: model.map(str::to_owned),
            time: stated.or(self.start),
            tokens,
            cost,
        });
        Ok(())
    }
}

/// The properties of a statement, other than model and tokens, that a copy of it in another session
/// has, too.
#[derive(Hash)]
enum Identity<'i> {
    Time(i128),
    /// The id of its entry.
    Entry(&'i str),
    /// The agent and the id of the session, and the number of statements before this one.
    Position(&'i str, &'i str, usize),
}

/// Returns the hash of a statement. With 128 bits, two statements practically never have the same
/// hash by chance.
fn hash(identity: &Identity<'_>, model: Option<&str>, tokens: &UsageTotals) -> u128 {
    let half = |number: u8| {
        let mut hasher = DefaultHasher::new();
        let UsageTotals { input, cache_read, cache_write, output, reasoning, total } = tokens;
        let tokens = [input, cache_read, cache_write, output, reasoning, total];
        (number, identity, model, tokens).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// The property of statements that a table has one row for each value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// One row for each day in UTC.
    Day,
    /// One row for each working directory.
    Project,
    /// One row for each model.
    Model,
    /// One row for each agent.
    Agent,
    /// One row for each session.
    Session,
}

/// The subject of a row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsageRowKey {
    /// The day, project, model, agent or session. `None` where it is unknown.
    pub name: Option<String>,
    /// The agent of a session: sessions of two agents can have the same id.
    pub agent: Option<String>,
}

/// A row of a table.
#[derive(Clone, Debug, Default)]
pub struct UsageRow {
    /// The number of sessions with tokens.
    pub sessions: u64,
    /// The number of statements, which are requests to a model for most agents.
    pub requests: u64,
    /// The tokens.
    pub tokens: UsageTotals,
    /// The cost that logs state.
    pub stated_cost: Option<f64>,
    /// The cost of the tokens that have a price. `None` without prices.
    pub cost: Option<Cost>,
    /// The number of tokens that have no price.
    pub unpriced: u64,
}

/// Adds up the tokens of sessions.
#[derive(Debug)]
pub struct UsageTable {
    by: GroupBy,
    /// The time before which tokens are ignored, in nanoseconds since 1970.
    since: Option<i128>,
    /// The time after which tokens are ignored, in nanoseconds since 1970.
    until: Option<i128>,
    prices: Option<PriceTable>,
    known: HashSet<u128>,
    report: UsageReport,
}

/// The tokens of sessions.
#[derive(Clone, Debug, Default)]
pub struct UsageReport {
    /// The rows.
    pub rows: BTreeMap<UsageRowKey, UsageRow>,
    /// The sum of all rows.
    pub total: UsageRow,
    /// The number of tokens without a price, by model.
    pub unpriced: BTreeMap<Option<String>, u64>,
    /// The number of statements that repeat others in their session, or were inherited.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// The number of statements that another session contains as well.
    pub in_other_session: u64,
    /// The number of statements that are counted although their time is unknown, if the table is
    /// limited to a time span.
    pub unknown_time: u64,
}

impl UsageTable {
    /// Creates an empty table.
    pub fn new(
        by: GroupBy,
        since: Option<i128>,
        until: Option<i128>,
        prices: Option<PriceTable>,
    ) -> Self {
        Self { by, since, until, prices, known: HashSet::new(), report: UsageReport::default() }
    }

    /// Adds a session.
    pub fn add(&mut self, session: &SessionUsage) {
        for (reason, count) in &session.skipped {
            *self.report.skipped.entry(*reason).or_insert(0) += count;
        }
        let mut keys = Vec::new();
        let mut rows = HashSet::new();
        for statement in &session.statements {
            // Statements of one session are different: the adapter annotates those that repeat others.
            if statement.keys.iter().flatten().any(|key| self.known.contains(key)) {
                self.report.in_other_session += 1;
                continue;
            }
            keys.extend(statement.keys.into_iter().flatten());
            if self.since.is_some() || self.until.is_some() {
                let is_late = |time| self.since.is_none_or(|since| time >= since);
                let is_early = |time| self.until.is_none_or(|until| time <= until);
                match statement.time {
                    Some(time) if is_late(time) && is_early(time) => {}
                    Some(_) => continue,
                    None => self.report.unknown_time += 1,
                }
            }
            self.count(session, statement, &mut rows);
        }
        self.known.extend(keys);
        self.report.total.sessions += u64::from(!rows.is_empty());
    }

    fn count(
        &mut self,
        session: &SessionUsage,
        statement: &UsageStatement,
        rows: &mut HashSet<UsageRowKey>,
    ) {
        let head = &session.head;
        // Logs that do not name the model of each request have one model.
        let model = statement.model.as_ref().or(head.model.as_ref());
        let name = match self.by {
            GroupBy::Day => {
                let day = |time| utc(time).and_then(|text| Some(text.get(..10)?.to_owned()));
                statement.time.and_then(day)
            }
            GroupBy::Project => head.working_dir.clone(),
            GroupBy::Model => model.cloned(),
            GroupBy::Agent => Some(head.agent.clone()),
            GroupBy::Session => Some(head.session_id.clone()),
        };
        let agent = (self.by == GroupBy::Session).then(|| head.agent.clone());
        let key = UsageRowKey { name, agent };
        let tokens = &statement.tokens;
        let priced = self.prices.as_ref().map(|prices| {
            let unknown = String::new();
            prices.price(model.unwrap_or(&unknown), tokens)
        });
        if let Some(unpriced) = priced.map(|priced| priced.unpriced).filter(|count| *count > 0) {
            let count = self.report.unpriced.entry(model.cloned()).or_insert(0);
            *count = count.saturating_add(unpriced);
        }
        let row = self.report.rows.entry(key.clone()).or_default();
        row.sessions += u64::from(rows.insert(key));
        for row in [row, &mut self.report.total] {
            row.requests += 1;
            row.tokens.merge(tokens);
            if let Some(cost) = statement.cost {
                *row.stated_cost.get_or_insert(0.0) += cost;
            }
            if let Some(priced) = priced {
                row.cost = Some(row.cost.unwrap_or_default().plus(priced.cost));
                row.unpriced = row.unpriced.saturating_add(priced.unpriced);
            }
        }
    }

    /// Returns the rows and their sum.
    pub fn finish(self) -> UsageReport {
        self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(time: i128, id: &str, input: u64) -> UsageStatement {
        let tokens =
            UsageTotals { input: Some(input), total: Some(input), ..UsageTotals::default() };
        let id = Some(id).filter(|id| id.len() >= MIN_ID);
        UsageStatement {
            keys: [
                Some(hash(&Identity::Time(time), Some("m"), &tokens)),
                id.map(|id| hash(&Identity::Entry(id), Some("m"), &tokens)),
            ],
            model: Some("m".to_owned()),
            time: Some(time),
            tokens,
            cost: None,
        }
    }

    fn session(id: &str, statements: Vec<UsageStatement>) -> SessionUsage {
        let head = Head {
            session_id: id.to_owned(),
            agent: "kiln".to_owned(),
            cli_version: None,
            model: None,
            working_dir: None,
            start: None,
            end: None,
            parent: None,
            relation: None,
            labels: BTreeMap::new(),
        };
        SessionUsage { head, statements, skipped: BTreeMap::new() }
    }

    fn totals(sessions: &[SessionUsage]) -> (Option<u64>, u64) {
        let mut table = UsageTable::new(GroupBy::Session, None, None, None);
        for session in sessions {
            table.add(session);
        }
        let report = table.finish();
        (report.total.tokens.total, report.in_other_session)
    }

    #[test]
    fn statement_that_two_sessions_contain_counts_once() {
        let id = "0a0a0a0a-0000-4000-8000-000000000001";
        let first = session("a", vec![statement(1, id, 5), statement(2, "short", 7)]);
        // The same time, the same id, and neither.
        let copied = session("b", vec![statement(1, "other", 5), statement(9, id, 5)]);
        assert_eq!(totals(&[first.clone(), copied.clone()]), (Some(12), 2));
        let others = session("c", vec![statement(1, "other", 6), statement(3, "short", 7)]);
        assert_eq!(totals(&[first.clone(), others]), (Some(25), 0));
        assert_eq!(totals(&[first.clone(), first]), (Some(12), 2));
        // Within a session, the adapter decides.
        let twice = session("d", vec![statement(1, "e", 5), statement(1, "f", 5)]);
        assert_eq!(totals(&[twice]), (Some(10), 0));
    }
}
