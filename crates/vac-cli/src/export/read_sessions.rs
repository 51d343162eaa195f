//! Tracks the sessions that were read, so that each is exported once.

use std::collections::{HashMap, HashSet, hash_map};
use std::io;
use std::sync::Arc;

use vac::parallel::with_stack;

use super::exported_session::ExportedSession;
use super::group::{GroupReader, GroupResult, SessionPlace, SessionState};
use super::part_files::Target;
use crate::format::pluralize;
use crate::printer::Printer;
use crate::session_scan::Unit;

/// The sessions that were read so far. Each is exported once.
#[derive(Default)]
pub struct ReadSessions {
    keys: HashSet<String>,
    /// By agent and id, the session with the largest files. Records are compared with this one alone,
    /// so that many sessions of one id take no longer.
    largest: HashMap<(String, String), LargestSession>,
    /// The number of sessions that have the agent and the id of another one, and differ.
    pub differing: u64,
}

/// A session, and where it was found.
struct LargestSession {
    session: ExportedSession,
    /// Whether it was exported before this run.
    is_known: bool,
    units: Arc<[Unit]>,
    unit: usize,
}

impl LargestSession {
    /// Whether a session is an earlier state of this one.
    fn continues(&self, earlier: &ExportedSession) -> io::Result<bool> {
        has_grown(&self.units[self.unit], earlier, &self.session)
    }
}

/// Whether a session that was read from a unit has grown from another one: the files of that are the
/// beginnings of those that it was read from. Of a record, these are not known.
pub fn has_grown(
    unit: &Unit,
    earlier: &ExportedSession,
    later: &ExportedSession,
) -> io::Result<bool> {
    match unit {
        Unit::Log(_) if !earlier.sources.is_empty() => {
            unit.log().has_grown(&earlier.sources, &later.sources)
        }
        Unit::Log(_) | Unit::Record { .. } => Ok(false),
    }
}

/// Puts logs before records, so that a record is compared with its log.
pub fn sort(units: &mut [Unit]) {
    units.sort_by_key(|unit| matches!(unit, Unit::Record { .. }));
}

/// Warns of sessions whose agent and id are those of another one, and that differ from it.
pub fn warn_of_differing(count: u64, printer: &Printer) {
    if count > 0 {
        let sessions = pluralize(count, "session");
        printer.warn(&format!(
            "{sessions} exported with the id of another one, which differs: both count"
        ));
    }
}

impl ReadSessions {
    /// Adds a session that was exported before this run, and that need not be read again.
    pub fn add_known(
        &mut self,
        key: &str,
        session: &ExportedSession,
        place: (&Arc<[Unit]>, usize),
    ) -> io::Result<()> {
        self.insert(key, session, true, false, place).map(drop)
    }

    /// Adds a session. Returns whether it is another one than those before: a record of a log that
    /// was read has the same key, a session of a place that was named as well has the same id, and a
    /// record of a log that has grown since states the beginning of it.
    fn insert(
        &mut self,
        key: &str,
        session: &ExportedSession,
        is_known: bool,
        is_found: bool,
        (units, unit): (&Arc<[Unit]>, usize),
    ) -> io::Result<bool> {
        if !self.keys.insert(key.to_owned()) {
            return Ok(false);
        }
        let (session, units) = (session.clone(), Arc::clone(units));
        let this = LargestSession { session, is_known, units, unit };
        match self.largest.entry((this.session.agent.clone(), this.session.id.clone())) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(this);
            }
            hash_map::Entry::Occupied(mut entry) => {
                let largest = entry.get_mut();
                // A log that grew has the id of what was exported of it before.
                let is_found_again = is_found && !largest.is_known;
                let is_record = this.session.is_record;
                if is_found_again || (is_record && largest.continues(&this.session)?) {
                    return Ok(false);
                }
                self.differing += 1;
                if this.session.size() > largest.session.size() {
                    *largest = this;
                }
            }
        }
        Ok(true)
    }

    /// Reads a group again without sessions that were read before, if it contains any.
    pub fn without_repeated(
        &mut self,
        reader: &GroupReader<'_>,
        units: &Arc<[Unit]>,
        target: Target<'_>,
        result: GroupResult,
    ) -> io::Result<GroupResult> {
        let mut repeated: HashSet<SessionPlace> = HashSet::new();
        for (unit, log) in result.logs.iter().enumerate() {
            for read in &log.sessions {
                let (key, session, place) = (&read.key, &read.session, (units, unit));
                match read.state {
                    SessionState::Known => self.add_known(key, session, place)?,
                    SessionState::Written => {
                        if !self.insert(key, session, false, log.is_found, place)? {
                            repeated.insert(read.place);
                        }
                    }
                    SessionState::Repeated => {}
                }
            }
        }
        if repeated.is_empty() {
            return Ok(result);
        }
        let again = with_stack(|| reader.read(units, &repeated, target))??;
        Ok(GroupResult { failures: result.failures, ..again })
    }
}
