//! Lists commands that cannot run inside a test, because they build, need the network or are the
//! tests, and the checks that replace them.

use std::fs;

/// The treatment of a command that is on the list.
#[derive(Debug)]
pub enum Listed {
    /// Another command is run in its place.
    Instead(String),
    /// It is not run, and the items that it names exist.
    Checked,
    /// An item that it names does not exist.
    Wrong(String),
}

/// Returns the reason why a command is not run; `None` if it can be run.
pub fn find(command: &str) -> Option<Listed> {
    let command = command.split(" #").next().unwrap_or_default().trim();
    let command = command.strip_prefix("VAC_BLESS=1 ").unwrap_or(command);
    if let Some(arguments) = command.strip_prefix("cargo run --release -- ") {
        return Some(match runs_vac() {
            Ok(()) => Listed::Instead(format!("vac {arguments}")),
            Err(problem) => Listed::Wrong(problem),
        });
    }
    let (program, arguments) = command.split_once(' ').unwrap_or((command, ""));
    let checked = match program {
        "cargo" if !arguments.is_empty() => cargo(arguments),
        ".ci/run"
        | "tests/interchange/run"
        | "tests/interop/run"
        | "tests/python/run"
        | "tests/tables/run" => executable(program),
        // A test in Python runs the programs of the examples, and another script builds the wheel.
        "python" => has("crates/vac-python/tests/test_documents.py", "README.md\", \"sh\"")
            .and_then(|()| exists(arguments.split(' ').next().unwrap_or_default())),
        "pip" | "maturin" => has("tests/python/run", "maturin\" build"),
        _ => return None,
    };
    Some(checked.map_or_else(Listed::Wrong, |()| Listed::Checked))
}

fn cargo(arguments: &str) -> Result<(), String> {
    let words: Vec<_> = arguments.split_whitespace().collect();
    let value_of = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    if let Some(package) = value_of("-p") {
        has("Cargo.lock", &format!("name = \"{package}\""))?;
    }
    match words[0] {
        // CI runs them, so they work.
        "fmt" | "clippy" | "doc" => {
            let line = arguments.trim_end_matches(" --open");
            has(".ci/run", &format!("cargo {line}"))
        }
        "test" if words.contains(&"--workspace") => has(".ci/run", &format!("cargo {arguments}")),
        "test" => {
            let package = value_of("-p").ok_or("which package?")?;
            tests(package, value_of("--test"), &words)
        }
        "build" if words[1..] == ["--workspace"] => Ok(()),
        "build" if words.contains(&"--release") => {
            let package = value_of("-p").ok_or("which package?")?;
            has(&format!("crates/{package}/Cargo.toml"), "[[bin]]")
        }
        // `clippy --all-targets` compiles examples.
        "run" if value_of("--example").is_some() => {
            let package = value_of("-p").ok_or("which package?")?;
            let example = value_of("--example").unwrap_or_default();
            exists(&format!("crates/{package}/examples/{example}.rs"))
        }
        // A test of vac-codegen runs the program as its README does.
        "run" if value_of("-p") == Some("vac-codegen") => {
            has("crates/vac-codegen/tests/suite/readme.rs", "CARGO_BIN_EXE_vac-codegen")
        }
        "tree" => value_of("-p").map(|_| ()).ok_or("which package?".to_owned()),
        "install" => {
            let path = value_of("--path").ok_or("from where?")?;
            has(&format!("{path}/Cargo.toml"), "[[bin]]\nname = \"vac\"")
        }
        "bench" => {
            has("Cargo.toml", "default-members = [\"crates/vac-cli\", \"tests\"]")?;
            has("tests/Cargo.toml", "[[bench]]\nname = \"ratios\"")
        }
        // A test of xtask parses its arguments.
        "xtask" => has(".cargo/config.toml", "xtask = \"run --quiet --package xtask --\""),
        other => Err(format!("`cargo {other}` is not on the list")),
    }
}

/// Checks that a package has the tests that a command names: a binary, and a module of it.
fn tests(package: &str, binary: Option<&str>, words: &[&str]) -> Result<(), String> {
    let folder = match (package, binary) {
        ("vac-tests", None) => "tests/suite".to_owned(),
        (_, Some(binary)) => format!("crates/{package}/tests/{binary}"),
        // All of them.
        _ if words.len() == 3 => return Ok(()),
        _ => return Err("which tests?".to_owned()),
    };
    let module = words.last().filter(|word| **word != package && Some(**word) != binary);
    has(&format!("{folder}/main.rs"), &module.map_or("mod ".to_owned(), |it| format!("mod {it};")))
}

/// Checks that `cargo run` runs `vac`: no other default member has a program.
fn runs_vac() -> Result<(), String> {
    has("Cargo.toml", "default-members = [\"crates/vac-cli\", \"tests\"]")?;
    has("crates/vac-cli/Cargo.toml", "[[bin]]\nname = \"vac\"")?;
    let tests = vac_tests::root().join("tests");
    if tests.join("src/main.rs").exists() || tests.join("src/bin").exists() {
        return Err("the tests have a program too".to_owned());
    }
    Ok(())
}

fn has(file: &str, text: &str) -> Result<(), String> {
    let content = fs::read_to_string(vac_tests::root().join(file));
    let content = content.map_err(|error| format!("{file}: {error}"))?;
    if content.contains(text) { Ok(()) } else { Err(format!("{file} has no {text:?}")) }
}

fn exists(file: &str) -> Result<(), String> {
    let is_there = vac_tests::root().join(file).is_file();
    if is_there { Ok(()) } else { Err(format!("{file} does not exist")) }
}

fn executable(file: &str) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(vac_tests::root().join(file));
    let metadata = metadata.map_err(|error| format!("{file}: {error}"))?;
    let is_executable = metadata.permissions().mode() & 0o111 != 0;
    if is_executable { Ok(()) } else { Err(format!("{file} cannot be run")) }
}

#[test]
fn listed_commands_are_checked() {
    let wrong = |command: &str| matches!(find(command), Some(Listed::Wrong(_)));
    assert!(wrong("cargo test -p vac-nothing"));
    assert!(wrong("cargo test -p vac-tests nothing"));
    assert!(wrong("cargo test -p vac-cli --test cli nothing"));
    assert!(wrong("cargo test -p vac-cli --test nothing"));
    assert!(!wrong("cargo test -p vac-tests adapters"));
    assert!(!wrong("cargo test -p vac-cli --test cli"));
    assert!(!wrong("cargo build --release -p vac-cli"));
    assert!(wrong("cargo build --release -p vac-value"));
    assert!(wrong("cargo build --release -p vac-nothing"));
    assert!(wrong("cargo publish"));
    assert!(wrong("python examples/nothing.py"));
    assert!(wrong("cargo clippy --fix"));
    assert!(wrong("cargo install --path crates/vac-sign"));
    assert!(find("vac convert fixtures/").is_none());
    assert!(find("ls").is_none());
    let instead = find("cargo run --release -- validate a.json   # the main job");
    assert!(matches!(instead, Some(Listed::Instead(command)) if command == "vac validate a.json"));
}
