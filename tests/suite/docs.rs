//! Tests that the documentation is complete, and names only files, tests and variants that exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use vac::{AGENTS, ConvertOptions, Search};
use vac_adapter::places::System;
use vac_adapter_check::{corpus, fixture_logs};
use vac_tests::markdown::{Document, code};
use vac_tests::root;

/// The code map names a test for each decision.
#[test]
fn tests_named_by_the_code_map_exist() {
    let map = std::fs::read_to_string(root().join("crates/README.md")).expect("the code map");
    let decisions = map.split("converter were wrong").nth(1).expect("the list of decisions");
    let rows = decisions.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut sources = Vec::new();
    find_sources(&root().join("crates"), &mut sources);
    let all: String = sources
        .iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "tests"))
        .map(|path| std::fs::read_to_string(path).expect("a source"))
        .collect();
    let mut count = 0;
    for row in rows {
        let tests = row.rsplit('|').nth(1).expect("a second column");
        for name in code(tests) {
            assert!(all.contains(&format!("fn {name}()")), "no test is called {name}");
            count += 1;
        }
    }
    assert!(count > 15, "only {count} tests are named");
}

/// Tests that the README shows a part of the record of its first sample. Texts that end with `...`
/// are truncated.
#[test]
fn record_in_the_readme_is_part_of_a_real_one() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let after = readme.split("```json\n").nth(1).expect("a record");
    let shown = after.split("```").next().expect("its end");
    let shown: Value = serde_json::from_str(shown).expect("JSON");
    let search =
        Search { paths: vec![root().join("fixtures/samples/claude.jsonl")], ..Search::default() };
    let plan = search.plan().expect("the sample");
    let mut record = Vec::new();
    vac::convert(&plan.tasks[0], &ConvertOptions::default(), &mut record).expect("a record");
    let record: Value = serde_json::from_slice(&record).expect("JSON");
    assert_eq!(find_difference(&shown, &record), None);
}

/// Returns the place where a value is not part of another one: the other object may have more
/// members, and the other array more elements in between.
fn find_difference(part: &Value, whole: &Value) -> Option<String> {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part.iter().find_map(|(key, value)| {
            let Some(other) = whole.get(key) else { return Some(format!("/{key}")) };
            find_difference(value, other).map(|path| format!("/{key}{path}"))
        }),
        (Value::Array(part), Value::Array(whole)) => {
            let mut rest = whole.iter();
            let is_missing = |value| !rest.any(|other| find_difference(value, other).is_none());
            part.iter().position(is_missing).map(|at| format!("/{at}"))
        }
        (Value::String(part), Value::String(whole)) => {
            let is_same = match part.strip_suffix("...") {
                Some(beginning) => whole.starts_with(beginning),
                None => part == whole,
            };
            (!is_same).then(|| format!(": {part}"))
        }
        _ => (part != whole).then(|| format!(": {part}")),
    }
}

/// Paths in the code map begin in its folder, those of other documents at the root.
#[test]
fn files_named_by_documents_exist() {
    let mut count = 0;
    for document in Document::all() {
        for (line, named) in document.inline() {
            let is_path = named
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-./{},".contains(&byte));
            let first = named.split('/').next().unwrap_or_default();
            let top = match first {
                "crates" | "tests" | "fixtures" | "spec" | "xtask" | ".ci" => root().to_owned(),
                _ if first.starts_with("vac-") => root().join("crates"),
                _ => continue,
            };
            if !is_path || !named.contains('/') {
                continue;
            }
            for path in expand(named) {
                let place = format!("{}:{line}: {path}", document.name);
                assert!(top.join(path.trim_end_matches('/')).exists(), "{place} does not exist");
                count += 1;
            }
        }
    }
    assert!(count > 40, "only {count} paths");
}

/// `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn expand(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (names, after) = rest.split_once('}').expect("a bracket that closes");
    names.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

#[test]
fn every_crate_documents_an_example_and_its_decisions() {
    let mut count = 0;
    for folder in root().join("crates").read_dir().expect("crates").flatten() {
        let Ok(source) = std::fs::read_to_string(folder.path().join("src/lib.rs")) else {
            continue;
        };
        let name = folder.file_name();
        let docs: Vec<_> = source.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(docs.contains(&"//! # Decisions"), "{name:?} has no decisions");
        assert!(docs.iter().any(|line| line.starts_with("//! ```")), "{name:?} has no example");
        count += 1;
    }
    assert!(count >= 15, "only {count} crates");
}

