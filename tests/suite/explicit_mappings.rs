//! Tests that adapters state a value for every field of the schema: a new field must not get a
//! default value there.

use std::path::Path;

use vac_tests::root;

/// The generated types that adapters build.
const TYPES: [&str; 12] = [
    "AgentMeta",
    "Environment",
    "EventEntry",
    "MessageEntry",
    "ReasoningEntry",
    "RecordingAgent",
    "SessionTrace",
    "TokenUsage",
    "ToolCallEntry",
    "ToolResultEntry",
    "VcsContext",
    "VerifiableAgentRecord",
];

/// Returns the lines of a source that leave fields to a default.
fn defaults(source: &str) -> Vec<&str> {
    let is_default = |line: &&str| {
        let line = line.split("//").next().expect("a first part");
        let leaves_out = |name: &str| {
            line.contains(&format!("{name}::new(")) || line.contains(&format!("{name}::default("))
        };
        line.contains("..Default::default()") || TYPES.iter().any(|name| leaves_out(name))
    };
    source.lines().filter(is_default).collect()
}

fn check(folder: &Path, found: &mut Vec<String>) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files += check(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).expect("a source");
            let lines = defaults(&source);
            found.extend(lines.iter().map(|line| format!("{}: {line}", path.display())));
            files += 1;
        }
    }
    files
}

#[test]
fn adapters_leave_no_field_to_a_default() {
    let mut found = Vec::new();
    let mut adapters = 0;
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let entry = entry.expect("a crate");
        let name = entry.file_name().into_string().expect("a name");
        if name.starts_with("vac-adapter-") && name != "vac-adapter-check" {
            assert!(check(&entry.path().join("src"), &mut found) > 0, "{name} has sources");
            adapters += 1;
        }
    }
    assert!(adapters >= 5, "{adapters}");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn defaults_are_found() {
    for line in ["..Default::default()", "let e = EventEntry::new(x);", "TokenUsage::default()"] {
        assert_eq!(defaults(line), [line]);
    }
    assert!(defaults("// EventEntry::new(x)\nExtensions::default()").is_empty());
}
