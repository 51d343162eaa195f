//! Tests that text of a session, a record, a key or a file name never controls the terminal in any
//! command, and that JSON contains it unchanged.

use serde_json::{Value, json};
use vac::value::is_harmless;

use crate::records::with_session;
use crate::run::{Folder, Ran};
use crate::{home, receipts};

/// Colours, a cleared screen, a title, text from right to left, invisible text, other
/// ends of lines, and a line that looks like one of ours.
const EVIL: &str = "\u{1b}[31m\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}1A\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{feff}\u{ad}\u{e0041}\u{85}\u{2028}\u{2029}\u{7f}\u{8}\r\nforged: verified";

/// The same text as the name of a file.
#[cfg(unix)]
const NAME: &str = EVIL;
#[cfg(not(unix))]
const NAME: &str = "\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{feff}\u{e0041}";

/// Fails if the output contains a control character other than the ends of our own lines.
#[track_caller]
fn is_safe(ran: &Ran, arguments: &[&str]) {
    for text in [&ran.stdout, &ran.stderr] {
        let found = text.chars().find(|c| *c != '\n' && !is_harmless(*c));
        assert_eq!(found, None, "{arguments:?}: {ran:?}");
        assert!(!text.lines().any(|line| line.starts_with("forged")), "{arguments:?}: {ran:?}");
    }
}

/// Returns a session of Claude Code with hostile text in every place.
fn session() -> String {
    let line = |kind: &str, message: Value| {
        json!({"type": kind, "uuid": EVIL, "sessionId": EVIL, "cwd": EVIL, "version": EVIL,
            "gitBranch": EVIL, "timestamp": "2026-03-01T09:00:00Z", EVIL: EVIL,
            "message": message})
        .to_string()
    };
    let call = json!({"type": "tool_use", "id": EVIL, "name": EVIL, "input": {EVIL: EVIL}});
    let block = json!({"type": EVIL, "text": EVIL});
    let text = json!({"type": "text", "text": EVIL});
    [
        line("user", json!({"role": "user", "content": EVIL})),
        line(
            "assistant",
            json!({"id": EVIL, "role": "assistant", "model": EVIL,
                "content": [call, block, text]}),
        ),
        line(EVIL, json!(EVIL)),
        EVIL.replace('\n', ""),
    ]
    .join("\n")
}

