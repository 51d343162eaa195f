//! Exit codes.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind as UsageErrorKind;
use vac::value::harmless;

use crate::printer::Printer;
use crate::session_names::Ambiguous;
use crate::{Arguments, version};

/// The result of a command, ordered by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// The command succeeded, or the answer is positive.
    Success,
    /// The answer is negative: invalid, not verified, not converted.
    Failure,
    /// The arguments, the input or the output caused an error.
    Error,
}

impl Exit {
    /// Prints an error that ended a command. A closed pipe is not an error.
    pub fn from_error(error: &anyhow::Error, printer: &Printer) -> Self {
        let is_broken_pipe = error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe);
        if is_broken_pipe {
            return Self::Success;
        }
        if let Some(ambiguous) = error.downcast_ref::<Ambiguous>() {
            ambiguous.print(printer);
            return Self::Error;
        }
        match error.downcast_ref::<vac::cddl::Errors>() {
            None => printer.error(&format!("{error:#}")),
            Some(errors) => errors.iter().for_each(|error| {
                printer.error(&error.to_string());
                error.excerpt().iter().for_each(|line| printer.excerpt(line));
            }),
        }
        Self::Error
    }

    /// Prints a usage error, or the help or version that the arguments ask for.
    pub fn from_usage(error: clap::Error, printer: &Printer) -> Self {
        // The message quotes arguments, which may be names of files, so the arguments are parsed
        // again without characters that control the terminal.
        let arguments = std::env::args_os();
        let harmless = arguments.map(|it| harmless(&it.to_string_lossy()).into_owned());
        let error = Arguments::try_parse_from(harmless).err().unwrap_or(error);
        let is_verbose = |it: &OsString| it == "-v" || it == "--verbose";
        let is_version = error.kind() == UsageErrorKind::DisplayVersion;
        let result = if is_version && std::env::args_os().any(|it| is_verbose(&it)) {
            printer.text(&version::details())
        } else {
            printer.usage(&error)
        };
        match result.and_then(|()| printer.flush()) {
            Ok(()) if error.use_stderr() => Self::Error,
            Ok(()) => Self::Success,
            Err(error) => Self::from_error(&error.into(), printer),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Error => 2,
        })
    }
}
