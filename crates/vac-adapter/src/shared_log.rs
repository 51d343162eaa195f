//! Divides a log among several sessions, as when logs were concatenated.

use std::collections::HashMap;
use std::hash::Hash;

use crate::adapter::Error;
use crate::frame::{Frame, Place};
use crate::input::Log;

/// The maximum number of sessions in one log. Each is read in a separate pass.
const MAX_SESSIONS: usize = 256;

/// The maximum number of runs of frames. Each takes 56 bytes.
const MAX_RUNS: usize = 1 << 20;

/// The sessions of a log, in the order of their first frames. `K` is the type of the id that frames
/// state.
#[derive(Debug)]
pub struct SessionNumbers<K> {
    numbers: HashMap<K, usize>,
    runs: Vec<Run>,
}

/// Consecutive frames that belong to one session.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    session: usize,
    /// The number of the first one among all frames of the log.
    index: u64,
    /// The place of the first frame.
    place: Place,
}

impl<K> Default for SessionNumbers<K> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), runs: vec![Run::default()] }
    }
}

impl<K: Eq + Hash> SessionNumbers<K> {
    /// Adds the next frame, with its number among all frames and the session that it states.
    /// Returns the number of its session, from 0. A frame that states no session belongs to the
    /// session of the frame before it. A frame that states one has to be a document.
    ///
    /// # Errors
    /// If there are too many sessions, or they alternate too often.
    pub fn add(&mut self, index: u64, place: Place, session: Option<K>) -> Result<usize, Error> {
        let last = self.runs.last().map_or(0, |run| run.session);
        let Some(session) = session else { return Ok(last) };
        let next = self.numbers.len();
        let number = *self.numbers.entry(session).or_insert(next);
        if number >= MAX_SESSIONS {
            let message =
                format!("contains more than {MAX_SESSIONS} sessions (use a file for each)");
            return Err(Error::Refused(message));
        }
        if number != last {
            if self.runs.len() == MAX_RUNS {
                let message = format!(
                    "contains sessions that alternate more than {MAX_RUNS} times (use a file for each)"
                );
                return Err(Error::Refused(message));
            }
            self.runs.push(Run { session: number, index, place });
        }
        Ok(number)
    }

