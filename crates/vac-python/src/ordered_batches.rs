//! Reads batches of many logs in parallel, and returns them in the order of the logs.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow_array::RecordBatch;
use vac::parallel::{STACK, with_stack};
use vac::tables::divide;
use vac::tables::{SessionTable, TableSet};
use vac::{Error, ErrorKind, Search, Task};

use crate::group_reader::Group;

/// Maximum number of batches of a group that wait to be taken.
const WAITING_BATCHES: usize = 2;

/// The tables to read, and how to read them.
#[derive(Clone, Copy)]
pub struct ReadOptions {
    /// The tables.
    pub selected: TableSet,
    /// Whether sessions that cannot be read are skipped.
    pub skips_failures: bool,
    /// The number of groups that are read in parallel. 0 means one for each processor.
    pub jobs: usize,
}

/// The errors of sessions that were skipped, by group.
pub type Failures = Arc<Mutex<BTreeMap<usize, Vec<Error>>>>;

/// A message of a worker about its group.
enum Item {
    Batch(SessionTable, RecordBatch),
    Failed(Error),
    Complete,
}

/// An iterator over batches in the order of the logs. Dropping it ends the workers.
pub struct OrderedBatches {
    /// The messages about each group, in order. `None` after the last group, and after an error.
    groups: Option<Receiver<Receiver<Item>>>,
    current: Option<Receiver<Item>>,
}

impl OrderedBatches {
    /// Starts the workers.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(
        mut tasks: Vec<Task>,
        options: ReadOptions,
        failures: &Failures,
    ) -> io::Result<Self> {
        with_stack(|| Task::open_stores(&mut tasks))?;
        let groups = divide(tasks, |task| task.size);
        let jobs = Search { jobs: options.jobs, ..Search::default() }.jobs().min(groups.len());
        let queue = Arc::new(Mutex::new(groups.into_iter().enumerate()));
        let (sender, receiver) = sync_channel(jobs);
        for _ in 0..jobs {
            let (queue, sender, failures) = (queue.clone(), sender.clone(), failures.clone());
            let worker = move || {
                while let Some((number, group, items)) = begin(&queue, &sender) {
                    let group = Group { tasks: &group, selected: options.selected };
                    if read(&group, number, options, &items, &failures).is_break() {
                        return;
                    }
                }
            };
            thread::Builder::new().stack_size(STACK).spawn(worker)?;
        }
        Ok(Self { groups: Some(receiver), current: None })
    }

    /// Returns the next batch. `None` after the last batch, and after an error.
    ///
    /// # Errors
    /// If a session cannot be read and is not skipped.
    pub fn next(&mut self) -> Result<Option<(SessionTable, RecordBatch)>, Error> {
        while let Some(groups) = &self.groups {
            let Some(current) = &self.current else {
                match groups.recv() {
                    Ok(group) => self.current = Some(group),
                    Err(_) => self.groups = None,
                }
                continue;
            };
            let error = match current.recv() {
                Ok(Item::Batch(table, batch)) => return Ok(Some((table, batch))),
                Ok(Item::Complete) => {
                    self.current = None;
                    continue;
                }
                Ok(Item::Failed(error)) => error,
                Err(_) => ended_early(),
            };
            // This ends the workers, too.
            (self.groups, self.current) = (None, None);
            return Err(error);
        }
        Ok(None)
    }
}

/// Returns the error for a thread that ended before it had sent everything.
pub fn ended_early() -> Error {
    let reason = "the thread that reads ended early: the result is not complete".to_owned();
    Error { kind: ErrorKind::Internal, place: None, reason }
}

/// The groups that no worker reads yet, with their numbers.
type Queue = Mutex<std::iter::Enumerate<std::vec::IntoIter<Vec<Task>>>>;

/// Takes a group, and announces it while no other group can be taken, so that groups are announced
/// in order. Returns `None` if no group remains.
fn begin(
    queue: &Queue,
    groups: &SyncSender<Receiver<Item>>,
) -> Option<(usize, Vec<Task>, SyncSender<Item>)> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let (number, group) = queue.next()?;
    let (sender, receiver) = sync_channel(WAITING_BATCHES);
    groups.send(receiver).ok()?;
    Some((number, group, sender))
}

fn read(
    group: &Group<'_>,
    number: usize,
    options: ReadOptions,
    items: &SyncSender<Item>,
    failures: &Failures,
) -> ControlFlow<()> {
    let mut receive = |table, batch| match items.send(Item::Batch(table, batch)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let last = match group.read_with(options.skips_failures, &mut receive) {
        Ok(skipped) => {
            if !skipped.is_empty() {
                failures.lock().unwrap_or_else(PoisonError::into_inner).insert(number, skipped);
            }
            Item::Complete
        }
        Err(error) => Item::Failed(error),
    };
    if items.send(last).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
