//! The command line of verifiable agent records.
//!
//! ```console
//! $ vac validate record.json
//! 1 file: 1 valid, 0 invalid, 0 unreadable
//! $ vac validate --lint records/ && vac schema --rule entry
//! ```
//!
//! # Decisions
//!
//! * Data is printed on stdout, messages on stderr. `--json` prints the same facts as the text.
//! * This crate contains what libraries must not do: parse arguments, print, handle signals, choose
//!   exit codes. Everything else is done by calls into the library `vac`.
//! * A command is a file in `commands`: its arguments, and a function that runs them with a
//!   [`Printer`] and returns an [`Exit`]. Tests call it without a process.
//! * The printer prints lines, in which text from outside is escaped, and JSON documents, which are
//!   defined in `json_output`.

mod archived;
mod batch;
mod cleanup_on_signal;
mod commands;
mod convert;
mod exit;
mod export;
mod format;
mod help;
mod hook;
#[cfg(test)]
mod in_process;
mod input;
mod json_output;
mod key_files;
mod key_password;
mod layout;
mod mode_option;
mod output_file;
mod printer;
mod schema;
mod searched_places;
mod session_index;
mod session_names;
mod session_scan;
mod sessions;
mod settings;
mod show;
mod size;
mod skipped;
mod usage_table;
mod validate;
mod version;

use clap::Parser;

use commands::Command;
use exit::Exit;
use printer::{Printer, Verbosity};

/// Convert session logs of AI coding agents to verifiable agent records
#[derive(Parser)]
#[command(name = "vac", version, arg_required_else_help = true)]
#[command(after_help = help::ending(
    &["Inputs are never changed, and nothing is sent over the network."],
    "",
    &[
        ("vac list", "List the sessions on this machine"),
        ("vac convert --discover -o records/", "Convert all of them, a file each"),
        ("vac validate records/", "Validate the records"),
        ("vac help convert", "Print the help of a command"),
    ],
))]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print only errors on stderr
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = help::GLOBAL_OPTIONS)]
    quiet: bool,
    /// Print details on stderr, `vac show` on stdout; with --version, the commit, the schema and tested versions
    #[arg(short, long, global = true, help_heading = help::GLOBAL_OPTIONS)]
    verbose: bool,
}

fn main() -> std::process::ExitCode {
    let Arguments { command, quiet, verbose } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            return Exit::from_usage(error, &Printer::new(Verbosity::Normal)).into();
        }
    };
    let printer = Printer::new(match (quiet, verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    });
    cleanup_on_signal::watch();
    let _temporary = command.reads_logs().then(cleanup_on_signal::TemporaryFolder::new);
    command.run(&printer).unwrap_or_else(|error| Exit::from_error(&error, &printer)).into()
}
