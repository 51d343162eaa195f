//! Tests help texts, versions and suggestions for misspelled commands.

use crate::run::Folder;
use crate::tree::commands;

#[test]
fn help_and_version_have_long_and_short_options() {
    let folder = Folder::new();
    let version = concat!("vac ", env!("CARGO_PKG_VERSION"), "\n");
    folder.vac(&["--version"]).gives(0, version);
    folder.vac(&["-V"]).gives(0, version);
    for verbose in [["--version", "-v"], ["--version", "--verbose"], ["-v", "-V"]] {
        let ran = folder.vac(&verbose);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.starts_with(version), "{}", ran.stdout);
        for line in ["commit: ", "schema: 3.0.0-draft\n", "Claude Code: tested up to 2."] {
            assert!(ran.stdout.contains(&format!("\n{line}")), "{}", ran.stdout);
        }
        assert_eq!(ran.lines().len(), 3 + vac::AGENTS.len());
    }
    let long = folder.vac(&["--help"]);
    assert_eq!(folder.vac(&["help"]).stdout, long.stdout);
    assert!(long.stdout.contains("\nExamples:\n"), "{}", long.stdout);
    let nothing = folder.vac(&[]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (2, ""));
    assert!(nothing.stderr.contains("Usage: vac [OPTIONS] <COMMAND>"), "{}", nothing.stderr);
    for command in commands() {
        let words: Vec<_> = command.words.iter().map(String::as_str).collect();
        let helped = folder.vac(&[&["help"], &words[..]].concat());
        assert_eq!(helped.stdout, command.help, "{words:?}");
        let short = folder.vac(&[&words[..], &["-h"]].concat());
        assert_eq!(short.code, 0, "{words:?}");
    }
}

#[test]
fn a_word_that_is_nearly_right_is_suggested() {
    let folder = Folder::new();
    folder.write("a.json", "{}");
    for (arguments, suggested) in [
        (&["valdate", "a.json"][..], "'validate'"),
        (&["receipts", "atach"], "'attach'"),
        (&["validate", "--lnt", "a.json"], "'--lint'"),
        (&["convert", "--discovr"], "'--discover'"),
        (&["convert", "--format", "jsn", "a.json"], "'json'"),
        (&["convert", "--profile", "canon", "a.json"], "'canonical'"),
        (&["convert", "--agent", "cluade", "a.json"], "'claude'"),
        (&["list", "-a", "gemni"], "'gemini'"),
        (&["events", "--only", "prompt", "a.json"], "'prompts'"),
        (&["completions", "bahs"], "'bash'"),
        (&["validate", "--rule", "entri", "a.json"], "did you mean \"entry\"?"),
        (&["schema", "--rule", "tool-cal-entry"], "did you mean \"tool-call-entry\"?"),
    ] {
        let ran = folder.vac(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("error: "), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(suggested), "{arguments:?}: {}", ran.stderr);
    }
}

/// Runs every example of every help text, in a folder with the files that it names.
#[cfg(unix)]
mod examples {
    use std::fs;

    use vac::signature::{SecretKey, Signer as _};

    use crate::home::{self, copy};
    use crate::receipts;
    use crate::records::small;
    use crate::run::{Folder, Ran};
    use crate::timestamp;

    /// Returns a folder with the files that the examples name.
    fn stage() -> Folder {
        let folder = Folder::new();
        for home in ["home", "backup/home"] {
            let log = home::codex("c", "2026-03-02T09:00:00.000Z");
            folder.write(&format!("{home}/.codex/sessions/rollout-1.jsonl"), log);
            let log = home::claude("s1", "2026-03-01T09:00:00.000Z");
            folder.write(&format!("{home}/.claude/projects/p/s1.jsonl"), log);
        }
        for name in [".local/share/bash-completion/completions", ".config/fish/completions"] {
            folder.write(&format!("home/{name}/other"), "");
        }
        folder.write("home/.zfunc/_other", "");
        let session = home::claude("s1", "2026-03-01T09:00:00.000Z");
        folder.write("session.jsonl", &session);
        folder.write("logs/session.jsonl", &session);
        folder.write("records/record.json", small());
        folder.write("point.cddl", "point = [int, int]");
        folder.write("point.cbor", [0x82, 1, 2]);
        must(&folder, &["convert", "session.jsonl", "-o", "record.json"]);
        must(&folder, &["convert", "-f", "cbor", "session.jsonl", "-o", "record.cbor"]);
        copy("prices/sample.json", &folder, "prices.json");
        signed(&folder);
        archived(&folder);
        stamped(&folder);
        folder
    }

