//! Which lines of a file belong to which of its sessions.

use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of sessions in one file: each is read on its own.
pub(super) const MAX_SESSIONS: usize = 256;

/// The sessions of a file, in the order of their first lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Sessions {
    numbers: HashMap<String, usize>,
    /// The first line of each run of lines, and the session that they belong to.
    runs: Arc<Vec<(u64, usize)>>,
}

impl Sessions {
    /// Adds a line, with the session that it states, and returns the number of its session. A line
    /// that states none belongs to the session of the line before. `None` if there are too many.
    pub fn add(&mut self, index: u64, id: Option<String>) -> Option<usize> {
        let last = self.runs.last().map_or(0, |(_, session)| *session);
        let Some(id) = id else { return Some(last) };
        let next = self.numbers.len();
        let number = *self.numbers.entry(id).or_insert(next);
        if number != last {
            Arc::make_mut(&mut self.runs).push((index, number));
        }
        (number < MAX_SESSIONS).then_some(number)
    }

    /// Returns a function that returns the session of a line. It has to be called with the lines in
    /// order.
    pub fn in_order(&self) -> impl FnMut(u64) -> usize {
        let (mut runs, mut session) = (self.runs.iter().copied().peekable(), 0);
        move |index| {
            while let Some((_, next)) = runs.next_if(|(first, _)| *first <= index) {
                session = next;
            }
            session
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_session_that_was_stated_last() {
        let mut sessions = Sessions::default();
        let stated = [None, Some("a"), None, Some("b"), None, Some("a"), Some("a"), Some("c")];
        let added: Vec<_> = (0..)
            .zip(stated)
            .map(|(index, id)| sessions.add(index, id.map(str::to_owned)))
            .collect();
        let expected = [0, 0, 0, 1, 1, 0, 0, 2];
        assert_eq!(added, expected.map(Some));
        let found: Vec<_> = (0..8).map(sessions.in_order()).collect();
        assert_eq!(found, expected);
        assert_eq!(sessions.runs.len(), 3);
        for index in 8..8 + MAX_SESSIONS as u64 - 3 {
            assert!(sessions.add(index, Some(index.to_string())).is_some());
        }
        assert_eq!(sessions.add(999, Some("one more".to_owned())), None);
    }
}
