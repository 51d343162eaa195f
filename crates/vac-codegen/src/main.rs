//! `vac-codegen`: writes Rust types, codecs and a validator for a CDDL specification.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use vac_codegen::files::{FileError, Output, Specification, module, stale, update};
use vac_value::harmless;

/// Generate Rust types, codecs and a validator from a CDDL specification.
#[derive(Parser)]
#[command(version, name = "vac-codegen")]
struct Arguments {
    /// The CDDL specification (several files are read as one)
    #[arg(value_name = "SPEC.cddl", required = true)]
    spec: Vec<PathBuf>,
    /// Read the modules that the specification imports and includes from this folder
    /// (repeatable)
    #[arg(long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Use this rule as start rule instead of the first
    #[arg(long, value_name = "RULE")]
    start: Option<String>,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; fail if FILE is not up to date
    #[arg(long, requires = "output")]
    check: bool,
}

fn main() -> ExitCode {
    let Arguments { spec, include, start, output, check } = Arguments::parse();
    let spec = Specification { files: spec, folders: include, start };
    match run(&spec, output, check) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let all = match &error {
                FileError::Spec(errors) => errors.iter().map(|it| format!("{it:#}")).collect(),
                other => vec![other.to_string()],
            };
            for error in all {
                eprintln!("error: {}", error.lines().map(harmless).collect::<Vec<_>>().join("\n"));
            }
            ExitCode::from(2)
        }
    }
}

/// Returns whether the file is up to date in the end.
fn run(spec: &Specification, output: Option<PathBuf>, check: bool) -> Result<bool, FileError> {
    let (text, warnings) = module(spec)?;
    for warning in &warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
    let Some(path) = output else {
        let stdout = Path::new("stdout").to_owned();
        let written = io::stdout().write_all(text.as_bytes());
        return written.map(|()| true).map_err(|error| FileError::Io(stdout, error));
    };
    let outputs = [Output { path, text }];
    if check {
        let changes = stale(&outputs)?;
        for change in &changes {
            eprintln!("stale: {}", harmless(&change.to_string()));
        }
        return Ok(changes.is_empty());
    }
    for change in update(&outputs)? {
        eprintln!("wrote {}", harmless(&change.to_string()));
    }
    Ok(true)
}