    fn archived(folder: &Folder) {
        must(folder, &["archive", "init", "sessions", "--keygen"]);
        let log = "orrery/5f0c1c1e-0b1a-4c5e-9a52-3f1f0a6f2b11.jsonl";
        copy("claude/jsonl/basic/session.jsonl", folder, log);
        must(folder, &["archive", "add", "sessions", "orrery"]);
        must(folder, &["archive", "head", "sessions", "-o", "head.cbor"]);
    }

    fn stamped(folder: &Folder) {
        timestamp::tokens(folder);
        copy("sign/timestamps/p256.tsr", folder, "reply.tsr");
        copy("sign/timestamps/other-root.pem", folder, "tsa-root.pem");
        let key = ["--key", "tsa/key.pem", "--insecure-key-permissions", "--no-time"];
        must(folder, &[&["sign", "stamped.json", "-o", "signed.cose"][..], &key].concat());
    }

    fn signed(folder: &Folder) {
        must(folder, &["keygen", "-o", "keys"]);
        let key = ["sign", "record.json", "--key", "keys/signing-key.pem"];
        must(folder, &[&key[..], &["-o", "record.cose"]].concat());
        let page = ["view", "record.cose", "--key", "keys/signing-key.pub.pem", "-o", "page.html"];
        must(folder, &page);
        must(folder, &[&key[..], &["--detached", "-o", "record.sig.cbor"]].concat());
        must(folder, &[&key[..], &["--hash-envelope", "-o", "statement.cbor"]].concat());
        let records = ["sign", "records", "--key", "keys/signing-key.pem", "--hash-envelope"];
        must(folder, &[&records[..], &["-o", "signed/"]].concat());
        let statement = fs::read(folder.path().join("statement.cbor")).expect("a statement");
        let log = SecretKey::ed25519(&[0x10; 32]);
        folder.write("receipt.cbor", receipts::receipt(&statement, &log));
        let public = log.public_key().to_pem().expect("PEM");
        folder.write("log.pub.pem", public.as_bytes());
        let attach = ["receipts", "attach", "statement.cbor", "receipt.cbor"];
        must(folder, &[&attach[..], &["-o", "transparent.cbor"]].concat());
        fs::copy(folder.path().join("keys/signing-key.pub.pem"), folder.path().join("ed.pub.pem"))
            .expect("a copy");
        let key = SecretKey::ed25519(&[0x51; 32]).to_pem().expect("PEM");
        folder.write("certified.pem", key.as_bytes());
        copy("sign/signer.chain.pem", folder, "chain.pem");
        copy("sign/root.cert.pem", folder, "ca.pem");
        let key = ["--key", "certified.pem", "--insecure-key-permissions"];
        let rest = ["sign", "record.json", "--cert", "chain.pem", "-o", "certified.cose"];
        must(folder, &[&rest[..], &key].concat());
    }

    #[track_caller]
    fn must(folder: &Folder, arguments: &[&str]) {
        let ran = folder.vac(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    }

    /// Runs a line without the files that it writes, and restores the folder.
    fn run(stage: &Folder, line: &str) -> Ran {
        let mut words = line.split(' ').skip_while(|word| !["-o", ">"].contains(word));
        let written = words.nth(1).map(|name| stage.path().join(name.replace('~', "home")));
        let aside = stage.path().join("aside");
        let is_there = written.as_ref().is_some_and(|path| fs::rename(path, &aside).is_ok());
        // Commands that a user might type.
        let ran = stage.shell(&[("VAC_KEY_PASSWORD", "sesame")], line);
        if let Some(path) = written {
            assert!(path.exists(), "{line}");
            let is_folder = path.is_dir();
            let removed =
                if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.expect("what was made can be removed");
            if is_there {
                fs::rename(&aside, &path).expect("what was there can be put back");
            }
        }
        ran
    }

    #[test]
    fn every_example_does_what_it_says() {
        let stage = stage();
        let mut count = 0;
        for command in crate::tree::commands() {
            let (_, examples) = command.help.split_once("\nExamples:\n").expect("examples");
            for line in examples.lines().filter_map(|line| line.strip_prefix("  vac ")) {
                let line = format!("vac {line}");
                let ran = run(&stage, &line);
                assert_eq!(ran.code, 0, "{line}: {ran:?}");
                count += 1;
            }
        }
        assert!(count > 30, "{count} examples");
    }
}