/// Returns a folder with hostile files of every kind.
fn folder() -> Folder {
    let folder = receipts::folder();
    folder.write(&format!("home/.claude/projects/{NAME}/{NAME}.jsonl"), session());
    folder.write("session.jsonl", session());
    let text = |text: &str| Value::from(text).to_string();
    let evil = text(EVIL);
    let record = with_session(&format!(
        r#""session-start": "2026-03-01T08:00:00Z", "entries": [{{"type": "user", "content": {evil}}}]"#
    ));
    folder.write("record.json", record.replace("\"s1\"", &evil).replace("\"p\"", &evil));
    let entry = format!(r#"{{"type": {evil}, "timestamp": {evil}, {evil}: {evil}}}"#);
    folder.write(
        "bad.json",
        with_session(&format!(
            r#""entries": [{entry}], "vcs": {{{evil}: 1, "type": 2}}, "session-end": {evil}"#
        )),
    );
    let members = format!(r#""file-attribution": {{"files": [], {evil}: 1}}"#);
    folder.write("closed.json", crate::records::with(&members));
    folder.write("twice.json", format!("{{{evil}: 1, {evil}: 2}}"));
    folder.write("evil.cddl", format!("a = {EVIL}"));
    let escaped: Vec<String> = EVIL.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect();
    folder.write("text.cddl", format!("a = {{ b: \"{}\" }}", escaped.concat()));
    folder.write(NAME, EVIL);
    folder
}

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    let ran = folder.vac_at_home(&[("CODEX_HOME", NAME)], arguments);
    is_safe(&ran, arguments);
    ran
}

#[test]
fn hostile_text_is_escaped_in_every_command() {
    let folder = folder();
    let public = ["--key", "keys/signing-key.pub.pem"];
    let evil_folder = format!("{NAME}-records/");
    let runs: Vec<(i32, Vec<&str>)> = vec![
        (2, vec!["convert", "-v", "session.jsonl", NAME, "nowhere-\u{202e}", "-o", &evil_folder]),
        (0, vec!["convert", "-v", "session.jsonl", "-o", "out/", "--json", "--report", "r.json"]),
        (0, vec!["convert", "-v", "--discover", "-o", "discovered"]),
        (2, vec!["convert", "session.jsonl", "-o", NAME]),
        (0, vec!["list", "-v"]),
        (0, vec!["list", "--json"]),
        (2, vec!["list", "--root", EVIL]),
        (2, vec!["list", "--since", EVIL]),
        (0, vec!["inspect", "-v", "session.jsonl"]),
        (0, vec!["inspect", "record.json", "--json"]),
        (2, vec!["inspect", NAME, "bad.json", "nowhere\u{202e}"]),
        (0, vec!["events", "-v", "--all", "session.jsonl"]),
        (0, vec!["events", "record.json"]),
        (2, vec!["events", NAME, "bad.json", "nowhere\u{202e}"]),
        (2, vec!["validate", "-v", "--lint", "bad.json", "closed.json", NAME, "nowhere\u{202e}"]),
        (1, vec!["validate", "--json", "--lint", "bad.json", "closed.json", NAME]),
        (2, vec!["validate", "--schema", "evil.cddl", "record.json"]),
        (1, vec!["validate", "-v", "--schema", "text.cddl", "record.json"]),
        (2, vec!["validate", "--schema", "nowhere\u{202e}", "record.json"]),
        (2, vec!["validate", "--rule", EVIL, "record.json"]),
        (1, vec!["transcode", "twice.json", "--to", "cbor"]),
        (1, vec!["transcode", NAME, "--to", "cbor"]),
        (2, vec!["transcode", "nowhere\u{202e}", "--to", "cbor"]),
        (0, vec!["transcode", "-v", "record.json", "--to", "cbor", "-o", "\u{202e}out"]),
        (2, vec!["keygen", "-o", NAME]),
        (0, vec!["keygen", "--json", "-o", "\u{202e}keys"]),
        (2, vec!["sign", "record.json", "--key", NAME, "-o", "signed"]),
        (1, vec!["sign", "bad.json", "--key", "keys/signing-key.pem", "-o", "signed"]),
        (1, vec!["verify", NAME, public[0], public[1]]),
        (2, vec!["verify", "statement.cbor", "--key", NAME]),
        (2, vec!["verify", "statement.cbor", "--trust-root", NAME]),
        (1, vec!["receipts", "attach", NAME, "receipt.cbor", "-o", "no"]),
        (1, vec!["receipts", "attach", "statement.cbor", NAME, "-o", "no"]),
        (2, vec!["schema", "--rule", EVIL]),
        (2, vec!["completions", EVIL]),
        (2, vec!["man", EVIL]),
        (2, vec!["man", "-o", NAME]),
        (2, vec![EVIL]),
        (2, vec!["convert", "--agent", EVIL, "x"]),
    ];
    for (code, arguments) in runs {
        let ran = run(&folder, &arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
    }
    let option = format!("--{EVIL}");
    assert_eq!(run(&folder, &["convert", &option]).code, 2);
}

#[test]
fn signer_and_subject_are_escaped() {
    let folder = folder();
    let key = ["--key", "keys/signing-key.pem"];
    let public = ["--key", "keys/signing-key.pub.pem"];
    let claims = ["--issuer", EVIL, "--subject", EVIL, "--content-type", EVIL];
    let signing = [&["sign", "record.json", "-v", "-o", "signed"], &key[..], &claims].concat();
    assert_eq!(run(&folder, &signing).code, 0);
    let json = [&signing[..], &["--json", "--force"]].concat();
    assert_eq!(run(&folder, &json).json()["subject"], EVIL);
    let forced = ["sign", "bad.json", "--allow-invalid", "-o", "forced", key[0], key[1]];
    assert_eq!(run(&folder, &forced).code, 0);
    let verify = [&["verify", "signed"], &public[..]].concat();
    let ran = run(&folder, &verify);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("\\u{1b}[31m") && ran.stdout.contains("\\u{202e}"), "{ran:?}");
    let json = run(&folder, &[&verify[..], &["--json"]].concat()).json();
    assert_eq!(json["claims"]["issuer"], EVIL);
    assert_eq!(json["claims"]["content-type"], EVIL);
    let other = run(&folder, &[&verify[..], &["--issuer", "other", "--subject", EVIL]].concat());
    assert_eq!(other.code, 1, "{other:?}");
    let ran = run(&folder, &["verify", "forced", public[0], public[1]]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn json_is_the_same_value() {
    let folder = folder();
    let facts = run(&folder, &["inspect", "--json", "session.jsonl"]).json();
    assert_eq!(facts["sessions"][0]["session-id"], EVIL);
    assert_eq!(facts["sessions"][0]["working-dir"], EVIL);
    assert_eq!(facts["sessions"][0]["tools"][0]["tool"], EVIL);
    let listed = run(&folder, &["list", "--json"]).json();
    assert_eq!(listed["sessions"][0]["session-id"], EVIL);
    let file = listed["sessions"][0]["files"][0].as_str().expect("a name").to_owned();
    assert!(file.ends_with(&format!("{NAME}.jsonl")), "{file:?}");
    let events = run(&folder, &["events", "session.jsonl"]);
    let events: Vec<Value> =
        events.lines().iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let prompt = events.iter().find(|event| event["event"] == "user_prompt").expect("a prompt");
    assert_eq!(prompt["text"], EVIL);
    let report = ["convert", NAME, "session.jsonl", "-o", "out/", "--json", "--report", "r"];
    let summary = run(&folder, &report).json();
    assert_eq!(summary["failed"][0]["file"], NAME);
    let written = std::fs::read_to_string(folder.path().join("r")).expect("a report");
    assert!(written.chars().all(|c| c == '\n' || is_harmless(c)), "{written}");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), summary);
    let invalid = run(&folder, &["validate", "--json", "bad.json", NAME]).json();
    assert_eq!(invalid["files"][1]["file"], NAME);
}

#[test]
fn wide_text_does_not_break_a_table() {
    let folder = Folder::new();
    for (id, project) in [("漢字", "/全角"), ("abcdef", "/plain"), ("e\u{301}", "/accent")] {
        let log = home::claude(id, "2026-03-01T09:00:00Z").replace("/home/ada/loom", project);
        folder.write(&format!("home/.claude/projects/p/{project}.jsonl"), log);
    }
    let ran = folder.vac(&["list", "-q", "--root", "home"]);
    let [_, plain, accent, wide] = ran.lines()[..] else { panic!("{ran:?}") };
    assert!(plain.starts_with("claude  abcdef   2026-03-01"), "{plain}");
    assert!(accent.starts_with("claude  e\u{301}        2026-03-01"), "{accent}");
    assert!(wide.starts_with("claude  漢字     2026-03-01"), "{wide}");
}
