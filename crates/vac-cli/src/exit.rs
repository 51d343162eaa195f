//! Exit codes.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use vac_value::harmless;

use crate::{Arguments, terminal, version};

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
        match error.downcast_ref::<vac_cddl::Errors>() {
            None => terminal::error(&format!("{error:#}")),
            Some(errors) => errors.iter().for_each(|error| {
                terminal::error(&error.to_string());
                error.excerpt().iter().for_each(|line| terminal::excerpt(line));
            }),
        }
        Self::Trouble
    }

    /// Says what is wrong with the arguments, or what was asked about them.
    pub fn of_usage(error: clap::Error) -> Self {
        // The error quotes arguments, which may be names of files: it is to be the one about
        // the same arguments made harmless.
        let arguments = std::env::args_os();
        let harmless = arguments.map(|it| harmless(&it.to_string_lossy()).into_owned());
        let error = Arguments::try_parse_from(harmless).err().unwrap_or(error);
        let is_verbose = |it: &OsString| it == "-v" || it == "--verbose";
        if error.kind() == ErrorKind::DisplayVersion
            && std::env::args_os().any(|it| is_verbose(&it))
        {
            // Nobody reads it if that fails.
            let mut out = terminal::Output::new();
            out.text(&version::details()).and_then(|()| out.flush()).unwrap_or_default();
            return Self::Yes;
        }
        // Nobody is left to tell if that fails.
        error.print().unwrap_or_default();
        if error.use_stderr() { Self::Trouble } else { Self::Yes }
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
