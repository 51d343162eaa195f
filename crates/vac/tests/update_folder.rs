//! Tests folders and files of records that several runs update.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use vac::files::{FolderLock, InputGuard, Readers, Wait};
use vac::output::{
    FoundLog, KeptBecause, OutputEvent, OutputOptions, OutputReport, OutputStage, RecordChange,
    RecordFile, RecordFolder, RecordOutput, UnchangedLogs, convert_logs, update_folder,
};
use vac::{ErrorKind, Search, Task};

/// Logs, and a folder of records.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir(world.logs()).unwrap();
        world
    }

    fn logs(&self) -> PathBuf {
        self.0.path().join("logs")
    }

    fn records(&self) -> PathBuf {
        self.0.path().join("records")
    }

    /// Writes the first lines of the log of a session.
    fn write(&self, id: &str, lines: usize) {
        let log = fs::read_to_string("../../fixtures/samples/claude.jsonl").unwrap();
        let log = log.replace("7d1f4c52-3b0e-4f6a-9c2d-51a0be77e901", id);
        let log: Vec<_> = log.lines().take(lines).map(|line| line.to_owned() + "\n").collect();
        fs::write(self.logs().join(format!("{id}.jsonl")), log.concat()).unwrap();
    }

    fn tasks(&self) -> Vec<Task> {
        let plan = Search { paths: vec![self.logs()], ..Search::default() }.plan().unwrap();
        assert!(plan.troubles.is_empty(), "{:?}", plan.troubles);
        plan.tasks
    }

    fn update(&self, options: &OutputOptions) -> OutputReport {
        update_folder(&self.tasks(), self.records(), options, &mut |_| {}).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = self.records().read_dir().unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn record(world: &World, name: &str) -> PathBuf {
    world.records().join(name)
}

#[test]
fn second_run_changes_nothing() {
    let world = World::new();
    world.write("one", 8);
    world.write("two", 8);
    let report = world.update(&OutputOptions::default());
    assert_eq!(report.changes().new, 2);
    assert!(report.sessions.iter().all(|session| session.report.is_some()));
    assert_eq!(world.names(), ["claude-one.json", "claude-two.json"]);
    let before = fs::read(record(&world, "claude-one.json")).unwrap();
    assert!(vac::validate(&before).unwrap().is_valid());

    let report = world.update(&OutputOptions::default());
    assert_eq!((report.changes().new, report.changes().unchanged), (0, 2));
    let path = record(&world, "claude-one.json");
    assert_eq!(report.sessions[0].change, RecordChange::Unchanged { record: path.clone() });
    assert_eq!(report.sessions[0].session_id, "one");
    assert_eq!(fs::read(&path).unwrap(), before);

    let unchanged = UnchangedLogs::Converted;
    let report = world.update(&OutputOptions { unchanged, ..OutputOptions::default() });
    assert_eq!(report.changes().changed, 2);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn grown_log_replaces_its_record() {
    let world = World::new();
    world.write("one", 4);
    world.write("two", 4);
    assert_eq!(world.update(&OutputOptions::default()).changes().new, 2);
    world.write("two", 9);
    let report = world.update(&OutputOptions::default());
    assert_eq!((report.changes().changed, report.changes().unchanged), (1, 1));
    let path = record(&world, "claude-two.json");
    assert_eq!(report.sessions[1].change, RecordChange::Changed { record: path });
    assert_eq!(world.names().len(), 2);
}

#[test]
fn deeply_nested_records_are_compared_on_a_small_stack() {
    let world = World::new();
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let line = |id: &str, text: &str| {
        format!(
            r#"{{"sessionId":"deep","uuid":"{id}","timestamp":"2026-03-01T09:00:00.000Z","type":"user","message":{{"role":"user","content":"{text}"}},"deep":{deep}}}"#
        )
    };
    let path = world.logs().join("deep.jsonl");
    // Neither has grown from the other, so entries are compared.
    fs::write(&path, format!("{}\n", line("a", "one"))).unwrap();
    assert_eq!(world.update(&OutputOptions::default()).changes().new, 1);
    fs::write(&path, format!("{}\n{}\n", line("b", "two"), line("a", "one"))).unwrap();
    let thread = std::thread::Builder::new().stack_size(1 << 17).spawn(move || {
        let changes = world.update(&OutputOptions::default()).changes();
        assert_eq!(changes.new + changes.changed, 1);
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn logs_in_memory_are_recognised_again() {
    let world = World::new();
    world.write("one", 4);
    let bytes = fs::read(world.logs().join("one.jsonl")).unwrap();
    let task = Task::from_bytes("one.jsonl", bytes).unwrap();
    for unchanged in [0, 1] {
        let options = OutputOptions::default();
        let report =
            update_folder(std::slice::from_ref(&task), world.records(), &options, &mut |_| {});
        assert_eq!(report.unwrap().changes().unchanged, unchanged);
    }
}

#[test]
fn record_of_a_log_that_was_cut_is_kept() {
    let world = World::new();
    world.write("one", 9);
    assert_eq!(world.update(&OutputOptions::default()).changes().new, 1);
    let earlier = record(&world, "claude-one.json");
    let before = fs::read(&earlier).unwrap();
    world.write("one", 2);
    let report = world.update(&OutputOptions::default());
    let new = record(&world, "claude-one-2.json");
    let because = KeptBecause::NotContained;
    let expected = RecordChange::KeptEarlier { record: new, earlier: earlier.clone(), because };
    assert_eq!(report.sessions[0].change, expected);
    assert_eq!((report.changes().new, report.changes().kept), (1, 1));
    assert_eq!(fs::read(&earlier).unwrap(), before);
    let json = serde_json::to_value(&report).unwrap();
    let session = &json["sessions"][0];
    assert_eq!(
        (&session["change"], &session["because"]),
        (&"kept-earlier".into(), &"not-contained".into())
    );
    assert_eq!(session["report"]["session-id"], "one");

    world.write("one", 1);
    let options = OutputOptions { overwrite: true, ..OutputOptions::default() };
    assert_eq!(world.update(&options).changes().changed, 1);
    assert_ne!(fs::read(&earlier).unwrap(), before);
}

#[test]
fn file_that_is_not_a_record_is_kept() {
    let world = World::new();
    world.write("one", 2);
    fs::create_dir(world.records()).unwrap();
    let path = record(&world, "claude-one.json");
    fs::write(&path, "notes").unwrap();
    let options = OutputOptions { overwrite: true, ..OutputOptions::default() };
    let report = world.update(&options);
    let RecordChange::KeptEarlier { earlier, because, .. } = &report.sessions[0].change else {
        panic!("{:?}", report.sessions[0].change);
    };
    assert_eq!((earlier, *because), (&path, KeptBecause::OtherFile));
    assert_eq!(fs::read(&path).unwrap(), b"notes");
}

#[test]
fn index_saves_reading_logs() {
    let world = World::new();
    for number in 0..40 {
        world.write(&format!("session-{number}"), 2);
    }
    let searched = SystemTime::now() + Duration::from_secs(60);
    let options = OutputOptions { searched: Some(searched), ..OutputOptions::default() };
    assert_eq!(world.update(&options).changes().new, 40);
    assert!(world.names().contains(&".vac-index".to_owned()));
    let mut stages = Vec::new();
    let report = update_folder(&world.tasks(), world.records(), &options, &mut |event| {
        if let OutputEvent::Begins(stage, steps) = event {
            stages.push((stage, steps));
        }
    });
    assert_eq!(report.unwrap().changes().unchanged, 40);
    let expected = [
        (OutputStage::ReadingRecords, 40),
        (OutputStage::Comparing, 40),
        (OutputStage::Converting, 0),
    ];
    assert_eq!(stages, expected);
}

#[test]
fn folder_in_use_is_an_error() {
    let world = World::new();
    world.write("one", 2);
    fs::create_dir(world.records()).unwrap();
    let lock = FolderLock::acquire(&world.records(), Wait::No, || ()).unwrap();
    assert!(lock.is_some());
    let options = OutputOptions { wait: Wait::No, ..OutputOptions::default() };
    let error = update_folder(&world.tasks(), world.records(), &options, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Locked);
}

#[test]
fn logs_that_fail_are_reported_and_others_are_converted() {
    let world = World::new();
    world.write("one", 2);
    world.write("two", 2);
    let tasks = world.tasks();
    fs::remove_file(world.logs().join("one.jsonl")).unwrap();
    let json = serde_json::to_string(&tasks).unwrap();
    let tasks: Vec<Task> = serde_json::from_str(&json).unwrap();
    let mut failed = Vec::new();
    let report = update_folder(&tasks, world.records(), &OutputOptions::default(), &mut |event| {
        if let OutputEvent::Failed(error) = event {
            failed.push(error.clone());
        }
    });
    let report = report.unwrap();
    assert_eq!((report.failed.len(), report.changes().new), (1, 1));
    assert_eq!(report.failed, failed);
    let place = report.failed[0].place.as_deref().unwrap();
    assert!(Path::new(place).ends_with("one.jsonl") && report.failed[0].kind == ErrorKind::Io);
}

#[test]
fn one_file_contains_the_records_that_are_complete() {
    let world = World::new();
    world.write("one", 2);
    world.write("two", 2);
    let tasks = world.tasks();
    fs::remove_file(world.logs().join("one.jsonl")).unwrap();
    let json = serde_json::to_string(&tasks).unwrap();
    let tasks: Vec<Task> = serde_json::from_str(&json).unwrap();
    let path = world.0.path().join("all.jsonl");
    let create = || RecordFile::create(&path, false, Readers::Owner, &InputGuard::default());
    let output = RecordOutput::File(create().unwrap());
    let logs = tasks.iter().map(FoundLog::from).collect();
    let report = convert_logs(logs, output, &OutputOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((report.sessions.len(), report.failed.len()), (1, 1));
    assert_eq!(report.sessions[0].change, RecordChange::Appended);
    let mut records = Vec::new();
    vac::convert(&tasks[1], &vac::ConvertOptions::default(), &mut records).unwrap();
    assert_eq!(fs::read(&path).unwrap(), records);
    assert_eq!(create().unwrap_err().kind, ErrorKind::Exists);
    assert_eq!(world.0.path().read_dir().unwrap().count(), 2);
}

#[test]
fn folder_is_locked_while_logs_are_searched() {
    let world = World::new();
    world.write("one", 2);
    fs::create_dir(world.records()).unwrap();
    let mut folder = RecordFolder::open(&world.records(), Wait::No, || ()).unwrap();
    assert!(FolderLock::acquire(&world.records(), Wait::No, || ()).unwrap().is_none());
    let logs = world.tasks().iter().map(FoundLog::from).collect();
    let output = RecordOutput::Folder(&mut folder);
    let report = convert_logs(logs, output, &OutputOptions::default(), &mut |_| {}).unwrap();
    let path = report.sessions[0].change.record().unwrap();
    assert!(folder.holds(path) && !folder.holds(&world.records().join("other.json")));
}

#[test]
fn sessions_of_a_log_that_were_not_wanted_are_converted_later() {
    let world = World::new();
    let log = "../../fixtures/claude/jsonl/two-sessions/collected.jsonl";
    fs::copy(log, world.logs().join("collected.jsonl")).unwrap();
    let search = Search { paths: vec![world.logs()], ..Search::default() };
    let wheel = Search { project: Some("wheel".to_owned()), ..search.clone() };
    let update = |search: &Search, is_sent: bool| {
        let mut tasks = search.plan().unwrap().tasks;
        for task in tasks.iter_mut().filter(|_| is_sent) {
            *task = serde_json::from_str(&serde_json::to_string(task).unwrap()).unwrap();
        }
        let options = OutputOptions::default();
        let report = update_folder(&tasks, world.records(), &options, &mut |_| {}).unwrap();
        let changes = report.changes();
        (changes.new, changes.changed, changes.unchanged)
    };
    for is_sent in [false, true] {
        assert_eq!(update(&wheel, is_sent), (1, 0, 0));
        assert_eq!(update(&wheel, is_sent), (0, 0, 1));
        assert_eq!(update(&search, is_sent), (1, 0, 1));
        assert_eq!(update(&search, is_sent), (0, 0, 2));
        assert_eq!(update(&wheel, is_sent), (0, 0, 1));
        fs::remove_dir_all(world.records()).unwrap();
    }
}

#[test]
fn label_of_a_task_states_its_home() {
    let world = World::new();
    let log = fs::read("../../fixtures/samples/claude.jsonl").unwrap();
    for home in ["ada", "bob", "cy"] {
        let folder = world.logs().join(home).join(".claude/projects/a");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("7d1f4c52-3b0e-4f6a-9c2d-51a0be77e901.jsonl"), &log).unwrap();
    }
    let search = Search { roots: vec![world.logs()], ..Search::default() };
    assert_eq!(search.plan().unwrap().tasks.len(), 1);
    let tasks = Search { homes_apart: true, ..search }.plan().unwrap().tasks;
    let mut options = OutputOptions::default();
    options.convert.record.labels.insert("user".to_owned(), "{home}".to_owned());
    let report = update_folder(&tasks, world.records(), &options, &mut |_| {}).unwrap();
    let labels: Vec<_> = report
        .sessions
        .iter()
        .map(|session| session.report.as_ref().unwrap().labels["user"].clone())
        .collect();
    assert_eq!(labels, ["ada", "bob", "cy"]);
    assert_eq!(tasks.iter().filter_map(Task::home).collect::<Vec<_>>(), labels);
    let again = update_folder(&tasks, world.records(), &options, &mut |_| {}).unwrap();
    assert_eq!(again.changes().unchanged, 3);
    // A log that is not in a home has no such label.
    world.write("a", 5);
    let named = Search { paths: vec![world.logs().join("a.jsonl")], ..Search::default() };
    let tasks = named.plan().unwrap().tasks;
    let failed = update_folder(&tasks, world.records(), &options, &mut |_| {}).unwrap().failed;
    assert!(failed[0].to_string().contains("label user={home}"), "{}", failed[0]);
}
