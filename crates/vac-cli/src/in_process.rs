//! Runs of commands in the process of a test.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser as _;
use serde_json::Value;

use crate::Arguments;
use crate::exit::Exit;
use crate::printer::{Printer, Verbosity};

/// What a command has printed.
pub struct Output {
    /// The exit code.
    pub exit: Exit,
    /// Data.
    pub stdout: String,
    /// Messages.
    pub stderr: String,
}

impl Output {
    /// Parses the data as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

/// Runs a command line, without the word `vac`.
pub fn run<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Output {
    let words = arguments.into_iter().map(Into::into);
    let words = std::iter::once(OsString::from("vac")).chain(words);
    let arguments = Arguments::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let printer = Printer::in_memory(Verbosity::Normal);
    let exit = arguments.command.run(&printer);
    let exit = exit.unwrap_or_else(|error| Exit::from_error(&error, &printer));
    Output { exit, stdout: printer.printed(), stderr: printer.messages() }
}

/// Returns the path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")).join(name)
}
