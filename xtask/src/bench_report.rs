//! Writes the tables of the benchmark as a document.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// Runs the benchmark, writes its output, and returns whether it succeeded.
pub fn write(output: Option<&Path>, quick: bool) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut bench = Command::new(cargo);
    bench.args(["bench", "-p", "vac-tests", "--bench", "ratios", "--", "--markdown"]);
    bench.args(quick.then_some("--quick")).current_dir(crate::root()?);
    let Some(path) = output else {
        return Ok(bench.status().context("cannot run cargo bench")?.success());
    };
    let ran = bench.stderr(Stdio::inherit()).output().context("cannot run cargo bench")?;
    if !ran.status.success() {
        return Ok(false);
    }
    let head = b"# Benchmarks\n\nWritten by `cargo xtask bench-report`; ratios, never times.\n\n";
    std::fs::write(path, [&head[..], &ran.stdout].concat())
        .with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("wrote {}", path.display());
    Ok(true)
}
