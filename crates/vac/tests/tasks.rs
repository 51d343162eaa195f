//! Tasks that were written as JSON and read again give the same records as a search and conversion
//! in one run.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vac::convert::convert_each;
use vac::parallel::{ordered_parallel_map, with_stack};
use vac::session_filter::sessions_of;
use vac::{
    ConvertOptions, DiskSource, Error, ErrorKind, MemorySource, Search, Source, Task, convert,
};
use vac_store::MemoryBudget;

/// The records of a log, or why it was not converted.
type Records = Result<Vec<u8>, String>;

/// Returns the records by the names of their logs, as one run makes them: everything is found,
/// joined and then converted, several logs at once.
fn convert_in_one_run(search: &Search) -> (BTreeMap<String, Records>, usize) {
    let budget = MemoryBudget::new(1 << 20);
    let selected = search.find(&budget, &mut |_| {}).unwrap();
    let logs: Vec<_> = selected.logs.iter().filter(|known| known.agent.is_some()).collect();
    let mut names = logs.iter().map(|known| known.log.shown.clone());
    let (mut records, mut count) = (BTreeMap::new(), 0);
    let work = |known: &vac_store::join::DetectedLog| {
        let agent = known.agent.and_then(vac::agent).unwrap();
        convert_each(&known.log, agent, &ConvertOptions::default(), Vec::new, Ok)
    };
    ordered_parallel_map(logs.iter().copied(), 2, work, |converted| {
        let written =
            converted.and_then(|sessions| sessions.into_iter().collect::<Result<Vec<_>, _>>());
        let written = written.map(|sessions| {
            count += sessions.len();
            sessions.into_iter().flat_map(|(_, record)| [record, b"\n".to_vec()].concat()).collect()
        });
        let name = names.next().unwrap();
        let is_new = records.insert(name.clone(), written.map_err(|error| error.to_string()));
        assert!(is_new.is_none(), "{name} is converted twice");
        ControlFlow::Continue(())
    })
    .unwrap();
    (records, count)
}

/// Converts task by task, each sent through JSON, in the opposite order.
fn convert_task_by_task(search: &Search) -> (BTreeMap<String, Records>, usize) {
    let tasks = search.plan().unwrap().tasks;
    let tasks: Vec<_> = tasks.iter().map(|task| serde_json::to_string(task).unwrap()).collect();
    let (mut records, mut count) = (BTreeMap::new(), 0);
    for json in tasks.iter().rev() {
        let task: Task = serde_json::from_str(json).unwrap();
        assert_eq!(&serde_json::to_string(&task).unwrap(), json);
        let mut out = Vec::new();
        let converted = convert(&task, &ConvertOptions::default(), &mut out);
        let converted = converted.map(|converted| count += converted.sessions.len());
        let name = task.name.clone();
        let is_new = records.insert(name, converted.map(|()| out).map_err(|error| error.reason));
        assert!(is_new.is_none(), "{} is converted twice", task.name);
    }
    (records, count)
}

fn compare(search: &Search) -> usize {
    let (one_run, count) = convert_in_one_run(search);
    let (tasks, task_count) = convert_task_by_task(search);
    assert_eq!(count, task_count);
    assert!(one_run.keys().eq(tasks.keys()));
    for (name, records) in &one_run {
        let same = &tasks[name];
        assert!(
            same == records,
            "{name}: {:?} instead of {:?}",
            same.as_deref().map(String::from_utf8_lossy),
            records.as_deref().map(String::from_utf8_lossy)
        );
    }
    count
}

fn fixtures() -> PathBuf {
    PathBuf::from("../../fixtures")
}

#[test]
fn tasks_of_named_folders_give_the_records_of_one_run() {
    let agents = ["claude", "codex", "gemini", "opencode", "cursor"];
    let paths = agents.map(|agent| fixtures().join(agent)).to_vec();
    let count = compare(&Search { paths, ..Search::default() });
    assert!(count > 100, "{count} sessions");
}

