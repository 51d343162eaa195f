//! A progress bar for work that takes long, on a terminal.
//!
//! There is at most one at a time. The printer hides it while it writes something else.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Printer, lock};

/// The time after which a progress bar appears.
const DELAY: Duration = Duration::from_secs(1);

/// Progress of some work, which is shown until it is dropped.
pub struct Progress<'p> {
    printer: &'p Printer,
    /// `None` if progress is not shown.
    bar: Option<ProgressBar>,
    start: Instant,
}

impl<'p> Progress<'p> {
    /// Starts the progress of an action with a number of steps; `None` is never shown.
    pub(super) fn new(printer: &'p Printer, action: Option<(&'static str, usize)>) -> Self {
        let bar = action.map(|(action, total)| {
            let bar =
                ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
            let style = ProgressStyle::with_template("{msg} [{wide_bar}] {human_pos}/{human_len}")
                .expect("the template is valid");
            bar.set_style(style.progress_chars("=> "));
            bar.with_message(action)
        });
        Self { printer, bar, start: Instant::now() }
    }

    /// Counts one more step.
    pub fn step(&self) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() && self.start.elapsed() > DELAY {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            *lock(&self.printer.bar) = Some(bar.clone());
        }
        bar.inc(1);
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            *lock(&self.printer.bar) = None;
            bar.finish_and_clear();
        }
    }
}
