//! Measuring one thing against another.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How much time to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As much as good figures need.
    Full,
    /// As little as possible.
    Quick,
}

impl Effort {
    /// One of two, by the effort.
    pub fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }

    /// Returns the work against the baseline.
    pub fn ratio(self, baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
        ratio(self.pick(40, 3), processor_time, baseline, work)
    }

    /// The same for work on several threads: what counts is when it is done. Others on the
    /// machine make it look worse.
    pub fn elapsed_ratio(self, baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
        ratio(self.pick(7, 3), elapsed_time, baseline, work)
    }

    /// Returns the least time of many rounds.
    pub fn least(self, work: &mut dyn FnMut()) -> Duration {
        (0..self.pick(60, 6)).map(|_| time(processor_time, work)).min().unwrap_or_default()
    }
}

/// Returns the least time of the work over the least time of the baseline, taken in turns so that
/// both see the same machine.
fn ratio(rounds: usize, clock: Clock, baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
    let (mut least_baseline, mut least_work) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        least_baseline = least_baseline.min(time(clock, &mut || baseline()));
        least_work = least_work.min(time(clock, work));
    }
    least_work.as_secs_f64() / least_baseline.as_secs_f64()
}

fn time(clock: Clock, work: &mut dyn FnMut()) -> Duration {
    let start = clock();
    work();
    clock().saturating_sub(start)
}

/// Tells a time; only differences mean something.
type Clock = fn() -> Duration;

/// Returns the time that this process has spent on processors, all threads together: what others do
/// on the machine does not count.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Elsewhere, the time.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    elapsed_time()
}

/// Returns the time.
fn elapsed_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