#[test]
fn tasks_of_some_sessions_of_a_log_give_only_these() {
    let paths = vec![fixtures().join("claude/jsonl/two-sessions/collected.jsonl")];
    let all = Search { paths, ..Search::default() };
    assert_eq!(compare(&all), 2);
    let since = vac::when::since("2026-04-01T08:30:00Z").ok();
    let until = vac::when::until("2026-04-01T08:30:00Z").ok();
    let project = Some("/home/ada/wheel".to_owned());
    for (search, id) in [
        (Search { since, ..all.clone() }, "3f0a6c1e-0d51-4c7e-9a55-1b2c3d4e5f02"),
        (Search { project, ..all.clone() }, "3f0a6c1e-0d51-4c7e-9a55-1b2c3d4e5f02"),
        (Search { until, ..all.clone() }, "3f0a6c1e-0d51-4c7e-9a55-1b2c3d4e5f01"),
    ] {
        assert_eq!(compare(&search), 1);
        let tasks = search.plan().unwrap().tasks;
        assert_eq!((tasks.len(), tasks[0].session_id.as_deref()), (1, Some(id)));
        assert_eq!(vac::inspect(&tasks[0]).unwrap()[0].session_id, id);
    }
    let none = Search { since, until, ..all };
    assert!(none.plan().unwrap().tasks.is_empty());
}

#[test]
fn log_that_is_taken_for_one_session_is_one() {
    let mut counts = [0, 0];
    let search = Search { paths: vec![fixtures()], ..Search::default() };
    for known in search.find(&MemoryBudget::none(), &mut |_| {}).unwrap().logs {
        let Some(agent) = known.agent.and_then(vac::agent) else { continue };
        let is_one = known.log.is_one_session(agent.adapter, &known.preview).unwrap();
        // A log can be refused.
        let found = with_stack(|| sessions_of(&known, agent).map(|found| found.len()));
        let Ok(Ok(count)) = found else { continue };
        assert!(count <= 1 || !is_one, "{}: {count} sessions", known.log.shown);
        counts[usize::from(is_one)] += 1;
    }
    let [several, one] = counts;
    assert!(several > 10 && one > 100, "{several} can be several, {one} are one");
}

/// Returns all files below a folder, by their paths below it.
fn memory(folder: &Path) -> MemorySource {
    let disk = DiskSource::new(folder);
    let names = disk.names().unwrap();
    names
        .into_iter()
        .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
        .collect()
}

/// Returns the records of the tasks of a source by the names of their logs: from the plan itself,
/// or from tasks that were sent through JSON, in the opposite order.
fn convert_source(
    source: &Arc<dyn Source>,
    search: &Search,
    is_sent: bool,
) -> BTreeMap<String, Records> {
    let mut tasks = search.plan_in(source).unwrap().tasks;
    if is_sent {
        let json = serde_json::to_string(&tasks).unwrap();
        let sent: Vec<Task> = serde_json::from_str(&json).unwrap();
        tasks = sent.into_iter().rev().map(|task| task.in_source(source)).collect();
    }
    let mut records = BTreeMap::new();
    for task in &tasks {
        let mut out = Vec::new();
        let converted = convert(task, &ConvertOptions::default(), &mut out).map(|_| out);
        let is_new = records.insert(task.name.clone(), converted.map_err(|error| error.reason));
        assert!(is_new.is_none(), "{} is converted twice", task.name);
    }
    records
}

/// Compares the records of a source with those of the folder on disk that it is a copy of.
fn compare_source(source: &Arc<dyn Source>, folder: &Path, paths: &[&str], is_root: bool) -> usize {
    let [below, on_disk] = [Path::new(""), folder].map(|start| {
        let paths = paths.iter().map(|path| start.join(path)).collect();
        if is_root {
            Search { roots: paths, ..Search::default() }
        } else {
            Search { paths, ..Search::default() }
        }
    });
    let (expected, count) = convert_in_one_run(&on_disk);
    let start = format!("{}/", folder.to_str().unwrap());
    let below_folder = |name: String| name.strip_prefix(&start).unwrap_or(&name).to_owned();
    let expected: BTreeMap<_, _> =
        expected.into_iter().map(|(name, records)| (below_folder(name), records)).collect();
    for is_sent in [false, true] {
        let found = convert_source(source, &below, is_sent);
        assert!(found.keys().eq(expected.keys()), "{found:?}");
        for (name, records) in &found {
            let is_same = *records == expected[name];
            assert!(is_same, "{name}: {:?}", records.as_deref().map(String::from_utf8_lossy));
        }
    }
    count
}

