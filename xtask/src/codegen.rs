//! Brings generated files up to date, or reports which are not.

use std::path::Path;

use anyhow::{Result, anyhow};
use vac_codegen::files::{self, FileError, Output};
use vac_value::harmless;

/// Updates the generated files of the workspace. Returns whether all are up to date now or,
/// with `check`, were so already.
pub fn workspace(check: bool) -> Result<bool> {
    let (outputs, warnings) = files::workspace(crate::root()?).map_err(|error| shown(&error))?;
    for warning in warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
    settle(&outputs, check)
}

/// Updates the module of another specification.
pub fn standalone(spec: &Path, out: &Path, check: bool) -> Result<bool> {
    let (text, warnings) = files::module(spec).map_err(|error| shown(&error))?;
    for warning in warnings {
        eprintln!("warning: {}", harmless(&warning.to_string()));
    }
    let path = out.join(files::module_name(spec)).with_extension("rs");
    settle(&[Output { path, text }], check)
}

/// The error with the lines of the specification that it is about.
fn shown(error: &FileError) -> anyhow::Error {
    anyhow!("{error:#}")
}

/// Writes the files that differ, or with `check` only names them.
fn settle(outputs: &[Output], check: bool) -> Result<bool> {
    let changes = if check { files::stale(outputs) } else { files::update(outputs) };
    let changes = changes.map_err(|error| shown(&error))?;
    let verb = if check { "stale" } else { "wrote" };
    for change in &changes {
        eprintln!("{verb} {}", harmless(&change.to_string()));
    }
    match (check, changes.len()) {
        (_, 0) => eprintln!("{} generated files are up to date", outputs.len()),
        (true, stale) => {
            eprintln!("{stale} of {} are stale: run `cargo xtask codegen`", outputs.len());
        }
        (false, written) => eprintln!("{written} of {} generated files written", outputs.len()),
    }
    Ok(!check || changes.is_empty())
}
