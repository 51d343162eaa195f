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
//! * stdout carries data, stderr everything else. `--json` gives the same facts
//!   as the text.
//! * This crate does what libraries must not: files, standard streams, threads,
//!   exit codes. What a document is worth is decided elsewhere.
//! * A command is a file in `commands`: its arguments, and a function that takes
//!   them and gives an [`Exit`].
//! * What people read is made of lines, and only harmless text gets into a line
//!   (`line`). What programs read is JSON, in which the same characters are escaped.

mod atomic_file;
mod cleanup_on_signal;
mod commands;
mod convert;
mod exit;
mod format;
mod help;
mod input;
mod input_guard;
mod key_files;
mod output_file;
mod printer;
mod readers;
mod schema;
mod sessions;
mod size;
mod skipped;
mod validate;
mod version;

use clap::Parser;

use commands::Command;
use exit::Exit;
use printer::{Printer, Verbosity};

/// Verifiable agent records: what an AI agent did, in one form for all agents
#[derive(Parser)]
#[command(name = "vac", version, arg_required_else_help = true)]
#[command(after_help = help::ending(
    &["What is read is never changed. Nothing is sent anywhere."],
    "0 yes or done, 1 no, 2 usage or input/output error.",
    &[
        ("vac list", "The sessions on this machine"),
        ("vac convert --discover -o records/", "All of them as records, a file each"),
        ("vac validate records/", "Whether they fit the schema"),
        ("vac help convert", "More about one command"),
    ],
))]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print only errors on stderr
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more on stderr; with --version, also what vac was built from and tested with
    #[arg(short, long, global = true)]
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
    let _temporary = command.reads_logs().then(cleanup_on_signal::TemporaryFolder::new);
    command.run(&printer).unwrap_or_else(|error| Exit::from_error(&error, &printer)).into()
}
