//! Exit codes.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Yes, or done.
    Yes,
    /// No: invalid, not verified, not convertible.
    No,
    /// It could not be found out: usage, input or output.
    Trouble,
}

impl Exit {
    /// Says what went wrong. Nothing did if the reader of our output has gone.
    pub fn of_error(error: &anyhow::Error) -> Self {
        let is_broken_pipe = error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
        if is_broken_pipe {
            return Self::Yes;
        }
        crate::terminal::error(&format!("{error:#}"));
        Self::Trouble
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Yes => 0,
            Exit::No => 1,
            Exit::Trouble => 2,
        })
    }
}
