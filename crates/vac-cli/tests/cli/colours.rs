//! Tests colours: they are printed on a terminal or on request, and never carry information alone.

use anstream::adapter::strip_str;

use crate::home;
use crate::records::{record, small};
use crate::run::{Folder, Ran};

/// Returns a folder with input for every command, and the commands.
fn runs() -> (Folder, Vec<Vec<&'static str>>) {
    let folder = crate::receipts::folder();
    folder.write("home/.claude/projects/p/1.jsonl", home::claude("s", "2026-03-01T09:00:00Z"));
    folder.write("good.json", small());
    folder.write("bad.json", record(r#"{"type": "robot"}"#));
    let public = "keys/signing-key.pub.pem";
    let runs = vec![
        vec!["--help"],
        vec!["convert", "--help"],
        vec!["convert"],
        vec!["convert", "nowhere", "good.json"],
        vec!["convert", "-v", "home/.claude"],
        vec!["list", "-v", "--root", "home"],
        vec!["inspect", "home/.claude/projects/p/1.jsonl"],
        vec!["events", "home/.claude/projects/p/1.jsonl"],
        vec!["validate", "-v", "--lint", "good.json", "bad.json", "nowhere"],
        vec!["validate", "--json", "good.json", "bad.json"],
        vec!["transcode", "bad.json", "--to", "json"],
        vec!["keygen", "-o", "keys"],
        vec![
            "sign",
            "bad.json",
            "--key",
            "keys/signing-key.pem",
            "--allow-invalid",
            "-o",
            "signed",
        ],
        vec!["verify", "statement.cbor", "--key", public],
        vec!["verify", "bad.json", "--key", public],
        vec!["verify", "statement.cbor", "--key", public, "--json"],
        vec!["receipts", "attach", "bad.json", "receipt.cbor"],
        vec!["schema", "--rule", "entrie"],
        vec!["completions", "zsh"],
        vec!["man", "validate"],
    ];
    (folder, runs)
}

fn run(folder: &Folder, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let ran = folder.vac_at_home(variables, arguments);
    // The output of a command is removed before the next one.
    std::fs::remove_file(folder.path().join("signed")).unwrap_or_default();
    ran
}

#[test]
fn pipes_and_files_have_no_colours() {
    let (folder, runs) = runs();
    for arguments in runs {
        let ran = run(&folder, &[], &arguments);
        assert!(!(ran.stdout + &ran.stderr).contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn forced_colours_change_nothing_else() {
    let (folder, runs) = runs();
    let mut coloured = 0;
    for arguments in runs {
        let plain = run(&folder, &[], &arguments);
        let forced = run(&folder, &[("CLICOLOR_FORCE", "1")], &arguments);
        assert_eq!(forced.code, plain.code, "{arguments:?}");
        assert_eq!(strip_str(&forced.stdout).to_string(), plain.stdout, "{arguments:?}");
        assert_eq!(strip_str(&forced.stderr).to_string(), plain.stderr, "{arguments:?}");
        coloured += usize::from((forced.stdout + &forced.stderr).contains('\u{1b}'));
        // Colours can be turned off.
        let variables = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        let none = run(&folder, &variables, &arguments);
        assert_eq!((none.stdout, none.stderr), (plain.stdout, plain.stderr), "{arguments:?}");
    }
    assert!(coloured > 12, "{coloured}");
}

#[test]
fn results_and_labels_have_their_colours() {
    let (folder, _) = runs();
    let (red, green, bold) = ("\u{1b}[1m\u{1b}[31m", "\u{1b}[32m", "\u{1b}[1m");
    let forced = |arguments: &[&str]| {
        let ran = run(&folder, &[("CLICOLOR_FORCE", "1")], arguments);
        ran.stdout + &ran.stderr
    };
    let yellow = "\u{1b}[1m\u{1b}[33m";
    let key = ["--key", "keys/signing-key.pub.pem"];
    let signing =
        ["sign", "bad.json", "--key", "keys/signing-key.pem", "--allow-invalid", "-o", "signed"];
    for (arguments, expected) in [
        (&["convert", "nowhere"][..], format!("{red}error:\u{1b}[0m nowhere: ")),
        (&["convert", "--nowhere"], format!("{red}error:\u{1b}[0m unexpected")),
        (&signing, format!("{yellow}warning:\u{1b}[0m bad.json: signed although")),
        (&["validate", "good.json"], format!("{green}1 valid\u{1b}[0m, 0 invalid")),
        (&["validate", "bad.json"], format!("0 valid, {red}1 invalid\u{1b}[0m")),
        (&["validate", "-v", "good.json"], format!("good.json: {green}valid\u{1b}[0m (")),
        (&["list", "--root", "home"], format!("{bold}agent\u{1b}[0m ")),
        (&["inspect", "good.json"], format!("{bold}session\u{1b}[0m ")),
        (&["verify", "statement.cbor", key[0], key[1]], format!("{green}ok\u{1b}[0m (")),
        (
            &["verify", "statement.cbor", key[0], key[1]],
            format!(" {green}verified\u{1b}[0m (statement.cbor)\n"),
        ),
        (&["verify", "bad.json", key[0], key[1]], format!("{red}failed\u{1b}[0m (")),
    ] {
        let said = forced(arguments);
        assert!(said.contains(&expected), "{arguments:?}: {said:?}");
    }
}
