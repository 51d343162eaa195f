//! Tasks that were sent through JSON give the records of one run.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use vac::convert::convert_each;
use vac::parallel::ordered_parallel_map;
use vac::{Options, Search, Task, convert};
use vac_store::HeldBudget;

/// The records of a log, or why it was not converted.
type Records = Result<Vec<u8>, String>;

/// Returns the records by the names of their logs, as one run makes them: everything is found,
/// joined and then converted, several logs at once.
fn convert_in_one_run(search: &Search) -> (BTreeMap<String, Records>, usize) {
    let budget = HeldBudget::new(1 << 20);
    let selected = search.find(&budget, &mut |_| {}).unwrap();
    let logs: Vec<_> = selected.logs.iter().filter(|known| known.agent.is_some()).collect();
    let mut names = logs.iter().map(|known| known.log.shown.clone());
    let (mut records, mut count) = (BTreeMap::new(), 0);
    let work = |known: &vac_store::join::Known| {
        let agent = known.agent.and_then(vac::agent).unwrap();
        convert_each(&known.log, agent, &Options::default(), Vec::new)
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

/// The same from tasks, each sent through JSON, in the opposite order.
fn convert_task_by_task(search: &Search) -> (BTreeMap<String, Records>, usize) {
    let tasks = search.plan().unwrap().tasks;
    let tasks: Vec<_> = tasks.iter().map(|task| serde_json::to_string(task).unwrap()).collect();
    let (mut records, mut count) = (BTreeMap::new(), 0);
    for json in tasks.iter().rev() {
        let task: Task = serde_json::from_str(json).unwrap();
        assert_eq!(&serde_json::to_string(&task).unwrap(), json);
        let mut out = Vec::new();
        let converted = convert(&task, &Options::default(), &mut out);
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
fn tasks_of_a_corpus_give_the_records_of_one_run() {
    let corpus = Path::new("../../../shared/corpus");
    if corpus.is_dir() {
        compare(&Search { paths: vec![corpus.to_owned()], ..Search::default() });
    }
}