#[test]
fn every_source_gives_the_records_of_the_files_on_disk() {
    let agents = ["claude", "codex", "gemini", "opencode", "cursor"];
    let sources: [Arc<dyn Source>; 2] =
        [Arc::new(memory(&fixtures())), Arc::new(DiskSource::new(fixtures()))];
    for source in &sources {
        let count = compare_source(source, &fixtures(), &agents, false);
        assert!(count > 100, "{count} sessions");
    }
}

#[test]
fn home_in_a_source_gives_the_records_of_the_home_on_disk() {
    let home = home();
    let source: Arc<dyn Source> = Arc::new(memory(home.path()));
    assert!(compare_source(&source, home.path(), &[""], true) >= 5);
    // A folder of homes.
    let parent = home.path().parent().unwrap();
    let name = home.path().file_name().unwrap().to_str().unwrap();
    let named = DiskSource::new(home.path()).names().unwrap().into_iter().map(|path| {
        let bytes = std::fs::read(home.path().join(&path)).unwrap();
        (format!("{name}/{path}"), bytes)
    });
    let source: Arc<dyn Source> = Arc::new(named.collect::<MemorySource>());
    let search = Search { roots: vec!["".into()], ..Search::default() };
    assert!(search.plan_in(&source).unwrap().tasks.len() >= 5);
    assert!(compare_source(&source, parent, &[name], true) >= 5);
}

/// Returns the kinds of the errors of a plan, and the first of them.
fn troubles(search: &Search, memory: MemorySource) -> (Vec<ErrorKind>, String) {
    let source: Arc<dyn Source> = Arc::new(memory);
    let plan = search.plan_in(&source).unwrap();
    assert!(plan.tasks.is_empty());
    let kinds = plan.troubles.iter().map(|trouble| trouble.kind).collect();
    (kinds, plan.troubles.first().map(Error::to_string).unwrap_or_default())
}

#[test]
fn files_of_a_source_that_cannot_be_read_are_errors() {
    let database = std::fs::read(fixtures().join("opencode/database/basic/opencode.db")).unwrap();
    let cut = database[..database.len() / 2].to_vec();
    let search = Search::default();
    let (kinds, reason) = troubles(&search, MemorySource::from_iter([("a/opencode.db", cut)]));
    assert_eq!(kinds, [ErrorKind::Io], "{reason}");
    assert!(reason.starts_with("a/opencode.db: "), "{reason}");
    let (kinds, reason) =
        troubles(&search, MemorySource::from_iter([("../a.jsonl", LOG.as_bytes())]));
    assert_eq!(kinds, [ErrorKind::Io], "{reason}");
    let named = Search { paths: vec!["b.jsonl".into()], ..Search::default() };
    let (kinds, _) = troubles(&named, MemorySource::from_iter([("a.jsonl", LOG.as_bytes())]));
    assert_eq!(kinds, [ErrorKind::Io]);
    let source: Arc<dyn Source> = Arc::new(MemorySource::default());
    let discover = Search { discover: true, ..Search::default() };
    assert_eq!(discover.plan_in(&source).unwrap_err().kind, ErrorKind::Refused);
    let source: Arc<dyn Source> = Arc::new(DiskSource::new("no-such-folder"));
    assert_eq!(search.plan_in(&source).unwrap().troubles.len(), 1);
}

#[test]
fn task_of_a_source_needs_its_source() {
    let source: Arc<dyn Source> = Arc::new(MemorySource::from_iter([("a.jsonl", LOG.as_bytes())]));
    let plan = Search::default().plan_in(&source).unwrap();
    let task = serde_json::to_value(&plan.tasks[0]).unwrap();
    assert_eq!(task["files"]["in-source"], true);
    assert!(refuse(&task).contains("in_source"), "{}", refuse(&task));
    let mut forged = task.clone();
    forged["files"]["parts"][0]["below"] = "../b.jsonl".into();
    let forged = serde_json::from_value::<Task>(forged).unwrap().in_source(&source);
    let error = convert(&forged, &ConvertOptions::default(), Vec::new()).unwrap_err();
    assert!(error.to_string().ends_with("a path that leads out of its folder"), "{error}");
    // The file was removed since.
    let empty: Arc<dyn Source> = Arc::new(MemorySource::default());
    let task = serde_json::from_value::<Task>(task).unwrap().in_source(&empty);
    let error = convert(&task, &ConvertOptions::default(), Vec::new()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Io);
}

