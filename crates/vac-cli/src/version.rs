//! Returns the version of the program, with the commit of the build and the tested versions of
//! agents.

use std::fmt::Write as _;

use vac::AGENTS;
use vac::record::SCHEMA_VERSION;

/// The commit that the program was built from, if the build script knows it. Records state it.
pub const COMMIT: Option<&str> = option_env!("VAC_COMMIT");

/// Returns the version with the commit. Pages state it.
pub fn build() -> String {
    match COMMIT {
        Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
        None => env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Returns what `vac --version -v` prints.
pub fn details() -> String {
    let mut text = format!("vac {}\n", env!("CARGO_PKG_VERSION"));
    let mut line = |name: &str, value: &str| {
        writeln!(text, "{name}: {value}").expect("writing to a string cannot fail");
    };
    line("commit", COMMIT.unwrap_or("unknown"));
    line("schema", SCHEMA_VERSION);
    for adapter in AGENTS {
        match adapter.newest_tested() {
            Some(version) => line(adapter.title(), &format!("tested up to {version}")),
            None => line(adapter.title(), "its logs have no version"),
        }
    }
    text
}
