//! Tests `vac verify` and `vac receipts`: lines, JSON, exit codes.

use std::path::{Path, PathBuf};

use crate::run::Folder;
use crate::sign::{folder, sign, timed, verify};

const QUESTIONS: [&str; 7] =
    ["envelope", "signature", "payload hash", "record", "trace metadata", "signer", "receipts"];

#[test]
fn each_question_has_its_line_in_text_and_in_json() {
    let folder = folder();
    sign(&folder, &["a.json", "-o", "signed"]);
    let ran = verify(&folder, &["signed"]);
    let mut words: Vec<_> = ran
        .lines()
        .iter()
        .map(|line| {
            let (question, answer) = line.split_once(':').unwrap();
            (question.to_owned(), answer.trim().split(" (").next().unwrap().to_owned())
        })
        .collect();
    let expected = QUESTIONS.map(|question| {
        (question.to_owned(), if question == "receipts" { "none" } else { "ok" }.to_owned())
    });
    assert_eq!(words.pop(), Some(("verdict".to_owned(), "verified".to_owned())));
    assert_eq!(words, expected);
    let json = verify(&folder, &["signed", "--json"]).json();
    assert_eq!((&json["verified"], &json["signed"]), (&true.into(), &true.into()));
    for (question, word) in &words {
        assert_eq!(json[question.replace(' ', "-")]["verdict"], word.as_str(), "{json}");
    }
    assert_eq!(json["claims"]["algorithm"], -8);
    assert_eq!(json["claims"]["signed"], "record");
    assert_eq!(verify(&folder, &["signed"]).stderr, "");
}

