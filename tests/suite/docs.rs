//! What the documentation names has to be there.

use std::path::{Path, PathBuf};

use vac_tests::root;

/// Every test that the code map names for a decision is a test of some crate.
#[test]
fn the_tests_that_the_code_map_names_are_there() {
    let map = std::fs::read_to_string(root().join("crates/README.md")).expect("the code map");
    let decisions = map.split("converter were wrong").nth(1).expect("the list of decisions");
    let rows = decisions.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut sources = Vec::new();
    tests_below(&root().join("crates"), &mut sources);
    let all: String = sources
        .iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "tests"))
        .map(|path| std::fs::read_to_string(path).expect("a source"))
        .collect();
    let mut count = 0;
    for row in rows {
        let tests = row.rsplit('|').nth(1).expect("a second column");
        for name in tests.split('`').skip(1).step_by(2) {
            assert!(all.contains(&format!("fn {name}()")), "no test is called {name}");
            count += 1;
        }
    }
    assert!(count > 15, "only {count} tests are named");
}

fn tests_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            tests_below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}
