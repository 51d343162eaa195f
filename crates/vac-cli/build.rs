//! Sets the variable `VAC_COMMIT` of the compiler to the commit from which the program is built.
//!
//! A packager can state it in the environment. Otherwise a release build of the repository asks
//! git. Other builds have none, so that tests see the same records at every commit.

#![allow(clippy::disallowed_macros, reason = "Cargo reads what a build script prints")]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=VAC_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if env::var_os("VAC_COMMIT").is_none()
        && is_release
        && let Some(commit) = commit()
    {
        println!("cargo::rustc-env=VAC_COMMIT={commit}");
    }
}

/// Returns the commit of the repository, with `-dirty` if files differ from it. `None` if this is
/// not the repository, but for example a published crate in a folder below another one.
fn commit() -> Option<String> {
    if git(&["rev-parse", "--show-prefix"])? != "crates/vac-cli/" {
        return None;
    }
    let head = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for path in [head.as_str(), "../../crates", "../../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    git(&["describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"])
}

/// Returns the output of git. `None` if git fails or is not installed.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
