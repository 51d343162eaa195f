//! A log of several sessions, as when logs were concatenated. They share its frames.

use std::collections::HashMap;
use std::hash::Hash;

use crate::adapter::Error;
use crate::frame::Frame;
use crate::input::Log;

/// The maximum number of sessions in one log: each is read in a pass of its own.
const MAX_SESSIONS: usize = 256;

/// The sessions of a log, by what its frames state of them, in the order of their first frames.
#[derive(Debug)]
pub struct SessionNumbers<K> {
    numbers: HashMap<K, usize>,
    /// The first frame of each run of frames, and the session that they belong to.
    runs: Vec<(u64, usize)>,
}

impl<K> Default for SessionNumbers<K> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), runs: Vec::new() }
    }
}

impl<K: Eq + Hash> SessionNumbers<K> {
    /// Adds a frame, which comes after those that were added before, with the session that it
    /// states. Returns the number of its session, from 0. A frame that states none belongs to the
    /// session of the frame before.
    ///
    /// # Errors
    /// If there are too many sessions.
    pub fn add(&mut self, index: u64, session: Option<K>) -> Result<usize, Error> {
        let last = self.runs.last().map_or(0, |(_, session)| *session);
        let Some(session) = session else { return Ok(last) };
        let next = self.numbers.len();
        let number = *self.numbers.entry(session).or_insert(next);
        if number >= MAX_SESSIONS {
            let message =
                format!("contains more than {MAX_SESSIONS} sessions (use a file for each)");
            return Err(Error::Refused(message));
        }
        if number != last {
            self.runs.push((index, number));
        }
        Ok(number)
    }

    /// Returns the log, after all of its frames were added.
    pub fn share<'i>(self, log: Log<'i>) -> SharedLog<'i> {
        SharedLog { log, runs: self.runs }
    }
}

/// A log that is shared by the sessions in it.
#[derive(Debug)]
pub struct SharedLog<'i> {
    /// The log.
    pub log: Log<'i>,
    runs: Vec<(u64, usize)>,
}

impl SharedLog<'_> {
    /// Passes each frame of a session to `show`, with its number among all frames of the log, up to
    /// the first error.
    ///
    /// ```
    /// use vac_adapter::{Log, Memory};
    /// use vac_adapter::shared_log::SessionNumbers;
    ///
    /// let input = Memory { name: "x.jsonl", bytes: b"1\n2\n3\n4" };
    /// let mut numbers = SessionNumbers::default();
    /// for (index, session) in [(0, Some("a")), (1, Some("b")), (2, None), (3, Some("a"))] {
    ///     numbers.add(index, session)?;
    /// }
    /// let shared = numbers.share(Log::new(&input));
    /// let mut frames = Vec::new();
    /// shared.each_of(1, |index, frame| {
    ///     frames.push((index, frame.place.line));
    ///     Ok(())
    /// })?;
    /// assert_eq!(frames, [(1, 2), (2, 3)]);
    /// # Ok::<(), vac_adapter::Error>(())
    /// ```
    pub fn each_of(
        &self,
        session: usize,
        mut show: impl FnMut(u64, &Frame<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut runs, mut current) = (self.runs.iter().copied().peekable(), 0);
        let mut next = 0;
        self.log.each(|frame| {
            let index = next;
            next += 1;
            if let Some((_, number)) = runs.next_if(|(first, _)| *first == index) {
                current = number;
            }
            if current == session { show(index, frame) } else { Ok(()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Memory;

    #[test]
    fn frames_belong_to_the_session_that_was_stated_last() {
        let mut numbers = SessionNumbers::default();
        let stated = [None, Some("a"), None, Some("b"), None, Some("a"), Some("a"), Some("c")];
        let mut added = Vec::new();
        for (index, id) in (0..).zip(stated) {
            added.push(numbers.add(index, id.map(str::to_owned)).expect("few sessions"));
        }
        assert_eq!(added, [0, 0, 0, 1, 1, 0, 0, 2]);
        assert_eq!(numbers.runs.len(), 3);
        for index in 8..8 + MAX_SESSIONS as u64 - 3 {
            assert!(numbers.add(index, Some(index.to_string())).is_ok());
        }
        assert!(numbers.add(999, Some("one more".to_owned())).is_err());

        let input = Memory { name: "x.jsonl", bytes: b"0\n1\n2\n3\n4\n5\n6\n7\n" };
        let shared = numbers.share(Log::new(&input));
        let mut found = [9; 8];
        for session in 0..3 {
            let set = |index, _: &Frame<'_>| {
                found[usize::try_from(index).expect("a small number")] = session;
                Ok(())
            };
            shared.each_of(session, set).expect("it is in memory");
        }
        assert_eq!(found.as_slice(), added);
    }
}
