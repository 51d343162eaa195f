//! The functions of the library, on files, in memory and on records.

use std::fs;
use std::path::{Path, PathBuf};

use vac::{
    ConvertOptions, ErrorKind, EventOptions, Search, SecretKey, SignOptions, Signer, Task,
    Verification,
};

#[path = "library/verify_log.rs"]
mod verify_log;

const LOG: &str = concat!(
    r#"{"role":"user","message":{"content":[{"type":"text","text":"Tidy the shelf"}]}}"#,
    "\n",
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
    "\n",
);

fn fixture(path: &str) -> PathBuf {
    Path::new("../../fixtures").join(path)
}

/// Returns the files of a fixture.
fn load_into_memory(path: &str) -> vac::MemorySource {
    use vac::Source as _;
    let folder = fixture(path);
    let names = vac::DiskSource::new(&folder).names().unwrap();
    names.into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

fn convert(task: &Task) -> Vec<u8> {
    let mut record = Vec::new();
    vac::convert(task, &ConvertOptions::default(), &mut record).unwrap();
    record
}

/// Returns the events as JSON. In CBOR, the keys of native values have another order.
fn read_events<'r>(from: impl Into<vac::Readable<'r>>) -> Vec<serde_json::Value> {
    let mut events = Vec::new();
    vac::events(from, EventOptions::default(), |event| {
        events.push(serde_json::from_slice(&event.line()).unwrap());
        Ok(())
    })
    .unwrap();
    events
}

#[test]
fn log_in_memory_gives_the_record_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, LOG).unwrap();
    let plan = Search { paths: vec![path], ..Search::default() }.plan().unwrap();
    let memory = Task::from_bytes("session.jsonl", LOG.into()).unwrap();
    assert_eq!(convert(&memory), convert(&plan.tasks[0]));
    // More than once, and for all functions.
    assert_eq!(convert(&memory), convert(&memory));
    assert_eq!(read_events(&memory), read_events(&plan.tasks[0]));
    assert_eq!(read_events(&memory).len(), 4);
    let facts = vac::inspect(&memory).unwrap();
    assert_eq!(facts[0].sources[0].size, LOG.len() as u64);
}

#[test]
fn compressed_log_in_memory_is_read() {
    let folder = fixture("codex/envelopes/compressed");
    let plan = Search { paths: vec![folder], ..Search::default() }.plan().unwrap();
    let task = &plan.tasks[0];
    let path = &task.paths()[0];
    let name = path.file_name().unwrap().to_str().unwrap();
    let memory = Task::from_bytes(name, fs::read(path).unwrap()).unwrap();
    assert_eq!(convert(&memory), convert(task));
}

#[test]
fn bytes_that_are_not_a_log_are_refused() {
    let database = fs::read(fixture("opencode/database/basic/opencode.db")).unwrap();
    let error = Task::from_bytes("opencode.db", database).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(error.to_string().contains("use `Search::plan_in`"), "{error}");
    let error = Task::from_bytes("../a.jsonl", LOG.into()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Io, "{error}");
    let error = Task::from_bytes("notes.txt", b"Not a log.".to_vec()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unrecognised);
}

#[test]
fn a_record_gives_the_events_and_facts_of_its_log() {
    let plan =
        Search { paths: vec![fixture("claude/jsonl/basic")], ..Search::default() }.plan().unwrap();
    let task = &plan.tasks[0];
    for encoding in [vac::Encoding::Json, vac::Encoding::Cbor] {
        let record = vac::RecordOptions { encoding, ..vac::RecordOptions::default() };
        let options = ConvertOptions { record, ..ConvertOptions::default() };
        let records = vac::convert_to_records(task, &options).unwrap();
        let two = [&records[0].bytes[..], &records[0].bytes].concat();
        assert_eq!(read_events(&records[0].bytes), read_events(task));
        assert_eq!(vac::inspect(&two).unwrap().len(), 2);
        let found = vac::validate(&two).unwrap();
        assert_eq!((found.records, found.is_valid()), (2, true));
    }
}

