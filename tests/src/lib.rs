//! Provides the shared code of the tests, benchmarks and fuzz targets of the workspace: locations
//! of data, generated data, a reader of Markdown, and checks for arbitrary bytes. The tests are in
//! `suite`, the benchmarks in `benches`, the fuzz targets in `fuzz`.

pub mod fuzz;
pub mod markdown;
pub mod native;
pub mod synthetic;

use std::path::{Path, PathBuf};

/// Returns the root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Returns a folder of test data next to the workspace. If it does not exist, prints a line and
/// returns `None`. `variable` is an environment variable that may name another folder.
pub fn shared(folder: &str, variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable)
        .map_or_else(|| root().join("../shared").join(folder), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no {folder} next to the workspace (set {variable} to name one)");
    None
}
