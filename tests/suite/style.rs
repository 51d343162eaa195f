//! The words that `STYLE.md` replaces do not come back.

use std::path::{Path, PathBuf};

use vac_tests::root;

/// Words and phrases that have a plainer replacement, in lower case.
const WORDS: &[&str] = &[
    "told",
    "stands",
    "behind",
    "beside",
    "nobody",
    "somebody",
    "whoever",
    "is none",
    "is no",
    "so many",
    "made-up",
    "passed over",
];

/// Files and folders that are checked.
const CHECKED: &[&str] = &[
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "crates",
    "fixtures",
    "spec",
    "tests",
    "xtask",
];

/// Files that have to contain the words.
const EXCEPTIONS: &[(&str, &str)] = &[("tests/suite/style.rs", "it lists them")];

/// Texts that may contain the words, in lower case, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("is no longer", "plain English"),
    ("there is no", "plain English"),
    ("a line that is none", "quoted from a fixture"),
];

/// Returns the listed words in a line of text.
fn find_words(line: &str) -> Vec<&'static str> {
    let line =
        ALLOWED.iter().fold(line.to_lowercase(), |line, (allowed, _)| line.replace(allowed, ""));
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_whole = |start: usize, length: usize| {
        let bytes = line.as_bytes();
        !bytes[..start].last().is_some_and(|byte| is_letter(*byte))
            && !bytes.get(start + length).is_some_and(|byte| is_letter(*byte))
    };
    let is_found = |word: &&&str| {
        line.match_indices(**word).any(|(start, matched)| is_whole(start, matched.len()))
    };
    WORDS.iter().filter(is_found).copied().collect()
}

/// Finds the Rust and Markdown files in a path.
fn find_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in path.read_dir().expect("a folder") {
            find_files(&entry.expect("an entry").path(), files);
        }
    } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "md") {
        files.push(path.to_owned());
    }
}

#[test]
fn checked_files_use_plain_words() {
    let mut files = Vec::new();
    for path in CHECKED {
        let count = files.len();
        find_files(&root().join(path), &mut files);
        assert!(files.len() > count, "{path} has no Rust or Markdown file");
    }
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(root()).expect("a file of the workspace").to_owned();
        if EXCEPTIONS.iter().any(|(exception, _)| name == Path::new(exception)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        for (number, line) in (1..).zip(text.lines()) {
            for word in find_words(line) {
                found.push(format!("{}:{number}: `{word}` in: {}", name.display(), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "see STYLE.md:\n{}", found.join("\n"));
}

#[test]
fn words_are_found_whole_and_in_any_case() {
    assert_eq!(
        find_words("/// Nobody knows, so many are behind."),
        ["behind", "nobody", "so many"]
    );
    assert_eq!(find_words("It is no log, and it is none."), ["is none", "is no"]);
    assert_eq!(find_words("hindsight, asides, understands, behindhand, is_no"), [""; 0]);
    assert_eq!(find_words("The record is no longer valid, and there is no other."), [""; 0]);
}
