//! Runs of commands in the process of a test.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser as _;
use serde_json::Value;

use crate::Arguments;
use crate::exit::Exit;
use crate::printer::{Printer, Verbosity};

/// The output of a command.
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

mod tests {
    use super::*;

    const LOG: &str = "claude/jsonl/basic/session.jsonl";

    #[test]
    fn validate_of_a_log_names_its_agent_in_one_line() {
        let log = fixture(LOG);
        let output = run(["validate".into(), log.clone().into_os_string()]);
        assert_eq!(output.exit, Exit::Failure);
        let line = "this is a Claude Code log, not a record; convert it first with `vac convert`";
        assert_eq!(output.stdout, format!("{}: {line}\n", log.display()));
    }

    #[test]
    fn convert_of_a_record_names_the_commands_for_records() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record.json");
        let arguments = ["convert".into(), fixture(LOG).into_os_string(), "-o".into()];
        let written = run(arguments.into_iter().chain([record.clone().into_os_string()]));
        assert_eq!(written.exit, Exit::Success, "{}", written.stderr);
        let output = run(["convert".into(), record.into_os_string()]);
        assert_eq!((output.exit, output.stdout.as_str()), (Exit::Failure, ""));
        assert!(output.stderr.contains("this is a record, not a session log"), "{}", output.stderr);
    }

    #[test]
    fn convert_without_a_path_mentions_discover() {
        let output = run(["convert"]);
        assert_eq!((output.exit, output.stdout.as_str()), (Exit::Error, ""));
        assert!(output.stderr.contains("--discover"), "{}", output.stderr);
    }
}
