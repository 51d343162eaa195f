//! Tests `vac sign`, and `vac verify` of its output.

use vac::signature::Envelope;

use crate::records::{record, small, small_cbor, with_session};
use crate::run::{Folder, Ran};

/// Returns a folder with a key and a record.
pub fn folder() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.vac(&["keygen", "-o", "keys"]).code, 0);
    folder.write("a.json", timed());
    folder
}

/// Returns a record with everything that trace metadata requires.
pub fn timed() -> String {
    with_session(
        r#""session-start": "2026-03-01T08:00:00Z", "entries": [{"type": "user", "content": "hi"}]"#,
    )
}

pub fn sign(folder: &Folder, arguments: &[&str]) -> Ran {
    let all: Vec<_> =
        ["sign", "--key", "keys/signing-key.pem"].iter().chain(arguments).copied().collect();
    folder.vac(&all)
}

pub fn verify(folder: &Folder, arguments: &[&str]) -> Ran {
    let all: Vec<_> =
        ["verify", "--key", "keys/signing-key.pub.pem"].iter().chain(arguments).copied().collect();
    folder.vac(&all)
}

fn written(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).unwrap()
}

#[test]
fn a_signed_record_verifies_wherever_the_record_is() {
    let folder = folder();
    folder.write("b.cbor", small_cbor());
    for record in ["a.json", "b.cbor"] {
        for (flag, needs_record) in
            [("--attached", false), ("--detached", true), ("--hash-envelope", true)]
        {
            let signed = sign(&folder, &[record, flag, "-o", "signed", "--force"]);
            assert_eq!((signed.code, signed.stdout.as_str()), (0, ""), "{signed:?}");
            let ran = verify(&folder, &["signed", "--record", record]);
            assert_eq!(ran.code, 0, "{record} {flag}: {ran:?}");
            assert!(ran.stdout.ends_with("verdict:        verified (signed)\n"), "{ran:?}");
            let alone = verify(&folder, &["signed"]);
            assert_eq!(alone.stdout.contains("not checked"), needs_record, "{alone:?}");
            let (code, words) = match flag {
                "--attached" => (0, "\nverdict:        verified (signed)\n"),
                // The statement is valid, but its record is missing.
                "--hash-envelope" => (1, "statement verified; record not examined"),
                _ => (1, "NOT verified (signed: detached record required: pass --record FILE)\n"),
            };
            assert!(alone.code == code && alone.stdout.contains(words), "{alone:?}");
        }
    }
}