    /// Returns the log, after all of its frames were added.
    pub fn share(self, log: Log<'_>) -> SharedLog<'_> {
        SharedLog { log, runs: self.runs }
    }
}

/// A log that is shared by the sessions in it.
#[derive(Debug)]
pub struct SharedLog<'i> {
    /// The log.
    pub log: Log<'i>,
    /// All frames, in order.
    runs: Vec<Run>,
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
    /// let log = Log::new(&input);
    /// let mut numbers = SessionNumbers::default();
    /// let mut sessions = [Some("a"), Some("b"), None, Some("a")].into_iter();
    /// log.each(|frame| {
    ///     numbers.add(frame.place.index, frame.place, sessions.next().flatten())?;
    ///     Ok(())
    /// })?;
    /// let shared = numbers.share(log);
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
        let ends = self.runs.iter().skip(1).map(|run| Some(run.place)).chain([None]);
        let mut parts = self.log.parts();
        for (run, end) in self.runs.iter().zip(ends).filter(|(run, _)| run.session == session) {
            let mut next = run.index;
            parts.each(run.place, end, |frame| {
                next += 1;
                show(next - 1, frame)
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{self, Read};

    use proptest::prelude::*;
    use vac_value::Text;

    use super::*;
    use crate::frame::Content;
    use crate::input::{Bundle, Input, Memory};

    #[test]
    fn frames_belong_to_the_session_that_was_stated_last() {
        let mut numbers = SessionNumbers::default();
        let mut add = |index, id: Option<&str>| {
            numbers.add(index, Place::default(), id.map(str::to_owned)).ok()
        };
        let stated = [None, Some("a"), None, Some("b"), None, Some("a"), Some("a"), Some("c")];
        let added: Vec<_> = (0..).zip(stated).map(|(index, id)| add(index, id)).collect();
        assert_eq!(added, [0, 0, 0, 1, 1, 0, 0, 2].map(Some));
        for index in 8..8 + MAX_SESSIONS as u64 - 3 {
            assert!(add(index, Some(&index.to_string())).is_some());
        }
        assert_eq!(add(999, Some("one more")), None);
    }

    #[test]
    fn runs_are_limited() {
        let mut numbers = SessionNumbers::default();
        let mut add = |index: u64| numbers.add(index, Place::default(), Some(index % 2));
        assert!((0..MAX_RUNS as u64).all(|index| add(index).is_ok()));
        let error = add(MAX_RUNS as u64).expect_err("too many");
        assert!(error.to_string().contains("alternate"), "{error}");
    }

    /// A file that is not in memory, and the number of passes over it.
    struct OnDisk(Vec<u8>, Cell<usize>);

    impl Input for OnDisk {
        fn name(&self) -> &'static str {
            "x.jsonl"
        }

        fn open(&self) -> io::Result<Box<dyn Read + '_>> {
            self.1.set(self.1.get() + 1);
            Ok(Box::new(&*self.0))
        }

        fn max_event(&self) -> usize {
            64
        }
    }

    /// Returns the number of the session that a frame states, if it is an object with one member.
    fn stated(frame: &Frame<'_>) -> Option<String> {
        let Content::Document(document) = &frame.content else { return None };
        document.root().members().next()?.0.text().map(Text::into_owned)
    }

    fn bytes(frame: &Frame<'_>) -> Vec<u8> {
        match &frame.content {
            Content::Document(document) => document.root().raw().to_vec(),
            Content::Raw(raw) => raw.bytes.to_vec(),
        }
    }

    /// Compares the frames of each session with those of one pass over all.
    fn assert_divided(input: &dyn Input) {
        let log = Log::new(input);
        let (mut numbers, mut all, mut index) = (SessionNumbers::default(), Vec::new(), 0);
        let read = log.each(|frame| {
            let number = numbers.add(index, frame.place, stated(frame))?;
            all.push((number, index, frame.place, bytes(frame)));
            index += 1;
            Ok(())
        });
        read.expect("few sessions");
        let shared = numbers.share(log);
        let mut divided = Vec::new();
        for number in 0..4 {
            let add = |index, frame: &Frame<'_>| {
                divided.push((number, index, frame.place, bytes(frame)));
                Ok(())
            };
            shared.each_of(number, add).expect("it can be read");
        }
        divided.sort_by_key(|(_, index, ..)| *index);
        assert_eq!(divided, all);
    }

    #[test]
    fn session_of_many_runs_is_read_in_one_pass() {
        let log = OnDisk(b"{\"a\": 1}\n{\"b\": 1}\n".repeat(100), Cell::new(0));
        assert_divided(&log);
        assert_eq!(log.1.get(), 1 + 2, "one to find the sessions, and one for each");
    }

    fn piece() -> impl Strategy<Value = &'static [u8]> {
        let long =
            b"\"a text of more than 64 bytes, which is not read as one document, but in pieces\"\n";
        prop::sample::select(vec![
            &b"{\"a\": 1}\n"[..],
            b"{\"b\": 1}\n",
            b"{\"a\": 1} {\"b\": 2} {\"c\": 3}\n",
            b"{\n  \"d\": 1\n}\r\n",
            b"\xef\xbb\xbf {\"c\": \"\xc3\xa9\"}",
            b"1\n",
            b"x\n",
            b"\xff\n",
            b"\0\0",
            long,
        ])
    }

    proptest! {
        #[test]
        fn sessions_have_all_frames(pieces in prop::collection::vec(piece(), 0..40)) {
            let file = pieces.concat();
            assert_divided(&Memory { name: "x.jsonl", bytes: &file });
            let (first, second) = (OnDisk(file.clone(), Cell::new(0)), OnDisk(file, Cell::new(0)));
            assert_divided(&first);
            assert_divided(&Bundle { parts: vec![&first, &second], ..Bundle::default() });
        }
    }
}
