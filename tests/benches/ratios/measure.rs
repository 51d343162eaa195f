//! Measures work against a baseline.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The effort of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As much time as reliable figures need.
    Full,
    /// As little time as possible.
    Quick,
}

impl Effort {
    /// Returns one of two values, by the effort.
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

    /// Measures the ratio of elapsed times, for work on several threads. Other processes on the
    /// machine increase it.
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

/// Returns a time, of which only differences are meaningful.
type Clock = fn() -> Duration;

/// Returns the time that this process has spent on processors, all threads together: what others do
/// on the machine does not count.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the elapsed time, where processor time is not available.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    elapsed_time()
}

/// Returns the elapsed time.
fn elapsed_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