#[test]
fn bytes_that_are_not_records_are_errors() {
    for bytes in [&b""[..], b"{", b"[]", b"\xa0", b"\xff", LOG.as_bytes()] {
        assert!(!vac::validate(bytes).unwrap().is_valid(), "{bytes:?}");
        assert_eq!(vac::inspect(bytes).unwrap_err().kind, ErrorKind::Unrecognised, "{bytes:?}");
    }
    let key = SecretKey::ed25519(&[7; 32]);
    let error = vac::sign(b"{}", &SignOptions::default(), &key).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
}

#[test]
fn deeply_nested_records_need_no_stack_of_the_caller() {
    let value = [b"[".repeat(250), b"]".repeat(250)].concat();
    let value = String::from_utf8(value).unwrap();
    let record = format!(
        r#"{{"version":"3.0.0-draft","id":"r","session":{{"session-id":"s",
        "agent-meta":{{"model-id":"m","model-provider":"p"}},
        "entries":[{{"type":"user","content":"hi","timestamp":1772352000000,"x":{value}}}]}}}}"#
    );
    let thread = std::thread::Builder::new().stack_size(1 << 16).spawn(move || {
        assert!(vac::validate(record.as_bytes()).unwrap().is_valid());
        assert_eq!(vac::inspect(record.as_bytes()).unwrap().len(), 1);
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn changed_envelope_is_not_verified() {
    let record = convert(&Task::from_bytes("session.jsonl", LOG.into()).unwrap());
    let key = SecretKey::ed25519(&[7; 32]);
    let mut signed = vac::sign(&record, &SignOptions::default(), &key).unwrap();
    let with = Verification { key: Some(key.public_key()), ..Verification::default() };
    let verified = vac::verify(&signed.envelope, &with).unwrap();
    assert_eq!((verified.verdict, verified.payload.as_ref()), ("verified", Some(&record)));
    assert_eq!(Some(signed.record_sha_256), verified.record_sha_256);
    let last = signed.envelope.last_mut().unwrap();
    *last ^= 1;
    let verified = vac::verify(&signed.envelope, &with).unwrap();
    assert_eq!((verified.verdict, verified.payload), ("failed", None));
    assert_eq!(verified.signature.verdict, "failed");
}

#[test]
fn plan_says_what_is_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.jsonl", LOG);
    write("b.jsonl", LOG);
    write("notes.txt", "Not a log.");
    let missing = folder.path().join("missing");
    let paths = vec![folder.path().to_owned(), missing.clone()];
    let plan = Search { paths, ..Search::default() }.plan().unwrap();
    assert_eq!(plan.tasks.len(), 1);
    let duplicate = &plan.duplicates[0];
    assert!(duplicate.is_copy && duplicate.name.ends_with("b.jsonl"), "{duplicate:?}");
    assert!(plan.skipped[0].name.ends_with("notes.txt"));
    assert!(plan.troubles[0].to_string().starts_with(missing.to_str().unwrap()));
    assert!(serde_json::to_string(&plan).unwrap().contains(r#""reason":"not-a-log""#));
    // A file that was named and is not a log is an error.
    let paths = vec![folder.path().join("notes.txt")];
    let plan = Search { paths, ..Search::default() }.plan().unwrap();
    assert_eq!(plan.troubles[0].kind, ErrorKind::Unrecognised);
}

#[test]
fn sessions_are_selected_by_agent_and_time() {
    let paths = vec![fixture("claude/jsonl/basic"), fixture("codex/envelopes/compressed")];
    let search = Search { paths, ..Search::default() };
    let all = search.plan().unwrap().tasks;
    let codex = Search { agents: vec!["codex".into()], ..search.clone() }.plan().unwrap().tasks;
    assert!(all.iter().any(|task| task.agent == "claude"));
    assert!(!codex.is_empty() && codex.iter().all(|task| task.agent == "codex"));
    let late = Search { since: Some(i128::MAX), ..search.clone() }.plan().unwrap().tasks;
    assert!(late.iter().all(|task| task.start.is_none()));
    let unknown = Search { agents: vec!["unheard-of".into()], ..search }.plan().unwrap_err();
    assert_eq!(unknown.to_string(), "unknown agent `unheard-of`");
}