#[test]
fn journal_of_a_database_in_a_source_is_applied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    std::fs::copy(fixtures().join("opencode/database/basic/opencode.db"), &path).unwrap();
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.pragma_update(None, "journal_mode", "WAL").unwrap();
    writer.execute("UPDATE session SET title = 'in the journal'", []).unwrap();
    let source: Arc<dyn Source> = Arc::new(memory(folder.path()));
    assert!(compare_source(&source, folder.path(), &["opencode.db"], false) > 1);
    let records = convert_source(&source, &Search::default(), true);
    let has_title = |record: &Records| {
        String::from_utf8_lossy(record.as_deref().unwrap()).contains("in the journal")
    };
    assert!(records.values().all(has_title));
}

#[test]
fn tasks_of_a_corpus_give_the_records_of_one_run() {
    let corpus = Path::new("../../../shared/corpus");
    if corpus.is_dir() {
        compare(&Search { paths: vec![corpus.to_owned()], ..Search::default() });
    }
}

/// Makes a home in which agents keep sessions in all kinds of containers.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        let to = home.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(fixtures().join(from), to).unwrap();
    };
    copy("opencode/database/basic/opencode.db", ".local/share/opencode/opencode.db");
    copy("cursor/composer/basic/state.vscdb", ".config/Cursor/User/globalStorage/state.vscdb");
    let prompts = home.path().join(".gemini/tmp/abc/logs.json");
    std::fs::create_dir_all(prompts.parent().unwrap()).unwrap();
    let prompt = |session: &str| {
        format!(
            r#"{{"sessionId":"{session}","messageId":0,"type":"user","message":"Hello","timestamp":"2026-01-02T03:04:05Z"}}"#
        )
    };
    std::fs::write(prompts, format!("[{},{}]", prompt("one"), prompt("two"))).unwrap();
    home
}

#[test]
fn tasks_of_a_home_give_the_records_of_one_run() {
    let home = home();
    let search = Search { roots: vec![home.path().to_owned()], ..Search::default() };
    assert!(compare(&search) >= 5);
    let tasks = serde_json::to_string(&search.plan().unwrap().tasks).unwrap();
    for kind in ["database", "prompts"] {
        assert!(tasks.contains(&format!(r#""store":"{kind}""#)), "{kind}: {tasks}");
    }
}

/// Returns the task of a log as JSON.
fn find_task(path: &Path) -> serde_json::Value {
    let plan = Search { paths: vec![path.to_owned()], ..Search::default() }.plan().unwrap();
    serde_json::to_value(&plan.tasks[0]).unwrap()
}

/// Returns why a task is not converted.
fn refuse(task: &serde_json::Value) -> String {
    match serde_json::from_value::<Task>(task.clone()) {
        Ok(task) => convert(&task, &ConvertOptions::default(), Vec::new()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

const LOG: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"Hi"}]}}"#;

#[test]
fn forged_task_does_not_lead_out_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("logs")).unwrap();
    std::fs::write(folder.path().join("logs/a.jsonl"), LOG).unwrap();
    std::fs::write(folder.path().join("secret.jsonl"), LOG).unwrap();
    let task = find_task(&folder.path().join("logs"));
    assert_eq!(task["files"]["parts"][0]["below"], "a.jsonl");
    let secret = folder.path().join("secret.jsonl");
    for below in ["../secret.jsonl", secret.to_str().unwrap(), "..", "b/../../secret.jsonl"] {
        let mut task = task.clone();
        task["files"]["parts"][0]["below"] = below.into();
        assert!(refuse(&task).ends_with("a path that leads out of its folder"), "{below}");
    }
    let mut empty = task.clone();
    empty["files"]["parts"] = serde_json::json!([]);
    assert!(refuse(&empty).ends_with("a log without a file"));
    let mut agent = task.clone();
    agent["agent"] = "codex".into();
    assert!(refuse(&agent).contains("unknown agent"));
    let mut store = task.clone();
    let kind =
        serde_json::json!({"session": {"store": "database", "adapter": "opencode", "key": "s"}});
    store["files"]["parts"][0]["kind"] = kind;
    assert!(!refuse(&store).is_empty());
    let mut unknown = task;
    unknown["files"]["more"] = true.into();
    assert!(refuse(&unknown).contains("unknown field"));
}