/// The README's variants are those that the adapters' documentation names, those that the
/// fixtures are in, and (where there is a corpus) all that real sessions are in.
#[test]
fn table_of_variants_is_complete() {
    let readme: BTreeSet<_> =
        Document::read("crates/vac-cli/README.md").variants().into_iter().collect();
    let (mut documented, mut covered) = (BTreeSet::new(), BTreeSet::new());
    for adapter in AGENTS.iter().copied() {
        let agent = adapter.name();
        let crate_docs = Document::read(&format!("crates/vac-adapter-{agent}/src/lib.rs"));
        for row in crate_docs.table("| variant |") {
            documented.extend(code(row[0]).map(|name| (agent.to_owned(), name.to_owned())));
        }
        for log in fixture_logs(adapter) {
            let sessions = adapter.survey(&log).expect("a log");
            covered.extend(sessions.iter().map(|it| (agent.to_owned(), it.variant().to_owned())));
        }
        for log in corpus(adapter) {
            for session in adapter.survey(&log).unwrap_or_default() {
                let variant = (agent.to_owned(), session.variant().to_owned());
                assert!(readme.contains(&variant), "{}: {variant:?}", log.shown);
            }
        }
    }
    assert_eq!(readme, documented, "the README and the crates' documentation");
    assert_eq!(readme, covered, "the README and the fixtures");
}

/// Returns the table of agents, from the list of agents and their places on Linux.
fn agents_table() -> String {
    let mut table = String::from(AGENTS_HEAD);
    for adapter in AGENTS {
        let mut places = Vec::new();
        for place in adapter.places().iter().filter(|it| it.systems.contains(&System::Linux)) {
            for (home, keep) in place
                .in_home
                .iter()
                .flat_map(|home| place.keeps.iter().map(move |keep| (home, keep)))
            {
                let folders = keep.folders.iter().take_while(|name| !name.contains('*'));
                let path = folders.fold(format!("~/{home}"), |path, name| path + "/" + name);
                let shown = format!("`{path}`");
                if place.agent.is_none() && !places.contains(&shown) {
                    places.push(shown);
                }
            }
        }
        let version = adapter.newest_tested().unwrap_or("its logs have no version");
        let (title, name) = (adapter.title(), adapter.name());
        if places.is_empty() {
            places.push("where the user puts them".to_owned());
        }
        let row = [&format!("{title} (`{name}`)"), version, &places.join(", ")].join(" | ");
        table.extend(["| ", &row, " |\n"]);
    }
    table
}

/// The head of the table of agents.
const AGENTS_HEAD: &str = "| agent | tested up to | where it keeps sessions |\n|---|---|---|\n";

#[test]
fn table_of_agents_is_that_of_the_code() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("the README");
    let start = readme.find(AGENTS_HEAD).expect("the table of agents");
    let end = start + readme[start..].find("\n\n").expect("the end of the table") + 1;
    let table = agents_table();
    if std::env::var_os("VAC_BLESS").is_some() {
        let readme = format!("{}{table}{}", &readme[..start], &readme[end..]);
        std::fs::write(&path, readme).expect("the README can be written");
    } else {
        assert_eq!(&readme[start..end], table, "VAC_BLESS=1 writes it");
    }
}

/// Crate `vac` has everything that programs need.
#[test]
fn programs_need_no_crate_but_the_library() {
    for (name, expected) in [("vac-cli", &["vac", "vac-archive"][..]), ("vac-python", &["vac"])] {
        let path = root().join("crates").join(name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(path).expect("a manifest");
        let (_, rest) = manifest.split_once("\n[dependencies]\n").expect("dependencies");
        let lines = rest.lines().take_while(|line| !line.starts_with('['));
        let names = lines.filter_map(|line| line.split(['.', ' ']).next());
        let ours: Vec<_> = names.filter(|it| *it == "vac" || it.starts_with("vac-")).collect();
        assert_eq!(ours, expected, "{name}");
    }
}

/// The README claims that `vac` never uses a network.
#[test]
fn no_crate_uses_a_network() {
    let mut sources = Vec::new();
    find_sources(&root().join("crates"), &mut sources);
    for path in sources {
        let text = std::fs::read_to_string(&path).expect("a source");
        for name in ["std::net", "TcpStream", "UdpSocket"] {
            assert!(!text.contains(name), "{} uses {name}", path.display());
        }
    }
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "-p", "vac-cli", "-e", "normal", "--prefix", "none", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let tree = String::from_utf8_lossy(&tree.stdout);
    let names: Vec<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"clap"), "not a tree of dependencies: {tree}");
    for name in ["curl", "hyper", "mio", "reqwest", "rustls", "socket2", "tokio", "ureq"] {
        assert!(!names.contains(&name), "{name} is a dependency");
    }
}

fn find_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find_sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}