#[test]
fn likely_secrets_are_named_or_denied() {
    let folder = folder();
    let entry = r#"{"type": "user", "content": "ftp://ada:correct-horse@git.dev"}"#;
    folder.write("leak.json", record(&[entry; 12].join(",")));
    for carriage in ["--attached", "--detached", "--hash-envelope"] {
        let ran = sign(&folder, &["leak.json", carriage, "-o", "signed", "--force"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let lines: Vec<_> = ran.stderr.lines().take(13).collect();
        assert_eq!(lines[0], "warning: leak.json: signed with 12 likely secrets");
        assert_eq!(lines[1], "  url-password at /session/entries/0/content");
        assert_eq!(lines[10], "  url-password at /session/entries/9/content");
        assert_eq!(lines[11], "  and at 2 more places");
        let ran = sign(&folder, &["leak.json", carriage, "-o", "denied", "--deny-secrets"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        let (first, rest) = ran.stderr.split_once('\n').unwrap();
        assert_eq!(first, "error: leak.json: not signed (--deny-secrets): 12 likely secrets");
        assert!(rest.starts_with("  url-password at /session/entries/0/content\n"), "{ran:?}");
        assert!(!ran.stderr.contains("horse"), "{ran:?}");
        assert!(!folder.path().join("denied").exists());
    }
    // One shape for one file and several.
    let ran = sign(&folder, &["leak.json", "-o", "denied", "--deny-secrets", "--json"]);
    let json = ran.json();
    assert_eq!((ran.code, &json["file"]), (1, &"leak.json".into()));
    assert_eq!(json["error"], "not signed (--deny-secrets): 12 likely secrets");
    let json = sign(&folder, &["missing.json", "-o", "denied", "--json"]).json();
    assert!(json["error"].as_str().is_some_and(|it| it.starts_with("cannot read missing.json")));
    let quiet = sign(&folder, &["leak.json", "-o", "signed", "--force", "-q"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    let json = sign(&folder, &["leak.json", "-o", "signed", "--force", "--json"]).json();
    assert_eq!(json["secrets"].as_array().map(Vec::len), Some(12));
    assert_eq!(json["secrets"][0]["kind"], "url-password");
    assert_eq!(json["secrets"][0]["path"], "/session/entries/0/content");
    // A record without secrets, and text that is not a record.
    let ran = sign(&folder, &["a.json", "-o", "fine", "--deny-secrets", "--json"]);
    assert_eq!((ran.code, ran.json()["secrets"].as_array().map(Vec::len)), (0, Some(0)));
    folder.write("text.json", "{ ftp://ada:correct-horse@git.dev");
    let invalid =
        ["text.json", "--allow-invalid", "--subject", "x", "-o", "text", "--deny-secrets"];
    let ran = sign(&folder, &invalid);
    assert!(ran.code == 1 && ran.stderr.contains("  url-password at /\n"), "{ran:?}");
}

#[test]
fn a_content_type_of_the_other_encoding_is_refused() {
    let folder = folder();
    let arguments = ["a.json", "--content-type", "application/cbor", "-o", "signed"];
    let ran = sign(&folder, &arguments);
    assert!(ran.code == 2 && ran.stderr.contains("not one for a record in JSON"), "{ran:?}");
    assert!(!folder.path().join("signed").exists());
    for option in ["--force", "--allow-invalid"] {
        let ran = sign(&folder, &[&arguments[..], &[option]].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
    }
}

#[test]
fn record_is_attached_unchanged_by_default() {
    let folder = folder();
    assert_eq!(sign(&folder, &["a.json", "--no-time", "-o", "signed"]).code, 0);
    let bytes = written(&folder, "signed");
    let envelope = Envelope::read(&bytes).unwrap();
    assert_eq!(envelope.payload, Some(timed().as_bytes()));
    assert_eq!(folder.vac(&["validate", "signed"]).code, 0, "the schema is satisfied");
    // From stdin to stdout, the same.
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["sign", "--key", "keys/signing-key.pem", "--no-time", "a.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.stdout, bytes);
}

#[test]
fn the_header_says_what_the_options_say() {
    let folder = folder();
    let options = [
        "a.json",
        "-o",
        "signed",
        "--json",
        "--issuer",
        "https://example.com/ci",
        "--subject",
        "build 7",
        "--kid",
        "0AFF",
        "--content-type",
        "application/agent-conversation+json",
    ];
    let summary = sign(&folder, &options).json();
    assert_eq!(summary["issuer"], "https://example.com/ci");
    assert_eq!(summary["subject"], "build 7");
    assert_eq!(summary["algorithm"], -8);
    assert_eq!(summary["valid"], true);
    let bytes = written(&folder, "signed");
    let header = Envelope::read(&bytes).unwrap().header;
    assert_eq!(header.key_id, Some(vec![0x0a, 0xff]));
    assert_eq!(header.claims.issuer.as_deref(), Some("https://example.com/ci"));
    assert_eq!(header.claims.subject.as_deref(), Some("build 7"));
    let json = verify(&folder, &["signed", "--json"]).json();
    assert_eq!(json["claims"]["content-type"], "application/agent-conversation+json");
    assert_eq!(sign(&folder, &["a.json", "--kid", "xyz"]).code, 2);
    // The default is the key, never the provider of the model.
    assert_eq!(sign(&folder, &["a.json", "-o", "plain"]).code, 0);
    let json = verify(&folder, &["plain", "--json"]).json();
    assert_eq!(json["claims"]["issuer"], json["claims"]["key"]);
    assert_eq!(json["claims"]["subject"], "s1");
}

#[test]
fn invalid_records_are_signed_with_allow_invalid_only() {
    let folder = folder();
    folder.write("bad.json", record(r#"{"type": "robot"}"#));
    folder.write(
        "twice.json",
        small().replace(r#""id": "r1""#, r#""id": "r1", "x": {"y": 1, "y": 2}"#),
    );
    folder.write("text.json", "hello");
    for (name, words) in [
        ("bad.json", "/session/entries/0/type: expected \"user\""),
        ("twice.json", "/x/y: duplicate key \"y\""),
        ("text.json", "expected a record in"),
    ] {
        let ran = sign(&folder, &[name, "-o", "signed"]);
        assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
        assert!(ran.stderr.contains("--allow-invalid"), "{ran:?}");
        assert!(!folder.path().join("signed").exists());
    }
    assert_eq!(sign(&folder, &["bad.json", "-o", "signed", "--force"]).code, 1);
    assert!(!folder.path().join("signed").exists());
    let allowed = sign(&folder, &["bad.json", "-o", "signed", "--allow-invalid"]);
    assert!(allowed.code == 0 && allowed.stderr.contains("though it is not valid"), "{allowed:?}");
    let ran = verify(&folder, &["signed"]);
    assert!(ran.code == 1 && ran.stdout.contains("record:         failed (/session"), "{ran:?}");
}

#[test]
fn the_canonical_form_can_be_signed_instead() {
    let folder = folder();
    folder.write(
        "b.json",
        timed().replace("hi", "0.00001 \\u00e9").replace("\"m\"", "\"m\", \"n\": 0.00001"),
    );
    let arguments = ["b.json", "--payload", "canonical-json", "--detached", "-o", "signed"];
    assert_eq!(sign(&folder, &arguments).code, 0);
    let ran = verify(&folder, &["signed", "--record", "b.json"]);
    assert!(ran.code == 0 && ran.stdout.contains("over the record's canonical JSON"), "{ran:?}");
    let json = verify(&folder, &["signed", "--record", "b.json", "--json"]).json();
    assert_eq!(json["claims"]["signed"], "canonical-json");
    folder.write("c.json", timed().replace("\"m\"", "\"m\", \"n\": 1.50"));
    let ran = sign(&folder, &["c.json", "--payload", "canonical-json", "-o", "other"]);
    let words = "/session/agent-meta/n: 1.50 has no canonical form";
    assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
}

#[test]
fn existing_outputs_are_kept_and_no_files_left() {
    let folder = folder();
    folder.write("signed", "precious");
    let ran = sign(&folder, &["a.json", "-o", "signed"]);
    assert!(ran.code == 2 && ran.stderr.contains("use --force to overwrite"), "{ran:?}");
    assert_eq!(written(&folder, "signed"), b"precious");
    assert_eq!(sign(&folder, &["a.json", "-o", "no/such/folder"]).code, 2);
    let names: Vec<_> =
        folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused_with_a_hint() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let key = folder.path().join("keys/signing-key.pem");
    for mode in [0o640, 0o604, 0o644, 0o620, 0o601] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let ran = sign(&folder, &["a.json", "-o", "signed"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("mode {mode:04o}")), "{ran:?}");
        assert!(ran.stderr.contains("chmod 600"), "{ran:?}");
        assert!(ran.stderr.contains("--insecure-key-permissions"), "{ran:?}");
    }
    let ran = sign(&folder, &["a.json", "--output", "signed", "--insecure-key-permissions"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn invalid_keys_are_reported_without_their_content() {
    let folder = folder();
    let public = written(&folder, "keys/signing-key.pub.pem");
    folder.write("other.pem", &public);
    folder.write("text.pem", "MC4CAQAwBQYDK2VwBCIEI");
    #[cfg(unix)]
    for name in ["other.pem", "text.pem"] {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.path().join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    for (name, words) in [
        ("other.pem", "other.pem is a public key; signing needs the private key"),
        ("text.pem", "not PEM"),
        ("nothing.pem", "cannot read nothing.pem"),
    ] {
        let ran = folder.vac(&["sign", "a.json", "--key", name, "-o", "signed"]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
        assert!(!ran.stderr.contains("MC4CAQ"), "{ran:?}");
    }
    let private = ["verify", "a.json", "--key", "keys/signing-key.pem"];
    let ran = folder.vac(&private);
    assert!(ran.code == 2 && ran.stderr.contains("found PRIVATE KEY"), "{ran:?}");
}

#[test]
fn time_of_signing_is_a_claim_that_can_be_left_out() {
    let folder = folder();
    assert_eq!(sign(&folder, &["a.json", "-o", "timed.cose"]).code, 0);
    let timed = verify(&folder, &["timed.cose"]);
    assert!(timed.stdout.contains(", signed at 20") && timed.stdout.contains("by its own clock"));
    let json = verify(&folder, &["timed.cose", "--json"]).json();
    assert!(json["claims"]["issued-at"].as_i64() > Some(1_700_000_000), "{json}");
    for name in ["one.cose", "two.cose"] {
        let signed = sign(&folder, &["a.json", "--no-time", "-o", name]);
        assert_eq!(signed.code, 0, "{signed:?}");
        assert!(!verify(&folder, &[name]).stdout.contains("signed at"));
    }
    assert_eq!(written(&folder, "one.cose"), written(&folder, "two.cose"));
}

#[test]
fn variable_names_the_key() {
    let folder = folder();
    let none = folder.vac_at_home(&[], &["sign", "a.json", "-o", "a.cose"]);
    assert!(none.code == 2 && none.stderr.contains("VAC_KEY"), "{none:?}");
    let variable = [("VAC_KEY", "keys/signing-key.pem")];
    let ran = folder.vac_at_home(&variable, &["sign", "a.json", "-o", "a.cose"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(verify(&folder, &["a.cose"]).code, 0);
}
