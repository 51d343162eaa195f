//! Determines the number of sessions in a log.

use std::io;
use std::sync::atomic::Ordering;

use vac_adapter::session_marks::may_have_several;
use vac_adapter::{Adapter, Preview};

use crate::log::StoredLog;

impl StoredLog {
    /// Returns the number of sessions in the log, if it is already known.
    pub fn session_count(&self) -> Option<usize> {
        Some(self.session_count.load(Ordering::Relaxed)).filter(|count| *count > 0)
    }

    /// Stores the number of sessions that were found in the log.
    pub fn note_session_count(&self, count: usize) {
        self.session_count.store(count, Ordering::Relaxed);
    }

    /// Returns whether a session in the log is wanted, by the id of its record.
    pub fn is_wanted(&self, record_id: &str) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(record_id))
    }

    /// Returns whether the log is in a store, so that it is one session.
    pub fn is_in_store(&self) -> bool {
        self.stored.is_some()
    }

    /// Returns whether the log certainly contains only one session, so that its beginning describes
    /// that session. A log in a file can be the concatenation of several, so all of its bytes are
    /// searched for [another session](may_have_several), which takes far less time than parsing it.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn is_one_session(&self, adapter: &dyn Adapter, preview: &Preview) -> io::Result<bool> {
        let id = preview.session_id.as_deref();
        self.is_one_session_of(adapter, preview.variant, id)
    }

    /// Returns the same as [`is_one_session`](Self::is_one_session), for a log whose beginning
    /// states this variant and this id.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn is_one_session_of(
        &self,
        adapter: &dyn Adapter,
        variant: &str,
        session_id: Option<&str>,
    ) -> io::Result<bool> {
        if let Some(count) = self.session_count() {
            return Ok(count == 1);
        }
        let is_one = self.is_in_store() || {
            match adapter.session_marks(variant).filter(|_| session_id.is_some()) {
                Some(marks) => !may_have_several(&self.unread(), marks)?,
                None => false,
            }
        };
        if is_one {
            self.note_session_count(1);
        }
        Ok(is_one)
    }
}
