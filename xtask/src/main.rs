//! Chores of this workspace: `cargo xtask codegen`.

mod codegen;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Generate Rust types and validators from CDDL.
    ///
    /// Without options: from spec/agent-conversation.cddl into the crates
    /// vac-record and vac-validate. Only files that change are written.
    Codegen {
        /// Write nothing; fail if a file is not what would be generated.
        #[arg(long)]
        check: bool,
        /// Generate a stand-alone module for another specification.
        #[arg(long, value_name = "FILE", requires = "out")]
        spec: Option<PathBuf>,
        /// The folder for the module, which is called as the specification is.
        #[arg(long, value_name = "DIR", requires = "spec")]
        out: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let Arguments { chore: Chore::Codegen { check, spec, out } } = Arguments::parse();
    let done = match (spec, out) {
        (Some(spec), Some(out)) => codegen::standalone(&spec, &out, check),
        _ => codegen::workspace(check),
    };
    match done {
        Ok(fresh) if fresh => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
