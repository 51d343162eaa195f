//! `vac inspect`

use crate::records::small;
use crate::run::Folder;

/// A session of Gemini with a hostile prompt, a failed tool and tokens.
const LOG: &str = r#"{
  "sessionId": "5f0c1d2e-7a10-4c55-9e1b-0d6f2a7b8c91",
  "projectHash": "3f3f",
  "startTime": "2026-01-05T09:30:00.000Z",
  "lastUpdated": "2026-01-05T09:34:40.900Z",
  "messages": [
    {"id": "m1", "timestamp": "2026-01-05T09:30:00.000Z", "type": "user",
     "content": "Paint @a.md \u001b[31mred\u202e\n--- Content from referenced files ---\nsecrets"},
    {"id": "m2", "timestamp": "2026-01-05T09:30:20.000Z", "type": "gemini", "content": "",
     "model": "gemini-example",
     "tokens": {"input": 1200, "output": 40, "cached": 300, "thoughts": 25, "tool": 7, "total": 1272},
     "toolCalls": [
       {"id": "c1", "name": "read_file", "args": {}, "status": "success", "result": [
         {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x"}}}]},
       {"id": "c2", "name": "run_shell_command", "args": {}, "status": "error", "result": [
         {"functionResponse": {"id": "c2", "name": "run_shell_command", "response": {"error": "no"}}}]}
     ]}
  ]
}"#;

const NAME: &str = "session-2026-01-05T09-30-5f0c1d2e.json";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(NAME, LOG);
    folder
}

#[test]
fn facts_are_in_columns_and_harmless_on_a_terminal() {
    let ran = folder().vac(&["inspect", NAME]);
    let text = r#"session    5f0c1d2e-7a10-4c55-9e1b-0d6f2a7b8c91
agent      gemini (gemini-cli), json
models     gemini-example (google)
start      2026-01-05T09:30:00.000Z
end        2026-01-05T09:34:40.900Z
duration   4 min 40 s
ended      normally
errors     1 tool call failed
prompt     "Paint @a.md \u{1b}[31mred\u{202e}"
prompts    user  1
entries    user         1
           assistant    1
           tool-call    2
           tool-result  2
tokens     input          907
           cache-read     300
           output          65
           (reasoning)     25
           total        1,272
tools      Execute  shell_exec  run_shell_command  1  1 error
           Read     file_read   read_file          1
"#;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (facts, source) = ran.stdout.split_at(text.len());
    assert_eq!(facts, text);
    let expected = format!("source     {NAME}, {} bytes, SHA-256 ", LOG.len());
    assert!(source.starts_with(&expected), "{source}");
}

#[test]
fn a_named_agent_is_believed() {
    let folder = folder();
    let named = folder.vac(&["inspect", "--agent", "gemini", NAME]);
    assert_eq!(named.stdout, folder.vac(&["inspect", NAME]).stdout);
    // With this option, no input is read as a record.
    assert_eq!(folder.vac(&["convert", "-o", "record.json", NAME]).code, 0);
    assert_eq!(folder.vac(&["inspect", "-a", "auto", "record.json"]).code, 0);
    let record = folder.vac(&["inspect", "-a", "gemini", "record.json"]);
    assert_ne!(record.stdout, folder.vac(&["inspect", "record.json"]).stdout);
    assert_eq!(folder.vac(&["inspect", "-a", "unknown-agent", NAME]).code, 2);
    assert_eq!(folder.vac(&["inspect"]).code, 2, "a file is needed");
}

#[test]
fn json_has_the_same_facts() {
    let json = folder().vac(&["inspect", "--json", NAME]).json();
    let facts = &json["sessions"][0];
    assert_eq!(facts["agent"], "gemini");
    assert_eq!(facts["variant"], "json");
    assert_eq!((&facts["ended"], &facts["status"]), (&"normally".into(), &"failure".into()));
    assert_eq!(facts["tool-errors"], 1);
    assert_eq!(facts["duration-ms"], 280_900);
    assert_eq!(facts["first-prompt"], "Paint @a.md \u{1b}[31mred\u{202e}");
    assert_eq!(facts["tokens"]["reasoning"], 25);
    assert_eq!(facts["tools"][0]["tool"], "run_shell_command");
    assert_eq!(facts["tools"][0]["errors"], 1);
    assert_eq!(facts["entries"]["tool-call"], 2);
    assert_eq!(facts["sources"][0]["size"], LOG.len());
}

#[test]
fn ended_says_how_a_session_ended() {
    let folder = Folder::new();
    let claude = crate::home::claude("s", "2026-03-01T09:00:00.000Z");
    let prompt = claude.lines().next().expect("a prompt").to_owned() + "\n";
    let summary = "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u1\"}\n";
    let failed = concat!(
        r#"{"type":"thread.started","thread_id":"t1"}"#,
        "\n",
        r#"{"type":"turn.started"}"#,
        "\n",
        r#"{"type":"turn.failed","error":{"message":"no"}}"#,
        "\n",
    );
    for (log, ended) in [
        (claude.as_str(), "normally"),
        (&prompt, "interrupted"),
        (failed, "failed"),
        (summary, "unknown"),
    ] {
        folder.write("s.jsonl", log);
        let facts = folder.vac(&["inspect", "--json", "s.jsonl"]).json();
        assert_eq!(facts["sessions"][0]["ended"], ended, "{log}");
        let text = folder.vac(&["inspect", "s.jsonl"]).stdout;
        assert!(text.contains(&format!("\nended      {ended}\n")), "{text}");
    }
}

#[test]
fn a_record_has_the_facts_of_its_log() {
    let folder = folder();
    let mut log = folder.vac(&["inspect", "--json", NAME]).json();
    for (format, name) in [("json", "record.json"), ("cbor", "record.cbor")] {
        let made = folder.vac(&["convert", "-f", format, "-o", name, NAME]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        let record = folder.vac(&["inspect", "--json", name]).json();
        log["sessions"][0]["encoding"] = format.into();
        assert_eq!(record, log);
    }
}

#[test]
fn records_are_recognised_whatever_their_order_and_size() {
    let folder = folder();
    let record = folder.vac(&["convert", "-q", NAME]).stdout;
    let long = "x".repeat(200_000);
    let begins_with = |key: &str| record.replacen('{', &format!("{{\"{key}\":\"{long}\","), 1);
    for record in [
        // The keys of a record are after more bytes than its recognition reads at first.
        begins_with("before"),
        // The record is complete before that.
        format!("\n {record}"),
        // The bytes that are read at first end in the middle of a text.
        record.replacen("Paint", &format!("{long}é"), 1),
    ] {
        folder.write("record.json", &record);
        let ran = folder.vac(&["inspect", "record.json"]);
        assert!(ran.stdout.contains("5f0c1d2e-7a10-4c55-9e1b-0d6f2a7b8c91"), "{}", ran.stderr);
        assert!(ran.stdout.contains("json, record in JSON"), "{}", ran.stdout);
    }
    // Another document that begins with a long text is not a record.
    folder.write("other.json", format!("{{\"before\":\"{long}\",\"session\":{{}}}}"));
    let ran = folder.vac(&["inspect", "other.json"]);
    assert!(ran.stderr.contains("neither a record nor a session log"), "{}", ran.stderr);
    // What follows a line that is not JSON is read.
    folder.write("records.jsonl", format!("{record}no JSON\n{record}"));
    let ran = folder.vac(&["inspect", "records.jsonl"]);
    assert_eq!((ran.code, ran.stdout.matches("session ").count()), (1, 2), "{}", ran.stderr);
    assert!(ran.stderr.contains("not JSON"), "{}", ran.stderr);
}

#[test]
fn several_sessions_are_printed_one_after_the_other() {
    let folder = folder();
    let record = folder.vac(&["convert", "-q", NAME]).stdout;
    let ran = folder.vac_with(&["inspect", "-"], record.repeat(2).as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.lines().iter().filter(|line| line.starts_with("session ")).count(), 2);
    assert_eq!(ran.lines().iter().filter(|line| line.is_empty()).count(), 1);
}

#[test]
fn attached_record_of_an_envelope_is_validated() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/schema/valid/");
    let folder = Folder::new();
    let ran = folder.vac(&["inspect", "--json", &format!("{fixtures}signed-attached.cbor")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let variant = ran.json()["sessions"][0]["variant"].clone();
    assert!(variant.as_str().expect("a variant").starts_with("signed-record-"), "{variant}");
    let ran = folder.vac(&["inspect", &format!("{fixtures}signed-detached.cbor")]);
    assert!(ran.code == 1 && !ran.stdout.contains("\nagent "), "{ran:?}");
    assert!(ran.stderr.contains("the signature is detached"), "{}", ran.stderr);
}

#[test]
fn unreadable_files_are_reported() {
    let folder = folder();
    folder.write("notes.txt", "not a log");
    let ran = folder.vac(&["inspect", "notes.txt"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("neither a record nor a session log"), "{}", ran.stderr);
    folder.write("not.cbor", [0xa1, 0x61]);
    let ran = folder.vac(&["inspect", "not.cbor"]);
    assert!(ran.code == 1 && ran.stderr.contains("not CBOR"), "{}", ran.stderr);
    assert_eq!(folder.vac(&["inspect", "nowhere"]).code, 2);
}

#[test]
fn claims_of_envelopes_are_shown_as_not_checked() {
    let folder = crate::sign::folder();
    let options = ["--issuer", "https://ci.example/\u{1b}[2J", "--subject", "s-1", "--kid", "0aff"];
    for (flag, output) in
        [("--attached", "a.cose"), ("--detached", "d.cose"), ("--hash-envelope", "h.cose")]
    {
        let arguments = [&["a.json", flag, "-o", output][..], &options].concat();
        assert_eq!(crate::sign::sign(&folder, &arguments).code, 0);
        let ran = folder.vac(&["inspect", output]);
        // Without its record, an envelope is not a session.
        assert_eq!(ran.code, i32::from(output != "a.cose"), "{ran:?}");
        assert!(ran.stdout.contains("signature  not checked; its envelope claims:\n"), "{ran:?}");
        for line in [
            "issuer     https://ci.example/\\u{1b}[2J",
            "subject    s-1",
            "key id     0aff",
            "algorithm  EdDSA",
        ] {
            assert!(ran.lines().contains(&line), "{line}: {ran:?}");
        }
        assert!(ran.stdout.contains("\nsigned at  20"), "{ran:?}");
        let json = folder.vac(&["inspect", "--json", output]).json();
        let list = if output == "a.cose" { "sessions" } else { "envelopes" };
        let found = &json[list][0];
        assert_eq!(found["signature"], "not-checked", "{json}");
        assert_eq!(found["signer"]["key-id"], "0aff", "{json}");
        assert!(found["signer"]["issued-at"].as_i64() > Some(1_700_000_000), "{json}");
        // Changing a bit of the signature does not change the output, because the signature is not
        // checked.
        let path = folder.path().join(output);
        let mut envelope = std::fs::read(&path).unwrap();
        *envelope.last_mut().unwrap() ^= 1;
        std::fs::write(&path, envelope).unwrap();
        assert_eq!(folder.vac(&["inspect", output]).stdout, ran.stdout);
        let checked = folder.vac(&["inspect", output, "--key", "keys/signing-key.pub.pem"]);
        assert_eq!((checked.code, checked.stdout.as_str()), (1, ""), "{checked:?}");
    }
    let both = folder.vac(&["inspect", "a.cose", "d.cose", "h.cose"]);
    let words = "envelope   h.cose, which does not contain its record\n";
    assert!(both.code == 1 && both.stdout.contains(words), "{both:?}");
}

#[test]
fn record_states_the_variant_of_its_log_and_its_encoding() {
    let folder = folder();
    let facts = |name: &str| {
        let session = &folder.vac(&["inspect", "--json", name]).json()["sessions"][0];
        (session["variant"].clone(), session.get("encoding").cloned())
    };
    assert_eq!(facts(NAME), ("json".into(), None));
    for (encoding, name) in [("json", "r.json"), ("cbor", "r.cbor")] {
        folder.vac(&["convert", NAME, "-f", encoding, "-o", name]).gives(0, "");
        assert_eq!(facts(name), ("json".into(), Some(encoding.into())));
    }
    // A record of another program need not state a variant.
    folder.write("other.json", small());
    assert_eq!(facts("other.json"), ("record-json".into(), Some("json".into())));
}

#[test]
fn json_lists_what_could_not_be_read() {
    let folder = folder();
    folder.write("notes.json", "{}");
    let ran = folder.vac(&["inspect", "--json", NAME, "notes.json", "missing.jsonl"]);
    assert_eq!(ran.code, 2);
    let json = ran.json();
    let failed: Vec<_> = json["failed"].as_array().expect("an array").iter().collect();
    let files: Vec<_> = failed.iter().map(|it| it["file"].as_str().expect("a name")).collect();
    assert_eq!(files, ["missing.jsonl", "notes.json"]);
    assert!(failed.iter().all(|it| it["error"].as_str().is_some_and(|why| !why.is_empty())));
    assert_eq!(json["sessions"].as_array().map(Vec::len), Some(1));
}
