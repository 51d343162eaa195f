//! Measuring one thing against another.

use std::time::Duration;

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

    /// The work against the baseline.
    pub fn ratio(self, baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
        ratio(self.pick(15, 3), baseline, work)
    }

    /// The least time of many rounds.
    pub fn least(self, work: &mut dyn FnMut()) -> Duration {
        (0..self.pick(60, 6)).map(|_| time(work)).min().unwrap_or_default()
    }
}

/// The least time of the work over the least time of the baseline, taken in turns so that
/// both see the same machine.
pub fn ratio(rounds: usize, baseline: &dyn Fn(), work: &mut dyn FnMut()) -> f64 {
    let (mut least_baseline, mut least_work) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        least_baseline = least_baseline.min(time(&mut || baseline()));
        least_work = least_work.min(time(work));
    }
    least_work.as_secs_f64() / least_baseline.as_secs_f64()
}

fn time(work: &mut dyn FnMut()) -> Duration {
    let start = clock();
    work();
    clock().saturating_sub(start)
}

/// The time that this process has spent on processors, all threads together: what others
/// do on the machine does not count.
#[cfg(unix)]
fn clock() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Elsewhere, the time.
#[cfg(not(unix))]
fn clock() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
