//! Counts steps, for tests which assert that the work does not grow with the square of the input.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Counts a step.
#[inline]
pub(crate) fn step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

/// Returns the number of steps since the last call.
#[cfg(test)]
pub(crate) fn take() -> usize {
    STEPS.take()
}
