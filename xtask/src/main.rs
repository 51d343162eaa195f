//! Chores of this workspace: `cargo xtask codegen`, `bench-report`, `fuzz`, `rust-version`.

mod bench_report;
mod codegen;
mod fuzz;
mod rust_version;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
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
    /// Without options: from spec/agent-conversation.cddl into the crate
    /// vac-record, and from each specification in fixtures/cddl
    /// into fixtures/cddl/generated. Only files that change are written.
    Codegen {
        /// Write nothing; fail if a file is not what would be generated.
        #[arg(long)]
        check: bool,
        /// Generate a stand-alone module for another specification (repeat to read files as one)
        #[arg(long, value_name = "FILE", requires = "out")]
        spec: Vec<PathBuf>,
        /// Read the modules that the specification imports and includes from this folder
        /// (repeatable)
        #[arg(long, value_name = "DIR", requires = "spec")]
        include: Vec<PathBuf>,
        /// Use this rule as start rule instead of the first
        #[arg(long, value_name = "RULE", requires = "spec")]
        start: Option<String>,
        /// The folder for the module, which is called as the specification is.
        #[arg(long, value_name = "DIR", requires = "spec")]
        out: Option<PathBuf>,
    },
    /// Run the benchmark and write its tables as Markdown.
    BenchReport {
        /// A file to write instead of stdout.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Small inputs and few rounds: a first look.
        #[arg(long)]
        quick: bool,
    },
    /// Fuzz the parsers of untrusted input.
    ///
    /// Needs a C++ compiler. New inputs are thrown away; an input that breaks an invariant
    /// is kept in target/fuzz, and its path is printed.
    Fuzz {
        /// The targets to fuzz [default: all]
        #[arg(value_name = "TARGET")]
        targets: Vec<String>,
        /// Seconds for each target.
        #[arg(long, value_name = "N", default_value = "30")]
        seconds: NonZeroU32,
        /// Number of targets to fuzz in parallel.
        #[arg(long, value_name = "N", default_value = "2")]
        jobs: NonZeroUsize,
        /// Seed of the random numbers (0 = another one each time).
        #[arg(long, value_name = "N", default_value = "0")]
        seed: u32,
    },
    /// Fail if a dependency needs a newer compiler than the manifest states.
    RustVersion,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Codegen { check, spec, include, start, out: Some(out) } => {
            let spec = vac_codegen::files::Specification { files: spec, folders: include, start };
            codegen::standalone(&spec, &out, check)
        }
        Chore::Codegen { check, .. } => codegen::workspace(check),
        Chore::BenchReport { output, quick } => bench_report::write(output.as_deref(), quick),
        Chore::Fuzz { targets, seconds, jobs, seed } => fuzz::run(&targets, seconds, jobs, seed),
        Chore::RustVersion => rust_version::check(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Returns the root of the workspace.
fn root() -> Result<&'static Path> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    folder.ok_or_else(|| anyhow!("xtask has no folder around it"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use vac_tests::markdown::Document;

    use super::Arguments;

    #[test]
    fn chores_in_documents_are_parsed() {
        let mut count = 0;
        for document in Document::all() {
            for (line, command) in document.commands(&["cargo"]) {
                let command = command.split(" #").next().unwrap_or_default();
                let Some(arguments) = command.strip_prefix("cargo xtask ") else { continue };
                let words = ["cargo xtask"].into_iter().chain(arguments.split_whitespace());
                if let Err(error) = Arguments::try_parse_from(words) {
                    panic!("{}:{line}: `{command}`: {error}", document.name);
                }
                count += 1;
            }
        }
        assert!(count > 5, "only {count} commands");
    }
}
