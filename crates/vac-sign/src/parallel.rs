//! Several things at the same time.

use std::thread;

/// What is smaller is done before a thread has started.
const SMALL: usize = 1 << 18;
/// Records nest up to 256 levels deep, and the validator calls itself for each.
const STACK: usize = 16 << 20;

/// Does two things with so many bytes: side by side if that pays, and if there is a thread
/// to be had.
pub(crate) fn both<A, B: Send>(
    bytes: usize,
    one: impl FnOnce() -> A,
    other: impl Fn() -> B + Sync,
) -> (A, B) {
    if bytes < SMALL {
        return (one(), other());
    }
    thread::scope(|scope| {
        let beside = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, &other);
        let one = one();
        let joined = beside.ok().and_then(|thread| thread.join().ok());
        (one, joined.unwrap_or_else(&other))
    })
}
