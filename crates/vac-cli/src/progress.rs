//! A bar for work that takes long, on a terminal.
//!
//! There is at most one. Other output to the terminal is printed through [`aside`].

use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::Talk;

/// What is done sooner needs no bar.
const LONG: Duration = Duration::from_secs(1);

/// The bar that is on the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// How far some work is.
pub struct Progress {
    /// None where nobody would see it.
    bar: Option<ProgressBar>,
    begun: Instant,
}

impl Progress {
    /// Of so many pieces of work, none is done.
    pub fn new(what: &'static str, pieces: usize, talk: Talk) -> Self {
        let is_seen = talk >= Talk::Normal && io::stderr().is_terminal();
        let bar = is_seen.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(pieces as u64), ProgressDrawTarget::hidden());
            let style = ProgressStyle::with_template("{msg} [{wide_bar}] {human_pos}/{human_len}");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.with_message(what)
        });
        Self { bar, begun: Instant::now() }
    }

    /// One more is done.
    pub fn step(&self) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() && self.begun.elapsed() > LONG {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        }
        bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
            bar.finish_and_clear();
        }
    }
}

/// Writes to the terminal while no bar is in the way.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