#[test]
fn unsigned_files_are_never_ok() {
    let folder = folder();
    let ran = verify(&folder, &["a.json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("envelope:       failed (not signed: this is plain JSON)\n"));
    assert!(ran.stdout.ends_with("\nverdict:        not signed (a.json)\n"), "{ran:?}");
    assert_eq!(ran.stderr, "");
    assert!(!ran.stdout.contains("ok"), "{ran:?}");
    let json = verify(&folder, &["a.json", "--json"]).json();
    assert_eq!((&json["verified"], &json["signed"]), (&false.into(), &false.into()));
}

#[test]
fn a_changed_record_is_not_verified() {
    let folder = folder();
    sign(&folder, &["a.json", "--detached", "-o", "signed"]);
    folder.write("b.json", timed().replace("hi", "ho"));
    let ran = verify(&folder, &["signed", "--record", "b.json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.ends_with("\nverdict:        NOT verified (signed)\n"), "{ran:?}");
    assert!(ran.stdout.contains("\nsignature:      failed (over the record as it is"), "{ran:?}");
    let json = verify(&folder, &["signed", "--record", "b.json", "--json"]).json();
    assert_eq!(json["claims"], serde_json::Value::Null, "nothing is claimed then");
}

#[test]
fn text_of_a_session_does_not_reach_the_terminal_as_it_is() {
    let folder = folder();
    let subject = "\u{1b}[31mred\u{202e}";
    folder.write("b.json", timed().replace("\"s1\"", "\"\\u001b[2Jx\""));
    let ran = sign(&folder, &["b.json", "-o", "signed", "--subject", subject]);
    assert!(!ran.stderr.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
    let ran = verify(&folder, &["signed"]);
    assert!(ran.code == 0 && !ran.stdout.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
    assert!(ran.stdout.contains("\\u{1b}[31mred\\u{202e}"), "{ran:?}");
}

#[test]
fn usage_errors_and_missing_files_exit_with_2() {
    let folder = folder();
    assert_eq!(folder.vac(&["verify", "a.json"]).code, 2, "a key is needed");
    assert_eq!(verify(&folder, &["nothing"]).code, 2);
    assert_eq!(verify(&folder, &["a.json", "--record", "nothing"]).code, 2);
    assert_eq!(verify(&folder, &["a.json", "--receipt-key", "nothing"]).code, 2);
    assert_eq!(verify(&folder, &["a.json", "--trust-root", "a.json"]).code, 2);
    assert_eq!(verify(&folder, &["-", "--record", "-"]).code, 2);
}

#[test]
fn the_issuer_can_be_asked_for() {
    let folder = folder();
    sign(&folder, &["a.json", "-o", "signed", "--issuer", "https://example.com/ci"]);
    let ran = verify(&folder, &["signed", "--issuer", "https://example.com/ci"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = verify(&folder, &["signed", "--issuer", "https://example.com/other"]);
    assert!(ran.code == 1 && ran.stdout.contains("signer:         failed"), "{ran:?}");
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sign").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_certificate_can_vouch_for_the_key() {
    let folder = folder();
    let key = vac::signature::SecretKey::ed25519(&[0x51; 32]).to_pem().unwrap();
    folder.write("keys/cert.key.pem", key.as_bytes());
    let (chain, root, other) =
        (fixture("signer.chain.pem"), fixture("root.cert.pem"), fixture("other-root.cert.pem"));
    let key = ["--key", "keys/cert.key.pem", "--insecure-key-permissions"];
    let sign = |certificates: &str| {
        let rest = ["sign", "a.json", "--cert", certificates, "-o", "signed", "--force"];
        folder.vac(&rest.iter().chain(&key).copied().collect::<Vec<_>>())
    };
    assert_eq!(sign(&chain).code, 0);
    let at = "1795500000";
    for at in [at, "2026-11-24T06:00:00Z", "2026-11-24t08:00:00+02:00", "2026-12", "2026-11-24"] {
        let ran = folder.vac(&["verify", "signed", "--trust-root", &root, "--at", at]);
        assert!(ran.code == 0 && ran.stdout.contains("certificate trusted"), "{at}: {ran:?}");
    }
    for at in ["1960-01-01", "soon", "-1"] {
        let ran = folder.vac(&["verify", "signed", "--trust-root", &root, &format!("--at={at}")]);
        ran.gives(2, "");
        assert!(ran.stderr.contains("'--at <WHEN>'"), "{ran:?}");
    }
    let ran = folder.vac(&["verify", "signed", "--trust-root", &other, "--at", at]);
    assert!(ran.code == 1 && ran.stdout.contains("does not lead to a trust root"), "{ran:?}");
    let ran = folder.vac(&["verify", "signed", "--trust-root", &root, "--at", "0"]);
    assert!(ran.code == 1 && ran.stdout.contains("not valid yet"), "{ran:?}");
    let ran = sign(&fixture("signer-p256.cert.pem"));
    assert!(ran.code == 2 && ran.stderr.contains("for another key"), "{ran:?}");
}

/// Returns the vectors next to the workspace.
fn vectors() -> Option<PathBuf> {
    let folder = std::env::var_os("VAC_VECTORS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
        PathBuf::from,
    );
    let folder = folder.join("cose");
    if !folder.is_dir() {
        println!("skipped: no {}", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn vectors_get_their_exit_codes() {
    let Some(folder) = vectors() else { return };
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let key = path("upstream-baseline/keys/signing-key.pub.pem");
    let record = path("upstream-baseline/record.json");
    let log = path("scitt/log-key.pub.pem");
    let run = |arguments: &[&str]| {
        let all: Vec<_> = ["verify", "--key", &key].iter().chain(arguments).copied().collect();
        Folder::new().vac(&all)
    };
    let sound = path("upstream-baseline/record.sig.cbor");
    assert_eq!(run(&[&sound, "--record", &record]).code, 0);
    assert_eq!(run(&[&sound]).code, 1, "the record is needed");
    let transparent = path("scitt/attached.EdDSA.transparent.cbor");
    assert_eq!(run(&[&transparent, "--receipt-key", &log]).code, 0);
    assert_eq!(run(&[&transparent, "--receipt-key", &key]).code, 1);
    for entry in folder.join("attacks").read_dir().unwrap() {
        let path = entry.unwrap().path();
        let attack = path.to_str().unwrap();
        let ran = if path.extension().is_some_and(|ending| ending == "json") {
            run(&[&sound, "--record", attack])
        } else {
            run(&[attack, "--record", &record])
        };
        // Without trace metadata none of it is wrong; a header in any order can be signed.
        let harmless = ["uhdr-empty.cbor", "protected-unsorted.cbor"];
        let harmless = harmless.iter().any(|name| attack.ends_with(name));
        assert_eq!(ran.code, i32::from(!harmless), "{attack}: {ran:?}");
    }
}

#[test]
fn receipts_are_attached_once_they_are_checked() {
    let Some(vectors) = vectors() else { return };
    let folder = Folder::new();
    let path = |name: &str| vectors.join("scitt").join(name).to_str().unwrap().to_owned();
    let (statement, receipt, log) = (
        path("hash-envelope.statement.cbor"),
        path("hash-envelope.receipt.cbor"),
        path("log-key.pub.pem"),
    );
    let attach = |arguments: &[&str]| {
        let all: Vec<_> = ["receipts", "attach"].iter().chain(arguments).copied().collect();
        folder.vac(&all)
    };
    let ran = attach(&[&statement, &receipt, "--receipt-key", &log, "-o", "transparent"]);
    assert!(ran.code == 0 && ran.stderr.contains("1 receipt attached, checked"), "{ran:?}");
    let made = std::fs::read(folder.path().join("transparent")).unwrap();
    assert_eq!(made, std::fs::read(path("hash-envelope.transparent.cbor")).unwrap());
    assert_eq!(attach(&[&statement, &receipt, "-o", "transparent"]).code, 2, "it is there");
    assert_eq!(attach(&[&statement, &receipt, "-o", "transparent", "--force"]).code, 0);
    // A receipt for another statement, something else, and nothing.
    let other = path("attached.EdDSA.receipt.cbor");
    let ran = attach(&[&statement, &other, "--receipt-key", &log, "-o", "no"]);
    assert!(ran.code == 1 && ran.stderr.contains("the log's signature"), "{ran:?}");
    assert_eq!(attach(&[&statement, &statement, "-o", "no"]).code, 1);
    assert_eq!(attach(&[&log, &receipt, "-o", "no"]).code, 1);
    assert_eq!(attach(&[&statement, "-o", "no"]).code, 2);
    assert!(!folder.path().join("no").exists());
}

/// Returns the peak of a run's memory, in kilobytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Folder, arguments: &[&str]) -> usize {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    let status = loop {
        if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", child.id()))
            && let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))
        {
            peak = line.trim().trim_end_matches(" kB").parse().unwrap();
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(status.success(), "{arguments:?}");
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn a_big_record_takes_no_more_than_twice_its_size() {
    /// The memory of the program without a record, in kilobytes.
    const PROGRAM: usize = 24 << 10;
    let folder = folder();
    let entry = format!(
        r#"{{"type": "tool-result", "output": "{}", "call-id": "c"}}"#,
        "a line of output\\n".repeat(60)
    );
    let entries = vec![entry; 20_000].join(",");
    let record = timed().replace(r#"{"type": "user", "content": "hi"}"#, &entries);
    let most = 2 * record.len() / 1024 + PROGRAM;
    folder.write("big.json", record);
    let key = ["--key", "keys/signing-key.pem"];
    let public = ["--key", "keys/signing-key.pub.pem"];
    for flag in ["--attached", "--detached", "--hash-envelope"] {
        let signing = ["sign", "big.json", flag, "-o", "signed", "--force", key[0], key[1]];
        let taken = peak(&folder, &signing);
        assert!(taken < most, "{flag}: {taken} of {most} kB to sign");
        let mut verifying = vec!["verify", "signed", public[0], public[1]];
        if flag != "--attached" {
            verifying.extend(["--record", "big.json"]);
        }
        let taken = peak(&folder, &verifying);
        assert!(taken < most, "{flag}: {taken} of {most} kB to verify");
    }
}

const LOG: &str = concat!(
    r#"{"role":"user","message":{"content":[{"type":"text","text":"Tidy the shelf"}]}}"#,
    "\n",
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
    "\n",
);

#[test]
fn record_is_compared_with_its_log() {
    let folder = folder();
    folder.write("session.jsonl", LOG);
    let ran = folder.vac(&["convert", "session.jsonl", "--label", "user=ada", "-o", "record.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let compare = |log: &str, more: &[&str]| {
        folder.vac(&[&["verify", "--log", log, "record.json"], more].concat())
    };
    let ran = compare("session.jsonl", &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout, "log:            made from it (session.jsonl gives the same bytes)\n");
    // Under another name, and in a folder.
    folder.write("logs/renamed.jsonl", LOG);
    let json = compare("logs", &["--json"]).json();
    assert_eq!(json["log"]["verdict"], "identical", "{json}");
    assert_eq!(json["log"]["sources"][0]["log-name"], "renamed.jsonl");
    // The log has grown.
    folder.write("session.jsonl", [LOG, LOG].concat());
    let ran = compare("session.jsonl", &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let words = format!("the record covers the first {} of {} bytes", LOG.len(), 2 * LOG.len());
    assert!(ran.stdout.contains(&words), "{ran:?}");
    // Another log, and another record.
    folder.write("session.jsonl", LOG.replace("shelf", "table"));
    let ran = compare("session.jsonl", &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.starts_with("log:            NOT made from it"), "{ran:?}");
    let record = std::fs::read_to_string(folder.path().join("record.json")).unwrap();
    folder.write("record.json", record.replace("shelf", "table"));
    let ran = compare("logs/renamed.jsonl", &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("another value at `/session/entries/0/content"), "{ran:?}");
    let ran = compare("missing.jsonl", &[]);
    assert!(ran.code == 2 && ran.stderr.contains("no log to compare the record with"), "{ran:?}");
}

#[test]
fn signature_and_log_are_verified_together() {
    let folder = folder();
    folder.write("session.jsonl", LOG);
    assert_eq!(folder.vac(&["convert", "session.jsonl", "-o", "record.json"]).code, 0);
    sign(&folder, &["record.json", "-o", "signed"]);
    let ran = verify(&folder, &["signed", "--log", "session.jsonl"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("verdict:        verified"), "{ran:?}");
    assert!(ran.stdout.contains("log:            made from it"), "{ran:?}");
    folder.write("session.jsonl", LOG.replace("shelf", "table"));
    let ran = verify(&folder, &["signed", "--log", "session.jsonl", "--json"]);
    assert_eq!(ran.code, 1);
    let json = ran.json();
    assert_eq!(
        (&json["verdict"], &json["log"]["verdict"]),
        (&"verified".into(), &"sources-differ".into())
    );
    // Without a key, only the log is compared.
    assert_eq!(folder.vac(&["verify", "signed", "--log", "session.jsonl"]).code, 1);
}

#[test]
fn log_from_standard_input_gives_the_record_of_its_file() {
    let folder = Folder::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for agent in ["claude", "codex", "cursor", "gemini", "opencode"] {
        let mut count = 0;
        let variants = std::fs::read_dir(fixtures.join(agent)).unwrap();
        for log in variants.filter_map(|variant| single_log(&variant.unwrap().path())) {
            let path = log.to_str().unwrap();
            let ran = folder.vac(&["convert", path, "-o", "-"]);
            if ran.code != 0 || ran.lines().len() != 1 {
                continue;
            }
            folder.write("record.json", &ran.stdout);
            let bytes = std::fs::read(&log).unwrap();
            let ran = folder.vac_with(&["verify", "--log", "-", "record.json", "--json"], &bytes);
            let json = ran.json();
            // The id of a log can be in the name of its file; a record states the name.
            assert_eq!(json["log"]["verdict"], "identical", "{path}: {json}");
            count += 1;
        }
        assert!(count > 0, "{agent}");
    }
}

/// Returns the log of the fixture `basic` of a variant, if it is one file of JSON.
fn single_log(variant: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(variant.join("basic")).ok()?;
    let paths = files.map(|file| file.unwrap().path());
    let mut logs = paths.filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        !name.starts_with("expected")
    });
    let log = logs.next().filter(|log| log.is_file())?;
    let is_json = log.extension().is_some_and(|ending| ending == "json" || ending == "jsonl");
    (is_json && logs.next().is_none()).then_some(log)
}