#[cfg(unix)]
#[test]
fn links_and_special_files_of_a_task_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    std::fs::write(logs.join("a.jsonl"), LOG).unwrap();
    let task = find_task(&logs);
    // The file becomes a link after the task was planned.
    std::fs::rename(logs.join("a.jsonl"), folder.path().join("b.jsonl")).unwrap();
    std::os::unix::fs::symlink("../b.jsonl", logs.join("a.jsonl")).unwrap();
    assert!(refuse(&task).ends_with("symbolic link, not followed"), "{}", refuse(&task));
    let mut device = task;
    device["files"]["parts"][0] = serde_json::json!({"root": "/dev/zero", "kind": "file"});
    assert!(refuse(&device).ends_with("pipe, socket or device, not opened"), "{}", refuse(&device));
}

#[cfg(unix)]
#[test]
fn task_of_a_file_whose_name_is_not_text_is_converted() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xff.jsonl");
    if std::fs::write(folder.path().join(name), LOG).is_ok() {
        let paths = vec![folder.path().to_owned()];
        assert_eq!(compare(&Search { paths, ..Search::default() }), 1);
    }
}

#[test]
fn task_of_a_relative_path_names_the_directory() {
    let task = find_task(&fixtures().join("claude/jsonl/basic"));
    let directory = std::env::current_dir().unwrap();
    assert_eq!(task["files"]["directory"], directory.to_str().unwrap());
    let task: Task = serde_json::from_value(task).unwrap();
    assert!(task.paths()[0].is_absolute());
}

#[test]
fn every_session_of_a_database_is_one_task() {
    let paths = vec![fixtures().join("opencode/database/basic/opencode.db")];
    let tasks = Search { paths, ..Search::default() }.plan().unwrap().tasks;
    assert!(tasks.len() > 1);
    let json = serde_json::to_string(&tasks).unwrap();
    let mut opened: Vec<Task> = serde_json::from_str(&json).unwrap();
    Task::open_stores(&mut opened);
    let closed: Vec<Task> = serde_json::from_str(&json).unwrap();
    let source: Arc<dyn Source> = Arc::new(memory(&fixtures().join("opencode/database/basic")));
    let paths = vec!["opencode.db".into()];
    let tasks = Search { paths, ..Search::default() }.plan_in(&source).unwrap().tasks;
    let json = serde_json::to_string(&tasks).unwrap();
    let sent: Vec<Task> = serde_json::from_str(&json).unwrap();
    let mut in_memory: Vec<_> = sent.into_iter().map(|task| task.in_source(&source)).collect();
    Task::open_stores(&mut in_memory);
    assert_eq!(in_memory.len(), closed.len());
    for task in opened.iter().chain(&closed).chain(&in_memory) {
        let converted = convert(task, &ConvertOptions::default(), Vec::new()).unwrap();
        assert_eq!(converted.sessions.len(), 1);
        assert_eq!(Some(&converted.sessions[0].session_id), task.session_id.as_ref());
    }
}

#[test]
fn form_of_a_task_is_stable() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jsonl"), LOG).unwrap();
    let root = folder.path().to_str().unwrap();
    let expected = serde_json::json!({
        "name": format!("{root}/a.jsonl"),
        "agent": "cursor",
        "adapter": "cursor",
        "variant": "transcript",
        "size": LOG.len(),
        "files": {"parts": [{"root": root, "below": "a.jsonl", "kind": "file"}]},
    });
    let task = find_task(folder.path());
    assert_eq!(task, expected);
    // Only what is needed to convert it has to be there.
    let needed = serde_json::json!({
        "name": "a", "agent": "cursor", "adapter": "cursor", "files": task["files"],
    });
    let [task, needed] = [task, needed].map(|task| serde_json::from_value::<Task>(task).unwrap());
    let records = |task| vac::convert_to_records(task, &ConvertOptions::default()).unwrap();
    assert_eq!(records(&task)[0].bytes, records(&needed)[0].bytes);
}
