//! Which sessions were read, so that each is exported once.

use std::collections::HashSet;
use std::io;

use vac::parallel::with_stack;

use super::group::{GroupReader, GroupResult, SessionPlace, SessionState};
use super::part_files::Target;
use crate::session_scan::Unit;

/// The sessions that were read so far. Each is exported once.
#[derive(Default)]
pub struct ReadSessions {
    keys: HashSet<String>,
    ids: HashSet<String>,
}

impl ReadSessions {
    /// Adds a session. Returns whether it is another one than those before: a record of a log that
    /// was read has the same key, and a session of a place that was named as well the same id.
    fn insert(&mut self, key: &str, id: &str, is_found: bool) -> bool {
        let is_new_key = self.keys.insert(key.to_owned());
        let is_new_id = self.ids.insert(id.to_owned());
        is_new_key && (is_new_id || !is_found)
    }

    /// Reads a group again without sessions that were read before, if it contains any.
    pub fn without_repeated(
        &mut self,
        reader: &GroupReader<'_>,
        units: &[Unit],
        target: Target<'_>,
        result: GroupResult,
    ) -> io::Result<GroupResult> {
        let mut repeated: HashSet<SessionPlace> = HashSet::new();
        for log in &result.logs {
            for session in log.sessions.iter().filter(|it| it.state == SessionState::Written) {
                if !self.insert(&session.key, &session.id, log.is_found) {
                    repeated.insert(session.place);
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
