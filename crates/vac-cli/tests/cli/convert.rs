//! `vac convert`

use std::path::Path;

use crate::home;
use crate::run::{Folder, Ran};

const LOG: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0a0a0a0a-0000-4000-8000-000000000001","#,
    r#""timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work","version":"2.1.0","gitBranch":"main","#,
    r#""message":{"role":"user","content":"Count to 1.0"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"0a0a0a0a-0000-4000-8000-000000000001","#,
    r#""timestamp":"2026-03-01T09:00:01.000Z","cwd":"/work","version":"2.1.0","gitBranch":"main","#,
    r#""message":{"id":"m1","role":"assistant","model":"claude-example","content":[{"type":"text","text":"1.0"}],"#,
    r#""usage":{"input_tokens":5,"output_tokens":2}}}"#,
    "\n",
);

const NAME: &str = "claude-0a0a0a0a-0000-4000-8000-000000000001.json";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("logs/session.jsonl", LOG);
    folder.write("logs/notes.txt", "not a log");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = folder
        .read_dir()
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_directory_becomes_a_file_for_each_session() {
    let folder = folder();
    let Ran { code, stderr: err, .. } = folder.vac(&["convert", "logs", "-o", "records/"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("1 session converted, 0 failed, 1 skipped"), "{err}");
    assert_eq!(names(&folder.path().join("records")), [NAME]);
    let Ran { code, stderr: err, .. } = folder.vac(&["validate", "records"]);
    assert_eq!(code, 0, "{err}");
}

#[test]
fn the_same_log_gives_the_same_bytes_however_it_is_converted() {
    let folder = folder();
    let once = folder.vac(&["convert", "-q", "logs/session.jsonl"]).stdout;
    assert!(once.contains("Count to 1.0"));
    assert_eq!(once.lines().count(), 1);
    assert_eq!(folder.vac(&["convert", "-j1", "logs"]).stdout, once);
    assert_eq!(folder.vac(&["convert", "-j4", "logs"]).stdout, once);
    folder.vac(&["convert", "logs", "-o", "records.jsonl"]);
    let file = std::fs::read_to_string(folder.path().join("records.jsonl")).expect("the file");
    assert_eq!(file, once);
}

#[test]
fn cbor_is_the_same_record() {
    let folder = folder();
    let args = ["convert", "-f", "cbor", "logs", "-o", "records/"];
    assert_eq!(folder.vac(&args).code, 0);
    let name = NAME.replace(".json", ".cbor");
    assert_eq!(names(&folder.path().join("records")), std::slice::from_ref(&name));
    assert_eq!(folder.vac(&["validate", "records"]).code, 0);
    let cbor = std::fs::read(folder.path().join("records").join(name)).expect("a record");
    let json = folder.vac(&["convert", "-q", "logs"]).stdout;
    let cbor = vac::value::Any::from_cbor(&cbor).expect("CBOR");
    assert_eq!(cbor, vac::value::Any::from_json(json.as_bytes()).expect("JSON"));
}

#[test]
fn long_and_short_names_are_the_same_options() {
    let folder = folder();
    let short =
        ["convert", "logs/session.jsonl", "-a", "claude", "-f", "cbor", "-j", "2", "-o", "short"];
    let long = ["convert", "logs/session.jsonl", "--agent", "claude", "--format", "cbor"];
    let rest = ["--jobs", "1", "--output", "long"];
    assert_eq!(folder.vac(&short).code, 0);
    assert_eq!(folder.vac(&[&long[..], &rest].concat()).code, 0);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a record");
    assert_eq!(read("short"), read("long"));
    for (option, value) in
        [("--agent", "unknown-agent"), ("--format", "xml"), ("--jobs", "0"), ("--profile", "half")]
    {
        let ran = folder.vac(&["convert", "logs", option, value]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{option}");
        assert!(ran.stderr.contains(&format!("'{option} <")), "{option}: {}", ran.stderr);
    }
    assert_eq!(folder.vac(&["convert"]).code, 2, "a path is needed");
    assert_eq!(folder.vac(&["convert", "--root", ".", "logs"]).code, 2, "--discover is needed");
}

#[test]
fn a_record_holds_as_much_as_its_profile_says() {
    let folder = folder();
    folder.write("logs/session.jsonl", LOG.replace("\"cwd\"", "\"mood\":\"bright\",\"cwd\""));
    let convert = |arguments: &[&str]| {
        let ran = folder.vac(&[&["convert", "-q", "logs/session.jsonl"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    let full = convert(&[]);
    assert_eq!(convert(&["--profile", "full"]), full);
    let canonical = convert(&["--profile", "canonical"]);
    assert!(full.contains("\"mood\"") && !canonical.contains("\"mood\""));
    let ran = folder.vac_with(&["validate", "-"], canonical.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    // A valid record is the same without validation.
    assert_eq!(convert(&["--no-validate"]), full);
    let pretty = convert(&["--pretty"]);
    assert!(pretty.lines().count() > 20, "{pretty}");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    assert_eq!(value(&pretty), value(&full));
}

#[test]
fn the_summary_is_a_table_or_json_with_exact_numbers() {
    let folder = folder();
    folder.write("logs/other.json", home::gemini("g", "2026-03-01T09:00:00Z"));
    let ran = folder.vac(&["convert", "logs", "-o", "records/"]);
    let (claude, gemini) = (LOG.len(), home::gemini("g", "2026-03-01T09:00:00Z").len());
    let expected = format!(
        "agent   variant  sessions  entries   read  unparsed\n\
         claude  jsonl           1        2  {claude} B         0\n\
         gemini  json            1        1  {gemini} B         0\n\
         total                   2        3  {} B         0\n\
         2 sessions converted, 0 failed, 1 skipped\n\
         2 new, 0 changed, 0 unchanged\n",
        claude + gemini
    );
    assert!(claude + gemini < 1000, "bytes are printed in full");
    assert_eq!(ran.stderr, expected);
    let json = folder.vac(&["convert", "logs", "-o", "again/", "--json"]).json();
    let sizes: Vec<_> =
        [0, 1].iter().map(|at| json["sessions"][at]["sources"][0]["size"].clone()).collect();
    assert_eq!(sizes, [gemini, claude]);
    assert_eq!(json["skipped"], 1);
}

#[test]
fn nothing_is_replaced_without_force() {
    let folder = folder();
    let args = ["convert", "logs", "-o", "records/"];
    assert_eq!(folder.vac(&args).code, 0);
    let again = folder.vac(&args);
    assert_eq!(again.code, 0);
    assert!(again.stderr.contains("0 new, 0 changed, 1 unchanged\n"), "{}", again.stderr);
    let file = ["convert", "logs/session.jsonl", "-o", "one.json"];
    assert_eq!(folder.vac(&file).code, 0);
    let again = folder.vac(&file);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("already exists (use --force to overwrite)"), "{}", again.stderr);
    assert_eq!(folder.vac(&[&file[..], &["--force"]].concat()).code, 0);
    assert_eq!(names(&folder.path().join("records")), [NAME]);
    let forced = folder.vac(&["convert", "logs", "-o", "records/", "--force"]);
    assert_eq!(forced.code, 0, "{}", forced.stderr);
}

#[test]
fn a_log_is_never_written_to() {
    let folder = folder();
    let args = ["convert", "logs/session.jsonl", "-o", "logs/session.jsonl", "--force"];
    let Ran { code, stderr: err, .. } = folder.vac(&args);
    assert_eq!(code, 2);
    assert!(err.contains("is an input and is not overwritten"), "{err}");
    let log = std::fs::read_to_string(folder.path().join("logs/session.jsonl")).expect("the log");
    assert_eq!(log, LOG);
}

#[test]
fn named_file_that_is_not_a_log_fails_alone() {
    let folder = folder();
    let Ran { code, stdout: out, stderr: err } =
        folder.vac(&["convert", "logs/notes.txt", "logs/session.jsonl", "nowhere"]);
    assert_eq!(code, 2);
    assert_eq!(out.lines().count(), 1);
    assert!(err.contains("logs/notes.txt: unrecognised log format (supported: claude, "), "{err}");
    assert!(err.contains("nowhere: "), "{err}");
    assert_eq!(folder.vac(&["convert", "logs/notes.txt"]).code, 1);
    assert_eq!(folder.vac(&["convert", "-a", "unknown-agent", "logs"]).code, 2);
}

#[test]
fn report_has_the_sources_of_a_record() {
    let folder = folder();
    let args = ["convert", "logs", "-o", "records/", "--report", "report.json"];
    assert_eq!(folder.vac(&args).code, 0);
    let report = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let session = &report["sessions"][0];
    assert_eq!(session["agent"], "claude");
    assert_eq!(session["sources"][0]["name"], "session.jsonl");
    assert_eq!(session["sources"][0]["size"], LOG.len());
    assert_eq!(session["frames"], 2);
    assert_eq!(session["unparsed"]["count"], 0);
}

#[test]
fn unparsed_bytes_are_kept_and_strict_exits_with_1() {
    let folder = folder();
    let torn = format!("{LOG}{{\"type\":\"user\",\"mess");
    folder.write("logs/session.jsonl", torn);
    let loose = folder.vac(&["convert", "logs"]);
    assert_eq!(loose.code, 0, "{}", loose.stderr);
    assert!(loose.stdout.contains(r#"{\"type\":\"user\",\"mess"#), "{}", loose.stdout);
    assert_eq!(folder.vac(&["convert", "--strict", "logs"]).code, 1);
}

#[test]
fn session_without_conversation_is_a_warning_and_strict_exits_with_1() {
    let folder = Folder::new();
    folder.write("empty.jsonl", r#"{"type":"mode","mode":"plan","sessionId":"s"}"#);
    let Ran { code, stderr, .. } = folder.vac(&["convert", "empty.jsonl"]);
    assert_eq!(code, 0);
    let warning = "warning: empty.jsonl: no message and no tool call found";
    assert!(stderr.contains(warning), "{stderr}");
    assert_eq!(folder.vac(&["convert", "--strict", "empty.jsonl"]).code, 1);
}

#[test]
fn log_of_an_unsupported_agent_is_refused_by_name() {
    let folder = Folder::new();
    let line = concat!(
        r#"{"uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-06-01T00:00:00Z","#,
        r#""type":"user","message":{"role":"user","parts":[{"text":"Hello"}]}}"#,
    );
    folder.write("chat.jsonl", line);
    folder.write("thread.json", r#"{"id":"T-1","v":3,"messages":[]}"#);
    let looks = "thread.json: looks like Amp, which is not supported yet";
    for command in ["convert", "inspect", "events"] {
        let Ran { code, stderr, .. } = folder.vac(&[command, "thread.json"]);
        assert_eq!(code, 1, "{command}");
        assert!(stderr.contains(looks), "{command}: {stderr}");
    }
    // A log is not converted as a log of another agent, even if that agent is named.
    let Ran { code, stderr, .. } = folder.vac(&["convert", "-a", "claude", "chat.jsonl"]);
    assert_eq!(code, 1);
    let misfit = "looks like claude, but 1 of 1 document does not fit (message-parts)";
    assert!(stderr.contains(misfit), "{stderr}");
}

#[test]
fn files_are_one_session_in_the_same_folder_or_if_both_are_named() {
    let folder = Folder::new();
    let piece = |time: &str, text: &str| {
        home::gemini("g", time).replace("Twin it", text).replace("\"m1\"", &format!("\"{text}\""))
    };
    let (one, two) = ("a/chats/session-1.json", "a/chats/session-2.json");
    folder.write(one, piece("2026-01-01T00:00:00Z", "first"));
    folder.write(two, piece("2026-01-02T00:00:00Z", "second"));
    let together = folder.vac(&["convert", "-q", "a"]);
    assert_eq!((together.code, together.lines().len()), (0, 1), "{}", together.stderr);
    assert_eq!(folder.vac(&["convert", "-q", two, one]).stdout, together.stdout);

    // A copy adds no session, in any place.
    folder.write("a/chats/copy.json", piece("2026-01-01T00:00:00Z", "first"));
    folder.write("b/copy.json", piece("2026-01-02T00:00:00Z", "second"));
    let again = folder.vac(&["convert", "-v", "a", "b"]);
    assert_eq!((again.lines().len(), sources(&again)), (1, Some(2)), "{}", again.stderr);
    assert_eq!(entries(&again), entries(&together));
    assert!(again.stderr.contains("2 duplicates skipped\n"), "{}", again.stderr);
    assert!(again.stderr.contains("b/copy.json: skipped, a copy of "), "{}", again.stderr);

    // A log in another folder that was not named is another session.
    folder.write("b/copy.json", piece("2026-01-03T00:00:00Z", "third"));
    assert_eq!(folder.vac(&["convert", "-q", "a", "b"]).lines().len(), 2);
    assert_eq!(folder.vac(&["convert", "-q", one, two, "b/copy.json"]).lines().len(), 1);
}

fn sources(ran: &Ran) -> Option<usize> {
    ran.json()["recording-agent"]["sources"].as_array().map(Vec::len)
}

fn entries(ran: &Ran) -> Option<usize> {
    ran.json()["session"]["entries"].as_array().map(Vec::len)
}

#[test]
fn a_named_session_has_its_folder_and_is_not_read_twice() {
    let folder = Folder::new();
    let id = "0a0a0a0a-0000-4000-8000-000000000001";
    let log = folder.write(&format!("p/{id}.jsonl"), LOG);
    let side = LOG.replace("\"uuid\"", "\"isSidechain\":true,\"agentId\":\"x\",\"uuid\"");
    folder.write(&format!("p/{id}/subagents/agent-x.jsonl"), side);
    let named = folder.vac(&["convert", "-q", &log.to_string_lossy()]);
    let found = folder.vac(&["convert", "-q", "p"]);
    assert_eq!((found.lines().len(), sources(&found)), (1, Some(2)), "{}", found.stderr);
    assert_eq!(named.stdout, found.stdout);
    // As the shell writes p/*.
    let (below, log) = (format!("p/{id}"), format!("p/{id}.jsonl"));
    assert_eq!(folder.vac(&["convert", "-q", &below, &log]).stdout, found.stdout);
    assert_eq!(folder.vac(&["convert", "-q", &log, &below]).stdout, found.stdout);
    // Cursor has folders of that name, too.
    folder.write("c/1.jsonl", home::CURSOR);
    folder.write("c/1/subagents/2.jsonl", home::CURSOR.replace("Point", "Look"));
    assert_eq!(folder.vac(&["convert", "-q", "c"]).lines().len(), 2);
}

#[test]
fn a_time_can_be_chosen() {
    let folder = folder();
    let convert = |arguments: &[&str]| folder.vac(&[&["convert", "logs"], arguments].concat());
    assert_eq!(convert(&["--since", "2026-03-01", "--until", "2026-03-01"]).lines().len(), 1);
    let none = convert(&["--since", "2026-03-02"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""), "{}", none.stderr);
    assert_eq!(convert(&["--since", "2026-03-32"]).code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn named_pipe_is_read_like_standard_input() {
    let folder = Folder::new();
    let named = folder.vac_with(&["convert", "-q", "/dev/stdin"], LOG.as_bytes());
    let stdin = folder.vac_with(&["convert", "-q", "-"], LOG.as_bytes());
    assert_eq!((named.code, named.stdout), (0, stdin.stdout), "{}", named.stderr);
    let twice = folder.vac_with(&["convert", "-q", "-", "-"], LOG.as_bytes());
    assert_eq!((twice.code, twice.lines().len()), (2, 1), "{}", twice.stderr);
}

#[test]
fn unknown_keys_are_kept_and_reported() {
    let folder = Folder::new();
    let log = home::claude("s", "2026-03-01T09:00:00Z").replacen('{', r#"{"mood":"good","#, 1);
    folder.write("a.jsonl", log);
    let ran = folder.vac(&["convert", "-v", "a.jsonl", "-o", "a.json", "--report", "r.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("unknown key: claude line.mood (1)"), "{}", ran.stderr);
    let read = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("a file");
        serde_json::from_str(&text).expect("JSON")
    };
    let (report, record) = (read("r.json"), read("a.json"));
    assert_eq!(report["sessions"][0]["unknown-keys"]["line.mood"], 1, "{report}");
    assert_eq!(record["session"]["entries"][0]["mood"], "good");
    // A key that is kept does not make a log a failure.
    let ran = folder.vac(&["convert", "--strict", "a.jsonl", "-o", "b.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
