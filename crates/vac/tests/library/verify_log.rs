//! `verify_log` recognises the log that a record was made from, also if it was renamed, and rejects
//! every other log.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use vac::{
    ConvertOptions, Encoding, ErrorKind, Layout, LogVerdict, LogVerification, MemorySource,
    RecordOptions, Search, SecretKey, SignOptions, Source, Task, convert_to_records,
};
use vac_adapter::Profile;

use crate::{LOG, convert, fixture};

const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "cursor"];

fn verify(record: &[u8], tasks: &[Task]) -> LogVerification {
    vac::verify_log(record, tasks, &ConvertOptions::default()).unwrap()
}

fn task(bytes: impl Into<Vec<u8>>) -> Task {
    Task::from_bytes("session.jsonl", bytes.into()).unwrap()
}

/// Returns the tasks of all fixtures of an agent.
fn tasks(agent: &str) -> Vec<Task> {
    Search { paths: vec![fixture(agent)], ..Search::default() }.plan().unwrap().tasks
}

/// Returns all combinations of the options that records show.
fn all_options() -> Vec<ConvertOptions> {
    let mut all = Vec::new();
    for profile in [Profile::Full, Profile::Canonical] {
        for (encoding, layout) in [
            (Encoding::Json, Layout::Compact),
            (Encoding::Json, Layout::Pretty),
            (Encoding::Cbor, Layout::Compact),
        ] {
            let labels = [("user".to_owned(), "ada".to_owned())].into();
            let record =
                RecordOptions { encoding, layout, profile, labels, ..RecordOptions::default() };
            all.push(ConvertOptions { record, ..ConvertOptions::default() });
        }
    }
    all
}

