//! Runs functions on threads whose stack has room for deeply nested documents: one function on one
//! thread, or a function for each of several items, with the results in the order of the items.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;

/// The stack size in bytes of a thread that reads documents. These nest up to 256 levels, and
/// parsers, validators and converters recurse once per level.
pub const STACK: usize = 16 << 20;
/// The maximum number of items per job that are started before the result of the first of them is
/// taken.
const LOOK_AHEAD: usize = 8;
/// The maximum number of threads, even if more jobs are requested.
const MAX_JOBS: usize = 256;

/// Calls a function on a thread that has room to read deeply nested documents, and waits for it.
///
/// # Errors
/// If the thread cannot be started.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Returns the number of items to work on at once: the given one, or for 0 one for each processor.
pub(crate) fn or_all_processors(jobs: usize) -> usize {
    match jobs {
        0 => thread::available_parallelism().map_or(1, Into::into),
        jobs => jobs,
    }
}

/// Calls `work` with every item, for up to `jobs` items in parallel, and `take` with the results,
/// in the order of the items and on the thread of the caller. Stops when `take` breaks. Panics if
/// `work` does.
///
/// Results wait until those before them have been taken. Their number is bounded, since each can
/// hold a file open.
pub fn ordered_parallel_map<I: Send, O: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    jobs: usize,
    work: impl Fn(I) -> O + Sync,
    mut take: impl FnMut(O) -> ControlFlow<()>,
) -> io::Result<()> {
    let items = items.into_iter();
    let jobs = jobs.min(items.size_hint().1.unwrap_or(jobs)).clamp(1, MAX_JOBS);
    let items = Mutex::new(items.enumerate());
    let turn = Turn::default();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let _stop = StopOnDrop(&turn);
        for _ in 0..jobs {
            let (items, work, turn, sender) = (&items, &work, &turn, sender.clone());
            let worker = move || {
                // After a panic, do not wait for the result that is missing.
                let _stop = StopOnPanic(turn);
                loop {
                    let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((at, item)) = next else { return };
                    if turn.wait(at, jobs * LOOK_AHEAD).is_break() {
                        return;
                    }
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).map_err(
                |error| io::Error::new(error.kind(), format!("cannot start a thread: {error}")),
            )?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (at, result) in receiver {
            early.insert(at, result);
            while let Some(result) = early.remove(&due) {
                if take(result).is_break() {
                    return Ok(());
                }
                due += 1;
                turn.set(Some(due));
            }
        }
        Ok(())
    })
}

/// Counts the results that were taken, so that they are taken in the order of the items.
struct Turn {
    /// The number of the item whose result is taken next. `None` once the caller takes no more
    /// results.
    due: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Default for Turn {
    fn default() -> Self {
        Self { due: Mutex::new(Some(0)), changed: Condvar::new() }
    }
}

impl Turn {
    fn set(&self, due: Option<usize>) {
        let mut current = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        // A stop is final.
        *current = current.and(due);
        self.changed.notify_all();
    }

    /// Waits until item `at` is less than `ahead` items after the one that is due. Returns `Break`
    /// if no further result is taken.
    fn wait(&self, at: usize, ahead: usize) -> ControlFlow<()> {
        let due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early =
            |due: &mut Option<usize>| due.is_some_and(|due| at >= due.saturating_add(ahead));
        let due = self.changed.wait_while(due, is_early).unwrap_or_else(PoisonError::into_inner);
        if due.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Stops the workers when the caller takes no further result, for any reason.
struct StopOnDrop<'t>(&'t Turn);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set(None);
    }
}

/// Stops the workers when one of them panics.
struct StopOnPanic<'t>(&'t Turn);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.set(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const JOBS: usize = 3;

    #[test]
    fn results_are_in_order_and_a_bounded_number_waits() {
        let begun = AtomicUsize::new(0);
        let others = (Mutex::new(0), Condvar::new());
        let mut taken = Vec::new();
        let work = |item: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            let mut done = others.0.lock().unwrap();
            if item == 0 {
                // Wait until the other workers have finished every item that may be started before
                // this one is done.
                let is_early = |done: &mut usize| *done < JOBS * LOOK_AHEAD - 1;
                drop(others.1.wait_while(done, is_early));
            } else {
                *done += 1;
                others.1.notify_all();
            }
            item
        };
        ordered_parallel_map(0..1000, JOBS, work, |item| {
            if item == 0 {
                assert_eq!(begun.load(Ordering::SeqCst), JOBS * LOOK_AHEAD);
            }
            taken.push(item);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(taken.into_iter().eq(0..1000));
    }

    #[test]
    fn break_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let mut taken = Vec::new();
        let work = |item: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            item
        };
        ordered_parallel_map(0.., JOBS, work, |item| {
            taken.push(item);
            if item == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5]);
        assert!(begun.into_inner() <= 5 + JOBS * LOOK_AHEAD);
    }

    #[test]
    fn panic_of_one_item_ends_the_work() {
        let run = || {
            let work = |item: usize| assert_ne!(item, 2);
            ordered_parallel_map(0.., JOBS, work, |()| ControlFlow::Continue(()))
        };
        assert!(std::panic::catch_unwind(run).is_err());
    }

    #[test]
    fn no_items_and_no_jobs_are_accepted() {
        let mut taken = Vec::new();
        for items in [0..0, 0..3] {
            ordered_parallel_map(
                items,
                0,
                |item| item,
                |item| {
                    taken.push(item);
                    ControlFlow::Continue(())
                },
            )
            .unwrap();
        }
        assert_eq!(taken, [0, 1, 2]);
    }
}
