//! What the tests, benchmarks and fuzz targets of the workspace share: where the data is,
//! sample data, what the documents show, and the checks for arbitrary bytes. The tests are
//! in `suite`, the benchmarks in `benches`, the fuzz targets in `fuzz`.

pub mod fuzz;
pub mod markdown;
pub mod native;
pub mod synthetic;

use std::path::{Path, PathBuf};

/// The workspace's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// A folder of test data beside the workspace, or a printed line and `None`.
/// `variable` names an environment variable that may point elsewhere.
pub fn shared(folder: &str, variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable)
        .map_or_else(|| root().join("../shared").join(folder), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no {folder} beside the workspace (set {variable} to name one)");
    None
}