#[test]
fn records_of_all_fixtures_are_made_from_their_logs() {
    let mut count = 0;
    for agent in AGENTS {
        let tasks = tasks(agent);
        for task in &tasks {
            for (number, options) in all_options().iter().enumerate() {
                let Ok(records) = convert_to_records(task, options) else { continue };
                for record in records {
                    // All logs of the agent may be given, and the right one is found.
                    let candidates =
                        if number == 0 { &tasks[..] } else { std::slice::from_ref(task) };
                    let verified = verify(&record.bytes, candidates);
                    assert_eq!(
                        verified.verdict,
                        LogVerdict::Identical,
                        "{} {verified:?}",
                        task.name
                    );
                    assert!(
                        verified.made_from_log && !verified.log_has_grown,
                        "{} {verified:?}",
                        task.name
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(count > 500, "{count}");
}

/// Returns the logs of fixtures that are one file: path and task.
fn single_files(agent: &str) -> Vec<(PathBuf, Task)> {
    let single = tasks(agent).into_iter().filter_map(|task| {
        let json = serde_json::to_value(&task).unwrap();
        let is_file = json["files"]["parts"][0]["kind"].is_string();
        let [path] = &task.paths()[..] else { return None };
        is_file.then(|| (path.clone(), task.clone()))
    });
    single.collect()
}

/// Returns a record in two parts: up to `recording-agent`, and its sources without their names.
/// Numbers in the first part can be larger than `serde_json` reads.
fn without_names(record: &[u8]) -> (&str, Value) {
    let record = std::str::from_utf8(record).unwrap();
    let (before, agent) = record.rsplit_once(r#","recording-agent":"#).unwrap();
    let mut agent: Value = serde_json::from_str(agent.strip_suffix('}').unwrap()).unwrap();
    for source in agent["sources"].as_array_mut().unwrap() {
        source["name"] = Value::Null;
    }
    (before, agent)
}

#[test]
fn log_under_another_name_gives_the_same_record() {
    let mut count = 0;
    for agent in AGENTS {
        for (path, task) in single_files(agent) {
            let Ok(records) = convert_to_records(&task, &ConvertOptions::default()) else {
                continue;
            };
            let folder = path.parent().unwrap().canonicalize().unwrap();
            let folder = folder.to_str().unwrap().trim_start_matches('/');
            let ending = path.extension().unwrap_or_default().to_str().unwrap();
            let name = format!("{folder}/renamed.{ending}");
            let bytes = fs::read(&path).unwrap();
            let memory: Arc<dyn Source> = Arc::new(MemorySource::from_iter([(&name, bytes)]));
            let search = Search {
                paths: vec![name.clone().into()],
                agents: vec![records[0].report.agent.clone()],
                ..Search::default()
            };
            let plan = search.plan_in(&memory).unwrap();
            let renamed = convert_to_records(&plan.tasks[0], &ConvertOptions::default()).unwrap();
            assert_eq!(records.len(), renamed.len());
            for (record, renamed) in records.iter().zip(&renamed) {
                let [(one, agent), (other, renamed_agent)] =
                    [record, renamed].map(|it| without_names(&it.bytes));
                assert_eq!(agent, renamed_agent);
                let (id, renamed_id) = (&record.report.session_id, &renamed.report.session_id);
                if id == renamed_id {
                    assert!(one == other, "{}:\n{one}\n{other}", path.display());
                } else {
                    // The name of the file is the id of a log that states none, or says which of
                    // two ids is its own. It can state the start, too.
                    let file = path.file_stem().unwrap().to_str().unwrap();
                    let is_named = file.contains(id.as_str()) || id.contains(file);
                    assert!(is_named, "{}: {id}", path.display());
                }
                let verified = verify(&record.bytes, &plan.tasks);
                assert_eq!(verified.verdict, LogVerdict::Identical, "{}", path.display());
                assert_eq!(verified.sources[0].log_name.as_deref(), name.rsplit('/').next());
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn changed_record_is_not_made_from_its_log() {
    let task = task(LOG);
    let record = convert(&task);
    let text = String::from_utf8(record).unwrap();
    for (from, to, pointer) in [
        ("Tidy the shelf", "Burn the shelf", "/session/entries/0/content/0/text"),
        (r#""type":"user""#, r#""x":1,"type":"user""#, "/session/entries/0/x"),
        (r#""name":"vac""#, r#""name":"vac","approved":true"#, "/recording-agent/approved"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let verified = verify(changed.as_bytes(), std::slice::from_ref(&task));
        assert_eq!(verified.verdict, LogVerdict::ValuesDiffer, "{pointer}");
        assert_eq!(verified.differs_at.as_deref(), Some(pointer));
        assert!(!verified.made_from_log);
    }
    let json: Value = serde_json::from_str(&text).unwrap();
    let mut shorter = json.clone();
    shorter["session"]["entries"].as_array_mut().unwrap().pop();
    let verified = verify(shorter.to_string().as_bytes(), std::slice::from_ref(&task));
    assert_eq!(verified.differs_at.as_deref(), Some("/session/entries/1"));
    let mut other = json;
    other["id"] = "another".into();
    let verified = verify(other.to_string().as_bytes(), &[task]);
    assert_eq!(verified.differs_at.as_deref(), Some("/id"));
}

#[test]
fn record_of_another_build_or_format_has_the_same_values() {
    let task = task(LOG);
    let text = String::from_utf8(convert(&task)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let build = RecordOptions { build: Some("c0ffee".into()), ..RecordOptions::default() };
    let build = ConvertOptions { record: build, ..ConvertOptions::default() };
    let named = convert_to_records(&task, &build).unwrap().remove(0).bytes;
    assert!(String::from_utf8_lossy(&named).contains(r#""build":"c0ffee""#));
    let other = text.replace(&format!(r#""version":"{version}""#), r#""version":"9.9.9""#);
    let tasks = [task];
    for record in [&named, other.as_bytes()] {
        let verified = verify(record, &tasks);
        assert_eq!(verified.verdict, LogVerdict::OtherBuild);
        assert!(verified.made_from_log);
    }
    assert_eq!(verify(&named, &tasks).build.as_deref(), Some("c0ffee"));
    // The build that made it gives the same bytes.
    let verified = vac::verify_log(&named, &tasks, &build).unwrap();
    assert_eq!(verified.verdict, LogVerdict::Identical);
    let formatted = text.replace(':', " : ");
    assert_eq!(verify(formatted.as_bytes(), &tasks).verdict, LogVerdict::Equal);
}

#[test]
fn grown_log_is_reported_with_what_the_record_covers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, LOG).unwrap();
    let search = Search { paths: vec![path.clone()], ..Search::default() };
    let record = convert(&search.plan().unwrap().tasks[0]);
    fs::write(&path, [LOG, LOG].concat()).unwrap();
    let verified = verify(&record, &search.plan().unwrap().tasks);
    assert_eq!(verified.verdict, LogVerdict::Identical);
    assert!(verified.log_has_grown);
    assert_eq!(verified.sources[0].recorded.size, LOG.len() as u64);
    assert_eq!(verified.sources[0].log_size, Some(2 * LOG.len() as u64));
    let json = serde_json::to_value(&verified).unwrap();
    assert_eq!(json["sources"][0]["state"], "grown");
    // What was there then is changed.
    fs::write(&path, [LOG, LOG].concat().replacen("Tidy", "Burn", 1)).unwrap();
    let verified = verify(&record, &search.plan().unwrap().tasks);
    assert_eq!(verified.verdict, LogVerdict::SourcesDiffer);
    assert!(!verified.made_from_log && !verified.log_has_grown);
}

#[test]
fn session_that_got_another_file_has_grown() {
    let files = crate::load_into_memory("claude/jsonl-folder/basic");
    let source: Arc<dyn Source> = Arc::new(files.clone());
    let plan = Search::default().plan_in(&source).unwrap();
    let task = plan.tasks.iter().find(|task| task.paths().len() > 1).unwrap();
    let last = task.paths().pop().unwrap();
    let fewer: MemorySource = files
        .names()
        .unwrap()
        .into_iter()
        .filter(|name| last.as_path() != std::path::Path::new(name))
        .map(|name| {
            (name.clone(), fs::read(fixture("claude/jsonl-folder/basic").join(name)).unwrap())
        })
        .collect();
    let fewer: Arc<dyn Source> = Arc::new(fewer);
    let tasks = Search::default().plan_in(&fewer).unwrap().tasks;
    let before = tasks.iter().find(|before| before.session_id == task.session_id).unwrap();
    let verified = verify(&convert(before), std::slice::from_ref(task));
    assert_eq!((verified.verdict, verified.added_files), (LogVerdict::Identical, 1));
    assert!(verified.log_has_grown);
    // The other way round, a file is missing.
    let verified = verify(&convert(task), std::slice::from_ref(before));
    assert_eq!(verified.verdict, LogVerdict::SourcesDiffer);
}

#[test]
fn session_of_a_renamed_database_is_found() {
    let bytes = fs::read(fixture("opencode/database/basic/opencode.db")).unwrap();
    let plan = |name: &str| {
        let source: Arc<dyn Source> = Arc::new(MemorySource::from_iter([(name, bytes.clone())]));
        Search::default().plan_in(&source).unwrap().tasks
    };
    let (tasks, renamed) = (plan("opencode.db"), plan("backup.db"));
    assert!(tasks.len() > 1);
    for task in &tasks {
        let verified = verify(&convert(task), &renamed);
        assert_eq!(verified.verdict, LogVerdict::Identical);
        assert!(verified.log.unwrap().starts_with("backup.db#"));
    }
}

#[test]
fn signed_record_is_compared_as_the_record_in_it() {
    let task = task(LOG);
    let record = convert(&task);
    let key = SecretKey::ed25519(&[7; 32]);
    let signed = vac::sign(&record, &SignOptions::default(), &key).unwrap();
    assert!(verify(&signed.envelope, &[task]).made_from_log);
}

#[test]
fn record_without_sources_or_log_is_not_made_from_it() {
    let text = String::from_utf8(convert(&task(LOG))).unwrap();
    let mut json: Value = serde_json::from_str(&text).unwrap();
    json["recording-agent"]["sources"] = Value::Array(Vec::new());
    let verified = verify(json.to_string().as_bytes(), &[task(LOG)]);
    assert_eq!(verified.verdict, LogVerdict::NoSources);
    assert_eq!(verify(text.as_bytes(), &[]).verdict, LogVerdict::NoLog);
    let other = LOG.replace("Done.", "Later.");
    assert_eq!(verify(text.as_bytes(), &[task(other)]).verdict, LogVerdict::SourcesDiffer);
    for bytes in [&b""[..], b"{}", b"[1", b"\xa0", LOG.as_bytes(), &text.repeat(2).into_bytes()] {
        let error = vac::verify_log(bytes, &[], &ConvertOptions::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unrecognised, "{error}");
    }
}
