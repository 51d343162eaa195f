//! Runs two functions in parallel.

use std::thread;

/// Inputs of fewer bytes are processed on one thread, because starting another takes longer.
const SMALL: usize = 1 << 18;
/// The stack size of a thread, in bytes: the validator recurses for each of up to 256 levels.
const STACK: usize = 16 << 20;

/// Runs two functions that process `bytes` bytes each: in parallel if that is faster and a
/// thread can be started, otherwise one after the other.
pub(crate) fn run_both<A, B: Send>(
    bytes: usize,
    one: impl FnOnce() -> A,
    other: impl Fn() -> B + Sync,
) -> (A, B) {
    if bytes < SMALL {
        return (one(), other());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, &other);
        let one = one();
        let other = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => other(),
        };
        (one, other)
    })
}
