//! `--quiet`, `--verbose` and `--json` of every command.

use crate::home;
use crate::records::{record, small};
use crate::run::Folder;

const LOG: &str = "home/.claude/projects/p/1.jsonl";

/// Returns a folder with input for every command.
fn folder() -> Folder {
    let folder = crate::receipts::folder();
    folder.write(LOG, home::claude("s", "2026-03-01T09:00:00Z"));
    folder.write("good.json", small());
    folder
}

/// Commands that succeed and print a message, or a JSON document with `--json`.
const RUNS: [&[&str]; 9] = [
    &["convert", LOG, "-o", "out/"],
    &["list", "--root", "home"],
    &["inspect", "good.json"],
    &["validate", "good.json"],
    &["keygen", "-o", "out"],
    &["sign", "a.json", "--key", "keys/signing-key.pem", "-o", "out"],
    &["verify", "statement.cbor", "--key", "keys/signing-key.pub.pem"],
    &["receipts", "attach", "statement.cbor", "receipt.cbor", "-o", "out"],
    &["convert", "--discover", "--root", "home", "-o", "out"],
];

#[test]
fn quiet_is_silent_about_what_ends_well() {
    let others: [&[&str]; 6] = [
        &["events", LOG],
        &["transcode", "good.json", "--to", "cbor", "-o", "out"],
        &["schema"],
        &["completions", "elvish"],
        &["man"],
        &["man", "-o", "out"],
    ];
    for arguments in RUNS.into_iter().chain(others) {
        for quiet in ["-q", "--quiet"] {
            let ran = folder().vac(&[arguments, &[quiet]].concat());
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        }
        // The option can also precede the command.
        assert_eq!(folder().vac(&[&["-q"], arguments].concat()).stderr, "", "{arguments:?}");
    }
}

#[test]
fn quiet_is_not_silent_about_errors() {
    let folder = folder();
    folder.write("bad.json", record(r#"{"type": "robot"}"#));
    for arguments in [
        &["convert", "nowhere"][..],
        &["convert", "good.json"],
        &["list", "--root", "nowhere"],
        &["inspect", "nowhere"],
        &["events", "nowhere"],
        &["validate", "nowhere"],
        &["transcode", "nowhere", "--to", "cbor"],
        &["keygen", "-o", "keys"],
        &["sign", "bad.json", "--key", "keys/signing-key.pem", "-o", "out"],
        &["verify", "nowhere", "--key", "keys/signing-key.pub.pem"],
        &["receipts", "attach", "good.json", "receipt.cbor"],
        &["schema", "--rule", "nothing"],
        &["man", "nothing"],
        &["nothing"],
    ] {
        let ran = folder.vac(&[arguments, &["-q"]].concat());
        assert_ne!(ran.code, 0, "{arguments:?}");
        assert!(ran.stderr.starts_with("error: "), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn json_has_the_summary_on_stdout_and_nothing_else() {
    for arguments in RUNS {
        let ran = folder().vac(&[arguments, &["--json", "-q"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        let members = ran.json().as_object().map(serde_json::Map::len);
        assert!(members > Some(0), "{arguments:?}: {}", ran.stdout);
    }
    // Standard output cannot contain both the data and the JSON document.
    for arguments in [
        &["convert", LOG][..],
        &["sign", "a.json", "--key", "keys/signing-key.pem"],
        &["receipts", "attach", "statement.cbor", "receipt.cbor"],
    ] {
        let ran = folder().vac(&[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains("--output <"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn verbose_says_more() {
    for (arguments, words) in [
        (&["convert", LOG, "good.json", "-o", "out/"][..], "1.jsonl -> out/claude-s.json\n"),
        (&["convert", ".", "-o", "out/"], "a.json: skipped\n"),
        (&["validate", "good.json"], "good.json: valid (1 document)\n"),
        (&["transcode", "good.json", "--to", "cbor", "-o", "out"], "good.json -> out: "),
        (&["man", "-o", "out"], "out/vac-convert.1\n"),
    ] {
        for verbose in ["-v", "--verbose"] {
            let ran = folder().vac(&[arguments, &[verbose]].concat());
            assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
        }
        let ran = folder().vac(arguments);
        assert!(!ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
    let both = folder().vac(&["list", "-q", "-v"]);
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{both:?}");
}
