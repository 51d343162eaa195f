//! The pager: a program that shows long output one screen at a time.

use std::io;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// The default pager.
const DEFAULT: &str = "less";

/// Whether a pager is on the terminal: then the key that interrupts is meant for it.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

/// Returns whether a pager is on the terminal.
pub fn is_running() -> bool {
    IS_RUNNING.load(Ordering::SeqCst)
}

/// A running pager.
pub struct Pager {
    process: Child,
}

impl Pager {
    /// Starts the program that the variable `PAGER` names, or `less`. Returns `None` if the user
    /// wants none (`cat`, or an empty variable), or it cannot be started.
    pub fn start() -> Option<(Self, ChildStdin)> {
        let program = match std::env::var("PAGER") {
            Ok(program) if matches!(program.trim(), "" | "cat") => return None,
            Ok(program) => program,
            Err(_) => DEFAULT.to_owned(),
        };
        let mut command = command(&program);
        // As git does: end if it fits one screen, show colours, leave the text on the screen.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let mut process = command.stdin(Stdio::piped()).spawn().ok()?;
        let input = process.stdin.take()?;
        IS_RUNNING.store(true, Ordering::SeqCst);
        Some((Self { process }, input))
    }

    /// Waits until the user has left the pager. Its input has to be closed.
    pub fn wait(mut self) -> io::Result<()> {
        let ended = self.process.wait();
        IS_RUNNING.store(false, Ordering::SeqCst);
        ended.map(drop)
    }
}

#[cfg(unix)]
fn command(program: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", program]);
    command
}

#[cfg(not(unix))]
fn command(program: &str) -> Command {
    let mut words = program.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(DEFAULT));
    command.args(words);
    command
}
