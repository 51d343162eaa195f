//! Reads the tables of a group of logs.

use std::cell::Cell;
use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;

use arrow_array::RecordBatch;
use vac::adapter::frame::MAX_EVENT;
use vac::convert::read_log;
use vac::tables::log_origin;
use vac::tables::{SessionTable, TableSet, Tables};
use vac::{Error, Task};

/// Maximum number of bytes of rows that are kept in memory while their group may still contain a
/// session that cannot be read.
const MAX_HELD: usize = 64 << 20;

/// A group of logs. A batch contains rows of several of them.
pub struct Group<'g> {
    /// The logs.
    pub tasks: &'g [Task],
    /// The tables to read.
    pub selected: TableSet,
}

/// A receiver of batches, which can end the reading.
pub type Receive<'r> = dyn FnMut(SessionTable, RecordBatch) -> ControlFlow<()> + 'r;

/// A session of a group: the index of its log, and its index in the log.
type SessionPlace = (usize, usize);

/// The result of reading a group once.
#[derive(Default)]
struct Pass {
    /// The errors of the sessions that could not be read. Some of their rows may have been passed
    /// on.
    failures: Vec<Error>,
    failed: Vec<SessionPlace>,
    failed_logs: Vec<usize>,
    /// Whether the receiver ended the reading.
    is_closed: bool,
}

/// The logs and sessions that are not read in a pass.
#[derive(Default)]
struct Excluded {
    sessions: HashSet<SessionPlace>,
    logs: HashSet<usize>,
}

impl Excluded {
    /// Adds the logs and sessions that failed in a pass, and returns whether there are any.
    fn add(&mut self, pass: &Pass) -> bool {
        self.sessions.extend(&pass.failed);
        self.logs.extend(&pass.failed_logs);
        !pass.failures.is_empty()
    }
}

impl Group<'_> {
    /// Reads the group. Sessions that cannot be read are skipped or end the reading. Returns the
    /// errors of those that were skipped.
    ///
    /// # Errors
    /// If a session cannot be read and is not skipped. Some of its rows may have been passed on.
    pub fn read_with(
        &self,
        skips_failures: bool,
        receive: &mut Receive<'_>,
    ) -> Result<Vec<Error>, Error> {
        if skips_failures {
            self.read_and_skip(receive)
        } else {
            self.read(receive).map(|()| Vec::new())
        }
    }

    fn read(&self, receive: &mut Receive<'_>) -> Result<(), Error> {
        let pass = self.pass(self.selected, &Excluded::default(), true, receive);
        pass.failures.into_iter().next().map_or(Ok(()), Err)
    }

    /// Reads the group without the sessions that cannot be read, and returns their errors. No row
    /// of these sessions is passed on.
    ///
    /// A session can fail after some of its rows were created, so rows are kept in memory until the
    /// group is complete. A group with too many rows for that is read once to find the sessions
    /// that fail, and then again.
    ///
    /// # Errors
    /// If a session could be read the first time, but not the second time.
    fn read_and_skip(&self, receive: &mut Receive<'_>) -> Result<Vec<Error>, Error> {
        let mut excluded = Excluded::default();
        let mut failures = Vec::new();
        loop {
            let (mut held, mut size) = (Vec::new(), 0);
            let pass = self.pass(self.selected, &excluded, false, &mut |table, batch| {
                size += batch.get_array_memory_size();
                held.push((table, batch));
                if size > MAX_HELD { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if pass.is_closed {
                break;
            }
            if !excluded.add(&pass) {
                for (table, batch) in held {
                    if receive(table, batch).is_break() {
                        break;
                    }
                }
                return Ok(failures);
            }
            failures.extend(pass.failures);
        }
        let pass =
            self.pass(TableSet::NONE, &excluded, false, &mut |_, _| ControlFlow::Continue(()));
        excluded.add(&pass);
        failures.extend(pass.failures);
        let pass = self.pass(self.selected, &excluded, true, receive);
        pass.failures.into_iter().next().map_or(Ok(failures), Err)
    }

    fn pass(
        &self,
        selected: TableSet,
        excluded: &Excluded,
        stops_at_failure: bool,
        receive: &mut Receive<'_>,
    ) -> Pass {
        let mut pass = Pass::default();
        let (is_closed, is_over) = (Cell::new(false), Cell::new(false));
        let mut receive = |table, batch| match receive(table, batch) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                is_closed.set(true);
                is_over.set(true);
                Err(vac::adapter::Error::Io(io::ErrorKind::BrokenPipe.into()))
            }
        };
        let mut tables = Tables::new(selected, &mut receive);
        for (index, task) in self.tasks.iter().enumerate() {
            if excluded.logs.contains(&index) {
                continue;
            }
            let at = |error: vac::adapter::Error| Error {
                place: Some(task.name.clone()),
                ..Error::from(error)
            };
            let mut number = 0;
            let read = task.open().and_then(|(log, agent)| {
                let shown = read_log(&log, agent, MAX_EVENT, &mut |session, loaded| {
                    let place = (index, number);
                    number += 1;
                    if is_over.get() || excluded.sessions.contains(&place) {
                        return;
                    }
                    let read = log_origin(loaded).and_then(|origin| {
                        tables.read_session(session, &origin)?;
                        // This fails if the log was changed since its first pass.
                        loaded.check_unchanged()
                    });
                    if let Err(error) = read
                        && !is_closed.get()
                    {
                        pass.failed.push(place);
                        pass.failures.push(at(error));
                        is_over.set(stops_at_failure);
                    }
                });
                shown.map(drop).map_err(at)
            });
            if let Err(error) = read {
                pass.failed_logs.push(index);
                pass.failures.push(error);
                is_over.set(is_over.get() || stops_at_failure);
            }
            if is_over.get() {
                break;
            }
        }
        if !is_over.get()
            && let Err(error) = tables.flush()
            && !is_closed.get()
        {
            pass.failures.push(error.into());
        }
        pass.is_closed = is_closed.get();
        pass
    }
}
