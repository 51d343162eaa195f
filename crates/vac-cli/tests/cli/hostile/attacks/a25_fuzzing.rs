//! Every parser of untrusted bytes has a fuzz target.

use std::fs;
use std::path::Path;

use vac_tests::fuzz::{TARGETS, write_archive, write_database, write_folder};
use vac_tests::root;

use crate::hostile::run;
use crate::run::Folder;

/// Returns the commands that read the input of a target, which is at `input`. What begins with `$`
/// is a sound file of its kind.
fn commands(target: &str) -> &'static [&'static str] {
    match target {
        "json" | "cbor" => &[
            "validate --lint=deny input",
            "inspect input",
            "events input",
            "transcode input --to cbor -o out",
            "sign input --key $secret -o out",
        ],
        "transcode" => &[
            "transcode input --to json",
            "transcode input --to cbor -o out",
            "transcode input --canonical",
        ],
        "cddl" => &["validate --schema input $record"],
        "convert" | "file" | "rows" | "folder" => {
            &["convert input -o out/", "list input", "inspect input", "events input"]
        }
        "verify" => &[
            "verify input --key $key",
            "verify input --key $key --record $record --receipt-key $key",
            "verify input --trust-root $root",
            "validate input",
            "inspect input",
        ],
        "receipts" => &["receipts attach $statement input --receipt-key $key -o out"],
        "tokens" => &[
            "timestamp attach $stamped input -o out",
            "verify $stamped --key $key --timestamp input --tsa-root $authority",
            "sign $record --key $secret --timestamp input -o out",
        ],
        "keys" => &[
            "verify $statement --key input",
            "verify $statement --trust-root input",
            "sign $record --key input --password-file $root -o out",
        ],
        "archive" => {
            &["archive verify input", "archive list input", "inspect input", "validate input"]
        }
        other => panic!("no commands for the target {other}"),
    }
}

/// Writes an input where a command reads it, as the check of the target does.
fn write_input(target: &str, path: &Path, bytes: &[u8]) {
    match target {
        "rows" => write_database(path, bytes),
        "folder" => write_folder(path, bytes),
        "archive" => write_archive(path, bytes),
        _ => fs::write(path, bytes).expect("a file that can be written"),
    }
}

/// Runs every file of the corpora through the commands that would read it. What they answer
/// depends on the file; [`run`] checks that none panics or fails without a word.
#[test]
fn corpus_files_never_crash_the_commands_that_read_them() {
    let path = |path: &str| root().join(path).to_str().expect("a path in UTF-8").to_owned();
    let words = [
        ("$record", path("tests/fuzz/corpus/json/small")),
        ("$statement", path("tests/fuzz/corpus/verify/attached")),
        ("$key", path("tests/fuzz/corpus/keys/ed25519-public")),
        ("$secret", path("tests/fuzz/corpus/keys/ed25519-secret")),
        ("$root", path("fixtures/sign/root.cert.pem")),
        ("$stamped", path("tests/fuzz/corpus/verify/stamped")),
        ("$authority", path("fixtures/sign/timestamps/other-root.pem")),
    ];
    for target in TARGETS {
        let corpus = root().join("tests/fuzz/corpus").join(target.name);
        for entry in fs::read_dir(corpus).expect("a corpus") {
            let file = entry.expect("an entry").path();
            let bytes = fs::read(file).expect("a file");
            for command in commands(target.name) {
                let folder = Folder::new();
                write_input(target.name, &folder.path().join("input"), &bytes);
                let arguments: Vec<_> = command
                    .split(' ')
                    .map(|word| {
                        let meant = words.iter().find(|(name, _)| *name == word);
                        meant.map_or(word, |(_, path)| path.as_str())
                    })
                    .collect();
                run(folder.path(), &arguments);
            }
        }
    }
}

/// The envelopes of the corpus are verified with the keys of the check. Otherwise fuzzing
/// would not reach what comes after a signature that holds.
#[test]
fn corpus_has_envelopes_that_verify() {
    let corpus = root().join("tests/fuzz/corpus");
    let path = |name: &str| corpus.join(name).to_str().expect("a path in UTF-8").to_owned();
    let folder = Folder::new();
    for (envelope, key) in [
        ("attached", "ed25519"),
        ("detached", "ed25519"),
        ("digest", "ed25519"),
        ("receipts", "ed25519"),
        ("p256", "p256"),
        ("p256-certificate", "p256"),
    ] {
        let (envelope, key) =
            (path(&format!("verify/{envelope}")), path(&format!("keys/{key}-public")));
        let record = path("json/small");
        let ran = folder.vac(&["verify", &envelope, "--key", &key, "--record", &record]);
        assert_eq!(ran.code, 0, "{envelope}: {ran:?}");
    }
}

/// What is fuzzed by hand, in CI and by `cargo test` are the same targets.
#[test]
fn ci_and_documents_name_the_fuzz_command() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a file");
    let command = "\n    cargo xtask fuzz --seed 1 --seconds 4\n";
    assert!(read(".ci/run").contains(command), "CI fuzzes all targets");
    let contributing = read("CONTRIBUTING.md");
    for target in TARGETS {
        assert!(contributing.contains(&format!("`{}`", target.name)), "{}", target.name);
    }
}
